"""What the author of a workload is told at once."""

import pytest

from tests.unit.core.validate.workloads import CLOSED, K80, KEY, outcome, quota, template, warnings, workload
from webhook.core.values.device import DeviceKind


@pytest.mark.parametrize(
    ("obj", "told"),
    [
        (workload(replicas=3), "3 pods of 1 would need 3: no more than 2 pods can run at once"),
        (workload(replicas=2, units=2), "2 pods of 2 would need 4: no more than 1 pod can run at once"),
        (workload(units=3), "1 pod of 3 would need 3: no pod can be created"),
        (
            workload("StatefulSet", replicas=3),
            "3 pods of 1 would need 3: no more than 2 pods can run at once",
        ),
        (workload("ReplicaSet", replicas=3), "3 pods of 1 would need 3: no more than 2 pods can run at once"),
        (
            workload("ReplicationController", replicas=3),
            "3 pods of 1 would need 3: no more than 2 pods can run at once",
        ),
        (workload("Job", parallelism=3), "3 pods of 1 would need 3: no more than 2 pods can run at once"),
        (
            {
                "kind": "CronJob",
                "metadata": {"name": "w"},
                "spec": {"jobTemplate": workload("Job", parallelism=3)},
            },
            "3 pods of 1 would need 3: no more than 2 pods can run at once",
        ),
    ],
)
def test_more_pods_than_the_quota_allows_are_warned_of(obj, told):
    assert warnings(obj, quotas=[quota("2")]) == [
        f"{obj['kind']} w: quota q allows 2 of class k80, and {told}"
    ]


@pytest.mark.parametrize(
    "obj",
    [
        workload(replicas=2),
        workload(),
        workload(replicas=None),
        workload(replicas=0, units=9),
        workload("Job", parallelism=9, completions=2),
        workload("Job", completions=9),
        workload("Job", parallelism=0, units=9),
        workload("PodTemplate", replicas=9),
        workload("Pod", replicas=9),
        {"kind": "Deployment"},
        {"kind": "Deployment", "spec": {"template": 5, "replicas": "9"}},
    ],
)
def test_what_the_quota_has_room_for_is_silent(obj):
    assert warnings(obj, quotas=[quota("2")]) == []


def test_a_daemon_set_whose_single_pod_does_not_fit_is_warned_of():
    obj = workload("DaemonSet", units=3, template=template(3, nodeSelector={"gpu": "k80"}))
    (warning,) = warnings(obj, quotas=[quota("2")])
    assert (
        warning
        == "DaemonSet w: quota q allows 2 of class k80, and a pod of 3 would need 3: no pod can be created"
    )


def test_a_quota_whose_scopes_do_not_cover_the_pods_is_not_judged():
    assert warnings(workload(replicas=3), quotas=[quota("2", scopes=["Terminating"])]) == []


def test_what_is_in_use_does_not_count_since_it_may_be_the_workload_itself():
    used = {**quota("2"), "status": {"hard": {KEY: "2"}, "used": {KEY: "2"}}}
    assert warnings(workload(replicas=2), quotas=[used]) == []


def test_a_class_that_no_device_can_serve_is_warned_of():
    (warning,) = warnings(workload(), kinds=[DeviceKind({"model": "P100"}, 2)])
    assert warning == "Deployment w: no device in the cluster can serve class k80: its pods will stay Pending"


@pytest.mark.parametrize("kinds", [[], [DeviceKind({"model": "P100"}, 2), DeviceKind({"model": "K80"}, 1)]])
def test_a_class_that_a_device_can_serve_and_a_cluster_without_inventory_are_silent(kinds):
    assert warnings(workload(), kinds=kinds) == []


def test_a_class_that_does_not_exist_is_warned_of_alone():
    """Mutation does not see a template in which all is spelled as it is stored."""
    (warning,) = warnings(workload(), classes=(), kinds=[DeviceKind({"model": "P100"}, 2)])
    assert warning == (
        'container "c" asks for resourceclass.io/k80, but there is no class "k80"; '
        "kubectl get resourceclasses lists the classes"
    )


def test_a_slip_in_the_name_of_a_class_is_warned_of_with_the_name_that_was_meant():
    near = {"metadata": {"name": "k8o"}, "spec": K80["spec"]}
    (warning,) = warnings(workload(), classes=(near,))
    assert warning.endswith("did you mean resourceclass.io/k8o?")


