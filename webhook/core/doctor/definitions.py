"""CustomResourceDefinitions that are missing or too old: fields that they do not know are dropped.

Reads: the two CustomResourceDefinitions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from webhook.core.doctor.facts import DEFINITION, Facts
from webhook.core.doctor.finding import Finding, error
from webhook.core.raw import as_list, as_mapping, at
from webhook.core.text import list_of
from webhook.core.values.names import GROUP, VERSION, Json

OUTDATED: Final = "DefinitionOutdated"
MISSING: Final = "DefinitionMissing"
_REMEDY: Final = "apply the CustomResourceDefinitions of the chart of this release (crds.install)"

# What this release reads or writes, by the place in the schema.
FIELDS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    f"resourceclasses.{GROUP}": {
        "spec": ("selector", "share", "placement", "quota", "namespaces", "pod", "delivery"),
        "spec.pod": ("tolerations", "runtimeClassName", "deviceEnv", "vendorResource"),
        "status": ("devices", "unhealthy", "used", "free", "nodes", "observedGeneration", "conditions"),
    },
    f"extendedresources.{GROUP}": {
        "spec": ("nodeName", "deviceID", "rawResourceName", "properties"),
        "status": ("phase", "reason", "message", "capacity", "allocated", "consumers"),
    },
}


def definitions(facts: Facts) -> Iterator[Finding]:
    """Find definitions that are not there, or lack fields."""
    for name, fields in FIELDS.items():
        definition = facts.named(DEFINITION, name)
        place = f"{DEFINITION} {name}"
        if definition is None:
            yield error(MISSING, place, "it is not installed: nothing of ResourceClass can work", _REMEDY)
            continue
        versions = map(as_mapping, as_list(at(definition, "spec").get("versions")))
        served = next((item for item in versions if item.get("name") == VERSION and item.get("served")), None)
        if served is None:
            yield error(OUTDATED, place, f"it does not serve {VERSION}", _REMEDY)
            continue
        missing = list(_missing(at(served, "schema", "openAPIV3Schema"), fields))
        if missing:
            yield error(OUTDATED, place, f"it does not know {list_of(missing)}, and drops it", _REMEDY)


def _missing(schema: Json, fields: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for place, names in fields.items():
        steps = [step for part in place.split(".") for step in ("properties", part)]
        known = at(schema, *steps, "properties")
        yield from (f"{place}.{name}" for name in names if name not in known)
