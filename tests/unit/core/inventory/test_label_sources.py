"""Devices from the labels of each source, on nodes as real clusters label them."""

import pytest

from tests.unit.core.inventory.label_nodes import (
    AKS,
    ALIYUN_P4,
    ALIYUN_VGPU,
    EKS_AUTO_A100,
    EKS_V100,
    GFD_MIG_MIXED,
    GFD_MIG_SINGLE,
    GFD_SHARED,
    GFD_T4,
    GKE_T4,
    KARPENTER_L4,
    a_node,
)
from webhook.core.inventory.class_name import class_name
from webhook.core.inventory.label_sources import LABEL_PREFIXES, LabelDevices, label_devices
from webhook.core.values.memory import parse_device_memory


def found(*labels, **resources):
    devices = label_devices(a_node(*labels, **resources))
    assert devices.refusal is None
    return devices


def refused(*labels, **resources):
    devices = label_devices(a_node(*labels, **resources))
    assert devices.devices == ()
    assert devices.refusal is not None
    return devices.refusal


def models(devices):
    return {item.properties["model"] for item in devices.devices}


def test_a_node_without_such_labels_says_nothing():
    assert label_devices(a_node()) == LabelDevices()
    assert label_devices({}) == LabelDevices()
    assert label_devices({"metadata": {"labels": {"nvidia.com/gpu.product": None}}}) == LabelDevices()


def test_gpu_feature_discovery_gives_each_device_an_index_and_what_the_driver_knows():
    devices = found(GFD_T4)
    assert devices.source == "NVIDIA GPU feature discovery"
    assert [item.device_id for item in devices.devices] == ["0", "1"]
    assert devices.devices[1].raw_resource == "nvidia.com/gpu"
    assert devices.devices[1].properties == {
        "vendor": "NVIDIA",
        "model": "Tesla-T4",
        "memory": "15360",
        "index": "1",
        "type": "gpu",
        "architecture": "turing",
        "computeCapability": "7.5",
        "driver": "570.86.15",
    }
    assert devices.warnings == ()


@pytest.mark.parametrize(
    ("labels", "count", "model", "name", "mib"),
    [
        (GFD_SHARED, 2, "Tesla-T4", "nvidia.tesla.t4", 15360),
        (ALIYUN_VGPU, 1, "GRID-P4-2Q", "nvidia.grid-p4-2q", 2048),
        (ALIYUN_P4, 2, "Tesla-P4", "nvidia.tesla.p4", 7611),
        (GKE_T4, 2, "Tesla T4", "nvidia.tesla.t4", None),
        (EKS_AUTO_A100, 8, "NVIDIA A100-SXM4-80GB", "nvidia.a100-sxm4-80gb", 81920),
        (KARPENTER_L4, 1, "NVIDIA L4", "nvidia.l4", 22888),
        (EKS_V100, 1, "Tesla V100-SXM2-16GB", "nvidia.tesla.v100-sxm2-16gb", None),
    ],
)
def test_each_source_gives_model_count_and_memory(labels, count, model, name, mib):
    devices = found(labels).devices
    assert [item.device_id for item in devices] == [str(index) for index in range(count)]
    first = devices[0]
    assert first.properties["model"] == model
    assert class_name(first.properties["vendor"], model) == name
    memory = first.properties.get("memory")
    assert (None if memory is None else parse_device_memory(memory) >> 20) == mib
    assert {item.raw_resource for item in devices} == {"nvidia.com/gpu"}


def test_every_label_that_is_read_is_among_those_that_a_trimmed_node_keeps():
    every = [GFD_T4, GFD_MIG_MIXED, ALIYUN_P4, GKE_T4, EKS_AUTO_A100, KARPENTER_L4, EKS_V100, AKS]
    for labels in every:
        kept = {key: value for key, value in labels.items() if key.startswith(LABEL_PREFIXES)}
        assert label_devices(a_node(kept)) == label_devices(a_node(labels))


def test_devices_of_another_vendor_keep_its_name_and_resource():
    amd = KARPENTER_L4 | {
        "karpenter.k8s.aws/instance-gpu-manufacturer": "amd",
        "karpenter.k8s.aws/instance-gpu-name": "radeon-pro-v520",
    }
    (device,) = found(amd).devices
    assert device.raw_resource == "amd.com/gpu"
    assert (device.properties["vendor"], device.properties["model"]) == ("AMD", "AMD RADEON PRO V520")
    strange = amd | {"karpenter.k8s.aws/instance-gpu-manufacturer": "acme"}
    (device,) = found(strange).devices
    assert (device.raw_resource, device.properties["vendor"]) == ("", "acme")


