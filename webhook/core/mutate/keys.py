"""The class names that an object may mean, before anybody knows whether such classes exist.

A class may be newer than the watch. Before a request is refused because of an unknown class, each name
given here is looked up once more.
"""

from collections.abc import Iterator

from webhook.core.mutate.rename import Speller, container_spelling, quota_spelling
from webhook.core.raw import as_list, as_mapping, value_at
from webhook.core.values import names
from webhook.core.values.containers import containers
from webhook.core.values.names import Json
from webhook.core.values.pod_template import POD_SPEC_PATHS


def candidate_names(obj: Json, kind: str) -> tuple[str, ...]:
    """Return the names in an object of this kind that could be classes, each once, in order."""
    found = (spelling(key) for key, spelling in _keys(obj, kind))
    named = dict.fromkeys(item.class_name for item in found if item is not None)
    return tuple(name for name in named if names.is_class_name(name))


def _keys(obj: Json, kind: str) -> Iterator[tuple[str, Speller]]:
    if kind == "ResourceQuota":
        yield from ((key, quota_spelling) for key in as_mapping(value_at(obj, ("spec", "hard"))))
    elif kind == "LimitRange":
        for item in as_list(value_at(obj, ("spec", "limits"))):
            for amounts in as_mapping(item).values():
                yield from ((key, container_spelling) for key in as_mapping(amounts))
    elif kind in POD_SPEC_PATHS:
        for ref in containers(value_at(obj, POD_SPEC_PATHS[kind])):
            if not ref.is_plain:
                yield from ((key, container_spelling) for key in {**ref.limits, **ref.requests})
