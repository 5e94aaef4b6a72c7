"""What the documentation says of refusals is what the rules say."""

from pathlib import Path

import pytest

from tests.unit.core.reasons import EVERY
from webhook.core.outcome import Reason

DOCS = Path(__file__).parents[3] / "docs"


def words(page):
    return " ".join((DOCS / page).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("reason", list(Reason))
def test_the_admission_page_quotes_every_refusal_word_for_word(reason):
    refused, _ = EVERY[reason]
    page = words("admission.md")
    assert f"### {reason.value} ``` {refused().message} ``` {refused().code}" in page
