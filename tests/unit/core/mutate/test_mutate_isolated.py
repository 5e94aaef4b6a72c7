"""Pods of isolated namespaces."""

import pytest

from tests.unit.core.mutate.objects import (
    CLASSES,
    K80,
    VOID,
    container,
    env,
    from_annotation,
    mutated,
    pod,
    refused,
)
from webhook.core.mutate.isolate import mutate_isolated

ALL = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}


def isolated(obj, old=None):
    outcome = mutate_isolated(obj, CLASSES, old)
    assert outcome.faults == ()
    return outcome.object


def faults(obj, old=None):
    return [(fault.reason.value, fault.message) for fault in mutate_isolated(obj, CLASSES, old).faults]


def with_debugger(*debuggers):
    return pod(container("c"), ephemeralContainers=list(debuggers))


def test_a_container_without_a_device_sees_none():
    became = isolated(pod(container("web"), initContainers=[container("prep")]))
    assert env(became) == [VOID]
    assert env(became, kind="initContainers") == [VOID]


@pytest.mark.parametrize("key", ["nvidia.com/gpu", K80, f"resourceclass.io/{K80}"])
def test_a_container_that_asks_for_a_device_is_left_to_who_gives_it(key):
    asks = pod(container("train", {key: 1}))
    assert isolated(asks) is asks


def test_a_second_call_changes_nothing():
    first = isolated(pod(container("web")))
    assert isolated(first) is first


@pytest.mark.parametrize("variable", ["NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"])
@pytest.mark.parametrize("limits", [None, {"nvidia.com/gpu": 1}, {K80: 1}])
def test_a_device_variable_set_by_hand_is_refused(variable, limits):
    ((reason, message),) = faults(pod(container("web", limits, env=[{"name": variable, "value": "all"}])))
    assert reason == "HandSetDevice"
    assert message.startswith(
        f'container "web" sets {variable}, which chooses devices; in an isolated namespace'
    )


def test_void_by_hand_is_what_we_would_set():
    same = pod(container("web", env=[VOID]))
    assert isolated(same) is same


def test_the_annotation_of_another_container_is_by_hand():
    forged = from_annotation("NVIDIA_VISIBLE_DEVICES", "devices.resourceclass.io/other")
    assert [reason for reason, _ in faults(pod(container("web", {K80: 1}, env=[forged])))] == [
        "HandSetDevice"
    ]


def test_what_mutation_made_of_a_class_pod_passes_in_either_order():
    became = mutated(pod(container("train", {K80: 1}), container("web")))
    assert isolated(became) is became


def test_an_ephemeral_container_that_is_added_sees_no_device():
    became = isolated(with_debugger(container("old"), container("new")), old=with_debugger(container("old")))
    assert env(became, 0, "ephemeralContainers") is None
    assert env(became, 1, "ephemeralContainers") == [VOID]
    assert env(became) is None


def test_a_device_variable_of_an_ephemeral_container_is_refused():
    ((reason, message),) = faults(with_debugger(container("new", env=[ALL])), old=with_debugger())
    assert reason == "HandSetDevice"
    assert message.startswith('ephemeral container "new" sets NVIDIA_VISIBLE_DEVICES')


def test_an_ephemeral_container_that_was_there_before_cannot_be_changed_and_is_left_alone():
    before = with_debugger(container("old", env=[ALL]))
    assert isolated(before, old=before) is before


@pytest.mark.parametrize("spec", [None, 5, {"containers": 5}, {"containers": [{"name": "c", "env": 5}]}])
def test_wrong_types_are_the_api_servers_to_refuse(spec):
    odd = {"kind": "Pod", "spec": spec}
    assert isolated(odd) is odd


def test_a_class_pod_of_an_isolated_namespace_is_refused_for_the_same():
    by_hand = pod(container("train", {K80: 1}, env=[ALL]))
    assert [reason for reason, _ in refused(by_hand, isolated=True)] == ["HandSetDevice"]


def test_a_class_pod_of_an_isolated_namespace_is_else_served_as_anywhere():
    wanted = pod(container("train", {K80: 1}), container("web"))
    assert mutated(wanted, isolated=True) == mutated(wanted)


def test_a_pod_of_zero_units_in_an_isolated_namespace_gets_void():
    assert env(mutated(pod(container("c", {K80: 0})), isolated=True)) == [VOID]
