"""Fixtures of the commands that look at a cluster."""

from __future__ import annotations

import json

import pytest

from webhook.cli.main import main


@pytest.fixture
def explain(tmp_path, capsys, monkeypatch):
    """Return a function that explains a name among objects: exit code and output."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*objects, name="train", output="text", arguments=("-n", "team-a")):
        (tmp_path / "all.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
        code = main(["explain", name, "--manifests", str(tmp_path), "-o", output, *arguments])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def answer(explain):
    """Return a function that gives the JSON answer; the exit code must agree with it."""

    def run(*objects, **more):
        code, out = explain(*objects, output="json", **more)
        document = json.loads(out)
        assert code == (0 if document["fine"] else 1)
        return document

    return run
