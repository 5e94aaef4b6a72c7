"""Scheduler, node affinity, tolerations and runtime class of a pod that asks for a class."""

import copy

import pytest

from tests.unit.core.mutate.objects import (
    K80,
    LABEL_K80,
    P100,
    STORED_K80,
    container,
    gt,
    mutated,
    pod,
    refused,
    terms,
    warnings,
)

OURS = "resourceclass-scheduler"


def with_terms(*node_selector_terms, **required):
    required = {"nodeSelectorTerms": list(node_selector_terms), **required}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    return pod(container("c", {K80: 2}), affinity=affinity)


@pytest.mark.parametrize("name", [None, "", "default-scheduler", OURS])
def test_a_pod_of_no_other_scheduler_gets_ours(name):
    assert mutated(pod(container("c", {K80: 1}), schedulerName=name))["spec"]["schedulerName"] == OURS


def test_a_pod_of_another_scheduler_is_refused_with_the_reason():
    message = (
        f'spec.schedulerName is "volcano": a pod that asks for a class is placed by {OURS}; '
        "leave schedulerName out"
    )
    assert refused(pod(container("c", {K80: 1}), schedulerName="volcano")) == [("ForeignScheduler", message)]


def test_the_setting_keep_leaves_another_scheduler():
    became = mutated(pod(container("c", {K80: 1}), schedulerName="volcano"), foreign_scheduler="keep")
    assert became["spec"]["schedulerName"] == "volcano"
    assert terms(became) == [{"matchExpressions": [gt(LABEL_K80, 0)]}]


def test_the_setting_override_replaces_another_scheduler_with_a_warning():
    other = pod(container("c", {K80: 1}), schedulerName="volcano")
    assert mutated(other, foreign_scheduler="override")["spec"]["schedulerName"] == OURS
    assert warnings(other, foreign_scheduler="override") == (
        f'spec.schedulerName "volcano" is replaced by {OURS}, which places class pods',
    )


# jupyterhub/kubespawner#669: clients that send every unset field as null.
@pytest.mark.parametrize(
    "affinity",
    [
        None,
        {},
        {"nodeAffinity": None},
        {"nodeAffinity": {}},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": None}},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": None}}},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}},
    ],
)
def test_a_term_is_made_where_there_is_none(affinity):
    became = mutated(pod(container("c", {K80: 2}), affinity=affinity))
    assert terms(became) == [{"matchExpressions": [gt(LABEL_K80, 1)]}]


def test_other_affinities_stay():
    preferred = [{"weight": 1, "preference": {}}]
    affinity = {
        "podAffinity": {"x": 1},
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred},
    }
    became = mutated(pod(container("c", {K80: 1}), affinity=affinity))
    assert became["spec"]["affinity"]["podAffinity"] == {"x": 1}
    assert (
        became["spec"]["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
        is preferred
    )


def test_every_term_that_can_match_gets_the_expression():
    zone_a, zone_b = ({"key": "zone", "operator": "In", "values": [zone]} for zone in "ab")
    became = mutated(with_terms({"matchExpressions": [zone_a]}, {"matchExpressions": [zone_b]}))
    assert terms(became) == [
        {"matchExpressions": [zone_a, gt(LABEL_K80, 1)]},
        {"matchExpressions": [zone_b, gt(LABEL_K80, 1)]},
    ]


@pytest.mark.parametrize(
    "term", [{}, None, {"matchExpressions": []}, {"matchExpressions": None, "matchFields": []}]
)
def test_an_empty_term_matches_nothing_and_stays_so(term):
    assert terms(mutated(with_terms(term, {"matchFields": [{"key": "metadata.name"}]})))[0] is term


# kubernetes/kubernetes#89476: DaemonSet pods are pinned to their node by matchFields.
def test_a_term_of_fields_alone_keeps_them_and_gets_expressions():
    fields = [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]
    assert terms(mutated(with_terms({"matchFields": fields}))) == [
        {"matchFields": fields, "matchExpressions": [gt(LABEL_K80, 1)]}
    ]


@pytest.mark.parametrize("operand", [1, 2, 100])
def test_a_bound_of_the_users_own_that_is_high_enough_is_kept(operand):
    term = {"matchExpressions": [gt(LABEL_K80, operand)]}
    assert terms(mutated(with_terms(term))) == [term]


def test_a_bound_that_is_too_low_is_raised_in_place():
    other = {"key": "zone", "operator": "Exists"}
    became = mutated(with_terms({"matchExpressions": [gt(LABEL_K80, 0), other]}))
    assert terms(became) == [{"matchExpressions": [gt(LABEL_K80, 1), other]}]


@pytest.mark.parametrize(
    "expression",
    [
        {"key": LABEL_K80, "operator": "In", "values": ["4"]},
        {"key": LABEL_K80, "operator": "Gt", "values": ["many"]},
        {"key": LABEL_K80, "operator": "Gt", "values": [1]},
        {"key": LABEL_K80, "operator": "Gt", "values": None},
        {"key": LABEL_K80, "operator": "Gt", "values": ["9" * 30]},
        None,
        5,
    ],
)
def test_what_is_no_readable_bound_on_the_class_is_left_beside_ours(expression):
    became = mutated(with_terms({"matchExpressions": [expression]}))
    assert terms(became) == [{"matchExpressions": [expression, gt(LABEL_K80, 1)]}]


@pytest.mark.parametrize(
    "affinity",
    [
        5,
        {"nodeAffinity": []},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": "x"}},
        {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": {}}}},
        {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": "x"}, 7]
                }
            }
        },
    ],
)
def test_an_affinity_of_a_wrong_type_is_the_api_servers_to_refuse(affinity):
    assert mutated(pod(container("c", {K80: 1}), affinity=affinity))["spec"]["affinity"] is affinity


