"""One threshold of memory, and many ways to write a size."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.controller.labelled import CLASS, labelled_node, shown
from tests.controller.objects import warnings_about, written_device
from tests.harness.api import Api
from tests.harness.product import fresh_class
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import asking, place, refuse

# AliyunContainerService/gpushare-scheduler-extender#217, NVIDIA/gpu-feature-discovery#26.
MORE, NOT_MORE = (
    ["10241MiB", "11441", "11GB", "16Gi", "80GB", "42505273344"],
    ["2048MiB", "10GiB", "10240MiB", "10240", "10.5GB"],
)

pytestmark = pytest.mark.usefixtures("controller")


def memory(operator: str) -> dict[str, object]:
    return {"matchExpressions": [{"key": "memory", "operator": operator, "values": ["10GiB"]}]}


def test_nodes_are_chosen_by_the_size_and_not_by_its_spelling(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with ExitStack() as stack:
        enter = stack.enter_context
        enter(fresh_class(api, "over", selector=memory("Gt")))
        enter(fresh_class(api, "under", selector=memory("Lt")))
        for number, size in enumerate([*MORE, *NOT_MORE, ""]):
            labels = {"nvidia.com/gpu.product": "X1", "nvidia.com/gpu.count": "1"}
            enter(labelled_node(api, f"size-{number}", {**labels, "nvidia.com/gpu.memory": size}))
        enter(labelled_node(api, "size-na", {}))
        enter(written_device(api, "size-na", "GPU-N", model="X1", memory="n/a"))
        all_nodes = [f"size-{number}" for number in range(len(MORE) + len(NOT_MORE) + 1)] + ["size-na"]

        def classes() -> dict[str, set[str]] | None:
            found = {name: set(shown(api.get("Node", name).must())) for name in all_nodes}
            return found if all("nvidia.x1" in each for each in found.values()) else None

        found = until(classes, "every node shows the class of its model")
        assert found is not None
        large = {name for name in all_nodes if "over" in found[name]}
        assert large == {f"size-{number}" for number in range(len(MORE))}
        small = {name for name in all_nodes if "under" in found[name]}
        assert small == {
            f"size-{len(MORE) + number}"
            for number, size in enumerate(NOT_MORE)
            if size in ("2048MiB", "10.5GB")
        }

        pods = [place(api, namespace, asking(f"p{number}", "over")) for number in range(len(MORE))]
        assert {pod["spec"]["nodeName"] for pod in pods} == large
        refuse(api, namespace, asking("late", "over"))

        unread = f"size-{len(MORE) + len(NOT_MORE)}"
        until(
            lambda: any("nvidia.com/gpu.memory= is no size" in text for text in warnings_about(api, unread)),
            "the node is warned of once",
        )
        until(lambda: "size-na-gpu-n: memory: 'n/a'" in unreadable(api, "over"), "the class says which value")


def unreadable(api: Api, name: str) -> str:
    """What the class says of values that it cannot compare."""
    conditions = api.get(CLASS, name).must().get("status", {}).get("conditions", [])
    return next((each["message"] for each in conditions if each["type"] == "ValuesReadable"), "")
