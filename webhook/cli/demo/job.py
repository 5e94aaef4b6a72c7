"""The main job from end to end: from nodes that have labels to a container that sees its device."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from webhook.admission.played.verdict import Verdict
from webhook.cli import classes_text
from webhook.cli.demo.columns import WIDTH
from webhook.cli.demo.parts import Running, until
from webhook.cli.demo.scenes import K80, METERED, a_pod
from webhook.cli.demo.scheduler import Placed, PlayedScheduler
from webhook.cli.demo.stage import Stage, write_manifest
from webhook.cli.explain_reading import Reader
from webhook.cli.survey import survey
from webhook.cluster.embedded.api import EmbeddedApi
from webhook.cluster.folder import FolderCluster
from webhook.cluster.reads import FolderReads
from webhook.core.explain.answer import Explanation
from webhook.core.explain.overview import overview
from webhook.core.explain.pod import explain_pod
from webhook.core.raw import as_list, at, value_at
from webhook.core.values.names import (
    API_VERSION,
    NODE_LABEL_PREFIX,
    RECORD_ANNOTATION,
    Json,
    devices_annotation,
    node_label,
    stored_key,
)

NODE: Final = "node-a"
VGPU: Final = "nvidia.grid-p4-2q"
# As GPU feature discovery labels a node.
LABELS: Final = {
    "nvidia.com/gpu.product": "Tesla-K80",
    "nvidia.com/gpu.count": "2",
    "nvidia.com/gpu.memory": "11441",
}
_CLASSES: Final = f"/apis/{API_VERSION}/resourceclasses"
_INDENT: Final = "   "


def prepare(manifests: Path) -> None:
    """Add to the examples a node with two devices, of which nothing but labels tells."""
    metadata = {"name": NODE, "labels": LABELS}
    write_manifest(manifests, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})


def wait_for_inventory(manifests: Path, api: EmbeddedApi) -> None:
    """Wait until the controller has done its work, and show its classes to the webhook, which sees files."""
    until(lambda: _has_counted(api, K80, 2) and _has_counted(api, VGPU, 1), "the controller found no devices")
    until(lambda: all(_units(node) for node in _nodes(api)), "the controller labelled no nodes")
    for obj in api.get(_CLASSES)["items"]:
        if obj["metadata"]["name"] == VGPU:
            write_manifest(manifests, obj)


def show(stage: Stage, parts: Running, example: Json) -> list[str]:
    """Play it and print it; returns what is not as it must be. `example` is the pod of the examples."""
    scheduler = PlayedScheduler(stage.api, parts.verbs())
    return [
        *_show_inventory(stage),
        *_show_pod(stage, scheduler, example),
        *_show_refused(stage),
        *_show_waiting(stage, scheduler),
    ]


def _show_inventory(stage: Stage) -> Iterator[str]:
    _title("1. Two nodes, of which only labels tell. The controller makes devices and classes of them:")
    for node in _nodes(stage.api):
        labels = at(node, "metadata", "labels")
        given = [f"{key}={value}" for key, value in labels.items() if not key.startswith(NODE_LABEL_PREFIX)]
        _say(f"{node['metadata']['name']}: {' '.join(given)}")
        _say("".join(f"+ {stored_key(each)}: {units}  " for each, units in _units(node).items()), "  ")
    seen = survey(FolderReads(stage.cluster))
    # Without the pods of the examples: none has been sent yet.
    found = overview(seen.classes, tuple(seen.nodes.values()), (), seen.holdings, seen.problems)
    print()
    print(textwrap.indent(classes_text.as_text(found), _INDENT))
    if not found.is_fine:
        yield "every class should have devices"


def _show_pod(stage: Stage, scheduler: PlayedScheduler, example: Json) -> Iterator[str]:
    verdict = stage.send(example)
    if not verdict.admitted:
        yield f"the pod should have been stored: {verdict.message}"
        return
    name, asked = example["metadata"]["name"], value_at(_container(example), ("resources", "limits"))
    _title(f"2. {name} asks for {_pairs(asked)}. The webhook makes of it, over TLS:")
    pod = stage.store(verdict.document)
    _say(f"limits: {_pairs(value_at(_container(pod), ('resources', 'limits')))}")
    _say(f"schedulerName: {pod['spec']['schedulerName']}; only nodes with the label {node_label(K80)} > 0")
    _say(f"env: {', '.join(item['name'] for item in _container(pod)['env'])}, from an annotation yet to come")
    yield from _show_placed(stage, scheduler.place(pod), pod)


def _show_placed(stage: Stage, placed: Placed, pod: Json) -> Iterator[str]:
    _title("3. The scheduler asks the binder, which chooses the device and binds:")
    for node, reason in placed.refused.items():
        _say(f"{node}: {reason}")
    _say(f"{placed.node or 'no node'}: bound")
    found = next(each for each in stage.api.get("/api/v1/pods")["items"] if _is_same(each, pod))
    annotations, container = at(found, "metadata", "annotations"), _container(found)
    for key in (RECORD_ANNOTATION, devices_annotation(container["name"])):
        _say(f"{key}: {annotations.get(key)}", "  ")
    seen = environment(found, container)
    _say(f"the container sees {' '.join(f'{key}={value}' for key, value in seen.items())}")
    if placed.node != NODE or at(found, "spec").get("nodeName") != NODE:
        yield f"the pod should be on {NODE}"
    if seen.get("NVIDIA_VISIBLE_DEVICES") not in ("0", "1"):
        yield "the container should see one device of two"


def _show_refused(stage: Stage) -> Iterator[str]:
    verdict = stage.send(a_pod("greedy", amount=6))
    _title(f"4. A pod asks for 6 in the namespace {METERED}, whose quota is 5. It is refused:")
    _say(_refusal(verdict))
    if verdict.admitted or "exceeded quota" not in verdict.message:
        yield "the pod should have been refused for its quota"


def _show_waiting(stage: Stage, scheduler: PlayedScheduler) -> Iterator[str]:
    sent = a_pod("train", amount=2)
    sent["metadata"]["namespace"] = "default"
    pod = stage.store(stage.send(sent).document)
    placed = scheduler.place(pod)
    found = explain(stage.cluster, pod)
    _title("5. A pod asks for 2, and 1 is free. It waits; the scheduler and `resourceclass explain` say why:")
    _say(placed.message)
    _say(found.verdict.headline)
    if placed.node or found.is_fine or K80 not in found.verdict.headline:
        yield "the pod should wait, and explain should name the class"


def explain(cluster: FolderCluster, pod: Json) -> Explanation:
    """Return what `resourceclass explain` says of a pod."""
    return explain_pod(Reader(FolderReads(cluster), pod["metadata"]["namespace"], None).scene(pod))


def environment(pod: Json, container: Json) -> dict[str, str]:
    """Return what the kubelet gives to a container: values, and those that stand in annotations."""
    annotations = at(pod, "metadata", "annotations")
    found = {}
    for item in as_list(container.get("env")):
        path = at(item, "valueFrom", "fieldRef").get("fieldPath", "")
        key = path.removeprefix("metadata.annotations['").removesuffix("']")
        found[item["name"]] = item.get("value", annotations.get(key, ""))
    return found


def _has_counted(api: EmbeddedApi, name: str, devices: int) -> bool:
    classes = {obj["metadata"]["name"]: obj for obj in api.get(_CLASSES)["items"]}
    return at(classes.get(name, {}), "status").get("devices") == devices


def _nodes(api: EmbeddedApi) -> list[Json]:
    return list(api.get("/api/v1/nodes")["items"])


def _units(node: Json) -> dict[str, str]:
    labels = at(node, "metadata", "labels")
    own = {key: value for key, value in labels.items() if key.startswith(NODE_LABEL_PREFIX)}
    return {key.removeprefix(NODE_LABEL_PREFIX): value for key, value in own.items()}


def _container(pod: Json) -> Json:
    return dict(pod["spec"]["containers"][0])


def _is_same(one: Json, other: Json) -> bool:
    return bool(one["metadata"]["uid"] == other["metadata"]["uid"])


def _pairs(amounts: Json) -> str:
    return ", ".join(f"{key}: {value}" for key, value in amounts.items())


def _refusal(verdict: Verdict) -> str:
    return f"{verdict.code} {verdict.reason}: {verdict.message}"


def _title(text: str) -> None:
    print(f"\n{text}")


def _say(text: str, more: str = "") -> None:
    indent = _INDENT + more
    print(
        textwrap.fill(
            text.rstrip(),
            WIDTH,
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
