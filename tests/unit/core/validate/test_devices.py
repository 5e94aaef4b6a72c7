"""Which devices could serve a class, and which other classes the same devices serve."""

import pytest

from webhook.core.validate.devices import alternatives, is_open_to, serves
from webhook.core.validate.facts import WorkloadFacts
from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind

K80_DEVICE = DeviceKind({"model": "Tesla K80", "memory": "11441"}, 4)
P100_DEVICE = DeviceKind({"model": "Tesla P100", "memory": "16276"}, 2)
POD = {"spec": {"containers": [{"name": "c"}]}}


def a_class(name, model=None, memory=None, **spec):
    labels = {"model": model} if model else {}
    expressions = [{"key": "memory", "operator": "Gt", "values": [memory]}] if memory else []
    selector = {"matchLabels": labels, "matchExpressions": expressions}
    return {"metadata": {"name": name}, "spec": {"selector": selector, **spec}}


K80 = a_class("k80", model="NVIDIA Tesla K80")
P100 = a_class("p100", model="Tesla P100")
HIGH_MEM = a_class("high.mem", memory="10GiB")


def share(name, size):
    return a_class(name, model="Tesla K80", share={"memory": size})


def quota(class_name, hard, used="0"):
    key = f"requests.resourceclass.io/{class_name}"
    amounts = {"hard": {key: hard}, "used": {key: used}}
    return {"metadata": {"name": "q"}, "spec": {"hard": {key: hard}}, "status": amounts}


def facts(*classes, kinds=(K80_DEVICE,), quotas=(), labels=None):
    return WorkloadFacts(Classes.of(classes), "team-a", labels or {}, quotas, kinds)


@pytest.mark.parametrize(
    ("obj", "kind", "expected"),
    [
        (K80, K80_DEVICE, True),
        (K80, P100_DEVICE, False),
        (share("k80.2g", "2GiB"), K80_DEVICE, True),
        (share("k80.12g", "12GiB"), K80_DEVICE, False),
        (share("k80.2g", "2GiB"), DeviceKind({"model": "Tesla K80"}), False),
        (share("k80.2g", "2GiB"), DeviceKind({"model": "Tesla K80", "memory": "much"}), False),
    ],
)
def test_a_device_serves_a_class_that_selects_it_and_whose_share_it_can_hold(obj, kind, expected):
    name = obj["metadata"]["name"]
    assert serves(kind, Classes.of([obj]).get(name)) is expected


def test_a_class_of_the_same_devices_is_an_alternative():
    assert alternatives(POD, {"k80": 1}, "k80", facts(K80, P100, HIGH_MEM)) == ("high.mem",)


def test_a_class_of_other_devices_is_none():
    assert alternatives(POD, {"k80": 1}, "k80", facts(K80, P100, kinds=(K80_DEVICE, P100_DEVICE))) == ()


def test_without_an_inventory_nothing_can_be_suggested():
    assert alternatives(POD, {"k80": 1}, "k80", facts(K80, HIGH_MEM, kinds=())) == ()


@pytest.mark.parametrize(("hard", "expected"), [("1", ("high.mem",)), ("0", ())])
def test_an_alternative_has_room_in_the_quota(hard, expected):
    found = alternatives(POD, {"k80": 1}, "k80", facts(K80, HIGH_MEM, quotas=[quota("high.mem", hard)]))
    assert found == expected


def test_room_is_needed_for_what_the_pod_asks_of_both_classes():
    limited = facts(K80, HIGH_MEM, quotas=[quota("high.mem", "2")])
    assert alternatives(POD, {"k80": 2, "high.mem": 1}, "k80", limited) == ()


@pytest.mark.parametrize(("labels", "expected"), [({"team": "ml"}, ("high.mem",)), ({}, ())])
def test_an_alternative_is_open_to_the_namespace(labels, expected):
    closed = {**HIGH_MEM, "spec": {**HIGH_MEM["spec"], "namespaces": {"matchLabels": {"team": "ml"}}}}
    assert alternatives(POD, {"k80": 1}, "k80", facts(K80, closed, labels=labels)) == expected


def test_a_share_is_no_alternative_for_a_whole_device():
    assert alternatives(POD, {"k80": 1}, "k80", facts(K80, share("k80.2g", "2GiB"))) == ()


def test_a_share_is_replaced_only_by_one_that_takes_no_less():
    shares = facts(share("two", "2GiB"), share("four", "4GiB"), share("eight", "8GiB"), K80)
    assert alternatives(POD, {"four": 1}, "four", shares) == ("eight",)


def test_a_class_that_cannot_be_read_has_no_alternatives():
    assert alternatives(POD, {"gone": 1}, "gone", facts(K80)) == ()


def test_a_class_without_a_namespace_selector_is_open_to_all():
    assert is_open_to(Classes.of([K80]).get("k80"), {})
