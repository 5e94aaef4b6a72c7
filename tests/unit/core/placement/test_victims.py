"""Which pods would have to go for another one."""

from tests.unit.core.placement.nodes import GIB, a_class, any_of, asks, container, device, node, share
from webhook.core.placement import victims as module
from webhook.core.placement.node import loaded
from webhook.core.placement.place import fits
from webhook.core.placement.uses import Use
from webhook.core.placement.victims import Holder, victims

CLASSES = [a_class("k80"), a_class("p100"), any_of("any", "k80", "p100"), share("sh", "1GiB")]
DEVICES = node([device("GPU-0"), device("GPU-1"), device("GPU-2", "p100")], CLASSES).devices


def holder(key, *devices, memory_bytes=None):
    return Holder(key, tuple(Use(item, memory_bytes) for item in devices))


def keys(pod, candidates, staying=(), devices=DEVICES):
    found = victims(pod, devices, staying, candidates)
    return None if found is None else [item.key for item in found]


def test_the_pod_whose_device_can_serve_goes():
    pod = asks(CLASSES, container("c", {"p100": 1}))
    assert keys(pod, [holder("a", "GPU-0"), holder("b", "GPU-2"), holder("c", "GPU-1")]) == ["b"]


def test_as_few_pods_as_possible_go():
    pod = asks(CLASSES, container("c", {"k80": 2}))
    several = [holder("one", "GPU-0"), holder("two", "GPU-1")]
    assert keys(pod, several) == ["one", "two"]
    assert keys(pod, [holder("share", "GPU-0", memory_bytes=1), holder("both", "GPU-0", "GPU-1")]) == [
        "share",
        "both",
    ]
    assert keys(pod, [holder("idle", "GPU-2"), holder("both", "GPU-0", "GPU-1")]) == ["both"]


def test_of_equal_sets_the_one_whose_most_important_pod_matters_least_goes():
    pod = asks(CLASSES, container("c", {"any": 1}))
    assert keys(pod, [holder("least", "GPU-1"), holder("more", "GPU-0"), holder("most", "GPU-2")]) == [
        "least"
    ]
    two = asks(CLASSES, container("c", {"any": 2}))
    assert keys(two, [holder("a", "GPU-1"), holder("b", "GPU-0"), holder("c", "GPU-2")]) == ["a", "b"]


def test_a_pod_that_fits_already_needs_no_victim():
    pod = asks(CLASSES, container("c", {"k80": 1}))
    assert keys(pod, [holder("a", "GPU-0")]) == []


def test_no_victims_help_against_pods_that_stay():
    pod = asks(CLASSES, container("c", {"k80": 2}))
    assert keys(pod, [holder("a", "GPU-0")], staying=[Use("GPU-1", GIB)]) is None


def test_a_class_that_no_device_of_the_node_serves_makes_no_victims():
    pod = asks([*CLASSES, a_class("h100")], container("c", {"h100": 1}))
    assert keys(pod, [holder("a", "GPU-0")]) is None


def test_beyond_the_limit_of_trials_nobody_goes_who_could_stay():
    devices = [device(f"GPU-{n:02}") for n in range(16)]
    on = node(devices, CLASSES).devices
    candidates = [holder(f"p{n:02}", f"GPU-{n:02}") for n in range(16)]
    pod = asks(CLASSES, container("c", {"k80": 8}))
    found = victims(pod, on, (), candidates)
    assert [item.key for item in found] == [f"p{n:02}" for n in range(8)]
    gone = {item.key for item in found}
    for kept in gone:
        stay = [use for item in candidates if item.key not in gone or item.key == kept for use in item.uses]
        assert fits(pod, loaded(on, stay)) is not None
    assert module.TRIAL_LIMIT < 2**16
