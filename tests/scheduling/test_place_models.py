"""Devices are told apart by their exact model, however its words are joined."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.harness.api import Api
from tests.harness.devices import Card, device_nodes
from tests.harness.product import fresh_class
from tests.scheduling.expect import K80, asking, bound, nodes_of, place, refuse

pytestmark = pytest.mark.usefixtures("scheduler")

ZOO = {
    "n1": [Card("NVIDIA H200", 143771)],
    "n2": [Card("NVIDIA H20", 97871)],
    "n3": [Card("NVIDIA A100-SXM4-40GB", 40960)],
    "n4": [Card("NVIDIA A10G", 23028)],
    "n5": [Card("NVIDIA A10", 23028)],
}
A100 = {
    "key": "model",
    "operator": "In",
    "values": ["NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"],
}


@pytest.fixture
def zoo(api: Api) -> Iterator[None]:
    """Five nodes with a card of their own model each, and classes of three of the models."""
    with (
        fresh_class(api, "h20", {"model": "NVIDIA H20"}),
        fresh_class(api, "a10", {"model": "NVIDIA A10"}),
        fresh_class(api, "any-a100", selector={"matchExpressions": [A100]}),
        device_nodes(api, ZOO),
    ):
        yield


# Project-HAMi/HAMi-core#137: A10 requests went to an A100, H20 users to H200 cards.
@pytest.mark.usefixtures("zoo")
@pytest.mark.parametrize(("class_name", "node"), [("h20", "n2"), ("a10", "n5"), ("any-a100", "n3")])
def test_a_model_whose_name_begins_another_one_is_not_that_one(
    api: Api, namespace: str, class_name: str, node: str
) -> None:
    assert place(api, namespace, asking("one", class_name))["spec"]["nodeName"] == node

    assert refuse(api, namespace, asking("two", class_name))


@pytest.mark.usefixtures("zoo")
@pytest.mark.parametrize(("class_name", "node"), [("h20", "n2"), ("a10", "n5")])
def test_with_its_only_node_cordoned_a_pod_waits_and_takes_no_similar_model(
    api: Api, namespace: str, class_name: str, node: str
) -> None:
    api.patch("Node", node, {"spec": {"unschedulable": True}}).must()

    assert "unschedulable" in refuse(api, namespace, asking("one", class_name))

    api.patch("Node", node, {"spec": {"unschedulable": None}}).must()
    assert bound(api, namespace, "one")["spec"]["nodeName"] == node


@pytest.mark.parametrize(("only", "right"), [("NVIDIA H200", "NVIDIA H20"), ("NVIDIA-H200", "NVIDIA-H20")])
def test_with_only_a_similar_model_in_the_cluster_a_pod_waits(
    api: Api, namespace: str, only: str, right: str
) -> None:
    with fresh_class(api, "h20", {"model": "NVIDIA H20"}), device_nodes(api, {"n1": [Card(only, 143771)]}):
        assert refuse(api, namespace, asking("one", "h20"))
        with device_nodes(api, {"n2": [Card(right, 97871)]}):
            assert bound(api, namespace, "one")["spec"]["nodeName"] == "n2"


# NVIDIA/k8s-device-plugin#514: names of GPUs with spaces and brackets are no label values.
def test_spellings_of_one_model_are_one_class(api: Api, namespace: str) -> None:
    spellings = ["Tesla-K80", "NVIDIA-Tesla-K80", "Tesla K80", "NVIDIA TITAN X (Pascal)"]
    cards = {f"k{number}": [Card(model, 11441)] for number, model in enumerate(spellings)}

    with device_nodes(api, cards):
        pods = [place(api, namespace, asking(f"p{number}", K80)) for number in range(3)]
        assert refuse(api, namespace, asking("fourth", K80))

    assert set(nodes_of(pods)) == {"k0", "k1", "k2"}


def test_a_model_with_brackets_is_found(api: Api, namespace: str) -> None:
    titan = "NVIDIA TITAN X (Pascal)"

    with (
        fresh_class(api, "titan-x", {"model": titan}),
        device_nodes(api, {"t1": [Card(titan, 12288)], "k1": [Card("Tesla K80", 11441)]}),
    ):
        pod = place(api, namespace, asking("one", "titan-x"))

    assert pod["spec"]["nodeName"] == "t1"
