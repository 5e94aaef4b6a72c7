"""Calls a binder as kube-scheduler does."""

from __future__ import annotations

from typing import Any

from tests.harness.api import Api
from tests.harness.scheduling import Binder
from tests.harness.waiting import until
from tests.scheduling.expect import asking

Json = dict[str, Any]


def decides(binder: Binder) -> None:
    """Waits until it has waited out what a binder before it may have under way."""
    probe = {"Pod": asking("probe"), "NodeNames": []}
    until(lambda: not error_of(binder.call("filter", probe)), f"{binder.process.name} decides")


def error_of(answer: Json) -> str:
    """The field Error, which kube-scheduler reads without regard to case."""
    return str({name.lower(): value for name, value in answer.items()}.get("error") or "")


def create(api: Api, namespace: str, pod: Json) -> Json:
    return api.create(pod, namespace).must()


def bind(binder: Binder, pod: Json, node: str) -> str:
    """Calls bind, and returns its Error."""
    metadata = pod["metadata"]
    arguments = {
        "PodName": metadata["name"],
        "PodNamespace": metadata["namespace"],
        "PodUID": metadata["uid"],
        "Node": node,
    }
    return error_of(binder.call("bind", arguments))


def fits(binder: Binder, pod: Json, node: str) -> bool:
    answer = binder.call("filter", {"Pod": pod, "NodeNames": [node]})
    assert not error_of(answer)
    return {name.lower(): value for name, value in answer.items()}["nodenames"] == [node]


def seen(binder: Binder, pod: Json, node: str) -> None:
    """Waits until the binder has seen the pod, and that the node could serve it."""
    until(lambda: fits(binder, pod, node), f"{node} fits {pod['metadata']['name']}")


def stored(api: Api, pod: Json) -> Json:
    return api.get("Pod", pod["metadata"]["name"], pod["metadata"]["namespace"]).must()