@pytest.mark.parametrize(
    ("name", "memory", "model"),
    [
        ("a100", "40960", "NVIDIA A100-SXM4-40GB"),
        ("a100", "81920", "NVIDIA A100-SXM4-80GB"),
        ("v100", "16384", "Tesla V100-SXM2-16GB"),
        ("v100", "32768", "Tesla V100-SXM2-32GB"),
        ("h100", "81920", "NVIDIA H100 80GB HBM3"),
        ("l40s", "45776", "NVIDIA L40S"),
        ("h200", "143771", "NVIDIA H200"),
    ],
)
def test_short_names_of_clouds_become_the_driver_s_names(name, memory, model):
    labels = {
        "eks.amazonaws.com/instance-gpu-name": name,
        "eks.amazonaws.com/instance-gpu-memory": memory,
        "eks.amazonaws.com/instance-gpu-count": "1",
    }
    assert models(found(labels)) == {model}


# MIG


def test_mig_devices_of_the_strategy_single_are_devices_of_their_own_model():
    devices = found(GFD_MIG_SINGLE)
    assert len(devices.devices) == 14
    first = devices.devices[0]
    assert first.device_id == "mig-1g.5gb-0"
    assert first.raw_resource == "nvidia.com/gpu"
    assert "index" not in first.properties
    assert (first.properties["type"], first.properties["profile"], first.properties["memory"]) == (
        "mig",
        "1g.5gb",
        "4864",
    )
    assert class_name("NVIDIA", first.properties["model"]) == "nvidia.a100-sxm4-40gb-mig-1g.5gb"


def test_mig_devices_of_the_strategy_mixed_come_one_profile_after_the_other():
    devices = found(GFD_MIG_MIXED, gpu=0)
    assert [item.device_id for item in devices.devices] == ["mig-1g.5gb-0", "mig-1g.5gb-1", "mig-3g.20gb-0"]
    assert [item.raw_resource for item in devices.devices] == [
        "nvidia.com/mig-1g.5gb",
        "nvidia.com/mig-1g.5gb",
        "nvidia.com/mig-3g.20gb",
    ]
    assert devices.devices[2].properties["memory"] == "19968"
    assert devices.warnings == ()


def test_whole_devices_beside_mig_devices_are_left_out_with_a_warning():
    devices = found(GFD_MIG_MIXED, gpu=7)
    assert len(devices.devices) == 3
    (warning,) = devices.warnings
    assert warning.startswith("nvidia.com/gpu=7 in the capacity, beside MIG devices")


def test_a_profile_with_media_extensions_is_written_as_the_driver_writes_it():
    labels = {
        "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB",
        "nvidia.com/mig-1g.5gb.me.count": "1",
    }
    (device,) = found(labels).devices
    assert device.properties["profile"] == "1g.5gb+me"
    assert device.properties["model"] == "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb.me"


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ({"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-INVALID"}, "MigInvalid"),
        ({"nvidia.com/gpu.replicas": "0"}, "MigUnknown"),
    ],
)
def test_mig_that_the_labels_cannot_describe_is_refused(labels, reason):
    assert refused(GFD_T4, labels).reason == reason


def test_split_devices_of_which_nobody_says_how_many_are_refused():
    partition = {"cloud.google.com/gke-gpu-partition-size": "1g.5gb"}
    refusal = refused(GKE_T4, partition)
    assert refusal.reason == "PartitionUnknown"
    assert "gke-gpu-partition-size=1g.5gb" in refusal.message
    assert found(
        GFD_MIG_SINGLE, GKE_T4 | {"cloud.google.com/gke-accelerator": "nvidia-tesla-a100"}, partition
    )


# Which source is believed


def test_of_sources_that_agree_the_first_is_believed_in_silence():
    devices = found(GFD_T4, GKE_T4, {"aliyun.accelerator/nvidia_name": "Tesla_T4"})
    assert devices.source == "NVIDIA GPU feature discovery"
    assert devices.warnings == ()


@pytest.mark.parametrize("mib", ["15109", "15360", "16384MiB", "16GiB"])
def test_sizes_of_one_device_that_differ_by_who_is_asked_are_no_contradiction(mib):
    labels = {"aliyun.accelerator/nvidia_name": "Tesla-T4", "aliyun.accelerator/nvidia_mem": mib}
    assert found(GFD_T4, labels).warnings == ()


def test_sources_that_contradict_each_other_are_named_with_label_and_value():
    one = GFD_T4 | {"nvidia.com/gpu.count": "1"}
    other = {
        "aliyun.accelerator/nvidia_name": "Tesla-P4",
        "aliyun.accelerator/nvidia_mem": "7611MiB",
        "aliyun.accelerator/nvidia_count": "1",
    }
    devices = found(one, other)
    assert models(devices) == {"Tesla-T4"}
    believed = "contradict each other; NVIDIA GPU feature discovery is believed"
    assert devices.warnings == (
        f"nvidia.com/gpu.product=Tesla-T4 and aliyun.accelerator/nvidia_name=Tesla-P4 {believed}",
        f"nvidia.com/gpu.memory=15360 and aliyun.accelerator/nvidia_mem=7611MiB {believed}",
    )


