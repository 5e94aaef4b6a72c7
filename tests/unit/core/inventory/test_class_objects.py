"""Which ResourceClasses are made, and which are left alone."""

from webhook.core.inventory.class_objects import ClassPlan, class_object, counted_as_adopted, plan_classes
from webhook.core.values.classes import Classes

K80 = {"vendor": "NVIDIA", "model": "NVIDIA Tesla K80", "memory": "11441MiB"}


def a_person_s(name, selector):
    return {"metadata": {"name": name}, "spec": {"selector": selector}}


def names(plan):
    return [obj["metadata"]["name"] for obj in plan.create]


def test_each_model_gets_one_class_marked_as_ours():
    plan = plan_classes([K80, K80, {"vendor": "NVIDIA", "model": "GRID P4-2Q"}], [])
    assert names(plan) == ["nvidia.grid-p4-2q", "nvidia.tesla.k80"]
    assert plan.create[1] == {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": "nvidia.tesla.k80", "labels": {"app.kubernetes.io/managed-by": "resourceclass"}},
        "spec": {"selector": {"matchLabels": {"vendor": "NVIDIA", "model": "NVIDIA Tesla K80"}}},
    }
    assert not plan.warnings
    assert Classes.of(plan.create).get("nvidia.tesla.k80").selector.matches(K80)


def test_spellings_of_one_model_share_a_class_which_has_the_driver_s_spelling():
    kinds = [K80 | {"model": text} for text in ("Tesla-K80", "NVIDIA Tesla K80", "NVIDIA-Tesla-K80")]
    plan = plan_classes(kinds, [])
    assert names(plan) == ["nvidia.tesla.k80"]
    assert plan.create[0]["spec"]["selector"]["matchLabels"]["model"] == "NVIDIA Tesla K80"


def test_a_class_that_is_there_is_not_made_again():
    assert plan_classes([K80], plan_classes([K80], []).create) == ClassPlan()
    renamed = class_object("k80", "NVIDIA", "Tesla_K80")
    assert plan_classes([K80], [renamed]) == ClassPlan()


def test_a_class_of_a_person_that_selects_the_model_takes_the_place_of_ours():
    own = a_person_s("nvidia.tesla.k80", {"matchLabels": {"model": "Tesla K80", "memory": "11441MiB"}})
    assert plan_classes([K80], [own]) == ClassPlan()


def test_a_class_of_a_person_that_selects_other_devices_is_reported_and_left_alone():
    for selector in ({"matchLabels": {"model": "Tesla P100"}}, {}, None):
        plan = plan_classes([K80], [a_person_s("nvidia.tesla.k80", selector)])
        assert not plan.create
        assert not plan.stale
        (warning,) = plan.warnings
        assert warning.startswith("ResourceClass nvidia.tesla.k80 does not select 'NVIDIA Tesla K80'")


def test_the_second_of_two_models_with_one_name_is_told_apart_for_good():
    lower, upper = ({"vendor": "NVIDIA", "model": text} for text in ("a10g", "A10G"))
    first = plan_classes([lower], [])
    assert names(first) == ["nvidia.a10g"]
    second = plan_classes([upper, lower], first.create)
    assert [name.startswith("nvidia.a10g-") for name in names(second)] == [True]
    assert plan_classes([lower, upper], [*second.create, *first.create]) == ClassPlan()
    both = plan_classes([upper, lower], [])
    assert names(both) == names(plan_classes([lower, upper], []))


def test_a_device_without_a_model_calls_for_no_class():
    assert plan_classes([{"vendor": "NVIDIA"}, {"model": " "}], []) == ClassPlan()


def test_a_device_without_a_vendor_is_selected_by_its_model_alone():
    plan = plan_classes([{"model": "Alveo U250"}], [])
    assert names(plan) == ["alveo-u250"]
    assert plan.create[0]["spec"]["selector"] == {"matchLabels": {"model": "Alveo U250"}}


def test_ours_is_stale_when_no_device_matches_and_nobody_uses_or_changed_it():
    ours = class_object("nvidia.tesla.k80", "NVIDIA", "Tesla K80")
    ours["spec"] |= {"placement": "Pack", "delivery": "Env"}
    assert plan_classes([], [ours]).stale == ("nvidia.tesla.k80",)
    assert plan_classes([K80], [ours]).stale == ()
    assert plan_classes([], [ours], in_use={"nvidia.tesla.k80"}).stale == ()
    with_quota = {**ours, "spec": ours["spec"] | {"quota": {"default": 2}}}
    assert plan_classes([], [with_quota]).stale == ()
    edited = {**ours, "spec": {"selector": {"matchLabels": {"model": "x", "memory": "1"}}}}
    assert plan_classes([], [edited]).stale == ()


def test_a_class_of_a_person_is_never_stale():
    assert plan_classes([], [a_person_s("x", {"matchLabels": {"model": "x"}})]) == ClassPlan()


def test_a_class_of_ours_that_a_namespace_adopts_for_has_its_pods_counted_by_the_plugin():
    ours, other = class_object("k80", "NVIDIA", "Tesla K80"), class_object("p4", "NVIDIA", "Tesla P4")
    theirs = a_person_s("own", {"matchLabels": {"model": "Tesla K80"}})
    found = counted_as_adopted([ours, other, theirs], {"k80", "own", "no-such-class"})
    assert found == {"k80": {"spec": {"pod": {"vendorResource": "nvidia.com/gpu"}}}}


def test_what_a_person_has_set_on_such_a_class_is_left_alone():
    ours = class_object("k80", "NVIDIA", "Tesla K80")
    for change in (
        {"pod": {"vendorResource": "example.com/gpu"}},
        {"share": {"memory": "2GiB"}},
        {"delivery": "DevicePlugin"},
        {"selector": {}},
    ):
        assert counted_as_adopted([{**ours, "spec": ours["spec"] | change}], {"k80"}) == {}
