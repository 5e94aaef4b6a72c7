"""A node as placement sees it."""

from tests.unit.core.placement.nodes import GIB, a_class, asks, container, device, node, share, sidecar, spec
from webhook.core.placement.bits import bits, mask_of
from webhook.core.placement.membership import Membership
from webhook.core.placement.node import node_devices
from webhook.core.placement.uses import Use, uses_of
from webhook.core.values.classes import Classes
from webhook.core.values.record import Allocation, DamagedRecord, Record

CLASSES = [a_class("k80"), a_class("p100"), share("sh", "1GiB")]


def test_a_set_of_devices_is_bits_and_back():
    assert bits(mask_of([5, 0, 3])) == [0, 3, 5]
    assert bits(0) == []


def test_devices_stand_by_id_and_classes_know_theirs():
    on = node([device("GPU-1", "p100"), device("GPU-0"), device("GPU-2")], CLASSES)
    assert [item.device_id for item in on.devices.devices] == ["GPU-0", "GPU-1", "GPU-2"]
    assert on.devices.serving == {"k80": 0b101, "sh": 0b101, "p100": 0b010}


def test_room_is_what_uses_leave():
    on = node([device(f"GPU-{n}", mib=4096) for n in range(3)], CLASSES, [Use("GPU-0"), Use("GPU-1", GIB)])
    assert on.room == (0b100, (0, 3 * GIB, 4 * GIB))


def test_a_use_of_a_device_that_is_gone_takes_nothing():
    assert node([device("GPU-0")], CLASSES, [Use("GPU-9")]).room.empty == 1


def test_devices_that_two_pods_claim_are_taken_and_reported():
    devices = [device(f"GPU-{n}", mib=1024) for n in range(4)]
    uses = [Use("GPU-0"), Use("GPU-0"), Use("GPU-1"), Use("GPU-1", 5), Use("GPU-2", GIB), Use("GPU-2", 1)]
    on = node(devices, CLASSES, uses)
    assert on.conflicts == ("GPU-0", "GPU-1", "GPU-2")
    assert on.room == (0b1000, (0, 0, 0, GIB))


def test_membership_is_worked_out_once_per_kind_of_device():
    membership = Membership(Classes.of(CLASSES))
    first = membership.of({"model": "k80", "uuid": "GPU-0"})
    assert first == ("k80", "sh")
    assert membership.of({"model": "k80", "uuid": "GPU-1"}) is first
    assert membership.of({}) == ()


def test_the_size_of_a_class_in_the_cluster_says_what_is_scarce():
    own = [device("GPU-0"), device("GPU-1", "p100")]
    membership = Membership(Classes.of(CLASSES))
    scarce = node_devices("node-a", own, membership, {"k80": 1, "p100": 50}).scarcity
    assert scarce[0] > scarce[1]


def record(**containers):
    return Record("node-a", {name: tuple(items) for name, items in containers.items()})


def test_containers_that_run_together_add_up_and_others_do_not():
    pod_spec = spec(container("a"), container("b"), init=[container("i"), sidecar("s", {})])
    held = record(
        a=[Allocation("sh", "GPU-0", 1)],
        b=[Allocation("sh", "GPU-0", 2)],
        s=[Allocation("sh", "GPU-0", 4)],
        i=[Allocation("sh", "GPU-0", 6), Allocation("sh", "GPU-1", 8)],
    )
    assert uses_of(held, pod_spec) == (Use("GPU-0", 7), Use("GPU-1", 8))


def test_a_device_that_is_used_whole_at_any_time_is_taken_whole():
    pod_spec = spec(container("a"), init=[container("i")])
    for whole, shared in (("a", "i"), ("i", "a")):
        held = record(**{whole: [Allocation("k80", "GPU-0")], shared: [Allocation("sh", "GPU-0", 5)]})
        assert uses_of(held, pod_spec) == (Use("GPU-0"),)


def test_a_container_that_the_pod_lacks_counts_all_the_time():
    held = record(ghost=[Allocation("sh", "GPU-0", 5)], i=[Allocation("sh", "GPU-0", 6)])
    assert uses_of(held, spec(init=[container("i")])) == (Use("GPU-0", 11),)


def test_one_moment_of_whole_and_shared_use_is_whole():
    held = record(a=[Allocation("k80", "GPU-0"), Allocation("sh", "GPU-0", 5), Allocation("k80", "GPU-0")])
    assert uses_of(held, spec(container("a"))) == (Use("GPU-0"),)


def test_a_damaged_record_takes_its_devices_whole_and_no_record_takes_none():
    assert uses_of(DamagedRecord((), ("GPU-0", "GPU-1")), {}) == (Use("GPU-0"), Use("GPU-1"))
    assert uses_of(None, {}) == ()


def test_pods_of_one_workload_have_one_shape_whatever_their_containers_are_called():
    def shape(*main, classes=CLASSES, init=()):
        return asks(classes, *main, init=init).shape

    known = shape(container("a", {"k80": 1}))
    assert shape(container("b", {"k80": 1})) == known
    others = [
        shape(container("a", {"k80": 2})),
        shape(container("a", {"p100": 1})),
        shape(container("a", {"k80": 1}), classes=[a_class("p100")]),
        shape(init=[container("a", {"k80": 1}), sidecar("s", {"k80": 1})]),
        shape(init=[sidecar("s", {"k80": 1}), container("a", {"k80": 1})]),
        shape(container("a", {"sh": 1})),
        shape(container("a", {"sh": 1}), classes=[share("sh", "2GiB")]),
    ]
    assert len({known, *others}) == len(others) + 1


def test_a_container_whose_classes_are_all_gone_asks_for_nothing_but_is_named():
    pod = asks(CLASSES, container("a", {"gone": 1, "lost": 2}), container("b", {"k80": 1}))
    assert (pod.unknown, pod.moments) == (("gone", "lost"), ((0,),))
