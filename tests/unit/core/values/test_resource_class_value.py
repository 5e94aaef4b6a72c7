"""Reading a ResourceClass: defaults, every field, and every problem at once."""

import pytest

from webhook.core.values.resource_class import BadClass, parse_resource_class

SELECTOR = {"matchLabels": {"model": "NVIDIA Tesla K80"}}

NO_VENDOR_RESOURCES = [
    5,
    "",
    "gpu",
    "nvidia.com/",
    "/gpu",
    "a/b/c",
    "Nvidia.com/gpu",
    "resourceclass.io/k80",
    "class.resourceclass.io/k80",
    "kubernetes.io/gpu",
    "requests.nvidia.com/gpu",
    "a/" + "b" * 64,
    "a" * 250 + "/b",
]


def a_class(name="nvidia.tesla.k80", **spec):
    return {"metadata": {"name": name}, "spec": {"selector": SELECTOR, **spec}}


def problems(obj):
    with pytest.raises(BadClass) as caught:
        parse_resource_class(obj)
    return caught.value.problems


def test_what_is_left_out_has_a_default():
    read = parse_resource_class(a_class())
    assert (read.name, read.placement, read.delivery) == ("nvidia.tesla.k80", "Pack", "Env")
    assert read.device_env == ("NVIDIA_VISIBLE_DEVICES",)
    assert read.tolerations == ()
    assert (read.share_memory_bytes, read.quota_default, read.namespaces, read.runtime_class_name) == (
        None,
    ) * 4
    assert not read.is_share


def test_explicit_nulls_are_the_same_as_nothing():
    nulls = dict.fromkeys(("share", "placement", "quota", "namespaces", "pod", "delivery"))
    assert parse_resource_class(a_class(**nulls)) == parse_resource_class(a_class())


def test_every_field_is_read():
    toleration = {"key": "gpu", "operator": "Exists"}
    read = parse_resource_class(
        a_class(
            share={"memory": "2GiB"},
            placement="Spread",
            quota={"default": 4},
            namespaces={"matchLabels": {"team": "a"}},
            pod={"tolerations": [toleration], "runtimeClassName": "nvidia", "deviceEnv": ["A_B", "C", "A_B"]},
            delivery="DevicePlugin",
        )
    )
    assert read.is_share
    assert read.share_memory_bytes == 2 << 30
    assert (read.placement, read.quota_default, read.delivery) == ("Spread", 4, "DevicePlugin")
    assert str(read.namespaces) == "team=a"
    assert (read.tolerations, read.runtime_class_name, read.device_env) == (
        (toleration,),
        "nvidia",
        ("A_B", "C"),
    )


@pytest.mark.parametrize("name", ["nvidia.com/gpu", "amd.com/gpu", "nvidia.com/mig-1g.5gb", "a/B_c.d"])
def test_a_class_may_name_the_resource_of_a_device_plugin(name):
    assert parse_resource_class(a_class(pod={"vendorResource": name})).vendor_resource == name


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"share": {"memory": "2GiB"}}, "its units are shares of a device"),
        ({"delivery": "DevicePlugin"}, "the kubelet mounts its devices"),
    ],
)
def test_a_device_plugin_cannot_count_what_it_does_not_hand_out_whole(spec, why):
    (problem,) = problems(a_class(pod={"vendorResource": "nvidia.com/gpu"}, **spec))
    assert problem.startswith(f"spec.pod.vendorResource does not go with this class: {why}")


def test_a_class_may_have_no_device_variable():
    assert parse_resource_class(a_class(pod={"deviceEnv": []})).device_env == ()


@pytest.mark.parametrize(
    ("obj", "place"),
    [
        ({"metadata": {"name": "x"}, "spec": {}}, "spec.selector is missing"),
        ({"metadata": {"name": "x"}}, "spec.selector is missing"),
        ({"metadata": 5, "spec": {"selector": SELECTOR}}, "metadata must be a map"),
        (a_class("Big"), "metadata.name 'Big' cannot name a class"),
        (a_class("cpu"), "metadata.name 'cpu' cannot name a class"),
        (a_class("requests.x"), "metadata.name 'requests.x' cannot"),
        (a_class("a" * 64), "metadata.name"),
        (a_class(None), "metadata.name None"),
        (a_class(selector={}), "spec.selector is empty"),
        (a_class(share={}), "spec.share.memory: None is not a size"),
        (a_class(share=[]), "spec.share must be a map"),
        (a_class(share={"memory": "2 GiB"}), "spec.share.memory: '2 GiB'"),
        (a_class(share={"memory": "0GiB"}), "spec.share.memory is 0"),
        (a_class(placement="Near"), "spec.placement is 'Near'; it must be Pack or Spread"),
        (a_class(delivery=5), "spec.delivery is 5; it must be Env or DevicePlugin"),
        (a_class(quota={"default": "1.5"}), "spec.quota.default: '1.5' must be a whole number"),
        (a_class(quota={"default": -1}), "spec.quota.default: -1 is negative"),
        (a_class(quota=5), "spec.quota must be a map"),
        (a_class(namespaces=[]), "spec.namespaces must be a label selector"),
        (a_class(pod=[]), "spec.pod must be a map"),
        (a_class(pod={"tolerations": {}}), "spec.pod.tolerations must be a list"),
        (a_class(pod={"tolerations": [5]}), "spec.pod.tolerations must be a list"),
        (a_class(pod={"tolerations": [{}]}), "spec.pod.tolerations[0].key is missing"),
        (a_class(pod={"runtimeClassName": ""}), "spec.pod.runtimeClassName is ''"),
        (a_class(pod={"deviceEnv": "A"}), "spec.pod.deviceEnv must be a list"),
        (a_class(pod={"deviceEnv": ["A", "a"]}), "spec.pod.deviceEnv[1] 'a' must be"),
        (a_class(pod={"deviceEnv": ["_A"]}), "spec.pod.deviceEnv[0] '_A' must be"),
        (a_class(pod={"deviceEnv": ["A_"]}), "spec.pod.deviceEnv[0] 'A_' must be"),
        (a_class(pod={"deviceEnv": [5]}), "spec.pod.deviceEnv[0] 5 must be"),
        (a_class(pod={"deviceEnv": ["A" * 64]}), "spec.pod.deviceEnv[0]"),
        *(
            (a_class(pod={"vendorResource": name}), f"spec.pod.vendorResource is {name!r}; it must be the")
            for name in NO_VENDOR_RESOURCES
        ),
        (
            a_class(pod={"deviceEnv": ["RESOURCECLASS_DEVICES"]}),
            "spec.pod.deviceEnv[0]: RESOURCECLASS_DEVICES is set",
        ),
    ],
)
def test_a_problem_names_its_place(obj, place):
    found = problems(obj)
    assert any(problem.startswith(place) for problem in found), found


def test_all_problems_are_named_at_once():
    found = problems(a_class("Big", selector=[], share={"memory": "ten"}, placement="Near", delivery="Far"))
    assert len(found) == 5
