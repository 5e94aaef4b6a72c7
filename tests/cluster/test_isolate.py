"""Isolated namespaces: nobody there sees a device that was not given to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.expect import K80, asking, assert_mutated, key
from tests.harness.api import STRATEGIC_PATCH, Answer, Api
from tests.harness.cluster import IMAGE, fresh_namespace, pod
from tests.harness.product import fresh_class

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

VARIABLE = "NVIDIA_VISIBLE_DEVICES"
VOID = {"name": VARIABLE, "value": "void"}


@pytest.fixture
def isolated(api: Api) -> Iterator[str]:
    """The name of an isolated namespace."""
    with fresh_namespace(api, {"resourceclass.io/isolate": "true"}) as namespace:
        yield namespace


def container(name: str, **fields: Any) -> Json:
    return {"name": name, "image": IMAGE, **fields}


def with_env(made: Json, **variables: str) -> Json:
    made["spec"]["containers"][0]["env"] = [
        {"name": name, "value": value} for name, value in variables.items()
    ]
    return made


def add_debugger(api: Api, namespace: str, name: str, **fields: Any) -> Answer:
    """What `kubectl debug` does."""
    patch = {"spec": {"ephemeralContainers": [container("debugger", **fields)]}}
    how: Any = {"subresource": "ephemeralcontainers", "content_type": STRATEGIC_PATCH}
    return api.patch("Pod", name, patch, namespace, **how)


def assert_hand_set(answer: Answer, variable: str = VARIABLE) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    assert f"sets {variable}, which chooses devices" in answer.message


def test_every_container_of_a_plain_pod_gets_no_device(api: Api, isolated: str) -> None:
    made = pod("plain", initContainers=[container("first")])
    made["spec"]["containers"].append(container("second"))

    spec = api.create(made, isolated).must()["spec"]

    assert [each["env"] for each in spec["initContainers"] + spec["containers"]] == [[VOID]] * 3
    assert spec["schedulerName"] == "default-scheduler"


def test_a_plain_pod_keeps_its_own_variables(api: Api, isolated: str) -> None:
    spec = api.create(with_env(pod("plain"), MODE="fast"), isolated).must()["spec"]

    assert spec["containers"][0]["env"] == [VOID, {"name": "MODE", "value": "fast"}]


def test_a_variable_that_says_void_already_is_left(api: Api, isolated: str) -> None:
    spec = api.create(with_env(pod("plain"), NVIDIA_VISIBLE_DEVICES="void"), isolated).must()["spec"]

    assert spec["containers"][0]["env"] == [VOID]


@pytest.mark.parametrize("value", ["all", "0", "GPU-a0"])
def test_a_device_variable_by_hand_is_refused(api: Api, isolated: str, value: str) -> None:
    assert_hand_set(api.create(with_env(pod("greedy"), NVIDIA_VISIBLE_DEVICES=value), isolated))
    assert api.items("Pod", isolated) == []


def test_the_variables_of_every_class_are_guarded(api: Api, isolated: str) -> None:
    with fresh_class(api, "amd.mi300", {"model": "MI300"}, pod={"deviceEnv": ["ROCR_VISIBLE_DEVICES"]}):
        # The class is asked for, so that it is looked up even if no watch has told of it yet.
        made = with_env(pod("greedy", {key("amd.mi300"): 1}), ROCR_VISIBLE_DEVICES="0")
        answer = api.create(made, isolated)

    assert_hand_set(answer, "ROCR_VISIBLE_DEVICES")


def test_a_class_pod_is_mutated_and_its_other_containers_see_nothing(api: Api, isolated: str) -> None:
    made = asking("train")
    made["spec"]["containers"].append(container("log"))

    stored = api.create(made, isolated).must()

    assert_mutated(stored)
    main, log = (each["env"] for each in stored["spec"]["containers"])
    assert {each["name"] for each in main} == {VARIABLE, "RESOURCECLASS_DEVICES"}
    assert all("fieldRef" in each["valueFrom"] for each in main)
    assert log == [VOID]


@pytest.mark.parametrize("spelling", [K80, key(K80)])
def test_a_class_pod_cannot_choose_its_device_by_hand(api: Api, isolated: str, spelling: str) -> None:
    made = with_env(pod("greedy", {spelling: 1}), NVIDIA_VISIBLE_DEVICES="all")

    assert_hand_set(api.create(made, isolated))


def test_the_opt_out_label_of_a_pod_opens_no_way(api: Api, isolated: str) -> None:
    made = with_env(pod("greedy"), NVIDIA_VISIBLE_DEVICES="all")
    made["metadata"]["labels"] = {"resourceclass.io/webhook": "ignore"}

    assert_hand_set(api.create(made, isolated))


def test_an_ephemeral_container_gets_no_device(api: Api, isolated: str) -> None:
    api.create(pod("plain"), isolated).must()

    spec = add_debugger(api, isolated, "plain").must()["spec"]

    assert spec["ephemeralContainers"][0]["env"] == [VOID]


def test_an_ephemeral_container_cannot_choose_a_device(api: Api, isolated: str) -> None:
    api.create(pod("plain"), isolated).must()

    answer = add_debugger(api, isolated, "plain", env=[{"name": VARIABLE, "value": "all"}])

    assert_hand_set(answer)
    assert "ephemeralContainers" not in api.get("Pod", "plain", isolated).must()["spec"]


def test_an_ephemeral_container_can_join_a_class_pod(api: Api, isolated: str) -> None:
    api.create(asking("train"), isolated).must()

    spec = add_debugger(api, isolated, "train").must()["spec"]

    assert spec["ephemeralContainers"][0]["env"] == [VOID]


def test_elsewhere_a_plain_pod_is_nobodys_business(api: Api, namespace: str) -> None:
    made = with_env(pod("plain"), NVIDIA_VISIBLE_DEVICES="all")

    stored = api.create(made, namespace).must()

    assert stored["spec"]["containers"][0]["env"] == made["spec"]["containers"][0]["env"]
    add_debugger(api, namespace, "plain", env=[{"name": VARIABLE, "value": "all"}]).must()
