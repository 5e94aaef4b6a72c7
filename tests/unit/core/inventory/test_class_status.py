"""The status of a class."""

from tests.unit.core.inventory.device_world import merged
from tests.unit.core.placement.nodes import GIB, a_class, device, share
from webhook.core.inventory.class_status import ClassCount, class_status, node_counts, total_counts
from webhook.core.inventory.holdings import Held, Holdings
from webhook.core.placement.membership import Membership
from webhook.core.values.classes import Classes

HIGH_MEM = {"matchExpressions": [{"key": "memory", "operator": "Gt", "values": ["10GiB"]}]}
CLASSES = Classes.of([a_class("k80"), a_class("p100"), a_class("high", HIGH_MEM), share("sh", "2GiB")])
NOW, THEN = "2024-06-01T00:00:00Z", "2024-01-01T00:00:00Z"


def counts(devices, **held):
    """Counts on node-a; `held` is device to what each of its pods takes."""
    by_device = {("node-a", name.replace("_", "-")): Held((), takes) for name, takes in held.items()}
    return node_counts(devices, Holdings(by_device), CLASSES, Membership(CLASSES))


def status_of(obj, count, problems=(), now=NOW):
    patch = class_status(obj, count, problems, now)
    if patch is None:
        return None
    stored = merged(obj, patch)
    assert class_status(stored, count, problems, "later") is None
    return stored["status"]


def ready(status):
    (condition,) = [item for item in status["conditions"] if item["type"] == "Ready"]
    return condition


# NVIDIA/k8s-device-plugin#234: totals that do not tell sick devices from used ones.
def test_sick_devices_are_told_from_used_ones_and_each_counts_once():
    devices = [device("GPU-0", phase="Unhealthy"), device("GPU-1"), device("GPU-2"), device("GPU-3")]
    found = counts(devices, GPU_0=(None,), GPU_1=(None,))
    assert found["k80"] == ClassCount(devices=4, unhealthy=1, used=1, free=2, nodes=1)
    assert "p100" not in found


def test_units_of_a_share_are_what_still_fits_into_each_healthy_device():
    devices = [device(f"GPU-{n}", mib=5 * 1024) for n in range(4)] + [device("GPU-4", phase="Unhealthy")]
    found = counts(devices, GPU_0=(None,), GPU_1=(GIB, GIB), GPU_2=(9 * GIB,))
    assert found["sh"] == ClassCount(devices=5, unhealthy=1, used=3, free=0 + 1 + 0 + 2, nodes=1)


def test_nodes_are_added_up():
    one, two = counts([device("GPU-0")]), counts([device("GPU-0"), device("GPU-1", "p100", 16276)])
    total = total_counts([one, two, {}])
    assert total["k80"] == ClassCount(devices=2, free=2, nodes=2)
    assert total["high"] == ClassCount(devices=3, free=3, nodes=2)


def test_values_that_cannot_be_compared_are_examples_of_the_classes_that_look_at_them():
    odd = device("GPU-9")
    odd = type(odd)(odd.name, odd.node, odd.device_id, {"model": "k80", "memory": "n/a"})
    found = counts([odd])
    (example,) = found["high"].unreadable
    assert example.startswith("node-a-gpu-9: memory: 'n/a' is not a size")
    assert (found["high"].devices, found["k80"].unreadable) == (0, ())
    many = total_counts({"high": ClassCount(unreadable=(f"d{index}",))} for index in (5, 3, 1, 2))
    assert many["high"].unreadable == ("d1", "d2", "d3")


def test_a_class_with_devices_is_ready():
    obj = a_class("k80") | {"metadata": {"name": "k80", "generation": 3}}
    status = status_of(obj, ClassCount(devices=4, unhealthy=1, used=1, free=2, nodes=2))
    assert {key: value for key, value in status.items() if key != "conditions"} == {
        "devices": 4,
        "unhealthy": 1,
        "used": 1,
        "free": 2,
        "nodes": 2,
        "observedGeneration": 3,
    }
    assert status["conditions"] == [
        {
            "type": "Ready",
            "status": "True",
            "reason": "DevicesFound",
            "message": "4 devices on 2 nodes",
            "lastTransitionTime": NOW,
            "observedGeneration": 3,
        },
        {
            "type": "ValuesReadable",
            "status": "True",
            "reason": "AllReadable",
            "message": "every value that the selector looks at can be compared",
            "lastTransitionTime": NOW,
            "observedGeneration": 3,
        },
    ]


def test_a_class_that_cannot_be_used_says_why():
    assert ready(status_of(a_class("x"), None))["reason"] == "NoDevice"
    sick = ClassCount(devices=2, unhealthy=2, nodes=1)
    assert ready(status_of(a_class("x"), sick))["message"] == "2 devices on 1 node, and all are unhealthy"
    broken = status_of(a_class("x"), None, ("spec.selector is missing", "spec.share must be a map"))
    assert ready(broken)["reason"] == "InvalidSpec"
    assert ready(broken)["message"] == "spec.selector is missing; spec.share must be a map"
    assert broken["conditions"][1]["status"] == "Unknown"


def test_unreadable_values_are_a_condition_of_their_own():
    status = status_of(a_class("x"), ClassCount(devices=1, nodes=1, unreadable=("d1: a", "d2: b")))
    assert ready(status)["status"] == "True"
    readable = status["conditions"][1]
    assert (readable["status"], readable["reason"]) == ("False", "UnreadableValues")
    assert readable["message"] == "devices with these values do not match: d1: a; d2: b"


def test_the_time_of_a_transition_changes_with_the_status_alone():
    first = a_class("x") | {"status": status_of(a_class("x"), ClassCount(devices=1, nodes=1), now=THEN)}
    more = status_of(first, ClassCount(devices=2, nodes=1))
    assert ready(more)["lastTransitionTime"] == THEN
    none = status_of(first, None)
    assert ready(none)["lastTransitionTime"] == NOW


def test_a_condition_of_somebody_else_stays():
    other = {"type": "Approved", "status": "True"}
    status = status_of(a_class("x") | {"status": {"conditions": [other]}}, None)
    assert [item["type"] for item in status["conditions"]] == ["Approved", "Ready", "ValuesReadable"]
