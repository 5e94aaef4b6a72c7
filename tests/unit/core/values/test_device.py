"""Kinds of device."""

from webhook.core.values.device import DeviceKind, device_kinds


def device(**properties):
    return {"kind": "ExtendedResource", "spec": {"properties": properties}}


def test_devices_that_differ_only_in_what_every_device_has_of_its_own_are_one_kind():
    devices = [
        device(model="K80", memory="11441", index="0", uuid="GPU-0", numaNode="0", pciBusID="00:1e.0"),
        device(model="K80", memory="11441", index="1", uuid="GPU-1", numaNode="1", pciBusID="00:1f.0"),
        device(model="P100", memory="16276", index="0", uuid="GPU-2"),
    ]
    assert device_kinds(devices) == (
        DeviceKind({"model": "K80", "memory": "11441"}, 2),
        DeviceKind({"model": "P100", "memory": "16276"}, 1),
    )


def test_a_device_without_readable_properties_makes_no_kind():
    assert device_kinds([{}, {"spec": 5}, {"spec": {"properties": None}}, device(memory=11441)]) == ()


def test_kinds_can_be_members_of_a_set():
    assert len({DeviceKind({"model": "K80"}, 1), DeviceKind({"model": "K80"}, 1)}) == 1
