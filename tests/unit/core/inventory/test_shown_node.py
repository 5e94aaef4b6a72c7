"""What a node should show: units of its devices, less what a vendor's plugin keeps from being shown."""

from tests.unit.cli.folder import K80, bound, device, node, resource_class
from webhook.core.inventory.shown_node import shown_node
from webhook.core.inventory.vendor_plugin import SHARED_WITH_VENDOR_PLUGIN
from webhook.core.placement.membership import Membership
from webhook.core.placement.pod_entry import keep_pod
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import read_extended_resources

CLASSES = Classes.of([resource_class()])


COUNTED = Classes.of([resource_class(pod={"vendorResource": "nvidia.com/gpu"})])


def shown(obj, *objects, pods=(), classes=CLASSES):
    devices, _ = read_extended_resources(objects)
    return shown_node(obj, devices, [keep_pod(pod) for pod in pods], classes, Membership(classes))


def test_a_node_that_shows_its_devices_is_left_alone():
    found = shown(node("n", 2), device("n", "0"), device("n", "1"))
    assert not found.changes
    assert found.verdict is None


def test_what_differs_is_to_be_written():
    changes = shown(node("n", 2), device("n", "0")).changes
    assert changes.labels == {f"class.resourceclass.io/{K80}": "1"}
    assert changes.capacity == changes.allocatable == {f"resourceclass.io/{K80}": "1"}


def test_what_a_pod_holds_on_a_sick_device_stays_in_the_capacity_and_not_in_the_label():
    devices = device("n", "0", phase="Unhealthy"), device("n", "1")
    changes = shown(node("n", 2), *devices, pods=[bound("p", "n", "0")]).changes
    assert changes.labels == {f"class.resourceclass.io/{K80}": "1"}
    assert not changes.capacity


def test_a_vendors_plugin_that_counts_alone_hides_the_class_and_is_told():
    obj = node("n", 1)
    obj["status"]["allocatable"] = {**obj["status"]["allocatable"], "nvidia.com/gpu": "1"}
    found = shown(obj, device("n", "0"))
    assert found.verdict is not None
    assert found.verdict.reason == SHARED_WITH_VENDOR_PLUGIN
    assert found.changes.labels == {f"class.resourceclass.io/{K80}": None}
    assert not shown(obj, device("n", "0"), classes=COUNTED).changes
