"""What can be wrong with devices, classes and quotas: one thing broken, one problem found."""

import json

import pytest

from tests.unit.cli.folder import K80, bound, device, node, pod, resource_class
from tests.unit.core.doctor.cluster import NODE, SYSTEM, named
from tests.unit.core.inventory.label_nodes import ALIYUN_P4, GFD_T4, a_node
from webhook.core.values.names import NODE_CONDITION

QUOTA = "ResourceQuota team-a/limits"


def status_of_device(**status):
    return lambda cluster: cluster.of("ExtendedResource", 1).update(status=status)


def condition(reason):
    said = {"type": NODE_CONDITION, "status": "False", "reason": reason, "message": "words"}
    return lambda cluster: cluster.of("Node")["status"].update(conditions=[said])


def labels(*sets, **resources):
    return lambda cluster: cluster.objects["Node"].append(a_node(*sets, name="odd", **resources))


def adding(kind, *objects):
    return lambda cluster: cluster.objects[kind].extend(objects)


def record_of_another_node(cluster):
    annotations = cluster.pods[0]["metadata"]["annotations"]
    record = json.loads(annotations["resourceclass.io/allocation"]) | {"node": "node-z"}
    annotations["resourceclass.io/allocation"] = json.dumps(record)


def key(text):
    def change(cluster):
        item = cluster.of("ResourceQuota")
        item["spec"]["hard"][text] = "1"
        item["status"]["hard"] = dict(item["spec"]["hard"])

    return change


def raised(cluster):
    cluster.of("ResourceQuota")["spec"]["hard"] = {f"requests.resourceclass.io/{K80}": "3"}


def default(cluster):
    cluster.objects["ResourceClass"] = [resource_class(quota={"default": 1})]


def foreign_default(cluster):
    default(cluster)
    cluster.objects["ResourceQuota"] += [
        named("ResourceQuota", "resourceclass-defaults", name) | {"spec": {"hard": {"pods": "9"}}}
        for name in ("kube-system", SYSTEM)
    ]


def shown(units):
    def change(cluster):
        cluster.of("Node")["status"]["allocatable"][f"resourceclass.io/{K80}"] = units

    return change


def nothing_checked(cluster):
    cluster.pods.append(pod("outside", namespace="kube-system"))


CONSUMER = {"namespace": "team-a", "pod": "old", "uid": "gone", "container": "main", "class": K80}


def held_by_nobody_else(cluster):
    cluster.pods = [bound("train", NODE, "GPU-7")]
    cluster.objects["Node"] = [node(NODE, 3)]  # the capacity is not lowered while a pod needs it
    cluster.of("Node")["metadata"]["labels"][f"class.resourceclass.io/{K80}"] = "2"


def held_twice(cluster):
    cluster.pods.append(bound("other", NODE, "GPU-0"))


FAST = {"matchExpressions": [{"key": "frequency", "operator": "Gt", "values": ["1000"]}]}
CONTRADICTING = {"aliyun.accelerator/nvidia_name": "Tesla-T4", "aliyun.accelerator/nvidia_count": "3"}


def odd_frequency(cluster):
    cluster.objects["ResourceClass"].append(resource_class("fast", selector=FAST))
    cluster.of("ExtendedResource", 0)["spec"]["properties"]["frequency"] = "fast"
    cluster.objects["ExtendedResource"].append(device("node-b", "GPU-2", "P40"))
    cluster.of("ExtendedResource", 2)["spec"]["properties"]["frequency"] = "1200"
    cluster.objects["Node"].append(node("node-b", 1, "fast"))


BROKEN = [
    (labels(GFD_T4, gpu=4), "MixedNode", "node odd"),
    (labels(GFD_T4, ALIYUN_P4), "MixedNode", "node odd"),
    (labels(GFD_T4, CONTRADICTING), "LabelsContradict", "node odd"),
    (condition("SharedWithVendorPlugin"), "SharedWithVendorPlugin", f"node {NODE}"),
    (condition("ModelUnknown"), "NodeDevicesNotReady", f"node {NODE}"),
    (condition("LabelsMissing"), "LabelsUnsettled", f"node {NODE}"),
    (status_of_device(phase="Available", reason="LabelsChanging"), "LabelsUnsettled", f"node {NODE}"),
    (adding("ExtendedResource", device("node-z", "GPU-9")), "LostDevice", "node node-z"),
    (held_by_nobody_else, "GhostAllocation", f"device {NODE}/GPU-7"),
    (record_of_another_node, "DamagedRecord", "pod team-a/train"),
    (held_twice, "DoubleAllocation", f"device {NODE}/GPU-0"),
    (status_of_device(consumers=[CONSUMER]), "GhostConsumer", f"ExtendedResource {NODE}-gpu-1"),
    (adding("ResourceClass", resource_class("empty", "Tesla P40")), "EmptyClass", "ResourceClass empty"),
    (adding("ResourceClass", resource_class("bad", selector={})), "UnreadableClass", "ResourceClass bad"),
    (odd_frequency, "UnreadableValue", "ResourceClass fast"),
    (key(f"resourceclass.io/{K80}"), "QuotaKeyNotEnforced", QUOTA),
    (key(f"limits.resourceclass.io/{K80}"), "QuotaKeyNotEnforced", QUOTA),
    (key(f"requests.{K80}"), "QuotaKeyNotEnforced", QUOTA),
    (key("requests.resourceclass.io/nvidia.tesla.k8"), "QuotaOfUnknownClass", QUOTA),
    (raised, "QuotaNotComputed", QUOTA),
    (default, "DefaultQuotaMissing", f"namespace {SYSTEM}"),
    (foreign_default, "DefaultQuotaNotOurs", f"namespace {SYSTEM}"),
    (nothing_checked, "UncheckedPods", "namespace kube-system"),
    (shown("5"), "NodeCapacity", f"node {NODE}"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "rule", "place"), BROKEN)
