"""Nodes on which a vendor's plugin hands out the same devices."""

from dataclasses import dataclass, replace

from tests.unit.core.placement.nodes import a_class, device
from webhook.core.inventory.units import ClassUnits
from webhook.core.inventory.vendor_plugin import VendorVerdict, shown_units, vendor_plugin
from webhook.core.placement.membership import Membership
from webhook.core.values.classes import Classes

GPU = "nvidia.com/gpu"
PLAIN = Classes.of([a_class("k80")])
COUNTED = Classes.of([a_class("k80", pod={"vendorResource": GPU})])


@dataclass(frozen=True)
class Pod:
    title: str
    raw: dict


def gpu(device_id="0", raw=GPU):
    return replace(device(device_id), raw_resource=raw)


def judged(amount="2", pods=(), classes=PLAIN, devices=None):
    node = {"status": {"allocatable": {} if amount is None else {GPU: amount}}}
    devices = [gpu()] if devices is None else devices
    return vendor_plugin(node, devices, pods, classes, Membership(classes))


def test_without_a_plugin_every_class_is_shown():
    for amount in (None, "0", "x"):
        assert judged(amount) == VendorVerdict()
    assert judged(devices=[gpu(raw="")]) == VendorVerdict()
    assert judged(devices=[gpu(raw="amd.com/gpu")]) == VendorVerdict()


def test_a_plugin_that_is_upgraded_is_still_there():
    for status in (
        {"capacity": {GPU: "2"}, "allocatable": {GPU: "0"}},
        {"capacity": {GPU: "2"}},
        {"capacity": {GPU: "x"}, "allocatable": {GPU: "2"}},
    ):
        found = vendor_plugin({"status": status}, [gpu()], (), PLAIN, Membership(PLAIN))
        assert found.hidden == {"k80"}


def test_beside_a_plugin_a_class_is_hidden_with_the_remedies():
    found = judged()
    assert found.hidden == {"k80"}
    assert (found.verdict.is_ready, found.verdict.reason) == (False, "SharedWithVendorPlugin")
    assert found.verdict.message == (
        "a vendor's device plugin hands out nvidia.com/gpu here and does not count pods of k80: set "
        "spec.pod.vendorResource: nvidia.com/gpu in the class, or remove the plugin from the node"
    )


def test_a_class_whose_pods_ask_for_the_raw_resource_too_is_shown():
    assert judged(classes=COUNTED) == VendorVerdict()
    other = Classes.of([a_class("k80", pod={"vendorResource": "amd.com/gpu"})])
    assert judged(classes=other).hidden == {"k80"}


def test_a_pod_that_holds_the_raw_resource_without_a_record_hides_the_class():
    pods = [Pod(f"team/p{index}", {GPU: 1}) for index in range(5)]
    found = judged(pods=pods, classes=COUNTED)
    assert found.hidden == {"k80"}
    assert found.verdict.message == (
        "nvidia.com/gpu is held without a record by team/p0, team/p1, team/p2 and 2 more, so that nobody "
        "knows which devices of k80 are free: create these pods anew with the class"
    )
    others = [Pod("team/a", {"amd.com/gpu": 1}), Pod("team/b", {GPU: 0}), Pod("team/c", {})]
    assert judged(pods=others, classes=COUNTED) == VendorVerdict()


def test_classes_of_other_devices_of_the_node_stay_shown():
    classes = Classes.of([a_class("k80"), a_class("ib")])
    fabric = replace(device("mlx5-0", "ib"), raw_resource="rdma/hca")
    assert judged(classes=classes, devices=[gpu(), fabric]).hidden == {"k80"}


def test_a_hidden_class_keeps_what_its_pods_on_the_node_need():
    units = {"k80": ClassUnits(2, in_use=1, largest=1), "p100": ClassUnits(3), "t4": ClassUnits(4)}
    shown = shown_units(units, {"k80", "p100"})
    assert shown == {"k80": ClassUnits(0, in_use=1, largest=1), "t4": ClassUnits(4)}
    assert (shown["k80"].label, shown["k80"].capacity) == (1, 1)
