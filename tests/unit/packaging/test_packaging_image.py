"""The image: what its recipe copies is there and reaches the builder."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
_COPIES = re.findall(r"^COPY (?!--from)(.*) \S+$", _DOCKERFILE, re.MULTILINE)
SOURCES = sorted({source for line in _COPIES for source in line.split()})
_ALLOWED = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}


@pytest.mark.parametrize("source", SOURCES)
def test_what_the_image_copies_is_there(source: str):
    assert (ROOT / source).exists()


def test_the_builder_gets_what_the_image_copies_and_nothing_else():
    assert {source.split("/")[0] for source in SOURCES} == _ALLOWED


def test_the_image_installs_nothing_without_a_hash():
    installs = re.findall(r"pip (?:--python \S+ )?install ([^&\n]*)", _DOCKERFILE)

    assert len(installs) == 3
    assert [line for line in installs if "--require-hashes" not in line and "--no-index" not in line] == []


def test_the_image_runs_as_a_user_without_rights():
    assert re.findall(r"^USER (.*)$", _DOCKERFILE, re.MULTILINE) == ["65532:65532"]