def test_a_class_that_may_be_made_later_is_no_reason_to_refuse():
    assert outcome(workload(), classes=(), labels={"resourceclass.io/enforce-workloads": "deny"}).allowed


def test_a_class_that_is_closed_to_the_namespace_is_warned_of():
    (warning,) = warnings(workload(), classes=(CLOSED,))
    assert warning == (
        "Deployment w: class k80 is open to namespaces with team=ml only, "
        "and namespace team-a has no label team"
    )


@pytest.mark.parametrize("labels", [{"team": "ml"}, {"resourceclass.io/enforce": "off"}])
def test_a_class_that_is_open_or_not_enforced_is_silent(labels):
    assert warnings(workload(), classes=(CLOSED,), labels=labels) == []


@pytest.mark.parametrize(
    ("rolling", "hangs"),
    [
        ({}, True),
        ({"maxSurge": 1, "maxUnavailable": 0}, True),
        ({"maxSurge": "50%", "maxUnavailable": "0%"}, True),
        ({"maxSurge": 0, "maxUnavailable": 1}, False),
        ({"maxSurge": 1, "maxUnavailable": 1}, False),
        ({"maxSurge": 0, "maxUnavailable": 0}, False),
        ({"maxSurge": "many", "maxUnavailable": 0}, False),
        ({"maxSurge": None, "maxUnavailable": None}, True),
    ],
)
def test_a_rolling_update_that_needs_more_than_the_quota_has_is_warned_of(rolling, hangs):
    told = warnings(workload(replicas=2, strategy={"rollingUpdate": rolling}), quotas=[quota("2")])
    expected = (
        "Deployment w: a rolling update would need 3 of class k80, quota q allows 2, and the rollout would "
        "hang; write maxSurge: 0 and maxUnavailable: 1 into its strategy"
    )
    assert told == ([expected] if hangs else [])


@pytest.mark.parametrize(
    ("strategy", "replicas", "hard"),
    [({"type": "Recreate"}, 2, "2"), ({}, 2, "3"), ({}, 4, "4")],
    ids=["recreate", "room for one more", "25 % of 4 may be unavailable"],
)
def test_an_update_that_the_quota_does_not_hold_up_is_silent(strategy, replicas, hard):
    assert warnings(workload(replicas=replicas, strategy=strategy), quotas=[quota(hard)]) == []


def test_a_daemon_set_without_a_node_selector_is_warned_of_nodes_without_the_class():
    (warning,) = warnings(workload("DaemonSet"))
    assert warning == (
        "DaemonSet w: without a node selector its pods stay Pending on nodes without "
        "class.resourceclass.io/k80, and use quota there; "
        "add a required node affinity on that label with operator Exists"
    )


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeSelector": {"gpu": "k80"}},
        {
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"a": 1}]}
                }
            }
        },
    ],
)
def test_a_daemon_set_that_chooses_its_nodes_is_silent(spec):
    assert warnings(workload("DaemonSet", template=template(**spec))) == []


def test_a_daemon_set_without_a_class_is_silent():
    assert (
        warnings({"kind": "DaemonSet", "spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}) == []
    )


def test_what_a_controller_owns_is_silent():
    owned = workload("ReplicaSet", replicas=9)
    owned["metadata"]["ownerReferences"] = [{"kind": "Deployment", "controller": True}]
    assert warnings(owned, quotas=[quota("2")]) == []


def test_an_owner_that_is_no_controller_does_not_silence():
    owned = workload(replicas=9)
    owned["metadata"]["ownerReferences"] = [{"kind": "App", "controller": False}, "nonsense"]
    assert len(warnings(owned, quotas=[quota("2")])) == 1


def test_an_update_that_leaves_the_spec_alone_is_silent():
    labelled = {**workload(replicas=9), "metadata": {"name": "w", "labels": {"a": "b"}}}
    assert warnings(labelled, old=workload(replicas=9), quotas=[quota("2")]) == []


def test_a_warning_keeps_within_what_the_api_server_shows():
    named = {**workload(replicas=3), "metadata": {"name": "w" * 250}}
    assert len(warnings(named, quotas=[quota("2")])[0]) <= 256
