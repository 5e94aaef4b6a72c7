"""What `resourceclass doctor` expects of an installation is what the chart installs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.chart.rendering import Helm, only
from tests.chart.samples import Json
from tests.harness.chart import CONFIGURATIONS
from webhook.cli.main import main
from webhook.core.doctor.entries import EXPECTED

ENABLED = {"scheduler.enabled": True, "scheduler.image": "example.com/kube-scheduler:v1.36.3"}


@pytest.fixture(scope="module")
def enabled(helm: Helm) -> list[Json]:
    return helm.objects(ENABLED)


def examine(objects: list[Json], folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, Json]:
    listed = {"kind": "List", "apiVersion": "v1", "items": objects}
    (folder / "all.json").write_text(json.dumps(listed))
    code = main(["doctor", "--manifests", str(folder), "-o", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_in_what_the_chart_installs_it_finds_nothing(
    enabled: list[Json], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer = examine(enabled, tmp_path, capsys)
    assert answer["findings"] == []
    assert code == 0
    made = {item["check"] for item in answer["notChecked"]}
    assert not made & {
        "the CustomResourceDefinitions",
        "what the webhook configurations have",
        "what the webhook configurations match",
        "how the API server calls the webhook",
        "the policy for records",
        "the scheduler's configuration",
        "the versions of the parts",
    }


def test_a_first_trial_that_ignores_failures_is_told(
    helm: Helm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer = examine(helm.objects({"webhook.failurePolicy": "Ignore"}), tmp_path, capsys)
    assert {item["rule"] for item in answer["findings"]} == {"WebhookIgnoresFailure"}
    assert code == 1


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_it_knows_every_entry_with_all_that_the_entry_sees(objects: list[Json], kind: str) -> None:
    installed = {
        entry["name"]: {
            (group, resource): tuple(rule["operations"])
            for rule in entry["rules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
        }
        for entry in only(objects, kind, "resourceclass")["webhooks"]
    }
    known = {f"{name}.resourceclass.io": dict(expected.sees) for name, expected in EXPECTED[kind].items()}
    assert installed == known
