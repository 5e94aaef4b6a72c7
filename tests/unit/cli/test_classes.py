"""`resourceclass classes`: what there is of each class, who waits, who uses it, and what is wrong."""

from __future__ import annotations

import json

import pytest

from tests.unit.cli.folder import GIB, K80, bound, device, node, pod, resource_class
from webhook.cli.main import main


@pytest.fixture
def classes(tmp_path, capsys):
    """Return a function that shows the classes of some objects: exit code and output."""

    def run(*objects, output="text"):
        (tmp_path / "all.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
        code = main(["classes", "--manifests", str(tmp_path), "-o", output])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def row(classes):
    """Return a function that gives the JSON entry of one class."""

    def find(name, *objects):
        document = json.loads(classes(*objects, output="json")[1])
        return next(entry for entry in document["classes"] if entry["name"] == name)

    return find


TWO = (resource_class(), device("node-a", "GPU-0"), device("node-b", "GPU-1"))


def test_the_table_counts_devices_free_used_and_waiting(classes):
    code, out = classes(
        *TWO,
        device("node-b", "GPU-2", phase="Unhealthy"),
        bound("train", "node-a", "GPU-0"),
        pod("next", 2, namespace="team-b"),
    )
    assert code == 0
    assert out == (
        "CLASS              DEVICES   FREE   IN USE   UNHEALTHY   WAITING   USED BY\n"
        "nvidia.tesla.k80   3         1      1        1           1 pod     team-a 1\n"
    )


def test_nodes_need_not_be_known(classes):
    assert classes(*TWO, node("node-a"))[1] == classes(*TWO)[1]


def test_a_share_is_counted_in_units_with_their_size(classes, row):
    share = resource_class("half", share={"memory": "4GiB"})
    held = bound("train", "node-a", "GPU-0", class_name="half", memory_bytes=8 * GIB)
    assert "2 x 4 GiB" in classes(*TWO[1:], share, held)[1]
    found = row("half", *TWO[1:], share, held)
    assert (found["units"], found["free"], found["inUse"]) == (4, 2, 1)
    assert found["usedBy"] == [{"namespace": "team-a", "class": "half", "units": 2}]


def test_devices_too_small_for_one_share_serve_none(row):
    share = resource_class("big", share={"memory": "16GiB"})
    found = row("big", share, *TWO[1:])
    assert (found["devices"], found["tooSmall"], found["units"], found["free"]) == (2, 2, 0, 0)


def test_what_another_class_holds_is_said_to_be_of_that_class(classes):
    _, out = classes(*TWO, resource_class("other"), bound("train", "node-a", "GPU-0", class_name="other"))
    assert "nvidia.tesla.k80   2         1      1        0           -         team-a 1 as other\n" in out


def test_a_device_of_a_vendors_plugin_is_held_back(classes, row):
    vendor = pod("vendor", {}, nodeName="node-a", schedulerName="default-scheduler")
    vendor["spec"]["containers"][0]["resources"]["limits"] = {"nvidia.com/gpu": "1"}
    assert classes(*TWO, vendor)[1].endswith("1 held back\n")
    assert row(K80, *TWO, vendor)["heldBack"] == 1


def test_a_terminating_pod_holds_its_devices_and_a_finished_one_none(row):
    leaving = bound("a", "node-a", "GPU-0", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    finished = bound("b", "node-b", "GPU-1", status={"phase": "Succeeded"})
    assert row(K80, *TWO, leaving, finished)["inUse"] == 1


def test_a_class_that_cannot_be_read_is_marked_with_what_is_wrong(classes):
    code, out = classes(resource_class("broken", selector={}))
    assert code == 1
    assert "broken   unreadable" in out
    assert "\nbroken: spec.selector is empty" in out


def test_a_class_that_matches_nothing_is_marked(classes):
    code, out = classes(resource_class())
    assert code == 1
    assert f"\n{K80}: no device matches its selector\n" in out


def test_values_that_cannot_be_compared_are_told_where_a_class_reads_them(classes):
    memory = {"matchExpressions": [{"key": "memory", "operator": "Gt", "values": ["10GiB"]}]}
    odd = device("node-a", "GPU-0")
    odd["spec"]["properties"]["memory"] = "n/a"
    code, out = classes(resource_class("large", selector=memory), odd)
    assert code == 1
    assert "large: 1 device: memory: " in out


def test_pods_that_ask_for_no_class_there_is_make_a_row(classes):
    code, out = classes(*TWO, pod(units={"nvidia.tesla.k8": 1}))
    assert code == 1
    assert "nvidia.tesla.k8    no such class" in out
    assert (
        "nvidia.tesla.k8: asked for by 1 pod, and there is no such class; is nvidia.tesla.k80 meant?" in out
    )


def test_a_device_held_twice_is_told_with_who_holds_it(classes):
    code, out = classes(*TWO, bound("a", "node-a", "GPU-0"), bound("b", "node-a", "GPU-0"))
    assert code == 1
    assert "node-a/GPU-0, held by team-a/a and team-a/b: 2 pods hold the whole device" in out


def test_a_damaged_record_is_told(classes, row):
    damaged = bound("a", "node-a", "GPU-0")
    damaged["metadata"]["annotations"] = {"resourceclass.io/allocation": "{"}
    code, out = classes(*TWO, damaged)
    assert code == 1
    assert "the record of team-a/a on node-a is damaged: " in out
    found = row(K80, *TWO, damaged)
    assert (found["blocked"], found["free"]) == (1, 1)


def test_a_device_object_that_names_no_device_is_told(classes):
    nameless = device("node-a", "GPU-0")
    del nameless["spec"]["nodeName"]
    code, out = classes(*TWO[:1], TWO[2], nameless)
    assert code == 1
    assert "ExtendedResource node-a-gpu-0: spec.nodeName is missing" in out


def test_an_empty_cluster_is_no_problem(classes):
    assert classes() == (0, "no class is there, and no pod asks for one\n")
