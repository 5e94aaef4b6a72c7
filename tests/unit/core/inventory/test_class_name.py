"""The names of classes."""

import pytest

from webhook.core.inventory.class_name import class_name, told_apart
from webhook.core.values.names import is_class_name

LONG = "NVIDIA-" + "A100-SXM4-80GB-Liquid-Cooled-Datacenter-Edition-Rev-B-MIG-3g.40gb"


# kubernetes/website PR#4086, NVIDIA/k8s-device-plugin#514 and PR#1880: names of GPUs are no legal names.
@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("NVIDIA Tesla K80", "nvidia.tesla.k80"),
        ("Tesla-K80", "nvidia.tesla.k80"),
        ("NVIDIA-Tesla-K80", "nvidia.tesla.k80"),
        ("NVIDIA_Tesla_K80", "nvidia.tesla.k80"),
        ("Tesla V100-SXM2-16GB", "nvidia.tesla.v100-sxm2-16gb"),
        ("GRID P4-2Q", "nvidia.grid-p4-2q"),
        ("GRID-P4-2Q", "nvidia.grid-p4-2q"),
        ("NVIDIA A100-SXM4-40GB", "nvidia.a100-sxm4-40gb"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "nvidia.a100-sxm4-40gb-mig-1g.5gb"),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "nvidia.a100-sxm4-40gb-mig-1g.5gb"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb+me", "nvidia.a100-sxm4-40gb-mig-1g.5gb.me"),
        ("NVIDIA TITAN X (Pascal)", "nvidia.titan-x-pascal"),
        ("NVIDIA H20", "nvidia.h20"),
        ("NVIDIA H200", "nvidia.h200"),
        ("Tesla", "nvidia.tesla"),
        ("NVIDIA", "nvidia.nvidia"),
        ("NVIDIA GeForce GTX 1080 Ti", "nvidia.geforce-gtx-1080-ti"),
        (".A..B.", "nvidia.a.b"),
    ],
)
def test_a_model_has_one_name_in_every_spelling(model, name):
    assert class_name("NVIDIA", model) == name


def test_a_long_model_is_cut_and_keeps_its_own_hash():
    one, other = class_name("NVIDIA", LONG), class_name("NVIDIA", LONG + "+me")
    assert one.startswith("nvidia.a100-sxm4-80gb-liquid-cooled-datacenter")
    assert one != other
    assert len(one) <= 63
    assert is_class_name(one)
    assert class_name("NVIDIA", LONG.replace("-", " ")) == one


def test_letters_that_a_name_cannot_hold_leave_a_hash_in_their_place():
    assert class_name("NVIDIA", "Tesla K80 \N{EN DASH} Ti") == "nvidia.tesla.k80-ti"
    with_letters = class_name("NVIDIA", "Tésla 数据")
    assert with_letters.startswith("nvidia.t-sla-")
    assert with_letters != class_name("NVIDIA", "Tésla 组")
    assert is_class_name(class_name("NVIDIA", "数据"))


@pytest.mark.parametrize(
    ("vendor", "model", "name"),
    [
        ("", "Tesla K80", "tesla.k80"),
        ("", "memory", "device.memory"),
        ("requests", "x", "device.requests.x"),
        ("Advanced Micro (R)", "MI300X", "advanced-micro-r.mi300x"),
        ("...", "X", "x"),
    ],
)
def test_vendors_that_are_missing_or_odd_still_give_a_valid_name(vendor, model, name):
    assert class_name(vendor, model) == name
    assert is_class_name(name)


def test_a_name_that_is_taken_is_told_apart_by_the_model_in_any_spelling():
    name = told_apart("nvidia.a", "NVIDIA", "NVIDIA A")
    assert name == told_apart("nvidia.a", "NVIDIA", "A")
    assert name.startswith("nvidia.a-")
    assert name != told_apart("nvidia.a", "NVIDIA", "a")
    assert len(told_apart("n" * 63, "NVIDIA", "A")) == 63
