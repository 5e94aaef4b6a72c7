"""Text outside ASCII, in every place where a person may put it."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.expect import (
    K80,
    asking,
    assert_as_sent,
    assert_denied,
    assert_mutated,
    key,
    quota_key,
)
from tests.cluster.reviews import Direct, pod_review
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod, quota, quota_synced
from tests.harness.processes import Process, free_port
from tests.harness.product import Product, fresh_class, resource_class
from tests.harness.waiting import until
from tests.harness.webhook import FAST_STOP, READY_SECONDS, Replica

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

OWNER = "Zoë \N{EN DASH} 数据组 🚀"


def intl(spelling: str = key(K80)) -> Json:
    container = {
        "name": "c",
        "image": IMAGE,
        "args": ["--título", "日本語"],
        "env": [{"name": "MSG", "value": "héllo"}],
        "resources": {"limits": {spelling: "1"}},
    }
    made = pod("intl", containers=[container])
    made["metadata"]["annotations"] = {"owner": OWNER, "note": "tab\tnew\nline"}
    return made


# NiklasRosenstein/python-github-bot-api PR#2, robusta-dev/robusta#1117: bodies were read as ASCII or Latin-1.
def test_a_refusal_of_a_pod_full_of_unicode_is_clean(api: Api, namespace: str) -> None:
    api.create(quota("q", {quota_key(K80): "0"}), namespace).must()
    quota_synced(api, namespace, "q")

    assert_denied(api.create(intl(), namespace), 1, 0, 0)


@pytest.mark.parametrize("spelling", [key(K80), K80])
def test_a_pod_full_of_unicode_is_read_back_as_it_was_sent(api: Api, namespace: str, spelling: str) -> None:
    sent = intl(spelling)

    api.create(sent, namespace).must()

    stored = api.get("Pod", "intl", namespace).must()
    assert_mutated(stored)
    assert_as_sent(api, stored, sent)
    assert stored["metadata"]["annotations"] == sent["metadata"]["annotations"]
    container = stored["spec"]["containers"][0]
    assert container["args"] == ["--título", "日本語"]
    assert {"name": "MSG", "value": "héllo"} in container["env"]


def test_a_model_outside_ascii_disturbs_no_other_class(api: Api, namespace: str) -> None:
    with fresh_class(api, "dashed.k80", {"model": "NVIDIA Tesla K80 \N{EN DASH} Ti"}):
        assert_mutated(
            api.create(asking("dashed", class_name="dashed.k80"), namespace).must(), {"dashed.k80": 1}
        )
        assert_mutated(api.create(asking("plain"), namespace).must())


def test_utf8_without_a_charset_is_read_as_utf8(direct: Direct) -> None:
    answer = direct.post("/mutate", pod_review(intl(), "default"))

    assert answer.response["allowed"], answer.text
    replaced = [operation.get("value") for operation in answer.patch]
    assert "Zoë" not in str(replaced), "the patch repeats what it does not change"


def test_a_name_outside_ascii_is_answered_with_that_name(direct: Direct) -> None:
    answer = direct.post("/mutate", pod_review(pod("intl", {"nvidia.tésla.k80": "1"}), "default"))

    assert not answer.response["allowed"]
    assert "nvidia.tésla.k80" in answer.response["status"]["message"]


def test_the_log_takes_text_outside_ascii_under_the_c_locale(product: Product, tmp_path: Path) -> None:
    review = pod_review(intl(), "default", name="zoë-数据组-🚀")

    with in_c_locale(product, tmp_path) as (direct, log):
        answer = direct.post("/mutate", review)

    assert answer.response["allowed"], answer.text
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    decided = [line for line in lines if line.get("message") == "decided"]
    assert [(line["namespace"], line["name"]) for line in decided] == [("default", "zoë-数据组-🚀")]


@contextmanager
def in_c_locale(product: Product, folder: Path) -> Iterator[tuple[Direct, Path]]:
    """A webhook over a folder with the class K80, in a locale that knows ASCII alone; and its log."""
    manifests = folder / "manifests"
    manifests.mkdir()
    (manifests / "class.json").write_text(json.dumps(resource_class(K80)))
    certificate, key_file = product.plane.pki.serving("c-locale")
    port, health_port, log = free_port(), free_port(), folder / "webhook.log"
    where = ["--host=127.0.0.1", f"--port={port}", "--health-host=127.0.0.1", f"--health-port={health_port}"]
    tls = [f"--tls-cert={certificate}", f"--tls-key={key_file}"]
    command = [
        sys.executable,
        "-m",
        "webhook",
        "webhook",
        f"--manifests={manifests}",
        *tls,
        *where,
        *FAST_STOP,
    ]
    # PYTHONCOERCECLOCALE and PYTHONUTF8 would have Python choose UTF-8 all the same.
    env = {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    with Process("c-locale", command, log, env, signal.SIGTERM) as process:
        replica = Replica(process, port, health_port)
        until(replica.ready, "the webhook in the C locale is ready", READY_SECONDS)
        with Direct(f"https://127.0.0.1:{port}", product.plane.pki.ca_file) as direct:
            yield direct, log
