"""Devices from labels, whatever labels say and in whatever order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.core.inventory.device_world import DeviceWorld
from tests.unit.core.inventory.label_nodes import AKS, GFD_MIG_MIXED, GFD_T4, a_node
from webhook.core.inventory.label_sources import label_devices
from webhook.core.inventory.plan_devices import CHANGING_SECONDS, MISSING_SECONDS

P4 = GFD_T4 | {"nvidia.com/gpu.product": "Tesla-P4"}
ONE = GFD_T4 | {"nvidia.com/gpu.count": "1"}
LABELS = st.sampled_from([{}, GFD_T4, P4, ONE, AKS, GFD_MIG_MIXED])
TEXT = st.text(max_size=12)
KEYS = st.sampled_from([*GFD_T4, *GFD_MIG_MIXED, *AKS, "cloud.google.com/gke-accelerator"])
STEPS = st.tuples(
    LABELS,
    st.sets(st.sampled_from(["0", "1", "mig-1g.5gb-0"])),
    st.sampled_from([1.0, 60.0, CHANGING_SECONDS, MISSING_SECONDS]),
    st.booleans(),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_a_plan_leaves_nothing_to_plan_and_takes_nothing_that_a_pod_holds(steps):
    world = DeviceWorld(a_node())
    for labels, held, after, restarts in steps:
        if restarts:
            world.restart()
        world.held = held & set(world.shown())
        plan = world.tick(labels, after=after)
        assert not {obj["spec"]["deviceID"] for obj in plan.delete} & held
        assert not world.tick()


@settings(max_examples=200, deadline=None)
@given(st.lists(STEPS, max_size=6), LABELS)
def test_labels_that_stay_are_what_the_objects_say_in_the_end(steps, last):
    world = DeviceWorld(a_node())
    for labels, held, after, _ in steps:
        world.held = held
        world.tick(labels, after=after)
    world.held = set()
    world.tick(last, after=1)
    world.tick(after=MISSING_SECONDS)
    wanted = label_devices(world.node).devices
    # Whether a device is Bound follows from records, which this rule does not read.
    well = {key: (model, phase in ("Available", "Bound")) for key, (model, phase) in world.shown().items()}
    assert well == {item.device_id: (item.properties["model"], True) for item in wanted}
    assert not world.tick(after=1)
    assert world.settling is None


@given(st.dictionaries(KEYS, TEXT, max_size=6), st.dictionaries(st.just("nvidia.com/gpu"), TEXT))
def test_no_text_of_a_label_stops_the_reading(labels, capacity):
    node = a_node(labels)
    node["status"]["capacity"] = capacity
    found = label_devices(node)
    assert bool(found.devices) <= (found.refusal is None)
    world = DeviceWorld(node)
    world.tick()
    assert len(world.objects) == len(found.devices)
