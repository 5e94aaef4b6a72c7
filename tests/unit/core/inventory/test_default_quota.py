"""The quota of a namespace that follows from the defaults of classes."""

import pytest

from tests.unit.core.inventory.device_world import merged
from tests.unit.core.placement.nodes import a_class
from webhook.core.inventory.default_quota import NOTHING, QuotaPlan, default_quota
from webhook.core.values.classes import Classes

K80, P100 = "requests.resourceclass.io/k80", "requests.resourceclass.io/p100"
CLASSES = Classes.of(
    [
        a_class("k80", quota={"default": 2}),
        a_class("p100", quota={"default": 0}),
        a_class("gold", quota={"default": 9}, namespaces={"matchLabels": {"tier": "gold"}}),
        a_class("free"),
    ]
)


def a_namespace(**labels):
    return {"metadata": {"name": "team", "labels": labels}}


def a_quota(name, hard, labels=None):
    return {"metadata": {"name": name, "namespace": "team", "labels": labels}, "spec": {"hard": hard}}


def ours(hard):
    return a_quota("resourceclass-defaults", hard, {"app.kubernetes.io/managed-by": "resourceclass"})


def plan(*quotas, classes=CLASSES, namespace=None):
    return default_quota(namespace or a_namespace(), quotas, classes)


def test_a_namespace_gets_one_quota_with_every_default_that_it_may_use():
    assert plan() == QuotaPlan(
        create={
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {
                "name": "resourceclass-defaults",
                "namespace": "team",
                "labels": {"app.kubernetes.io/managed-by": "resourceclass"},
            },
            "spec": {"hard": {K80: "2", P100: "0"}},
        }
    )
    gold = plan(namespace=a_namespace(tier="gold")).create["spec"]["hard"]
    assert gold["requests.resourceclass.io/gold"] == "9"


def test_a_quota_that_is_right_is_left_alone():
    assert plan(ours({K80: "2", P100: "0"})) == NOTHING
    thousand = Classes.of([a_class("k80", quota={"default": 1000})])
    assert plan(ours({K80: "1k"}), classes=thousand) == NOTHING


def test_a_key_goes_once_another_quota_names_the_class():
    other = a_quota("own", {K80: "8", "pods": "9"})
    assert plan(other).create["spec"]["hard"] == {P100: "0"}
    assert plan(other, ours({K80: "2", P100: "0"})) == QuotaPlan(patch={"spec": {"hard": {K80: None}}})


@pytest.mark.parametrize(
    "key",
    ["k80", "resourceclass.io/k80", "limits.resourceclass.io/k80", "requests.k80", f"{K80}0", K80.upper()],
)
def test_a_key_that_nobody_enforces_leaves_the_default_in_place(key):
    other = a_quota("own", {key: "8"})
    assert plan(other).create["spec"]["hard"] == {K80: "2", P100: "0"}
    assert plan(other, ours({K80: "2", P100: "0"})) == NOTHING


def test_changed_and_new_defaults_are_written_and_nothing_else():
    assert plan(ours({K80: "1", "pods": "7"})).patch == {"spec": {"hard": {K80: "2", P100: "0"}}}
    assert plan(ours({K80: "what", P100: "0"})).patch == {"spec": {"hard": {K80: "2"}}}


def test_a_quota_of_ours_that_nothing_needs_is_deleted():
    none = Classes.of([a_class("k80")])
    assert plan(ours({K80: "2"}), classes=none) == QuotaPlan(delete=True)
    assert plan(ours({}), classes=none) == QuotaPlan(delete=True)
    assert plan(classes=none) == NOTHING


def test_what_a_person_has_added_to_ours_keeps_it():
    none = Classes.of([a_class("k80")])
    assert plan(ours({K80: "2", "pods": "7"}), classes=none).patch == {"spec": {"hard": {K80: None}}}
    assert plan(ours({"pods": "7"}), classes=none) == NOTHING


def test_a_class_that_cannot_be_read_for_the_moment_keeps_its_limit():
    broken = Classes.of([{"metadata": {"name": "k80"}, "spec": {}}])
    assert plan(ours({K80: "2"}), classes=broken) == NOTHING
    assert plan(ours({K80: "2", P100: "0"}), classes=broken).patch == {"spec": {"hard": {P100: None}}}


def test_a_person_s_quota_of_that_name_is_not_touched():
    theirs = a_quota("resourceclass-defaults", {"pods": "1"})
    found = plan(theirs)
    assert found == QuotaPlan(warning=found.warning)
    assert found.warning.startswith("ResourceQuota resourceclass-defaults in namespace team is not ours")
    assert K80 in found.warning
    assert plan(theirs, classes=Classes.of([])) == NOTHING
    # A key that it names itself has a limit already.
    both = a_quota("resourceclass-defaults", {K80: "1", P100: "1"})
    assert plan(both) == NOTHING


def test_a_namespace_that_has_opted_out_has_no_default():
    out = a_namespace(**{"resourceclass.io/webhook": "ignore"})
    assert plan(namespace=out) == NOTHING
    assert plan(ours({K80: "2"}), namespace=out) == QuotaPlan(delete=True)


def test_a_namespace_on_its_way_out_is_left_alone():
    going = {"metadata": {"name": "team", "deletionTimestamp": "2024-01-01T00:00:00Z"}}
    assert plan(namespace=going) == NOTHING


def test_a_plan_that_was_carried_out_plans_nothing():
    stored = plan().create
    assert plan(stored) == NOTHING
    stored = merged(
        ours({K80: "7", "requests.resourceclass.io/gone": "1"}),
        plan(ours({K80: "7", "requests.resourceclass.io/gone": "1"})).patch,
    )
    assert plan(stored) == NOTHING
