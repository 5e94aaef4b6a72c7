"""`resourceclass binder` and `controller` with --manifests: processes that need no Kubernetes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness.processes import Process, free_port
from tests.harness.waiting import until

Json = dict[str, Any]

K80 = "nvidia.tesla.k80"
CLASS = {
    "apiVersion": "resourceclass.io/v1alpha1",
    "kind": "ResourceClass",
    "metadata": {"name": K80},
    "spec": {"selector": {"matchLabels": {"model": "Tesla K80"}}},
}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a"}}
DEVICE = {
    "apiVersion": "resourceclass.io/v1alpha1",
    "kind": "ExtendedResource",
    "metadata": {"name": "node-a-gpu-0"},
    "spec": {"nodeName": "node-a", "deviceID": "GPU-0", "properties": {"model": "Tesla K80"}},
}
LABELS = {
    "aliyun.accelerator/nvidia_name": "Tesla-K80",
    "aliyun.accelerator/nvidia_mem": "11441MiB",
    "aliyun.accelerator/nvidia_count": "2",
}


def pod(name: str) -> Json:
    container = {"name": "main", "resources": {"limits": {f"resourceclass.io/{K80}": 1}}}
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


class Server:
    """A part as a process, over a folder."""

    def __init__(self, part: str, folder: Path, *options: str) -> None:
        self._health_port = free_port()
        flags = [f"--manifests={folder}", "--health-host=127.0.0.1", f"--health-port={self._health_port}"]
        command = [sys.executable, "-m", "webhook", part, *flags, *options]
        self.process = Process(part, command, folder.parent / f"{part}.log")

    def health(self, path: str) -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{self._health_port}{path}", trust_env=False)

    def is_ready(self) -> bool:
        self.process.check()
        try:
            return self.health("/readyz").status_code == 200
        except httpx.TransportError:
            return False


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes objects into a folder of manifests."""

    def write(*objects: Json) -> Path:
        made = tmp_path / "manifests"
        made.mkdir(exist_ok=True)
        for obj in objects:
            (made / f"{obj['kind']}-{obj['metadata']['name']}.json").write_text(json.dumps(obj))
        return made

    return write


def test_the_binder_gives_the_devices_of_a_folder_to_its_pods(folder: Callable[..., Path]) -> None:
    manifests = folder(CLASS, NODE, DEVICE, pod("first"), pod("second"))
    port = free_port()
    server = Server("binder", manifests, f"--port={port}")

    def call(verb: str, arguments: Json) -> Json:
        answer = httpx.post(f"http://127.0.0.1:{port}/{verb}", json=arguments, trust_env=False)
        return dict(answer.json())

    def filtered(name: str) -> Json:
        return call("filter", {"Pod": pod(name), "NodeNames": ["node-a"]})

    with server.process:
        until(server.is_ready, "the binder is ready")
        until(lambda: filtered("first").get("NodeNames") == ["node-a"], "it has waited for one before it")
        names = {"PodNamespace": "default", "PodName": "first", "PodUID": "uid-first", "Node": "node-a"}
        assert call("bind", names) == {"Error": ""}
        refused = filtered("second")["FailedAndUnresolvableNodes"]["node-a"]
        assert K80 in refused


def test_the_controller_finds_the_devices_of_a_folder(folder: Callable[..., Path]) -> None:
    node = {**NODE, "metadata": {"name": "node-a", "labels": LABELS}}
    server = Server("controller", folder(node))
    shown = f'resourceclass_devices{{class="{K80}",state="free"}} 2.0'
    with server.process:
        until(server.is_ready, "the controller is ready")
        until(lambda: shown in server.health("/metrics").text, "it counts two free devices")
    assert [path.name for path in folder().iterdir()] == ["Node-node-a.json"]


@pytest.mark.parametrize("part", ["binder", "controller"])
def test_a_folder_that_cannot_be_read_ends_the_command_before_a_port_opens(
    part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from webhook.cli import main

    (tmp_path / "bad.yaml").write_text("kind: Pod")
    assert main.main([part, f"--manifests={tmp_path}"]) == 2
    assert f"{tmp_path}/bad.yaml:1" in capsys.readouterr().err
