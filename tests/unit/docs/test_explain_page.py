"""Every state that `explain` knows stands in the documentation, with what to do."""

from pathlib import Path

import pytest

from webhook.core.explain.answer import State

PAGE = (Path(__file__).parents[3] / "docs" / "troubleshooting.md").read_text("utf-8")
FIRST_CELLS = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_a_row(state):
    assert any(f"`{state.value}`" in cell for cell in FIRST_CELLS)
