"""The rights of the account of the scheduler's pod: all that its programs need, and none that is not used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness import chart
from tests.harness.api import Api
from tests.harness.audit import lacked_rights
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.devices import device_nodes, k80, set_phase
from tests.harness.scheduling import ACCOUNT, NAME, SchedulerPod, Scheduling
from tests.harness.waiting import until
from tests.scheduling.expect import RECORD, asking, bound, clear, place, refuse

Json = dict[str, Any]
Right = tuple[str, str]
"""Resource, with its subresource, and verb."""

USER = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"
GROUPS = ["system:serviceaccounts", f"system:serviceaccounts:{chart.NAMESPACE}", "system:authenticated"]
OURS = "resourceclass"  # the user agent of the binder; the other one begins with kube-scheduler
NOT_THEIRS = (
    ("get", "", "secrets"),
    ("list", "", "configmaps"),
    ("create", "", "pods"),
    ("patch", "", "pods"),
    ("patch", "", "nodes"),
    ("update", "", "nodes"),
    ("create", "", "serviceaccounts/token"),
    ("update", "resourceclass.io", "resourceclasses"),
    ("create", "resourceclass.io", "extendedresources"),
    ("patch", "resourceclass.io", "extendedresources"),
    ("impersonate", "", "users"),
    ("delete", "apps", "deployments"),
)


@pytest.fixture(scope="module")
def events(control_plane: ControlPlane, running: SchedulerPod, own_namespace: str) -> list[Json]:
    """What the account has asked of the API server while both programs did all that they ever do."""
    audit = control_plane.audit
    # From a start of both on; right after a start of its own the API server knows no rights yet.
    since = audit.mark()
    running.stop()
    running.start().wait_leading()
    _do_everything(control_plane.api(), running, own_namespace)
    return audit.entries(since, user=USER)


@pytest.fixture(scope="module")
def own_namespace(control_plane: ControlPlane) -> Iterator[str]:
    api = control_plane.api()
    with fresh_namespace(api) as name:
        yield name
        clear(api, name)


def _do_everything(api: Api, pod: SchedulerPod, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80("GPU-0"), k80("GPU-1")]}):
        place(api, namespace, asking("damaged"))
        set_phase(api, "node-a-gpu-1", "Unhealthy")
        refuse(api, namespace, asking("woken"))
        set_phase(api, "node-a-gpu-1", "Available")
        bound(api, namespace, "woken", 5)
        _damage(api, namespace, "damaged")
        told = _told(api, namespace)
        pod.binder.kill()  # a new one tells of it again, and so renews the event
        pod.binder.start().wait_ready()
        until(lambda: _told(api, namespace) != told, "the event is renewed", 30)
        unknown = {"PodName": "no-such", "PodNamespace": namespace, "PodUID": "u", "Node": "node-a"}
        pod.binder.call("bind", unknown)


def _damage(api: Api, namespace: str, name: str) -> None:
    broken = {"metadata": {"annotations": {RECORD: "{not json"}}}
    api.impersonate(USER, "system:masters").patch("Pod", name, broken, namespace).must()


def _told(api: Api, namespace: str) -> str:
    def last() -> str:
        events = api.items("v1/Event", namespace, fieldSelector="involvedObject.name=damaged,type=Warning")
        return max((event["lastTimestamp"] for event in events if RECORD in event["message"]), default="")

    return until(last, "an event says that the record is damaged", 30)


def used(events: list[Json], agent: str) -> set[Right]:
    found = set()
    for event in events:
        reference = event.get("objectRef")
        if reference and event["userAgent"].startswith(agent):
            parts = (reference["resource"], reference.get("subresource", ""))
            found.add(("/".join(filter(None, parts)), event["verb"]))
    return found


def granted(objects: list[Json], kind: str, name: str) -> set[Right]:
    (role,) = (obj for obj in objects if obj["kind"] == kind and obj["metadata"]["name"] == name)
    return {
        (resource, verb) for rule in role["rules"] for resource in rule["resources"] for verb in rule["verbs"]
    }


def test_the_binder_uses_every_right_of_its_role_and_no_other(
    scheduling: Scheduling, events: list[Json]
) -> None:
    rights = used(events, OURS)

    assert rights - {("leases", "list"), ("leases", "watch")} == granted(
        scheduling.objects, "ClusterRole", ACCOUNT
    )


def test_every_right_to_the_lease_is_used_by_one_of_the_two(
    scheduling: Scheduling, events: list[Json]
) -> None:
    rights = used(events, OURS) | used(events, "kube-scheduler")

    assert granted(scheduling.objects, "Role", NAME) <= rights


def test_nothing_that_they_ask_for_is_forbidden(events: list[Json]) -> None:
    assert {event["userAgent"].split("/")[0] for event in events} >= {OURS, "kube-scheduler"}
    assert [event for event in events if lacked_rights(event)] == []


@pytest.mark.usefixtures("scheduling")
@pytest.mark.parametrize(("verb", "group", "resource"), NOT_THEIRS)
def test_the_account_may_not(api: Api, verb: str, group: str, resource: str) -> None:
    name, _, subresource = resource.partition("/")
    asked = {"verb": verb, "group": group, "resource": name, "subresource": subresource}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": USER, "groups": GROUPS, "resourceAttributes": asked},
    }
    assert api.create(review).must()["status"]["allowed"] is False
