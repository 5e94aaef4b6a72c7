"""What the schema of a ResourceClass accepts and refuses, and what kubectl shows of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.installing import called
from tests.chart.samples import K80, Json
from tests.harness.api import Answer, Api
from tests.harness.kubectl import Kubectl

SELECTOR = {"matchLabels": {"model": "NVIDIA Tesla K80"}}


def resource_class(name: str = "some.class", **spec: Any) -> Json:
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": name},
        "spec": {"selector": SELECTOR, **spec},
    }


ACCEPTED = {
    "a selector of labels": resource_class(),
    "a selector that is a list": resource_class(
        selector=[{"matchExpressions": [{"key": "memory", "operator": "Gt", "values": ["10GiB"]}]}]
    ),
    "a share": resource_class(share={"memory": "2GiB"}),
    "a share in powers of ten": resource_class(share={"memory": "2GB"}),
    "a share like a quantity": resource_class(share={"memory": "512Mi"}),
    "a share with a fraction": resource_class(share={"memory": "0.5GiB"}),
    "spread": resource_class(placement="Spread"),
    "a default quota": resource_class(quota={"default": 2}),
    "a default quota of nothing": resource_class(quota={"default": 0}),
    "namespaces by label": resource_class(namespaces={"matchLabels": {"team": "a"}}),
    "namespaces by expression": resource_class(
        namespaces={"matchExpressions": [{"key": "team", "operator": "In", "values": ["a"]}]}
    ),
    "all that a pod may get": resource_class(
        pod={
            "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "runtimeClassName": "nvidia",
            "deviceEnv": ["NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"],
            "vendorResource": "nvidia.com/gpu",
        }
    ),
    "the resource of a MIG profile": resource_class(pod={"vendorResource": "nvidia.com/mig-1g.5gb"}),
    "a device plugin": resource_class(delivery="DevicePlugin"),
    "63 characters": resource_class("a" * 63),
    "a name that begins like a standard one": resource_class("cpu.accelerator"),
}

REFUSED = {
    "no selector": (
        {**resource_class(), "spec": {"placement": "Pack"}},
        "spec.selector: Required value",
    ),
    "an empty selector": (
        resource_class(selector={}),
        "spec.selector in body should have at least 1 properties",
    ),
    "an empty list of selectors": (
        resource_class(selector=[]),
        "spec.selector in body should have at least 1 items",
    ),
    "a null selector": (resource_class(selector=None), "spec.selector: Required value"),
    "no spec": ({**resource_class(), "spec": None}, "spec: Required value"),
    "64 characters": (resource_class("a" * 64), "at most 63 characters"),
    "upper case": (resource_class("Tesla"), "a lowercase RFC 1123 subdomain"),
    "a share without a unit": (resource_class(share={"memory": "2048"}), "a number above zero and its unit"),
    "a share with a space": (resource_class(share={"memory": "2 GiB"}), "a number above zero and its unit"),
    "a share in lower case": (resource_class(share={"memory": "2gib"}), "a number above zero and its unit"),
    "a share of nothing": (resource_class(share={"memory": "0GiB"}), "a number above zero and its unit"),
    "a share below nothing": (resource_class(share={"memory": "-2GiB"}), "a number above zero and its unit"),
    "a share in words": (resource_class(share={"memory": "ten"}), "a number above zero and its unit"),
    "a share of nothing stated": (resource_class(share={}), "spec.share.memory: Required value"),
    "another placement": (resource_class(placement="Random"), 'supported values: "Pack", "Spread"'),
    "another delivery": (resource_class(delivery="Post"), 'supported values: "Env", "DevicePlugin"'),
    "a negative default quota": (resource_class(quota={"default": -1}), "spec.quota.default is 0"),
    "a fraction as default quota": (resource_class(quota={"default": 1.5}), "must be of type integer"),
    "In without values": (
        resource_class(namespaces={"matchExpressions": [{"key": "a", "operator": "In"}]}),
        "In and NotIn need values",
    ),
    "Exists with values": (
        resource_class(
            namespaces={"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}
        ),
        "Exists and DoesNotExist take none",
    ),
    "no device variable": (resource_class(pod={"deviceEnv": []}), "leave it out for NVIDIA_VISIBLE_DEVICES"),
    "a device variable with a dash": (
        resource_class(pod={"deviceEnv": ["A-B"]}),
        "upper-case letters, digits",
    ),
    "a device variable in lower case": (
        resource_class(pod={"deviceEnv": ["gpu"]}),
        "upper-case letters, digits",
    ),
    "a device variable that begins with a digit": (
        resource_class(pod={"deviceEnv": ["1A"]}),
        "upper-case letters, digits",
    ),
    "a device variable of ours": (
        resource_class(pod={"deviceEnv": ["RESOURCECLASS_DEVICES"]}),
        "are set for every class",
    ),
    "a runtime class with a slash": (
        resource_class(pod={"runtimeClassName": "a/b"}),
        "name of a RuntimeClass",
    ),
    "a vendor's resource without a domain": (
        resource_class(pod={"vendorResource": "gpu"}),
        "the resource of a device plugin with its domain",
    ),
    "a vendor's resource as in a quota": (
        resource_class(pod={"vendorResource": "requests.nvidia.com/gpu"}),
        "the resource of a device plugin with its domain",
    ),
    "a vendor's resource of ours": (
        resource_class(pod={"vendorResource": "resourceclass.io/k80"}),
        "the resource of another device plugin",
    ),
    "a vendor's resource of Kubernetes": (
        resource_class(pod={"vendorResource": "node.kubernetes.io/gpu"}),
        "the resource of another device plugin",
    ),
    "a vendor's resource beside shares": (
        resource_class(pod={"vendorResource": "nvidia.com/gpu"}, share={"memory": "2GiB"}),
        "goes with whole devices",
    ),
    "a vendor's resource beside a device plugin of ours": (
        resource_class(pod={"vendorResource": "nvidia.com/gpu"}, delivery="DevicePlugin"),
        "goes with whole devices",
    ),
    "another effect": (
        resource_class(pod={"tolerations": [{"effect": "Sometimes"}]}),
        "supported values",
    ),
}

STANDARD_NAMES = [
    "cpu",
    "memory",
    "pods",
    "storage",
    "ephemeral-storage",
    "count",
    "services",
    "hugepages-2mi",
    "requests.nvidia.tesla.k80",
    "limits.cpu",
]


def accepted(answer: Answer) -> bool:
    """The schema comes before the webhook, so an object that the schema accepts is sent to it."""
    return called(answer) == "resourceclasses/validate"


@pytest.mark.parametrize("obj", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_sound_class_passes_the_schema(installed: Api, obj: Json) -> None:
    assert accepted(installed.create(obj))


@pytest.mark.parametrize(("obj", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_a_faulty_class_is_refused_with_a_remedy(installed: Api, obj: Json, words: str) -> None:
    answer = installed.create(obj)

    assert answer.code == 422
    assert words in answer.message


@pytest.mark.parametrize("name", STANDARD_NAMES)
def test_a_name_of_kubernetes_own_cannot_be_a_class(installed: Api, name: str) -> None:
    answer = installed.create(resource_class(name))

    assert answer.code == 422
    assert "belongs to Kubernetes' own resources" in answer.message


def test_a_class_has_its_defaults_written_out(installed: Api) -> None:
    spec = installed.get("ResourceClass", K80).must()["spec"]

    assert spec == {"selector": SELECTOR, "placement": "Pack", "delivery": "Env"}


def test_a_changed_class_is_sent_and_a_labelled_one_is_not(installed: Api) -> None:
    changed = installed.patch("ResourceClass", K80, {"spec": {"placement": "Spread"}})
    installed.patch("ResourceClass", K80, {"metadata": {"labels": {"a": "b"}}}).must()

    assert accepted(changed)


def test_status_is_a_subresource_of_its_own(installed: Api) -> None:
    condition = {
        "type": "Ready",
        "status": "False",
        "reason": "NoDevices",
        "message": "no device of the cluster matches the selector",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"devices": 4, "free": 3, "nodes": 2, "observedGeneration": 1, "conditions": [condition]}

    stored = installed.patch("ResourceClass", K80, {"status": status}, subresource="status").must()

    assert stored["status"] == status


def test_kubectl_shows_what_a_person_wants_to_know_of_a_class(installed: Api, kubectl: Kubectl) -> None:
    status = {"devices": 4, "used": 1, "unhealthy": 0, "free": 3}
    installed.patch("ResourceClass", K80, {"status": status}, subresource="status").must()

    head, row = kubectl("get", "rclass", K80).must().splitlines()

    assert head.split() == ["NAME", "DEVICES", "USED", "UNHEALTHY", "FREE", "SHARE", "READY", "AGE"]
    assert row.split()[:5] == [K80, "4", "1", "0", "3"]


def test_kubectl_explains_every_field_of_a_class(installed: Api, kubectl: Kubectl) -> None:
    text = kubectl("explain", "resourceclass.spec", "--recursive").must()

    assert all(field in text for field in ["selector", "share", "placement", "namespaces", "deviceEnv"])
