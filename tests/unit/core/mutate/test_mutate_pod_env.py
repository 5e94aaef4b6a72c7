"""Device variables of the containers of a pod that asks for a class."""

import pytest

from tests.unit.core.mutate.objects import (
    GIB,
    K80,
    P100,
    VOID,
    container,
    env,
    from_annotation,
    mutated,
    pod,
    warnings,
)

MAIN = "devices.resourceclass.io/train"
OURS = [from_annotation("NVIDIA_VISIBLE_DEVICES", MAIN), from_annotation("RESOURCECLASS_DEVICES", MAIN)]


def train(limits, **more):
    return pod(container("train", limits, **more))


@pytest.mark.parametrize("present", [None, []])
def test_a_container_with_a_class_reads_its_devices_from_the_annotation(present):
    assert env(mutated(train({K80: 1}, env=present))) == OURS


def test_classes_that_name_the_same_variables_share_the_annotation():
    assert env(mutated(train({K80: 1, P100: 1}))) == OURS


def test_classes_that_name_different_variables_have_an_annotation_each():
    assert env(mutated(train({K80: 1, "mi100": 1}))) == [
        from_annotation("ROCR_VISIBLE_DEVICES", f"rocr-visible-devices.{MAIN}"),
        from_annotation("NVIDIA_VISIBLE_DEVICES", f"nvidia-visible-devices.{MAIN}"),
        from_annotation("RESOURCECLASS_DEVICES", MAIN),
    ]


def test_a_share_tells_the_container_how_much_memory_it_has():
    became = mutated(train({"share-2g": 3}))
    assert env(became)[-1] == {"name": "RESOURCECLASS_MEMORY_BYTES", "value": str(6 * GIB)}


def test_a_class_of_a_device_plugin_sets_nothing():
    assert env(mutated(train({"ib": 1}))) is None


def test_our_variables_come_first_so_that_others_may_refer_to_them():
    own = [{"name": "ARGS", "value": "--devices=$(RESOURCECLASS_DEVICES)"}]
    assert env(mutated(train({K80: 1}, env=own))) == [*OURS, *own]


def test_a_variable_of_the_same_name_is_dropped_with_a_warning():
    by_hand = train(
        {K80: 1}, env=[{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}, {"name": "A", "value": "b"}]
    )
    assert env(mutated(by_hand)) == [*OURS, {"name": "A", "value": "b"}]
    assert warnings(by_hand) == (
        'container "train": NVIDIA_VISIBLE_DEVICES was set by hand and is dropped; the webhook sets it',
    )


def test_our_own_variables_further_down_are_moved_without_a_warning():
    moved = train({K80: 1}, env=[{"name": "A", "value": "b"}, *OURS])
    assert env(mutated(moved)) == [*OURS, {"name": "A", "value": "b"}]
    assert warnings(moved) == ()


# NVIDIA/k8s-device-plugin#61: images made for CUDA say NVIDIA_VISIBLE_DEVICES=all.
def test_a_container_beside_it_that_asks_for_no_device_sees_none():
    became = mutated(
        pod(container("train", {K80: 1}), container("web", {"cpu": 1}), container("zero", {K80: 0}))
    )
    assert env(became, 1) == [VOID]
    assert env(became, 2) == [VOID]


def test_an_init_container_that_asks_for_no_device_sees_none():
    became = mutated(pod(container("train", {K80: 1}), initContainers=[container("prep")]))
    assert env(became, kind="initContainers") == [VOID]


@pytest.mark.parametrize("amount", [1, "1", "nonsense"])
def test_a_container_with_a_device_of_another_plugin_is_left_alone(amount):
    became = mutated(pod(container("train", {K80: 1}), container("plain", {"nvidia.com/gpu": amount})))
    assert env(became, 1) is None


@pytest.mark.parametrize("limits", [{"nvidia.com/gpu": 0}, {"example.kubernetes.io/x": 1}])
def test_zero_of_a_device_and_native_resources_are_no_device(limits):
    assert env(mutated(pod(container("train", {K80: 1}), container("plain", limits))), 1) == [VOID]


@pytest.mark.parametrize("wrong", [{}, "x", 5])
def test_an_env_of_a_wrong_type_is_the_api_servers_to_refuse(wrong):
    assert env(mutated(train({K80: 1}, env=wrong))) == wrong


def test_entries_of_a_wrong_type_are_kept_for_the_api_server():
    assert env(mutated(train({K80: 1}, env=[None, 5, {"value": "x"}, {"name": 7}]))) == [
        *OURS,
        None,
        5,
        {"value": "x"},
        {"name": 7},
    ]


@pytest.mark.parametrize("name", [None, "", 5])
def test_a_container_without_a_name_is_the_api_servers_to_refuse(name):
    assert env(mutated(pod(container(name, {K80: 1})))) is None


def test_text_outside_ascii_stays_as_it_is():
    text = {"name": "MSG", "value": "h\u00e9llo \U0001f680 \u6570\u636e"}
    became = mutated(train({K80: 1}, env=[text], args=["--t\u00edtulo"]))
    assert env(became)[-1] is text
    assert became["spec"]["containers"][0]["args"] == ["--t\u00edtulo"]
