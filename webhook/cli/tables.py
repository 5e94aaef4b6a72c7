"""Plain tables, in columns as `kubectl get` writes them."""

from collections.abc import Sequence
from typing import Final

_GAP: Final = "   "


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a header and rows as lines of aligned columns; what is empty is written `-`."""
    lines = [list(header), *([printable(cell) or "-" for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [_line(line, widths) for line in lines]


def printable(text: str) -> str:
    """Return a text without what would steer a terminal: events and properties are written by anybody."""
    return "".join(char if char.isprintable() else " " for char in text)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
