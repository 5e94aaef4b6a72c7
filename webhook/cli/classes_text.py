"""How `resourceclass classes` writes its answer: a table for people, and JSON of a stable shape."""

from collections.abc import Iterator
from typing import Final

import orjson

from webhook.cli.tables import printable, table
from webhook.core.explain.overview import ClassRow, Mark, Overview
from webhook.core.explain.supply import Supply, UsedBy
from webhook.core.placement.reasons import size_text
from webhook.core.text import list_of, plural
from webhook.core.values.names import Json

_HEADER: Final = ("CLASS", "DEVICES", "FREE", "IN USE", "UNHEALTHY", "WAITING", "USED BY")
# A row is read in a terminal; the rest stands in the JSON.
_MOST_NAMESPACES: Final = 4


def as_text(found: Overview) -> str:
    """Return a table of the classes, and below it what is wrong."""
    if not found.rows:
        lines = ["no class is there, and no pod asks for one"]
    else:
        lines = table(_HEADER, [_cells(row) for row in found.rows])
    problems = [printable(problem) for problem in _problems(found)]
    return "\n".join([*lines, *([""] if problems else []), *problems])


def _cells(row: ClassRow) -> list[str]:
    waiting = plural(len(row.waiting), "pod") if row.waiting else ""
    if row.mark in (Mark.UNREADABLE, Mark.UNKNOWN):
        return [row.name, row.mark.value, "", "", "", waiting, ""]
    supply = row.supply
    return [
        row.name,
        str(supply.devices),
        free_text(supply.free, row.share_memory_bytes),
        str(supply.in_use + supply.blocked),
        str(supply.unhealthy),
        waiting,
        _used_by(row),
    ]


def free_text(units: int, share_memory_bytes: int | None) -> str:
    """Write units: of a class with a share with their size, `12 x 2 GiB`."""
    return str(units) if share_memory_bytes is None else f"{units} x {size_text(share_memory_bytes)}"


def supply_entry(supply: Supply) -> Json:
    """Return the counts of a class as they stand in JSON."""
    return {
        "nodes": supply.nodes,
        "devices": supply.devices,
        "inUse": supply.in_use,
        "heldBack": supply.held_back,
        "blocked": supply.blocked,
        "unhealthy": supply.unhealthy,
        "tooSmall": supply.too_small,
    }


def _used_by(row: ClassRow) -> str:
    own = [_use(use, row.name) for use in row.supply.used_by]
    others = [f"{row.supply.held_back} held back"] if row.supply.held_back else []
    return list_of([*own, *others], _MOST_NAMESPACES)


def _use(use: UsedBy, class_name: str) -> str:
    what = "" if use.class_name == class_name else f" as {use.class_name or 'damaged record'}"
    return f"{use.namespace} {use.units}{what}"


def _problems(found: Overview) -> Iterator[str]:
    for row in found.rows:
        yield from (f"{row.name}: {problem}" for problem in row.problems)
    yield from found.problems


def as_json(found: Overview) -> str:
    """Return one JSON document; docs/configuration.md has its fields."""
    document = {"classes": [_entry(row) for row in found.rows], "problems": list(found.problems)}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def _entry(row: ClassRow) -> Json:
    supply = row.supply
    return {
        "name": row.name,
        "mark": row.mark.value,
        "problems": list(row.problems),
        "shareMemoryBytes": row.share_memory_bytes,
        **supply_entry(supply),
        "units": supply.units,
        "free": supply.free,
        "waiting": [{"namespace": use.namespace, "pod": use.pod, "units": use.units} for use in row.waiting],
        "usedBy": [
            {"namespace": use.namespace, "class": use.class_name, "units": use.units}
            for use in supply.used_by
        ],
    }
