"""The record of a pod's devices, and what derives from it."""

import json

import pytest

from webhook.core.values.classes import Classes
from webhook.core.values.record import (
    Allocation,
    DamagedRecord,
    Record,
    derived_annotations,
    disagreements,
    parse_record,
    read_record,
    write_record,
)

KEY = "resourceclass.io/allocation"
MAIN = "devices.resourceclass.io/train"
TEXT = (
    '{"version":1,"node":"node-a","containers":{"train":'
    '[{"class":"nvidia.tesla.k80","device":"GPU-0","memoryBytes":2147483648}]}}'
)
RECORD = Record("node-a", {"train": (Allocation("nvidia.tesla.k80", "GPU-0", 2147483648),)})


def a_class(name, *variables, **spec):
    pod = {"pod": {"deviceEnv": list(variables)}} if variables else {}
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"model": name}}, **pod, **spec}}


def pod(text=TEXT, node="node-a", **derived):
    annotations = {MAIN: "GPU-0", **derived}
    if text is not None:
        annotations[KEY] = text
    return {"metadata": {"annotations": annotations}, "spec": {"nodeName": node}}


def damaged(*args, **kwargs):
    found = read_record(pod(*args, **kwargs))
    assert isinstance(found, DamagedRecord)
    return found


def test_a_record_is_read_as_it_is_written():
    assert parse_record(TEXT) == RECORD
    assert write_record(RECORD) == TEXT


def test_a_record_has_one_text_whatever_the_order_of_its_containers():
    one, two = (Allocation("a", "GPU-0"),), (Allocation("b", "GPU-1"),)
    text = write_record(Record("n", {"b": two, "a": one}))
    assert text == write_record(Record("n", {"a": one, "b": two}))
    assert list(json.loads(text)["containers"]) == ["a", "b"]


def test_the_record_of_a_bound_pod_is_believed():
    assert read_record(pod()) == RECORD


def test_a_pod_without_node_has_no_record_whatever_it_says():
    assert read_record(pod(node="")) is None
    assert read_record(pod(text="{not json", node=None)) is None


def test_a_pod_that_speaks_of_no_devices_has_no_record():
    assert read_record({"metadata": {"annotations": {"note": "x"}}, "spec": {"nodeName": "node-a"}}) is None
    assert read_record({"metadata": None, "spec": {"nodeName": "node-a"}}) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{not json", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("1" * 5000, "no JSON"),
        ("[]", "version is None"),
        ('{"version":2}', "version is 2"),
        ('{"version":true}', "version is True"),
        ('{"version":1,"containers":{}}', "lacks the node"),
        ('{"version":1,"node":"node-a","containers":[]}', "lacks the node or the containers"),
        ('{"version":1,"node":"node-a","containers":{"c":null}}', "container c has no list"),
        ('{"version":1,"node":"node-a","containers":{"c":[5]}}', "container c has an entry"),
        (TEXT.replace("2147483648", "0"), "right memoryBytes"),
        (TEXT.replace("2147483648", '"1"'), "right memoryBytes"),
        (TEXT.replace("2147483648", "true"), "right memoryBytes"),
        (TEXT.replace("nvidia.tesla.k80", ""), "without class"),
    ],
)
def test_a_text_that_is_no_record_is_damaged_and_says_why(text, problem):
    found = damaged(text)
    assert problem in found.problems[0]
    assert found.devices == ("GPU-0",)
    assert not found.blocks_node


def test_every_id_that_can_be_read_counts_as_taken():
    cut = TEXT.replace("GPU-0", "GPU-7")[:-5]
    assert damaged(cut, **{"devices.resourceclass.io/more": "GPU-3,GPU-2"}).devices == (
        "GPU-0",
        "GPU-2",
        "GPU-3",
        "GPU-7",
    )


def test_a_damaged_record_without_any_id_blocks_its_node():
    assert damaged("{not json", **{MAIN: ""}).blocks_node


def test_derived_annotations_without_a_record_are_a_damaged_record():
    found = damaged(None)
    assert found.devices == ("GPU-0",)
    assert found.problems == (f"{KEY} is missing",)


def test_an_annotation_that_is_no_text_is_damaged():
    assert "no JSON" in damaged(5).problems[0]


def test_the_record_of_another_node_is_damaged():
    found = damaged(node="node-b")
    assert found.problems == ("it is of node node-a, the pod is on node-b",)
    assert found.devices == ("GPU-0",)


@pytest.mark.parametrize(
    "derived",
    [
        {MAIN: "GPU-1"},
        {MAIN: ""},
        {MAIN: "GPU-0,GPU-1"},
        {"devices.resourceclass.io/other": "GPU-1"},
        {"rocr-visible-devices.devices.resourceclass.io/train": "GPU-1"},
    ],
)
def test_a_record_that_its_derived_annotations_contradict_is_damaged(derived):
    found = damaged(**derived)
    assert "GPU-0" in found.devices
    assert set(found.devices) >= {device for device in next(iter(derived.values())).split(",") if device}


def test_the_annotation_of_a_further_variable_may_list_some_of_the_devices():
    record = Record("n", {"c": (Allocation("a", "GPU-0"), Allocation("b", "HCA-0"))})
    main = {"devices.resourceclass.io/c": "GPU-0,HCA-0"}
    assert disagreements(record, {**main, "x.devices.resourceclass.io/c": "HCA-0", "note": "GPU-9"}) == []
    assert disagreements(record, {**main, "devices.resourceclass.io/gone": ""}) == []


def test_a_container_sees_all_its_devices_and_each_variable_those_of_its_classes():
    classes = Classes.of(
        [a_class("a"), a_class("b", "ROCR_VISIBLE_DEVICES"), a_class("ib", delivery="DevicePlugin")]
    )
    record = Record(
        "n",
        {
            "train": (Allocation("a", "GPU-0"), Allocation("b", "GPU-1"), Allocation("a", "GPU-2")),
            "plain": (Allocation("a", "GPU-3"),),
            "mounts": (Allocation("ib", "HCA-0"),),
            "idle": (),
        },
    )
    found = derived_annotations(record, classes)
    assert found == {
        MAIN: "GPU-0,GPU-1,GPU-2",
        "nvidia-visible-devices.devices.resourceclass.io/train": "GPU-0,GPU-2",
        "rocr-visible-devices.devices.resourceclass.io/train": "GPU-1",
        "devices.resourceclass.io/plain": "GPU-3",
        "devices.resourceclass.io/mounts": "HCA-0",
    }
    assert disagreements(record, found) == []


def test_a_device_of_two_classes_is_listed_once():
    record = Record("n", {"train": (Allocation("s", "GPU-0", 1), Allocation("t", "GPU-0", 2))})
    assert derived_annotations(record, Classes.of([a_class("s")]))[MAIN] == "GPU-0"


def test_of_a_class_that_is_gone_the_main_annotation_remains():
    assert derived_annotations(RECORD, Classes()) == {MAIN: "GPU-0"}
