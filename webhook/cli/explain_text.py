"""How `resourceclass explain` writes its answer: the sentence, the figures, what to do; and JSON."""

import re
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

import orjson

from webhook.cli.classes_text import free_text, supply_entry
from webhook.cli.tables import printable, table
from webhook.core.explain.answer import Candidate, ClassNeed, DeviceHeld, Explanation
from webhook.core.explain.told import Told
from webhook.core.placement.reasons import size_text
from webhook.core.text import list_of
from webhook.core.values.names import Json

_MAX_WIDTH: Final = 110
_MOST_PODS: Final = 6
_FRACTION: Final = re.compile(r"\.\d+")  # of a second, in RFC 3339
_CLASSES: Final = ("CLASS", "ASKED", "FREE", "DEVICES", "IN USE", "UNHEALTHY", "TOO SMALL", "QUOTA LEFT")
_HELD: Final = ("CONTAINER", "CLASS", "DEVICE", "BECAUSE", "SHARED WITH")


def as_text(found: Explanation) -> str:
    """Return the answer for people."""
    width = min(shutil.get_terminal_size().columns, _MAX_WIDTH)
    lines = _wrapped(found.verdict.headline, "", width)
    for part in (
        _classes(found),
        _held(found),
        _nearest(found),
        _said(found),
        _notes(found),
        _remedies(found),
    ):
        part_lines = [line for text, indent in part for line in _wrapped(text, indent, width)]
        lines += ["", *part_lines] if part_lines else []
    return "\n".join(lines)


_Line = tuple[str, str]
"""A line, and how what it is wrapped into is indented; `=` for one of a table, which is not wrapped."""


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    if indent == "=":
        return [text]
    return textwrap.wrap(
        printable(text), width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _classes(found: Explanation) -> Iterator[_Line]:
    if found.held or not found.classes:
        return
    yield from ((line, "=") for line in table(_CLASSES, [_cells(need) for need in found.classes]))
    for need in found.classes:
        if need.supply is not None and need.supply.holders:
            pods = dict.fromkeys(holder.title for holder in need.supply.holders)
            yield f"{need.name} is held by {list_of(pods, _MOST_PODS)}", "  "
        if need.supply is not None and need.supply.held_back:
            yield f"{need.supply.held_back} of {need.name} held back: used by pods without a record", "  "


def _cells(need: ClassNeed) -> list[str]:
    left = list_of("?" if quota.left is None else str(quota.left) for quota in need.quotas)
    supply = need.supply
    if supply is None:
        return [need.name, str(need.units), "", "", "", "", "", left]
    counts = (supply.devices, supply.in_use + supply.blocked, supply.unhealthy, supply.too_small)
    return [
        need.name,
        free_text(need.units, need.share_memory_bytes),
        str(supply.free),
        *map(str, counts),
        left or "no limit",
    ]


def _held(found: Explanation) -> Iterator[_Line]:
    if found.held:
        yield from ((line, "=") for line in table(_HELD, [_device(item) for item in found.held]))


def _device(item: DeviceHeld) -> list[str]:
    device = item.device if item.memory_bytes is None else f"{size_text(item.memory_bytes)} of {item.device}"
    because = ", ".join(f"{key}={value}" for key, value in item.because)
    return [item.container, item.class_name, device, because, list_of(item.shared_with, _MOST_PODS)]


def _nearest(found: Explanation) -> Iterator[_Line]:
    nearest = found.nearest
    if nearest is None:
        return
    others = f" (of {found.nodes} nodes with devices of its classes)" if found.nodes > 1 else ""
    if not others and f"{nearest.node} {_obstacles(nearest) or 'has room'}" in found.verdict.headline:
        return  # the first line has said it
    if not nearest.obstacles:
        yield f"{nearest.node} has room for it{others}", "  "
        return
    yield f"closest is {nearest.node}{others}: {_obstacles(nearest)}", "  "


def _obstacles(nearest: Candidate) -> str:
    phrases = [*nearest.gates, *nearest.hidden]
    told = [f"it {list_of(phrases)}"] if phrases else []
    return "; ".join([*([nearest.lacks] if nearest.lacks else []), *told])


def _said(found: Explanation) -> Iterator[_Line]:
    for told in found.told:
        count = f" ({told.count} times)" if told.count > 1 else ""
        when = f"{_FRACTION.sub('', told.when)} " if told.when else ""
        is_known = told.words and told.words in found.verdict.headline
        message = "as above" if is_known else told.message
        yield f"{when}{told.by or 'somebody'} said of {told.about}: {told.reason}{count}: {message}", "  "


def _notes(found: Explanation) -> Iterator[_Line]:
    yield from ((f"note: {note}", "  ") for note in found.notes)


def _remedies(found: Explanation) -> Iterator[_Line]:
    yield from ((f"- {remedy}", "  ") for remedy in found.verdict.remedies)


def as_json(found: Explanation) -> str:
    """Return one JSON document; docs/configuration.md has its fields."""
    return orjson.dumps(_document(found), option=orjson.OPT_INDENT_2).decode()


def _document(found: Explanation) -> Json:
    return {
        "subject": found.subject,
        "state": found.verdict.state.value,
        "fine": found.is_fine,
        "message": found.verdict.headline,
        "remedies": list(found.verdict.remedies),
        "classes": [_class_entry(need) for need in found.classes],
        "nodesWithDevices": found.nodes,
        "nearest": _nearest_entry(found.nearest) if found.nearest else None,
        "devices": [_device_entry(item) for item in found.held],
        "said": [_told_entry(told) for told in found.told],
        "notes": list(found.notes),
    }


def _class_entry(need: ClassNeed) -> Json:
    entry: Json = {"name": need.name, "units": need.units, "shareMemoryBytes": need.share_memory_bytes}
    supply = need.supply
    if supply is not None:
        pods = dict.fromkeys((holder.namespace, holder.pod) for holder in supply.holders)
        entry |= {
            **supply_entry(supply),
            "free": supply.free,
            "heldBy": [{"namespace": namespace, "pod": pod} for namespace, pod in pods],
        }
    return {**entry, "quotas": [asdict(quota) for quota in need.quotas]}


def _nearest_entry(nearest: Candidate) -> Json:
    return {"node": nearest.node, "room": not nearest.obstacles, "obstacles": list(nearest.obstacles)}


def _device_entry(item: DeviceHeld) -> Json:
    return {
        "container": item.container,
        "class": item.class_name,
        "node": item.node,
        "device": item.device,
        "memoryBytes": item.memory_bytes,
        "because": dict(item.because),
        "member": item.is_member,
        "sharedWith": list(item.shared_with),
    }


def _told_entry(told: Told) -> Json:
    return {
        "when": told.when,
        "by": told.by,
        "about": told.about,
        "reason": told.reason,
        "message": told.message,
        "count": told.count,
    }
