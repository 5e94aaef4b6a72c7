"""`kubectl explain` has a sentence for every field of both kinds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chart.rendering import only
from tests.chart.samples import Json

NAMES = ("resourceclasses.resourceclass.io", "extendedresources.resourceclass.io")
# The API server describes these itself.
EVERY_KIND_HAS = {"apiVersion", "kind", "metadata"}


def _fields(schema: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    for name, field in schema.get("properties", {}).items():
        if path or name not in EVERY_KIND_HAS:
            yield f"{path}.{name}", field
            yield from _fields(field, f"{path}.{name}")
    if "items" in schema:
        yield from _fields(schema["items"], path)


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_described_in_sentences(objects: list[Json], name: str) -> None:
    (version,) = only(objects, "CustomResourceDefinition", name)["spec"]["versions"]
    descriptions = {
        path: field.get("description", "") for path, field in _fields(version["schema"]["openAPIV3Schema"])
    }

    assert [path for path, text in descriptions.items() if not text.endswith(".")] == []
    assert {".spec", ".status"} < set(descriptions)
