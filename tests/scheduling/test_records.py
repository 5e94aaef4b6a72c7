"""Only the binder and the agent write who holds which device; what bypasses the binder still counts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness import chart
from tests.harness.api import Api
from tests.harness.cluster import pod as plain_pod
from tests.harness.devices import device_nodes, k80
from tests.harness.scheduling import ACCOUNT
from tests.scheduling.expect import (
    K80,
    asking,
    assert_none_held_twice,
    bound,
    device,
    end,
    key,
    place,
    refuse,
)

pytestmark = pytest.mark.usefixtures("scheduler")

Json = dict[str, Any]

DEVICES_OF_MAIN = "devices.resourceclass.io/main"
TWO = {"node-a": [k80("GPU-a0"), k80("GPU-a1")]}


def as_binder(api: Api) -> Api:
    user = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"
    return api.impersonate(user, "system:masters")


def write(api: Api, namespace: str, name: str, annotation: str, value: str) -> int:
    patch = {"metadata": {"annotations": {annotation: value}}}
    return api.patch("Pod", name, patch, namespace).code


# Project-HAMi/HAMi#3041: a forged annotation chose the card of another tenant.
def test_a_forged_annotation_is_refused_and_moves_no_device(api: Api, namespace: str) -> None:
    with device_nodes(api, TWO):
        owner = place(api, namespace, asking("owner"))
        forged = asking("forged")
        forged["metadata"]["annotations"] = {DEVICES_OF_MAIN: device(owner)}
        answer = api.impersonate("mallory", "system:masters").create(forged, namespace)
        other = place(api, namespace, asking("forged"))

    assert (answer.code, answer.reason) == (403, "Forbidden")
    assert DEVICES_OF_MAIN in answer.message
    assert_none_held_twice([owner, other])


def test_on_a_bound_pod_only_the_binder_writes_devices(api: Api, namespace: str) -> None:
    mallory = api.impersonate("mallory", "system:masters")

    with device_nodes(api, TWO):
        pod = place(api, namespace, asking("owner"))

        assert write(mallory, namespace, "owner", DEVICES_OF_MAIN, "GPU-a1") == 403
        assert write(mallory, namespace, "owner", "example.com/note", "anything") == 200
        assert write(as_binder(api), namespace, "owner", DEVICES_OF_MAIN, device(pod)) == 200


# enix/kube-image-keeper#560: the kubelet runs a static pod whatever the API says.
def test_a_mirror_pod_costs_a_device_of_its_class(api: Api, namespace: str) -> None:
    mirror = plain_pod("burn-in-node-a", {key(K80): "1"}, nodeName="node-a")
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "5f2c"}
    kubelet = api.impersonate("system:node:node-a", "system:nodes", "system:authenticated")

    with device_nodes(api, TWO):
        kubelet.create(mirror, namespace).must()
        place(api, namespace, asking("one"))
        refuse(api, namespace, asking("two"))

        end(api, namespace, "burn-in-node-a")
        assert bound(api, namespace, "two")["spec"]["nodeName"] == "node-a"


def test_a_pod_of_a_vendor_plugin_costs_a_device_of_every_class_it_could_be(api: Api, namespace: str) -> None:
    vendor = plain_pod("vendor", {"nvidia.com/gpu": "1"}, nodeName="node-a")

    with device_nodes(api, TWO):
        api.create(vendor, namespace).must()
        place(api, namespace, asking("one"))
        refuse(api, namespace, asking("two"))

        end(api, namespace, "vendor")
        assert bound(api, namespace, "two")["spec"]["nodeName"] == "node-a"