def test_one_thing_that_is_broken_is_found_with_its_place(cluster, change, rule, place):
    change(cluster)
    found = cluster.found()
    assert (rule, place) in found
    assert {item[0] for item in found} == {rule}


def test_a_device_that_is_unhealthy_is_found_with_what_is_said_of_it(cluster):
    status_of_device(phase="Unhealthy", reason="XidError", message="Xid 79")(cluster)
    found = [item for item in cluster.diagnosis().findings if item.rule == "UnhealthyDevice"]
    assert [item.problem for item in found] == ["it is Unhealthy: XidError: Xid 79"]


@pytest.mark.parametrize(("spec", "severity"), [({"nodeName": ""}, "error"), ({"properties": 1}, "warning")])
def test_an_object_that_describes_no_device_is_worse_than_one_with_an_odd_value(cluster, spec, severity):
    cluster.objects["ExtendedResource"].append(device(NODE, "GPU-3"))
    cluster.of("ExtendedResource", 2)["spec"].update(spec)
    found = [item for item in cluster.diagnosis().findings if item.rule == "UnreadableDevice"]
    assert [(item.severity.value, item.place) for item in found] == [
        (severity, f"ExtendedResource {NODE}-gpu-3")
    ]


def test_labels_of_a_node_whose_devices_somebody_else_writes_do_not_matter(cluster):
    cluster.objects["Node"] = [a_node(GFD_T4, ALIYUN_P4, name=NODE)]
    assert "MixedNode" not in {rule for rule, _ in cluster.found()}


def test_a_class_without_limit_evades_the_quota_of_one_with_the_same_devices(cluster):
    memory = {"matchExpressions": [{"key": "memory", "operator": "Gt", "values": ["1GiB"]}]}
    cluster.objects["ResourceClass"].append(resource_class("large", selector=memory))
    evaded = ("QuotaEvaded", "namespace team-a")
    assert evaded in cluster.found()
    assert [place for rule, place in cluster.found() if rule == "QuotaEvaded"] == ["namespace team-a"]
    key("requests.resourceclass.io/large")(cluster)
    assert evaded not in cluster.found()


@pytest.mark.parametrize("spec", [{"quota": {"default": 1}}, {"namespaces": {"matchLabels": {"team": "b"}}}])
def test_a_class_with_a_default_or_not_open_to_the_namespace_evades_no_quota(cluster, spec):
    cluster.objects["ResourceClass"].append(resource_class("twin", **spec))
    assert "QuotaEvaded" not in {rule for rule, _ in cluster.found()}


@pytest.mark.parametrize(
    ("name", "is_close"),
    [
        ("nvidia.tesla-k80", True),
        ("nvidia.telsa.k80", True),
        ("nvidia.tesla.k40", False),
        ("nvidia.tesla.k80.large", False),
        ("k80", False),
    ],
)
def test_names_that_differ_beside_the_model_are_close(cluster, name, is_close):
    cluster.objects["ResourceClass"].append(resource_class(name))
    assert ("CloseClassNames" in {rule for rule, _ in cluster.found()}) == is_close


def test_a_key_that_names_no_class_is_held_against_the_names_of_classes(cluster):
    key("requests.resourceclass.io/nvidia.tesla.k8")(cluster)
    (found,) = cluster.diagnosis().findings
    assert found.remedy == f"write requests.resourceclass.io/{K80} if {K80} is meant"


@pytest.mark.parametrize("text", ["pods", "requests.nvidia.com/gpu", "count/pods", "requests.cpu", "memory"])
def test_keys_that_mean_no_class_are_left_alone(cluster, text):
    key(text)(cluster)
    assert cluster.found() == []


def test_a_quantity_in_another_spelling_is_computed_all_the_same(cluster):
    amount = f"requests.resourceclass.io/{K80}"
    cluster.of("ResourceQuota")["spec"]["hard"][amount] = "1000"
    cluster.of("ResourceQuota")["status"]["hard"] = {amount: "1k"}
    assert cluster.found() == []


def test_a_pod_that_waits_holds_nothing_and_is_no_problem(cluster):
    cluster.pods.append(pod("waits", 1))
    assert cluster.found() == []


def test_a_node_that_shows_what_a_pod_holds_on_a_sick_device_is_right(cluster):
    cluster.objects["ExtendedResource"] = [device(NODE, "GPU-0", phase="Unhealthy"), device(NODE, "GPU-1")]
    cluster.of("Node")["metadata"]["labels"][f"class.resourceclass.io/{K80}"] = "1"
    assert {rule for rule, _ in cluster.found()} == {"UnhealthyDevice"}
