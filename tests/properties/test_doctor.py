"""`doctor` takes whatever a dump holds: one value of a healthy cluster is replaced by anything."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.core.doctor.cluster import Cluster
from webhook.core.doctor.checks import CHECKS

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys, at any depth."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [(value, key) for key in keys] + [found for key in keys for found in places(value[key])]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_value_of_any_object_stops_it(data: st.DataObject) -> None:
    cluster = Cluster()
    # What a reader lets through is an object with a name.
    kind = data.draw(st.sampled_from(sorted(kind for kind, objects in cluster.objects.items() if objects)))
    inside = [
        (holder, key)
        for obj in cluster.objects[kind]
        for holder, key in places(obj)
        if key not in ("metadata",)
    ]
    holder, key = data.draw(st.sampled_from(inside))
    holder[key] = data.draw(ANYTHING)
    found = cluster.diagnosis()
    assert found.checks == len(CHECKS)
    assert all(item.place and item.problem and item.remedy for item in found.findings)
