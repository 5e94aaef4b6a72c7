"""A ResourceClass when it is written or deleted."""

import pytest

from webhook.core.outcome import Reason
from webhook.core.validate.resource_class import validate_class, validate_class_delete
from webhook.core.values.usage import Usage

SELECTOR = {"matchLabels": {"model": "Tesla K80"}}


def a_class(**spec):
    return {"kind": "ResourceClass", "metadata": {"name": "k80"}, "spec": {"selector": SELECTOR, **spec}}


def using(count, class_name="k80"):
    return [Usage("team-a", f"pod-{index}", class_name, 1) for index in range(count)]


def test_a_sound_class_passes_silently():
    obj = a_class(share={"memory": "2GiB"})
    outcome = validate_class(obj)
    assert outcome.allowed
    assert outcome.object is obj
    assert outcome.warnings == ()


def test_every_fault_of_a_class_is_told_at_once_with_class_and_place():
    outcome = validate_class(a_class(selector={}, delivery="Post", share={"memory": "2"}))
    assert {fault.reason for fault in outcome.faults} == {Reason.INVALID_OBJECT}
    assert outcome.code == 422
    for place in ("spec.selector", "spec.delivery", "spec.share.memory"):
        assert any(fault.message.startswith(f"ResourceClass k80: {place}") for fault in outcome.faults)


def test_a_broken_class_may_still_get_labels_finalizers_and_status():
    broken = a_class(selector={})
    labelled = {**broken, "metadata": {"name": "k80", "labels": {"a": "b"}}}
    assert validate_class(labelled, broken).allowed


def test_a_broken_class_may_not_be_changed_into_another_broken_one():
    assert not validate_class(a_class(selector=[]), a_class(selector={})).allowed


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"share": {"memory": "2GiB"}}, "the new share"),
        ({"delivery": "DevicePlugin"}, "the new delivery"),
        ({"pod": {"vendorResource": "nvidia.com/gpu"}}, "the new vendorResource"),
        ({"selector": {"matchLabels": {"model": "Tesla P100"}}}, "the new selector"),
    ],
)
def test_a_change_that_running_pods_do_not_feel_is_warned_of(change, named):
    (warning,) = validate_class(a_class(**change), a_class(), using(2)).warnings
    assert warning == (
        f"ResourceClass k80 is in use by 2 pods (team-a/pod-0 and team-a/pod-1): {named} holds for new pods "
        "only; create pods that still wait for a device anew"
    )


def test_another_spelling_of_the_same_selector_is_no_change():
    assert validate_class(a_class(selector=[SELECTOR]), a_class(), using(1)).warnings == ()


def test_a_change_of_a_class_that_nobody_uses_is_silent():
    assert validate_class(a_class(delivery="DevicePlugin"), a_class(), using(1, "p100")).warnings == ()


def test_mending_a_broken_class_is_silent():
    assert validate_class(a_class(), a_class(selector={}), using(1)).warnings == ()


def test_creating_a_class_is_silent_even_when_pods_already_name_it():
    assert validate_class(a_class(), None, using(1)).warnings == ()


def test_deleting_a_class_in_use_names_the_pods():
    outcome = validate_class_delete(a_class(), using(5))
    assert outcome.allowed
    (warning,) = outcome.warnings
    assert warning == (
        "ResourceClass k80 is in use by 5 pods (team-a/pod-0, team-a/pod-1, team-a/pod-2 and 2 more): they "
        "keep their devices, but no new pod of the class can be created until it exists again"
    )


@pytest.mark.parametrize("usage", [[], using(2, "p100")])
def test_deleting_a_class_that_nobody_uses_is_silent(usage):
    assert validate_class_delete(a_class(), usage).warnings == ()
