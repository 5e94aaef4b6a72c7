"""What placement costs: the verdict on one node, the choice of devices, and the state behind them.

    python -m bench.bench_placement

A node of 8 devices, half of them taken, in a cluster of 30 classes. Each figure is the best of several
rounds, which is the one that a busy machine disturbs least.
"""

import timeit
from collections.abc import Callable, Hashable, Sequence

from webhook.core.inventory.units import node_units
from webhook.core.placement.membership import Membership
from webhook.core.placement.node import Node, loaded, node_devices
from webhook.core.placement.place import Assignment, fits, place
from webhook.core.placement.reasons import Refusal
from webhook.core.placement.requests import PodRequests, pod_requests
from webhook.core.placement.score import score
from webhook.core.placement.uses import Use
from webhook.core.placement.victims import Holder, victims
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import Json, stored_key

CALLS, ROUNDS = 300, 7
DEVICES, CLASSES, SHARED_GIB = 8, 30, 2
SIZES = (16, 24, 40, 80)


def a_class(name: str, key: str, operator: str, *values: str, **spec: object) -> Json:
    """Return a ResourceClass of one requirement."""
    selector = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    return {"metadata": {"name": name}, "spec": {"selector": selector, **spec}}


def classes() -> Classes:
    """Return 30 classes: by model, by memory, and shares, so that a device belongs to about ten."""
    by_model = [a_class(f"model-{n}", "model", "In", f"Model {n}") for n in range(20)]
    by_memory = [a_class(f"memory-{n}", "memory", "Ge", f"{size}GiB") for n, size in enumerate(SIZES)]
    shares = [
        a_class(f"share-{n}", "memory", "Ge", "16GiB", share={"memory": f"{SHARED_GIB * n}GiB"})
        for n in range(1, CLASSES - len(by_model) - len(by_memory) + 1)
    ]
    return Classes.of([*by_model, *by_memory, *shares])


def devices(models: int = 2) -> list[ExtendedResource]:
    """Return the devices of a node, of so many models, in two NUMA nodes."""
    return [
        ExtendedResource(
            name=f"node-a-gpu-{n}",
            node="node-a",
            device_id=f"GPU-{n}",
            properties={
                "model": f"Model {n % models}",
                "memory": "40GiB",
                "numaNode": str(n // 4),
                "uuid": f"GPU-{n}",
            },
            memory_bytes=40 << 30,
        )
        for n in range(DEVICES)
    ]


def pod(known: Classes, *containers: dict[str, int]) -> PodRequests:
    """Return what a pod with these containers asks for."""
    return pod_requests(demand(spec(*containers)), known)


def spec(*containers: dict[str, int]) -> Json:
    """Return a pod spec whose containers ask for classes."""
    return {
        "containers": [
            {
                "name": f"c{n}",
                "resources": {"limits": {stored_key(name): str(units) for name, units in asked.items()}},
            }
            for n, asked in enumerate(containers)
        ]
    }


def microseconds(call: Callable[[], object]) -> float:
    """Return what one call costs."""
    return min(timeit.repeat(call, number=CALLS, repeat=ROUNDS)) / CALLS * 1e6


def verdicts(known: Classes, node: Node) -> dict[str, Callable[[], object]]:
    """Return the verdicts to measure: of the common pod, of harder ones, and of one that is refused."""
    cases: Sequence[tuple[str, PodRequests]] = (
        ("1 device", pod(known, {"model-0": 1})),
        ("1 share", pod(known, {"share-1": 1})),
        ("3 containers, overlapping classes", pod(known, {"model-0": 1}, {"model-1": 1}, {"memory-0": 1})),
        (
            "3 shares and 1 device",
            pod(known, {"share-1": 2}, {"share-2": 1}, {"share-3": 1}, {"memory-1": 1}),
        ),
        ("8 devices, refused with the reason", pod(known, {"memory-0": 8})),
    )
    return {f"verdict: {name}": (lambda asked=asked: fits(asked, node)) for name, asked in cases}


def remembered(known: Classes, node: Node) -> Callable[[], Refusal | None]:
    """Return the look-up of a verdict that was computed before, as a filter call does it once per node."""
    asked = pod(known, {"model-0": 1})
    shape: Hashable = asked.shape
    known_verdicts: dict[Hashable, Refusal | None] = {shape: fits(asked, node)}
    return lambda: known_verdicts[shape]


def choices(known: Classes, node: Node) -> dict[str, Callable[[], object]]:
    """Return what happens for the nodes that are left: choosing, scoring, and looking for victims."""
    one, two = pod(known, {"model-0": 1}), pod(known, {"model-0": 2})
    assigned = place(one, node)
    assert isinstance(assigned, Assignment)
    holders = [Holder(f"p{n}", (Use(f"GPU-{n}"),)) for n in range(DEVICES)]
    three = pod(known, {"model-0": 3})
    return {
        "choice: 1 device": lambda: place(one, node),
        "choice: 2 devices in one NUMA node": lambda: place(two, node),
        "score": lambda: score(node, assigned),
        "victims: 3 of 8 pods": lambda: victims(three, node.devices, (), holders),
    }


def states(known: Classes, node: Node, uses: Sequence[Use]) -> dict[str, Callable[[], object]]:
    """Return what a change costs before the next verdict."""
    own, membership = devices(), Membership(known)
    pods: list[Json] = [{"spec": spec({"model-0": 1}), "status": {}} for _ in range(DEVICES // 2)]
    return {
        "a pod comes or goes: load of the node": lambda: loaded(node.devices, uses),
        "a device changes: node put together": lambda: node_devices("node-a", own, membership),
        "a class changes: 30 selectors on 8 devices": lambda: node_devices("node-a", own, Membership(known)),
        "a pod is read: demand and requests": lambda: pod(known, {"model-0": 1}),
        "inventory of the node, 4 pods": lambda: node_units(own, pods, known, membership),
    }


def main() -> None:
    """Print the figures."""
    known = classes()
    uses = [Use(f"GPU-{n}") if n % 4 == 0 else Use(f"GPU-{n}", 8 << 30) for n in range(0, DEVICES, 2)]
    node = loaded(
        node_devices("node-a", devices(), Membership(known)), [*uses[:2], Use("GPU-1"), Use("GPU-7")]
    )
    assert len(known.names) == CLASSES
    print(f"{DEVICES} devices, half of them in use, {CLASSES} classes")
    figures = {
        "verdict: remembered": remembered(known, node),
        **verdicts(known, node),
        **choices(known, node),
    }
    for name, call in {**figures, **states(known, node, uses)}.items():
        print(f"{name:44} {microseconds(call):8.1f} us")


if __name__ == "__main__":
    main()
