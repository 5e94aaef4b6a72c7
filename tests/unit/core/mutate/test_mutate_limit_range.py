"""LimitRange: names alone."""

import pytest

from tests.unit.core.mutate.objects import CLASSES, K80, STORED_K80
from webhook.core.mutate.limit_range import mutate_limit_range

MAPS = ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")


def limit_range(*items, **metadata):
    return {"kind": "LimitRange", "metadata": {"name": "cap", **metadata}, "spec": {"limits": list(items)}}


def mutated(obj, old=None):
    outcome = mutate_limit_range(obj, old, CLASSES)
    assert outcome.faults == ()
    return outcome


def items(outcome):
    return outcome.object["spec"]["limits"]


@pytest.mark.parametrize("kind", ["Container", "Pod"])
def test_a_bare_key_is_renamed_in_all_maps_with_one_warning(kind):
    outcome = mutated(limit_range({"type": kind, **{name: {K80: "2", "cpu": 1} for name in MAPS}}))
    assert items(outcome) == [{"type": kind, **{name: {STORED_K80: "2", "cpu": 1} for name in MAPS}}]
    assert outcome.warnings == (f"LimitRange cap: stored {K80} as {STORED_K80}; write it so in Git",)


def test_other_types_and_names_are_left_alone():
    other = limit_range(
        {"type": "PersistentVolumeClaim", "max": {K80: 1}}, {"type": "Container", "max": {"cpu": 1}}
    )
    assert mutated(other).object is other


def test_the_number_that_was_just_applied_wins():
    outcome = mutated(limit_range({"type": "Pod", "max": {STORED_K80: 1, K80: 2}}), limit_range())
    assert items(outcome) == [{"type": "Pod", "max": {STORED_K80: 2}}]


def test_a_fraction_is_refused_but_as_a_ratio():
    wrong = limit_range({"type": "Pod", "max": {K80: "0.5"}, "maxLimitRequestRatio": {K80: "1.5"}})
    outcome = mutate_limit_range(wrong, None, CLASSES)
    assert [fault.reason.value for fault in outcome.faults] == ["BadAmount"]
    assert outcome.message.startswith(f"LimitRange cap: {K80}: '0.5' must be a whole number")


def test_a_name_that_is_nearly_a_class_is_refused():
    outcome = mutate_limit_range(limit_range({"type": "Pod", "max": {"nvidia.tesla.k8": 1}}), None, CLASSES)
    assert outcome.message == f'LimitRange cap: "nvidia.tesla.k8" is no class; did you mean {K80}?'


def test_an_update_that_leaves_the_limits_as_they_were_is_silent():
    old = limit_range({"type": "Pod", "max": {STORED_K80: "0.5"}})
    new = limit_range({"type": "Pod", "max": {STORED_K80: "0.5"}}, labels={})
    assert mutated(new, old).object is new


def test_what_a_controller_owns_is_left_alone():
    owned = limit_range({"type": "Pod", "max": {K80: 1}}, ownerReferences=[{"controller": True}])
    assert mutated(owned).object is owned


@pytest.mark.parametrize(
    "spec", [None, 5, {}, {"limits": {}}, {"limits": [None, 5, {"type": "Pod", "max": []}]}]
)
def test_wrong_types_are_the_api_servers_to_refuse(spec):
    odd = {"kind": "LimitRange", "spec": spec}
    assert mutated(odd).object is odd
