"""What `explain` reads of a real cluster, and what it says of what it may not read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.cli.folder import K80, device, node, pod, resource_class
from tests.unit.cluster.fake_api import FakeApi
from webhook.cli.explain_reading import Reader
from webhook.cluster.api import ApiError
from webhook.cluster.reads import LiveReads
from webhook.core.explain.answer import Explanation, State
from webhook.core.explain.pod import explain_pod

OURS = "/apis/resourceclass.io/v1alpha1"
LEASES = "/apis/coordination.k8s.io/v1/leases"
EVENTS = "/api/v1/namespaces/team-a/events"
EVERYTHING = {
    f"{OURS}/resourceclasses": [resource_class()],
    f"{OURS}/extendedresources": [device("node-a", "GPU-0")],
    "/api/v1/pods": [pod()],
    "/api/v1/nodes": [node("node-a")],
    LEASES: [],
    EVENTS: [],
    "/api/v1/namespaces/team-a/resourcequotas": [],
    "/api/v1/namespaces/team-a/pods": [pod()],
}
NOW = 1_767_225_660.0  # 2026-01-01T00:01:00Z


class Guarded(FakeApi):
    """An API server that refuses some collections."""

    forbidden: tuple[str, ...] = ()

    def get(self, path: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
        if path in self.forbidden:
            raise ApiError(f"answered 403 to GET {path}", 403)
        return super().get(path, *args, **kwargs)


def lease(renewed: str, holder: str = "scheduler-0_1") -> dict[str, Any]:
    spec = {"holderIdentity": holder, "renewTime": renewed, "leaseDurationSeconds": 15}
    return {"metadata": {"name": "resourceclass-scheduler", "namespace": "infra"}, "spec": spec}


def explained(api: FakeApi, name: str = "train") -> Explanation:
    reader = Reader(LiveReads(api), "team-a", lambda: NOW)
    found = reader.pod(name)
    assert found is not None
    return explain_pod(reader.scene(found))


def with_lease(*leases: dict[str, Any]) -> FakeApi:
    return FakeApi({**EVERYTHING, LEASES: list(leases)})


def test_a_lease_that_was_renewed_a_moment_ago_is_held():
    assert explained(with_lease(lease("2026-01-01T00:00:50.000000Z"))).verdict.state is State.HAS_ROOM


def test_a_lease_that_nobody_renews_tells_of_a_scheduler_that_is_gone():
    found = explained(with_lease(lease("2026-01-01T00:00:00.000000Z")))
    assert found.verdict.state is State.NO_SCHEDULER
    assert found.verdict.headline == (
        "no scheduler of class pods runs: the Lease infra/resourceclass-scheduler was last renewed 60 s ago, "
        "by scheduler-0_1"
    )


def test_without_a_lease_a_scheduler_that_was_never_heard_of_is_missing():
    found = explained(FakeApi(EVERYTHING))
    assert found.verdict.state is State.NO_SCHEDULER
    assert "there is no Lease resourceclass-scheduler in any namespace" in found.verdict.headline


def test_without_a_lease_a_scheduler_may_run_without_election():
    said = {
        "involvedObject": {"kind": "Pod", "name": "train", "uid": "uid-train"},
        "metadata": {"name": "e", "namespace": "team-a"},
        "reason": "FailedScheduling",
        "message": "no cpu",
        "reportingComponent": "resourceclass-scheduler",
    }
    assert explained(FakeApi({**EVERYTHING, EVENTS: [said]})).verdict.state is State.HAS_ROOM
    other = {**said, "reportingComponent": "cluster-autoscaler"}
    assert explained(FakeApi({**EVERYTHING, EVENTS: [other]})).verdict.state is State.NO_SCHEDULER


@pytest.mark.parametrize("path", [f"{OURS}/resourceclasses", f"{OURS}/extendedresources", "/api/v1/pods"])
def test_without_the_right_to_see_devices_nothing_is_claimed_about_them(path):
    api = Guarded({**EVERYTHING, LEASES: [lease("2026-01-01T00:00:50.000000Z")]})
    api.forbidden = (path,)
    found = explained(api)
    assert found.verdict.state is State.UNDECIDED
    assert found.notes == (f"not looked at: answered 403 to GET {path}",)
    assert not found.is_fine


@pytest.mark.parametrize("path", ["/api/v1/nodes", LEASES, EVENTS])
def test_other_rights_that_are_lacking_are_said_beside_the_answer(path):
    api = Guarded({**EVERYTHING, LEASES: [lease("2026-01-01T00:00:50.000000Z")]})
    api.forbidden = (path,)
    found = explained(api)
    assert found.verdict.state is State.HAS_ROOM
    assert found.notes == (f"not looked at: answered 403 to GET {path}",)


def test_a_pod_that_may_not_be_read_is_an_error():
    api = Guarded(EVERYTHING)
    api.forbidden = ("/api/v1/namespaces/team-a/pods/train",)
    with pytest.raises(ApiError):
        explained(api)


def test_of_a_pod_without_a_class_the_cluster_is_not_read():
    api = FakeApi({**EVERYTHING, "/api/v1/namespaces/team-a/pods": [pod(units={})]})
    assert explained(api).verdict.state is State.NO_CLASS
    assert api.asked == ["/api/v1/namespaces/team-a/pods/train", EVENTS]


def test_the_jobs_of_a_cron_job_stand_between_it_and_its_pods():
    job = {"metadata": {"name": "nightly-1", "ownerReferences": [{"kind": "CronJob", "name": "nightly"}]}}
    own = pod("nightly-1-x", metadata={"ownerReferences": [{"kind": "Job", "name": "nightly-1"}]})
    said = {
        "involvedObject": {"kind": "Job", "name": "nightly-1"},
        "metadata": {"name": "e", "namespace": "team-a"},
        "reason": "FailedCreate",
    }
    api = FakeApi(
        {
            "/apis/batch/v1/namespaces/team-a/jobs": [job],
            "/api/v1/namespaces/team-a/pods": [own, pod("foreign")],
            EVENTS: [said],
        }
    )
    workload = {"kind": "CronJob", "metadata": {"name": "nightly"}}
    family, pods = Reader(LiveReads(api), "team-a", None).family(workload)
    assert (family.title, family.wanted, family.pods) == ("cronjob team-a/nightly", None, 1)
    assert [told.about for told in family.refusals] == ["job/nightly-1"]
    assert pods == [own]


def test_a_class_of_the_pod_is_counted_in_the_answer():
    (need,) = explained(FakeApi(EVERYTHING)).classes
    assert need.supply is not None
    assert (need.name, need.supply.devices, need.supply.free) == (K80, 1, 1)
