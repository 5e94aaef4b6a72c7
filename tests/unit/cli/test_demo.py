"""The demo: its scenes hold, and it notices when they do not."""

import re
import socket
import ssl
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from webhook.admission.engine import Engine
from webhook.admission.overlay import Overlay
from webhook.admission.played.local import LocalWebhook
from webhook.admission.played.server import PlayedApiServer
from webhook.admission.played.verdict import Verdict
from webhook.cli.demo.__main__ import main
from webhook.cli.demo.columns import WIDTH, side_by_side
from webhook.cli.demo.process import HOST, port_or_any
from webhook.cli.demo.scenes import scenes
from webhook.cluster.folder import FolderCluster
from webhook.core.settings import PodSettings

EXAMPLES = Path(__file__).parents[3] / "examples"
SCENES = scenes(EXAMPLES)
LAST_LINE = "Manifests that change are read again. Ctrl-C stops it.\n"


@pytest.fixture(scope="module")
def verdicts():
    overlay = Overlay(FolderCluster(EXAMPLES))
    server = PlayedApiServer(LocalWebhook(Engine(overlay, PodSettings())), overlay)
    return {scene.title: server.create(scene.document) for scene in SCENES}


def titles(found):
    return pytest.mark.parametrize("scene", found, ids=[scene.title for scene in found])


@titles(SCENES)
def test_each_scene_comes_out_as_it_must(scene, verdicts):
    assert list(scene.check(verdicts[scene.title])) == []


@titles(SCENES)
def test_each_scene_notices_the_opposite_verdict(scene, verdicts):
    verdict = verdicts[scene.title]
    other = next(found for found in verdicts.values() if found.admitted != verdict.admitted)
    assert list(scene.check(other))


@titles([scene for scene in SCENES if scene.reviews])
def test_each_scene_notices_an_object_that_was_not_changed_or_changed_wrongly(scene, verdicts):
    verdict = verdicts[scene.title]
    document = verdict.sent if verdict.document != verdict.received else {**verdict.document, "spec": {}}
    if verdict.admitted:
        assert list(scene.check(replace(verdict, document=document)))


@titles(SCENES)
def test_columns_fit_a_terminal(scene, verdicts):
    assert max(map(len, side_by_side(verdicts[scene.title]).splitlines())) <= WIDTH


def test_new_lines_of_a_stored_object_are_marked():
    verdict = Verdict(sent={"a": 1}, received={"a": 1}, document={"a": 1, "b": 2})
    assert side_by_side(verdict).splitlines()[-1].endswith("| + b: 2")


def test_the_demo_runs_and_holds(capsys):
    assert main(["--examples", str(EXAMPLES)]) == 0
    out = capsys.readouterr().out
    assert "+ resourceclass.io/nvidia.tesla.k80: 2" in out
    assert "the container sees NVIDIA_VISIBLE_DEVICES=0" in out
    assert "403 Forbidden: exceeded quota: example-quota" in out
    assert "of 2 devices of nvidia.tesla.k80 1 in use, 1 free" in out
    assert f"{len(SCENES)} of {len(SCENES)} came out as they must" in out
    assert "NOT AS IT MUST BE" not in out


def test_a_folder_without_the_pod_of_the_demo_is_bad_input(tmp_path, capsys):
    assert main(["--examples", str(tmp_path)]) == 2
    assert "02-pod-k80.yaml is missing" in capsys.readouterr().err


def test_every_answer_can_be_shown_beside_its_request(capsys):
    assert main(["--full", "--examples", str(EXAMPLES)]) == 0
    out = capsys.readouterr().out
    assert all(f"{number}. {scene.title}\n\n" in out for number, scene in enumerate(SCENES, 1))
    assert "apiVersion: v1                             | 403 Forbidden, by the webhook" in out


def test_a_folder_without_examples_is_bad_input(tmp_path, capsys):
    assert main(["--examples", f"{tmp_path}/nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_taken_port_gives_way_to_any_free_one():
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        assert port_or_any(port) == 0
    assert port_or_any(port) == port


def test_a_port_that_was_asked_for_and_is_taken_is_an_error_with_its_remedy(capsys):
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--serve", "--port", str(port), "--examples", str(EXAMPLES)]) == 2
    assert capsys.readouterr().err.endswith("choose another --port\n")


def test_serving_prints_a_call_that_works_and_ends_with_its_webhook():
    command = [
        sys.executable,
        "-m",
        "webhook.cli.demo",
        "--serve",
        "--port",
        "0",
        "--examples",
        str(EXAMPLES),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        try:
            printed = "".join(iter(demo.stdout.readline, LAST_LINE))
            authority = re.search(r"--cacert (\S+)", printed)[1]
            review, url = re.search(r"--data @(\S+) (\S+)", printed).groups()
            answer = httpx.post(
                url,
                content=Path(review).read_bytes(),
                headers={"Content-Type": "application/json"},
                verify=ssl.create_default_context(cafile=authority),
                trust_env=False,
            )
        finally:
            demo.terminate()
            rest = demo.stdout.read()
    assert answer.json()["response"]["patchType"] == "JSONPatch"
    assert rest == "stopped\n"
    with pytest.raises(httpx.TransportError):
        httpx.get(url, trust_env=False)
