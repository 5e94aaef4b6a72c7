"""The rights of the controller's service account: all that it needs, and none that it does not use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controller.labelled import (
    CLASS,
    DEVICE,
    MANAGED_BY,
    aliyun,
    devices_of,
    k80s,
    labelled_node,
    wait_shown,
)
from tests.harness import chart
from tests.harness.api import Api
from tests.harness.audit import AuditLog, lacked_rights
from tests.harness.cluster import quota
from tests.harness.controller import NAME, USER, Controller
from tests.harness.product import Product, fresh_class
from tests.harness.waiting import until

Json = dict[str, Any]

K80 = "nvidia.tesla.k80"
LEASE = "coordination.k8s.io/v1/Lease"
DEFAULTS = "resourceclass-defaults"
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
# What it writes, and what it has no business with.
RESOURCES = (
    "resourceclasses.resourceclass.io",
    "extendedresources.resourceclass.io",
    "nodes",
    "pods",
    "namespaces",
    "resourcequotas",
    "events",
    "secrets",
    "configmaps",
    "serviceaccounts",
    "deployments.apps",
)
SUBRESOURCES = ("pods/status", "pods/binding", "pods/eviction", "pods/exec", "nodes/status", "nodes/proxy")


def granted(objects: list[Json]) -> set[tuple[str, str]]:
    """Resource and verb of each right that the chart gives to the controller."""
    roles = [o for o in objects if o["kind"] in ("ClusterRole", "Role") and o["metadata"]["name"] == NAME]
    rules = [rule for role in roles for rule in role["rules"]]
    return {(resource, verb) for rule in rules for resource in rule["resources"] for verb in rule["verbs"]}


def used(audit: AuditLog, since: int) -> set[tuple[str, str]]:
    events = [event for event in audit.entries(since, user=USER) if event.get("objectRef")]
    return {(_resource(event["objectRef"]), event["verb"]) for event in events}


def _resource(reference: Json) -> str:
    return "/".join(filter(None, (reference["resource"], reference.get("subresource"))))


@pytest.fixture
def exercised(api: Api, namespace: str, controller: Controller, audit: AuditLog) -> int:
    """The controller has done all that it ever does, but for evictions and the removal of classes.

    Returns the place in the audit log at which it began.
    """
    mark = audit.mark()
    contradiction = {**k80s(2), "nvidia.com/gpu.product": "Tesla-V100", "nvidia.com/gpu.count": "2"}
    with labelled_node(api, "contradicted", contradiction) as node:
        about = f"involvedObject.uid={node['metadata']['uid']}"
        until(lambda: api.items("v1/Event", "default", fieldSelector=about), "an event about the labels")
        controller.stop()
        api.delete(LEASE, NAME, chart.NAMESPACE).must()
        api.delete(CLASS, K80)
        controller.start().wait_leading()  # tells it anew, which renews the event
        until(lambda: _renewed(api, about), "the event is renewed")
    with labelled_node(api, "devices", k80s(1)):
        wait_shown(api, "devices", {K80: "1"})
        api.patch("Node", "devices", {"metadata": {"labels": {"aliyun.accelerator/nvidia_driver": "550"}}})
        api.patch("Node", "devices", {"metadata": {"labels": {"aliyun.accelerator/nvidia_mem": "12GiB"}}})
        until(lambda: devices_of(api, "devices")[0]["status"]["phase"] == "Unhealthy", "it is in doubt")
    _adopted_class(api, namespace)
    _stray_device(api)
    with fresh_class(api, "defaulted", {"model": "none"}, quota={"default": 1}):
        until(lambda: api.get("ResourceQuota", DEFAULTS, namespace).ok, "the default is there")
        api.patch(CLASS, "defaulted", {"spec": {"quota": {"default": 2}}}).must()
        key = "requests.resourceclass.io/defaulted"
        hard = until(
            lambda: api.get("ResourceQuota", DEFAULTS, namespace).body["spec"]["hard"].get(key) == "2", "two"
        )
        assert hard
        api.create(quota("own", {key: "3"}), namespace).must()
        until(lambda: not api.get("ResourceQuota", DEFAULTS, namespace).ok, "the default gives way")
    return mark


def _renewed(api: Api, about: str) -> bool:
    found = api.items("v1/Event", "default", fieldSelector=about)
    return any(event["lastTimestamp"] > event["firstTimestamp"] for event in found)


def _adopted_class(api: Api, namespace: str) -> None:
    """A class of ours that a namespace adopts for is changed. No other test has devices of it."""
    adopting = {"metadata": {"labels": {"resourceclass.io/adopt": "nvidia.tesla.m40"}}}
    api.patch("Namespace", namespace, adopting).must()
    with labelled_node(api, "adopted", aliyun("Tesla-M40", "11448MiB", 1)):
        found = until(
            lambda: api.get(CLASS, "nvidia.tesla.m40").body.get("spec", {}).get("pod"), "it is counted"
        )
        assert found == {"vendorResource": "nvidia.com/gpu"}


def _stray_device(api: Api) -> None:
    """A device of ours whose node does not exist is deleted."""
    stray = {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": "stray-0", "labels": MANAGED_BY},
        "spec": {"nodeName": "no-such-node", "deviceID": "0"},
    }
    api.create(stray).must()
    until(lambda: not api.get(DEVICE, "stray-0").ok, "the stray device is gone", 30)


def test_every_right_is_used_and_no_other_is_asked_for(
    installed: Product, audit: AuditLog, exercised: int
) -> None:
    # Patching the spec of a device takes labels that have said the same for minutes: unit tests do that.
    assert used(audit, exercised) | {("extendedresources", "patch")} == granted(installed.objects)
    assert [event for event in audit.entries(exercised, user=USER) if lacked_rights(event)] == []


@pytest.mark.parametrize("what", [*RESOURCES, *SUBRESOURCES])
def test_the_account_can_do_that_and_nothing_else(api: Api, installed: Product, what: str) -> None:
    name, _, group = what.partition(".")
    resource, _, subresource = name.partition("/")
    rights = granted(installed.objects)
    for verb in VERBS:
        asked = {"group": group, "resource": resource, "subresource": subresource, "verb": verb}
        assert _may(api, asked) is ((name, verb) in rights), f"{verb} {what}"


def test_of_leases_it_may_change_its_own_alone(api: Api) -> None:
    lease = {"group": "coordination.k8s.io", "resource": "leases", "namespace": chart.NAMESPACE}
    assert _may(api, {**lease, "verb": "update", "name": NAME})
    assert not _may(api, {**lease, "verb": "update", "name": "resourceclass-scheduler"})
    assert not _may(api, {**lease, "verb": "delete", "name": NAME})


def _may(api: Api, asked: Json) -> bool:
    """Asks as an administrator: the audit log would have a request in the account's name as its own."""
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{chart.NAMESPACE}", "system:authenticated"]
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": USER, "groups": groups, "resourceAttributes": asked},
    }
    allowed: bool = api.create(review).must()["status"]["allowed"]
    return allowed