def test_the_bound_is_the_effective_demand_of_the_pod():
    both = pod(container("a", {K80: 1}), container("b", {K80: 2}), initContainers=[container("i", {K80: 2})])
    assert terms(mutated(both)) == [{"matchExpressions": [gt(LABEL_K80, 2)]}]


def test_the_bound_of_a_share_is_its_largest_container():
    shares = pod(container("a", {"share-2g": 1}), container("b", {"share-2g": 3}))
    assert terms(mutated(shares)) == [{"matchExpressions": [gt("class.resourceclass.io/share-2g", 2)]}]


def test_each_class_has_a_bound_of_its_own():
    became = mutated(pod(container("a", {P100: 1, K80: 1})))
    assert terms(became) == [
        {"matchExpressions": [gt(LABEL_K80, 0), gt("class.resourceclass.io/nvidia.tesla.p100", 0)]}
    ]


def test_a_bound_never_exceeds_what_the_scheduler_can_read():
    assert terms(mutated(pod(container("c", {K80: "1e30"})))) == [
        {"matchExpressions": [gt(LABEL_K80, (1 << 63) - 1)]}
    ]


TOLERATION = {"key": "gpu", "operator": "Exists"}


@pytest.mark.parametrize("present", [None, [], [{"key": "other"}]])
def test_tolerations_of_the_class_are_added(present):
    became = mutated(pod(container("c", {"rt-a": 1}), tolerations=present))
    assert became["spec"]["tolerations"] == [*(present or []), TOLERATION]


@pytest.mark.parametrize("present", [TOLERATION, {**TOLERATION, "value": "", "effect": None}])
def test_a_toleration_that_is_there_already_is_not_added_again(present):
    became = mutated(pod(container("c", {"rt-a": 1}), tolerations=[present]))
    assert became["spec"]["tolerations"] == [present]


def test_tolerations_of_a_wrong_type_are_the_api_servers_to_refuse():
    assert mutated(pod(container("c", {"rt-a": 1}), tolerations={}))["spec"]["tolerations"] == {}


@pytest.mark.parametrize("present", [None, "", "a"])
def test_the_runtime_class_of_the_class_is_set(present):
    became = mutated(pod(container("c", {"rt-a": 1}), runtimeClassName=present))
    assert became["spec"]["runtimeClassName"] == "a"


def test_a_runtime_class_of_the_users_own_is_kept_with_a_warning():
    own = pod(container("c", {"rt-a": 1}), runtimeClassName="kata")
    assert mutated(own)["spec"]["runtimeClassName"] == "kata"
    (warning,) = warnings(own)
    assert warning == (
        'spec.runtimeClassName "kata" is kept, although class rt-a needs "a"; '
        "the container may not see its device"
    )


def test_classes_with_different_runtime_classes_in_one_pod_are_refused():
    ((reason, message),) = refused(pod(container("a", {"rt-a": 1}), container("b", {"rt-b": 1})))
    assert reason == "ConflictingClasses"
    assert "rt-a (a) and rt-b (b)" in message


# istio/istio PR#45233: a second call doubled the patch.
def test_a_second_call_changes_nothing():
    first = mutated(
        pod(
            container("c", {K80: 2, "rt-a": 1}),
            container("x"),
            initContainers=[container("i", {"share-2g": 1})],
        )
    )
    assert mutated(copy.deepcopy(first)) == first


def test_a_container_that_another_webhook_adds_is_served_in_the_second_call():
    first = mutated(pod(container("c", {K80: 2})))
    first["spec"]["containers"].append(container("late", {STORED_K80: "1"}))
    assert terms(mutated(first)) == [{"matchExpressions": [gt(LABEL_K80, 2)]}]
