"""Which quotas count a pod. The expectations are those of Kubernetes' own TestPodEvaluatorMatchingScopes."""

import pytest

from webhook.core.validate.scopes import counts


def quota(*scopes, selector=None):
    spec = {"scopes": list(scopes)}
    if selector is not None:
        spec["scopeSelector"] = {"matchExpressions": selector}
    return {"spec": spec}


def priority(operator, *values):
    return quota(selector=[{"scopeName": "PriorityClass", "operator": operator, "values": list(values)}])


def pod(**spec):
    return {"spec": {"containers": [{"name": "c"}], **spec}}


def compute(part, **amounts):
    return {"name": "c", "resources": {part: amounts}}


DEVICES_ONLY = pod(containers=[compute("limits", **{"resourceclass.io/k80": "1"})])
BURSTABLE = pod(containers=[compute("requests", cpu="100m")])
LIMITED_INIT = pod(initContainers=[compute("limits", memory="1Gi")])
ZERO_CPU = pod(containers=[compute("requests", cpu="0")])
POD_LEVEL = pod(resources={"limits": {"cpu": "1"}})
POD_LEVEL_EMPTY = pod(resources={}, containers=[compute("requests", cpu="1")])
DEADLINE = pod(activeDeadlineSeconds=30)
DEADLINE_ZERO = pod(activeDeadlineSeconds=0)
HIGH = pod(priorityClassName="high")


def affinity(kind, strength, **term):
    weighted = {"weight": 1, "podAffinityTerm": term}
    return pod(
        affinity={
            kind: {
                f"{strength}DuringSchedulingIgnoredDuringExecution": [
                    weighted if strength == "preferred" else term
                ]
            }
        }
    )


@pytest.mark.parametrize(
    ("a_quota", "a_pod", "expected"),
    [
        (quota(), pod(), True),
        ({}, pod(), True),
        ({"spec": {"scopes": None, "scopeSelector": None}}, pod(), True),
        (quota("Terminating"), DEADLINE, True),
        (quota("Terminating"), DEADLINE_ZERO, True),
        (quota("Terminating"), pod(), False),
        (quota("NotTerminating"), pod(), True),
        (quota("NotTerminating"), DEADLINE, False),
        (quota("BestEffort"), DEVICES_ONLY, True),
        (quota("BestEffort"), ZERO_CPU, True),
        (quota("BestEffort"), BURSTABLE, False),
        (quota("BestEffort"), LIMITED_INIT, False),
        (quota("BestEffort"), POD_LEVEL, False),
        (quota("BestEffort"), POD_LEVEL_EMPTY, True),
        (quota("NotBestEffort"), BURSTABLE, True),
        (quota("NotBestEffort"), DEVICES_ONLY, False),
        (quota("BestEffort"), {**BURSTABLE, "status": {"qosClass": "BestEffort"}}, True),
        (quota("BestEffort"), {**DEVICES_ONLY, "status": {"qosClass": "Burstable"}}, False),
        (quota("BestEffort", "NotTerminating"), pod(), True),
        (quota("BestEffort", "Terminating"), pod(), False),
        (quota("PriorityClass"), HIGH, True),
        (quota("PriorityClass"), pod(), False),
        (priority("In", "high", "middle"), HIGH, True),
        (priority("In", "low"), HIGH, False),
        (priority("In", "high"), pod(), False),
        (priority("NotIn", "low"), HIGH, True),
        (priority("NotIn", "high"), HIGH, False),
        (priority("NotIn", "high"), pod(), True),
        (priority("Exists"), HIGH, True),
        (priority("DoesNotExist"), HIGH, False),
        (priority("DoesNotExist"), pod(), True),
        (priority("Near", "high"), HIGH, False),
        (
            quota("NotTerminating", selector=[{"scopeName": "BestEffort", "operator": "Exists"}]),
            BURSTABLE,
            False,
        ),
        (quota("VolumeAttributesClass"), pod(), False),
        (quota(7), pod(), False),
        (quota("CrossNamespacePodAffinity"), pod(), False),
        (quota("CrossNamespacePodAffinity"), affinity("podAffinity", "required", topologyKey="x"), False),
        (quota("CrossNamespacePodAffinity"), affinity("podAffinity", "required", namespaces=["a"]), True),
        (quota("CrossNamespacePodAffinity"), affinity("podAffinity", "preferred", namespaces=["a"]), True),
        (
            quota("CrossNamespacePodAffinity"),
            affinity("podAntiAffinity", "required", namespaceSelector={}),
            True,
        ),
        (quota("CrossNamespacePodAffinity"), affinity("podAntiAffinity", "preferred", namespaces=[]), False),
    ],
)
def test_a_quota_counts_the_pods_that_all_its_scopes_cover(a_quota, a_pod, expected):
    assert counts(a_quota, a_pod) is expected


@pytest.mark.parametrize(
    "broken", [None, 5, [], {"spec": 5}, {"spec": {"containers": 5}}, {"spec": {"affinity": []}}]
)
def test_a_pod_of_wrong_types_is_read_as_one_that_sets_nothing(broken):
    assert counts(quota("BestEffort", "NotTerminating"), broken) is True


def test_an_unreadable_cpu_amount_makes_no_pod_burstable():
    assert counts(quota("BestEffort"), pod(containers=[compute("limits", cpu="lots")])) is True
