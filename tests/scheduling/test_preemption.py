"""A pod of higher priority takes the device of a lower one, where the class itself is used up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness.api import Api
from tests.harness.devices import Card, device_nodes, k80, p100
from tests.harness.product import fresh_class
from tests.harness.waiting import holds
from tests.scheduling.expect import HIGH_MEM, K80, P100, asking, bound, device, place, reap, refuse

pytestmark = pytest.mark.usefixtures("scheduler", "priorities")

Json = dict[str, Any]


@pytest.fixture(scope="module")
def priorities(control_plane: Any) -> Iterator[None]:
    """The priority classes `low` and `high`."""
    api: Api = control_plane.api()
    for name, value in (("low", 1), ("high", 1000)):
        body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": value}
        api.create({**body, "metadata": {"name": name}}).must()
    yield
    for name in ("low", "high"):
        api.delete("PriorityClass", name).must()


def low(name: str, class_name: str, amount: int = 1) -> Json:
    return asking(name, class_name, amount, priorityClassName="low")


def high(name: str, class_name: str, amount: int = 1) -> Json:
    return asking(name, class_name, amount, priorityClassName="high")


def preempting(api: Api, namespace: str, pod: Json) -> Json:
    """Creates the pod and returns it bound; what it preempts ends at once."""
    api.create(pod, namespace).must()
    name = pod["metadata"]["name"]

    def ended() -> bool:
        reap(api, namespace)
        return "nodeName" not in api.get("Pod", name, namespace).must()["spec"]

    try:
        holds(ended, "it waits", 20)
    except AssertionError:
        return bound(api, namespace, name)
    return bound(api, namespace, name, 1)


def names(api: Api, namespace: str) -> set[str]:
    return {pod["metadata"]["name"] for pod in api.items("Pod", namespace)}


def test_the_holder_of_the_right_device_has_to_go(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80(), p100()]}):
        place(api, namespace, low("has-k80", K80))
        victim = place(api, namespace, low("has-p100", P100))
        pod = preempting(api, namespace, high("urgent", P100))

    assert device(pod) == device(victim)
    assert names(api, namespace) == {"has-k80", "urgent"}


def test_no_more_pods_go_than_are_needed(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()] * 4}):
        for number in range(4):
            place(api, namespace, low(f"low-{number}", K80))
        preempting(api, namespace, high("urgent", K80, 2))

    assert len(names(api, namespace)) == 3


def test_a_share_frees_room_where_it_is_needed(api: Api, namespace: str) -> None:
    with (
        fresh_class(api, "sh8", {"model": "X"}, share={"memory": "8GiB"}),
        device_nodes(api, {"node-a": [Card("X", 10240)] * 2}),
    ):
        for number in range(2):
            place(api, namespace, low(f"low-{number}", "sh8"))
        pod = preempting(api, namespace, high("urgent", "sh8"))

    assert pod["spec"]["nodeName"] == "node-a"
    assert len(names(api, namespace)) == 2


def test_a_pod_of_the_same_priority_waits(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        place(api, namespace, high("first", K80))
        refuse(api, namespace, high("second", K80))

        assert names(api, namespace) == {"first", "second"}
        assert "deletionTimestamp" not in api.get("Pod", "first", namespace).must()["metadata"]


def test_a_device_held_through_another_class_is_not_preempted(api: Api, namespace: str) -> None:
    """The limit that the documentation states: the scheduler sees that the class has a unit left."""
    with device_nodes(api, {"node-a": [k80()]}):
        place(api, namespace, low("through-high-mem", HIGH_MEM))
        reason = refuse(api, namespace, high("urgent", K80))

        assert "1 in use" in reason
        assert "deletionTimestamp" not in api.get("Pod", "through-high-mem", namespace).must()["metadata"]
