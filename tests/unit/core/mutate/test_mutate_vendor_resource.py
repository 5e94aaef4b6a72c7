"""What class pods ask of a vendor's device plugin, where their class names its resource."""

import pytest

from tests.unit.core.mutate.objects import container, mutated, pod, refused

GPU = "nvidia.com/gpu"


def amounts(became, index=0, kind="containers"):
    resources = became["spec"][kind][index]["resources"]
    return resources["limits"].get(GPU), resources["requests"].get(GPU)


def asking(limits, **more):
    return container("train", limits, dict(limits), **more)


def test_a_container_asks_for_as_many_of_the_vendors_resource():
    assert amounts(mutated(pod(asking({"v100": 2})))) == ("2", "2")


def test_every_container_asks_for_its_own_part():
    became = mutated(pod(asking({"v100": 1}), initContainers=[asking({"v100": 3}, restartPolicy="Always")]))
    assert (amounts(became), amounts(became, kind="initContainers")) == (("1", "1"), ("3", "3"))


def test_classes_of_one_resource_are_added_up():
    assert amounts(mutated(pod(asking({"v100": 1, "v100-32g": 2})))) == ("3", "3")


def test_classes_of_other_resources_are_counted_apart():
    became = mutated(pod(asking({"v100": 1, "mi300": 2})))
    assert became["spec"]["containers"][0]["resources"]["limits"] == {
        "resourceclass.io/v100": 1,
        "resourceclass.io/mi300": 2,
        GPU: "1",
        "amd.com/gpu": "2",
    }


@pytest.mark.parametrize("amount", [1, "1", "1000m"])
def test_the_same_number_by_hand_is_left_as_it_is(amount):
    assert amounts(mutated(pod(asking({"v100": 1, GPU: amount})))) == (amount, amount)


@pytest.mark.parametrize("amount", [2, 0, "x"])
def test_another_number_by_hand_is_refused_naming_both(amount):
    message = (
        f'container "train" asks for {amount} of {GPU} and for 1 of v100, whose devices are counted as {GPU} '
        f"too (spec.pod.vendorResource of the class): leave {GPU} out"
    )
    assert refused(pod(asking({"v100": 1, GPU: amount}))) == [("BadAmount", message)]


@pytest.mark.parametrize("key", ["nvidia.tesla.k80", "mi100"])
def test_a_class_without_a_vendors_resource_adds_none(key):
    assert amounts(mutated(pod(asking({key: 1})))) == (None, None)


def test_a_request_of_zero_adds_none():
    assert amounts(mutated(pod(asking({"v100": 0}), asking({"v100": 1})))) == (None, None)


def test_a_container_without_a_class_gets_none():
    became = mutated(pod(asking({"v100": 1}), container("web")))
    assert "resources" not in became["spec"]["containers"][1]


def test_a_second_call_changes_nothing():
    first = mutated(pod(asking({"v100": 1})))
    assert mutated(first) is first
