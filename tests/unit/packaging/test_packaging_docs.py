"""Pages about the tree itself, held to the files that they speak of."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = re.findall(r"^([a-z.-]+):.*## ", _MAKEFILE, re.MULTILINE)
DEPENDENCIES = sorted(
    name
    for source in ("build", "run", "dev")
    for name in re.findall(r"^[A-Za-z][\w-]*", (ROOT / f"requirements/{source}.in").read_text(), re.MULTILINE)
)


@pytest.mark.parametrize("target", TARGETS)
def test_every_make_target_is_explained(target: str):
    assert f"`make {target}`" in (ROOT / "docs/development.md").read_text()


@pytest.mark.parametrize("package", DEPENDENCIES)
def test_every_dependency_has_its_reason(package: str):
    assert re.search(rf"\b{package}\b", (ROOT / "docs/dependencies.md").read_text(), re.IGNORECASE)


def test_no_target_shares_its_name_with_a_file_unless_it_is_declared_phony():
    phony = re.findall(r"^\.PHONY: (.*)$", _MAKEFILE, re.MULTILINE)

    assert set(TARGETS) == set(" ".join(phony).split())
