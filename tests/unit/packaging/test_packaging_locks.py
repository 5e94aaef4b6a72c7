"""The locks: complete, hashed, of one mind, and free of anything about the machine that made them."""

import re
from pathlib import Path

import pytest

REQUIREMENTS = Path(__file__).parents[3] / "requirements"
LOCKS = ("build.txt", "run.txt", "dev.txt")
_PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", re.MULTILINE)


def pins(lock: str) -> dict[str, str]:
    """Name to version of everything that a lock installs."""
    return dict(_PIN.findall((REQUIREMENTS / lock).read_text()))


def wanted(source: str) -> set[str]:
    """The names that a source file asks for itself."""
    lines = (REQUIREMENTS / source).read_text().splitlines()
    names = (re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", line) for line in lines)
    return {name.group().lower().replace("_", "-") for name in names if name}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_all_that_its_source_asks_for(lock: str):
    assert wanted(lock.replace(".txt", ".in")) - set(pins(lock)) == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_a_lock_has_hashes(lock: str):
    blocks = re.split(r"^(?=[a-z0-9])", (REQUIREMENTS / lock).read_text(), flags=re.MULTILINE)

    unhashed = [
        block.splitlines()[0] for block in blocks if _PIN.match(block) and "--hash=sha256:" not in block
    ]

    assert unhashed == []


@pytest.mark.parametrize("lock", ["build.txt", "run.txt"])
def test_tests_run_with_the_versions_of_the_image(lock: str):
    tested = pins("dev.txt")

    assert {name: tested.get(name) for name in pins(lock)} == pins(lock)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_registry_and_no_path_of_a_machine(lock: str):
    text = (REQUIREMENTS / lock).read_text()

    assert re.findall(r"https?://|--index-url|--find-links|file:", text) == []
