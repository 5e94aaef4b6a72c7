"""What must change on a Node."""

from webhook.core.inventory.changes import NodeChanges, node_changes
from webhook.core.inventory.units import ClassUnits

LABEL, KEY = "class.resourceclass.io/k80", "resourceclass.io/k80"
GONE_LABEL, GONE_KEY = "class.resourceclass.io/gone", "resourceclass.io/gone"


def a_node(labels=None, capacity=None, allocatable=None):
    return {
        "metadata": {"labels": {"zone": "a", **(labels or {})}},
        "status": {
            "capacity": {"cpu": "4", **(capacity or {})},
            "allocatable": {"cpu": "4", **((capacity if allocatable is None else allocatable) or {})},
        },
    }


def test_a_new_class_gets_label_capacity_and_allocatable():
    changes = node_changes(a_node(), {"k80": ClassUnits(units=2, in_use=3, largest=1)})
    assert changes.metadata_patch() == {"metadata": {"labels": {LABEL: "2"}}}
    assert changes.status_patch() == {"status": {"capacity": {KEY: "3"}, "allocatable": {KEY: "3"}}}
    assert changes


def test_a_node_that_is_right_needs_nothing():
    changes = node_changes(a_node({LABEL: "2"}, {KEY: "2"}), {"k80": ClassUnits(units=2)})
    assert not changes
    assert changes == NodeChanges()
    assert (changes.metadata_patch(), changes.status_patch()) == ({}, {})


def test_allocatable_alone_is_mended():
    changes = node_changes(a_node({LABEL: "2"}, {KEY: "2"}, {KEY: "1"}), {"k80": ClassUnits(units=2)})
    assert changes.status_patch() == {"status": {"allocatable": {KEY: "2"}}}


def test_sick_devices_leave_a_zero_and_no_device_leaves_nothing():
    present = a_node({LABEL: "2", GONE_LABEL: "1"}, {KEY: "2", GONE_KEY: "1"})
    changes = node_changes(present, {"k80": ClassUnits(units=0)})
    assert changes.labels == {LABEL: "0", GONE_LABEL: None}
    assert changes.capacity == changes.allocatable == {KEY: "0", GONE_KEY: None}


def test_the_capacity_that_a_device_plugin_registers_is_left_alone():
    units = {"k80": ClassUnits(units=2, is_registered=True)}
    changes = node_changes(a_node({}, {KEY: "7"}), units)
    assert changes.labels == {LABEL: "2"}
    assert changes.status_patch() == {}


def test_a_node_of_wrong_types_gets_everything():
    changes = node_changes({"metadata": None, "status": {"capacity": []}}, {"k80": ClassUnits(units=1)})
    assert (changes.labels, changes.capacity, changes.allocatable) == ({LABEL: "1"}, {KEY: "1"}, {KEY: "1"})