def test_counts_that_contradict_each_other_are_warned_of():
    (warning,) = found(GFD_T4, GKE_T4 | {"cloud.google.com/gke-accelerator-count": "4"}).warnings
    assert warning.startswith("nvidia.com/gpu.count=2 and cloud.google.com/gke-accelerator-count=4")


def test_a_short_name_contradicts_only_a_model_of_another_chip():
    one = GFD_T4 | {"nvidia.com/gpu.count": "1"}
    assert found(one, GKE_T4 | {"cloud.google.com/gke-accelerator-count": "1"}).warnings == ()
    a10g = KARPENTER_L4 | {"karpenter.k8s.aws/instance-gpu-name": "a10g"}
    assert "instance-gpu-name=a10g" in found(one, a10g).warnings[0]


# NVIDIA/gpu-feature-discovery#27, NVIDIA/k8s-device-plugin#731: labels describe one of several models.


def test_a_node_of_several_devices_whose_sources_name_two_models_is_refused():
    refusal = refused(GFD_T4, ALIYUN_P4)
    assert refusal.reason == "MixedDevices"
    assert "nvidia.com/gpu.product=Tesla-T4 and aliyun.accelerator/nvidia_name=Tesla-P4" in refusal.message
    assert "node agent" in refusal.message


def test_a_node_with_more_devices_in_its_capacity_than_in_its_labels_is_refused():
    refusal = refused(GFD_T4, gpu=3)
    assert refusal.reason == "MixedDevices"
    assert "nvidia.com/gpu=3" in refusal.message
    assert "2 of Tesla-T4" in refusal.message
    assert len(found(GFD_T4, gpu=2).devices) == 2
    assert len(found(GFD_T4, gpu=0).devices) == 2


def test_a_plugin_that_counts_each_device_several_times_is_no_sign_of_others():
    assert len(found(GFD_SHARED, gpu=8).devices) == 2
    assert refused(GFD_SHARED, gpu=9).reason == "MixedDevices"
    shared = {"cloud.google.com/gke-max-shared-clients-per-gpu": "4"}
    assert len(found(GKE_T4, shared, gpu=8).devices) == 2


def test_a_shared_resource_of_another_name_is_the_one_of_the_devices():
    devices = found(GFD_T4 | {"nvidia.com/gpu.replicas": "4"}, **{"nvidia.com/gpu.shared": "8"})
    assert {item.raw_resource for item in devices.devices} == {"nvidia.com/gpu.shared"}


# What is missing or cannot be read


@pytest.mark.parametrize("labels", [AKS, {"accelerator": "nvidia"}])
def test_labels_that_name_no_model_are_refused_with_a_remedy(labels):
    refusal = refused(labels)
    assert refusal.reason == "ModelUnknown"
    assert "=nvidia does not say of which model; install NVIDIA GPU feature discovery" in refusal.message


def test_a_count_without_a_model_is_refused_and_no_count_says_nothing():
    assert refused({"nvidia.com/gpu.count": "1"}).reason == "ModelUnknown"
    assert label_devices(a_node({"nvidia.com/gpu.count": "0"})) == LabelDevices()
    assert label_devices(a_node({"accelerator": "amd"})) == LabelDevices()


@pytest.mark.parametrize(
    ("resources", "count"), [({"gpu": 4}, 4), ({}, 1), ({"gpu": "x"}, 1), ({"gpu": 0}, 0)]
)
def test_a_missing_count_is_that_of_the_capacity_or_else_one(resources, count):
    assert len(found(EKS_V100, **resources).devices) == count


def test_a_count_that_is_no_number_is_warned_of():
    devices = found(GFD_T4 | {"nvidia.com/gpu.count": "two"}, gpu=2)
    assert len(devices.devices) == 2
    assert devices.warnings == ("nvidia.com/gpu.count=two is no number of devices",)


# AliyunContainerService/gpushare-scheduler-extender#217, NVIDIA/gpu-feature-discovery#26.
@pytest.mark.parametrize("memory", ["", "n/a", "0", "lots"])
def test_memory_that_cannot_be_read_is_warned_of_once_and_left_out(memory):
    devices = found(GFD_T4 | {"nvidia.com/gpu.memory": memory})
    assert len(devices.devices) == 2
    assert all("memory" not in item.properties for item in devices.devices)
    (warning,) = devices.warnings
    assert warning.startswith(f"nvidia.com/gpu.memory={memory} is no size of memory")


@pytest.mark.parametrize("count", ["257", "999999"])
def test_more_devices_than_any_node_has_are_refused(count):
    assert refused(GFD_T4 | {"nvidia.com/gpu.count": count}).reason == "TooManyDevices"
    assert refused(EKS_V100, gpu=10**18).reason == "TooManyDevices"
