"""One device, read from its object."""

import pytest

from webhook.core.values.extended_resource import BadDevice, parse_extended_resource, read_extended_resources

MIB = 1 << 20


def an_object(*, status=None, properties=None, **spec):
    return {
        "metadata": {"name": "node-a-gpu-0"},
        "spec": {
            "nodeName": "node-a",
            "deviceID": "GPU-0",
            "rawResourceName": "nvidia.com/gpu",
            "properties": properties or {},
            **spec,
        },
        "status": status,
    }


def test_a_device_is_read_with_its_place_and_its_memory():
    device = parse_extended_resource(
        an_object(properties={"model": "K80", "memory": "11441", "numaNode": "0"})
    )
    assert (device.name, device.node, device.device_id) == ("node-a-gpu-0", "node-a", "GPU-0")
    assert device.raw_resource == "nvidia.com/gpu"
    assert device.memory_bytes == 11441 * MIB
    assert device.properties["numaNode"] == "0"
    assert device.problems == ()


@pytest.mark.parametrize(
    ("phase", "is_healthy"), [(None, True), ("Available", True), ("Bound", True), ("Unhealthy", False)]
)
def test_only_a_sick_device_is_never_handed_out(phase, is_healthy):
    assert parse_extended_resource(an_object(status={"phase": phase})).is_healthy is is_healthy


@pytest.mark.parametrize("phase", ["available", 5, {}, ""])
def test_a_phase_that_is_not_understood_counts_as_sick_and_is_reported(phase):
    device = parse_extended_resource(an_object(status={"phase": phase}))
    assert not device.is_healthy
    assert device.problems == (f"status.phase is {phase!r}; it must be Available, Bound or Unhealthy",)


def test_the_memory_that_was_measured_counts_before_the_one_that_is_stated():
    status = {"capacity": {"memory": "15109Mi"}}
    device = parse_extended_resource(an_object(properties={"memory": "15360"}, status=status))
    assert device.memory_bytes == 15109 * MIB


# NVIDIA/gpu-feature-discovery#26 and others: sizes that are none must not disturb the rest.
@pytest.mark.parametrize("text", ["", "n/a"])
def test_a_memory_that_cannot_be_read_is_reported_and_unknown(text):
    device = parse_extended_resource(an_object(properties={"memory": text}))
    assert device.memory_bytes is None
    assert device.problems[0].startswith("spec.properties.memory: ")


def test_a_measured_memory_that_cannot_be_read_leaves_the_stated_one():
    device = parse_extended_resource(
        an_object(properties={"memory": "1GiB"}, status={"capacity": {"memory": "much"}})
    )
    assert device.memory_bytes == 1 << 30
    assert device.problems[0].startswith("status.capacity.memory: ")


def test_a_negative_memory_is_none():
    assert parse_extended_resource(an_object(status={"capacity": {"memory": "-1"}})).memory_bytes == 0


def test_properties_that_are_no_texts_are_reported_and_left_out():
    device = parse_extended_resource(an_object(properties={"model": "K80", "index": 0}))
    assert device.properties == {"model": "K80"}
    assert device.problems == ("spec.properties.index must be a text; put it in quotes",)
    assert parse_extended_resource(
        an_object() | {"spec": an_object()["spec"] | {"properties": []}}
    ).problems == ("spec.properties must be a map of texts",)


@pytest.mark.parametrize("device_id", ["", "a,b", "a b", "a\n", None, 0])
def test_an_id_that_no_list_of_ids_can_hold_is_refused(device_id):
    with pytest.raises(BadDevice, match=r"spec\.deviceID"):
        parse_extended_resource(an_object(deviceID=device_id))


@pytest.mark.parametrize("obj", [{}, {"metadata": None, "spec": 5}, {"spec": {"nodeName": []}}])
def test_an_object_of_wrong_types_is_refused_with_all_that_is_missing(obj):
    with pytest.raises(BadDevice) as caught:
        parse_extended_resource(obj)
    assert [text.split()[0] for text in caught.value.problems] == [
        "metadata.name",
        "spec.nodeName",
        "spec.deviceID",
    ]


def test_unreadable_devices_are_reported_and_do_not_disturb_the_others():
    bad = {"metadata": {"name": "bad"}}
    odd = an_object(properties={"memory": "n/a"})
    devices, problems = read_extended_resources([bad, odd, an_object() | {"metadata": {"name": "good"}}])
    assert [device.name for device in devices] == ["node-a-gpu-0", "good"]
    assert set(problems) == {"bad", "node-a-gpu-0"}
