"""Refuses a class in a namespace that it is not open to: `spec.namespaces` of the ResourceClass.

Reads the labels of the namespace and the classes that the pod asks for.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from webhook.core.outcome import Fault, Reason
from webhook.core.text import list_of
from webhook.core.validate.devices import alternatives, is_open_to
from webhook.core.validate.facts import WorkloadFacts
from webhook.core.values.label_selector import LabelSelector
from webhook.core.values.names import Json

_MOST_ALTERNATIVES: Final = 3


def policy(pod: Json, units: Mapping[str, int], facts: WorkloadFacts) -> Iterator[Fault]:
    """Yield a fault for every class of `units` that the namespace may not use."""
    for name in sorted(units):
        resource_class = facts.classes.get(name)
        if resource_class is None or resource_class.namespaces is None:
            continue
        if not is_open_to(resource_class, facts.namespace_labels):
            text = closed_text(name, resource_class.namespaces, facts)
            yield Fault(Reason.NAMESPACE_NOT_ALLOWED, text + _remedy(pod, units, name, facts))


def closed_text(name: str, selector: LabelSelector, facts: WorkloadFacts) -> str:
    """Say which namespaces may use a class, and what the one at hand lacks."""
    lacking = [part for part in selector.requirements if not part.matches(facts.namespace_labels)]
    here = list_of(_label_here(part.key, facts.namespace_labels) for part in lacking)
    return (
        f"class {name} is open to namespaces with {selector} only, and namespace {facts.namespace} has {here}"
    )


def _label_here(key: str, labels: Mapping[str, str]) -> str:
    return f"{key}={labels[key]}" if key in labels else f"no label {key}"


def _remedy(pod: Json, units: Mapping[str, int], name: str, facts: WorkloadFacts) -> str:
    ask = ": ask an administrator to label the namespace or to widen spec.namespaces of the class"
    others = alternatives(pod, units, name, facts)
    if not others:
        return ask
    listed = list_of(others, _MOST_ALTERNATIVES)
    return f"{ask}; this namespace may use {listed}, which the same devices serve"
