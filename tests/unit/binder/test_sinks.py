"""What is kept of each object, and how the watches bring it into the books."""

from __future__ import annotations

import logging

import pytest

from tests.unit.binder.worlds import K80, P100, bound, container, device, k80_pod, pod
from webhook.binder.books import Books
from webhook.binder.sinks import (
    ClassSink,
    DeviceSink,
    LeaseSink,
    NodeSink,
    PodSink,
    keep_device,
    lease,
)
from webhook.cluster.device_pods import DEVICE_PODS
from webhook.cluster.listing import uid_of
from webhook.core.placement.pod_entry import keep_pod
from webhook.core.placement.uses import Use


def device_object(**status: str) -> dict:
    properties = {"model": "Tesla K80", "memory": "11441 MiB"}
    spec = {"nodeName": "node-a", "deviceID": "GPU-0", "rawResourceName": "nvidia.com/gpu"}
    return {
        "metadata": {"name": "node-a-gpu-0"},
        "spec": {**spec, "properties": properties},
        "status": status,
    }


def test_of_a_pod_only_what_asks_for_classes_is_kept():
    p = pod("p", container("a", k80=1), {"name": "b", "env": [{"name": "SECRET", "value": "x"}]}, priority=7)
    entry = keep_pod(p)
    assert entry is not None
    assert entry.spec == {
        "containers": [{"name": "a", "resources": {"limits": {"resourceclass.io/k80": "1"}}}]
    }
    assert (entry.uid, entry.title, entry.priority, entry.node) == ("uid-p", "team-a/p", 7, "")


def test_sidecars_and_init_containers_keep_what_they_are():
    spec = pod("p", container("a", k80=1))
    side, init = container("side", k80=1), container("init", k80=2)
    spec["spec"]["initContainers"] = [{**side, "restartPolicy": "Always"}, init]
    entry = keep_pod(spec)
    assert entry is not None
    assert [item.get("restartPolicy") for item in entry.spec["initContainers"]] == ["Always", None]


def test_of_a_bound_pod_the_devices_are_kept():
    entry = keep_pod(bound(k80_pod("p"), "node-a", "GPU-0"))
    assert entry is not None
    assert (entry.node, entry.uses) == ("node-a", (Use("GPU-0"),))


def test_pods_of_other_schedulers_without_devices_are_not_kept():
    assert keep_pod(pod("p", {"name": "c"}, schedulerName="default-scheduler", nodeName="node-a")) is None


def test_pods_of_ours_are_kept_without_a_class_too():
    assert keep_pod(pod("p", {"name": "c"})) is not None


def test_pods_are_listed_of_all_schedulers_but_only_unfinished():
    assert DEVICE_PODS.query == {"fieldSelector": "status.phase!=Succeeded,status.phase!=Failed"}


def test_pods_are_told_apart_by_uid():
    assert uid_of(k80_pod("p", uid="U1")) == ("team-a", "U1")
    with pytest.raises(ValueError, match="uid"):
        uid_of({"metadata": {"name": "p"}})


def test_whether_a_device_is_bound_is_no_news():
    assert keep_device(device_object(phase="Bound")) == keep_device(device_object(phase="Available"))


def test_a_device_without_a_place_is_passed_over_and_named(caplog):
    caplog.set_level(logging.WARNING)
    obj = device_object()
    del obj["spec"]["nodeName"]
    assert keep_device(obj) is None
    assert "node-a-gpu-0" in caplog.text


def test_a_lease_is_followed_alone():
    resource = lease("infra", "resourceclass-scheduler")
    assert resource.path() == "/apis/coordination.k8s.io/v1/namespaces/infra/leases"
    assert resource.query == {"fieldSelector": "metadata.name=resourceclass-scheduler"}


def test_the_status_of_a_class_is_no_news():
    books = Books()
    sink = ClassSink(books)
    sink.replace([(("", "k80"), K80)])
    before = books.classes
    sink.put(("", "k80"), dict(K80))
    assert books.classes is before
    sink.put(("", "p100"), P100)
    assert books.classes.names == ("k80", "p100")
    sink.remove(("", "k80"))
    assert books.classes.names == ("p100",)


def test_devices_come_and_go():
    books = Books()
    ClassSink(books).replace([(("", "k80"), K80)])
    sink = DeviceSink(books)
    sink.replace([(("", "a"), device("node-a", "GPU-0"))])
    sink.put(("", "b"), device("node-a", "GPU-1"))
    assert books.sizes["k80"] == 2
    sink.remove(("", "a"))
    assert (books.sizes["k80"], list(books.books["node-a"].devices)) == (1, ["b"])
    sink.remove(("", "b"))
    assert books.books == {}


def test_the_late_end_of_a_pod_leaves_the_one_of_its_name_alone():
    books = Books()
    sink = PodSink(books)
    for uid, device_id in (("U1", "GPU-0"), ("U2", "GPU-1")):
        obj = bound(k80_pod("web-0", uid=uid), "node-a", device_id)
        entry = keep_pod(obj)
        assert entry is not None
        sink.put(uid_of(obj), entry)
    sink.remove(("team-a", "U1"))
    assert list(books.pods) == ["U2"]


def test_a_list_of_pods_replaces_all_others():
    books = Books()
    sink = PodSink(books)
    entries = [keep_pod(k80_pod(name)) for name in ("p", "q")]
    for entry in entries:
        sink.replace([(("team-a", entry.uid), entry)])
    assert list(books.pods) == ["uid-q"]


def test_news_from_before_a_binding_does_not_undo_it():
    books = Books()
    sink = PodSink(books)
    before, after = keep_pod(k80_pod("p")), keep_pod(bound(k80_pod("p"), "node-a", "GPU-0"))
    sink.put(("team-a", "uid-p"), after)
    sink.put(("team-a", "uid-p"), before)
    assert books.pods["uid-p"].node == "node-a"


def test_nodes_come_and_go():
    books = Books()
    sink = NodeSink(books)
    sink.replace([(("", "node-a"), True)])
    sink.put(("", "node-b"), True)
    sink.remove(("", "node-a"))
    assert books.nodes == {"node-b"}


def test_each_state_of_the_lease_is_passed_on():
    seen = []
    sink = LeaseSink(seen.append)
    sink.replace([])
    sink.replace([(("n", "l"), {"spec": {"holderIdentity": "a"}})])
    sink.put(("n", "l"), {"spec": {"holderIdentity": "b"}})
    sink.remove(("n", "l"))
    assert seen == [None, {"spec": {"holderIdentity": "a"}}, {"spec": {"holderIdentity": "b"}}, None]
