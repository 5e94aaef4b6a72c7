"""What containers learn of their devices: the variables that the kubelet fills from the pod's annotations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import K80, key
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod
from tests.harness.product import fresh_class

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]


def from_annotation(variable: str, annotation: str) -> Json:
    """As the server stores it, with the API version that it fills in."""
    path = f"metadata.annotations['{annotation}']"
    return {"name": variable, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def container(name: str, class_name: str | None = None, env: list[Json] | None = None) -> Json:
    made: Json = {"name": name, "image": IMAGE, "env": env or []}
    if class_name is not None:
        made["resources"] = {"limits": {key(class_name): 1}}
    return made


def test_a_container_reads_its_own_devices_and_the_others_see_none(api: Api, namespace: str) -> None:
    sent = pod("two", containers=[container("train", K80), container("log")])

    train, log = api.create(sent, namespace).must()["spec"]["containers"]

    assert train["env"] == [
        from_annotation("NVIDIA_VISIBLE_DEVICES", "devices.resourceclass.io/train"),
        from_annotation("RESOURCECLASS_DEVICES", "devices.resourceclass.io/train"),
    ]
    assert log["env"] == [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]


def test_variables_of_the_user_come_after_ours_so_that_they_can_refer_to_them(
    api: Api, namespace: str
) -> None:
    mine = {"name": "MINE", "value": "$(NVIDIA_VISIBLE_DEVICES)"}

    stored = api.create(pod("mine", containers=[container("c", K80, [mine])]), namespace).must()

    assert stored["spec"]["containers"][0]["env"][-1] == mine


def test_a_device_variable_by_hand_is_dropped_with_a_warning(api: Api, namespace: str) -> None:
    everything = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}

    made = api.create(pod("all", containers=[container("c", K80, [everything])]), namespace)

    env = made.must()["spec"]["containers"][0]["env"]
    assert everything not in env
    assert any("NVIDIA_VISIBLE_DEVICES" in warning for warning in made.warnings), made.warnings


def test_a_share_tells_its_memory_in_bytes(api: Api, namespace: str) -> None:
    with fresh_class(api, "shared.card", share={"memory": "2GiB"}):
        sent = pod("share", {key("shared.card"): 3})

        stored = api.create(sent, namespace).must()

    memory = {"name": "RESOURCECLASS_MEMORY_BYTES", "value": str(3 * 2 * 2**30)}
    assert memory in stored["spec"]["containers"][0]["env"]
