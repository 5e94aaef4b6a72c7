"""The ResourceClasses that the devices of a cluster call for: one per vendor and model.

A class that is there stays as it is, whoever wrote it, but for one field: one of ours that a namespace adopts
its plain pods for (`resourceclass.io/adopt`) and that names no vendor's resource is given the one that these
pods ask for. So all its pods are counted by the vendor's plugin, those of other namespaces too, and it may be
shown on nodes with that plugin. What is ours carries the label `managed-by`; it is stale when no device
matches it, no pod asks for it, and nobody has added anything to it, such as a quota.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webhook.core.inventory.class_name import class_name, told_apart
from webhook.core.raw import as_mapping, as_text, at
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.model import normalise_model
from webhook.core.values.names import Json
from webhook.core.values.requirement import MODEL
from webhook.core.values.selector import BadSelector, parse_selector

VENDOR = "vendor"


class DeviceModel(NamedTuple):
    """A model of one vendor, in the form in which all its spellings are equal."""

    vendor: str
    model: str


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """The classes to create, the names of ours that nothing needs any more, and what a person should know."""

    create: tuple[Json, ...] = ()
    stale: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Found:
    spellings: set[str]
    kinds: list[Mapping[str, str]]


def plan_classes(
    kinds: Iterable[Mapping[str, str]], objects: Sequence[Json], in_use: Collection[str] = ()
) -> ClassPlan:
    """Return what is to be done about the classes of these kinds of device, given as their properties.

    `objects` are all ResourceClasses, `in_use` the names of those that unfinished pods ask for. A device
    without a model calls for no class. Planning again over the result plans nothing.
    """
    models = _models(kinds)
    by_name = {as_text(at(obj, "metadata").get("name")): obj for obj in objects}
    covered = {model for obj in objects if is_ours(obj) and (model := _model_of(obj))}
    create: dict[str, Json] = {}
    warnings: list[str] = []
    for model, found in sorted(models.items()):
        if model in covered:
            continue
        name = _free_name(model, found, {**by_name, **create}, warnings)
        if name:
            create[name] = class_object(name, model.vendor, _best_spelling(found.spellings))
    stale = [
        name
        for name, obj in sorted(by_name.items())
        if is_ours(obj) and _model_of(obj) not in models and is_untouched(obj) and name not in in_use
    ]
    return ClassPlan(tuple(create.values()), tuple(stale), tuple(warnings))


def counted_as_adopted(objects: Iterable[Json], adopting: Collection[str]) -> dict[str, Json]:
    """Return merge patches, by the name of the class, that let a vendor's plugin count all pods of a class.

    `adopting` are the classes that namespaces name in `resourceclass.io/adopt`.
    """
    classes = Classes.of(obj for obj in objects if is_ours(obj))
    found = [item for item in classes.all() if item.name in adopting and item.vendor_resource is None]
    patch = {"spec": {"pod": {"vendorResource": names.NVIDIA_GPU}}}
    return {item.name: patch for item in found if item.why_not_beside_a_plugin is None}


def class_object(name: str, vendor: str, model: str) -> Json:
    """Return the ResourceClass of a model."""
    labels = {VENDOR: vendor, MODEL: model} if vendor else {MODEL: model}
    return {
        "apiVersion": names.API_VERSION,
        "kind": "ResourceClass",
        "metadata": {"name": name, "labels": {names.MANAGED_BY_LABEL: names.MANAGED_BY}},
        "spec": {"selector": {"matchLabels": labels}},
    }


def is_ours(obj: Json) -> bool:
    """Whether the object carries the label of what ResourceClass has made."""
    return at(obj, "metadata", "labels").get(names.MANAGED_BY_LABEL) == names.MANAGED_BY


def is_untouched(obj: Json) -> bool:
    """Whether a class of ours still says what it said when it was made, with what the API server defaults."""
    defaults = {"placement": "Pack", "delivery": "Env"}
    rest = {key: value for key, value in at(obj, "spec").items() if defaults.get(key) != value}
    return set(rest) == {"selector"} and _model_of(obj) is not None


def _models(kinds: Iterable[Mapping[str, str]]) -> dict[DeviceModel, _Found]:
    models: dict[DeviceModel, _Found] = {}
    for kind in kinds:
        text = kind.get(MODEL, "")
        model = DeviceModel(kind.get(VENDOR, ""), normalise_model(text))
        if model.model:
            found = models.setdefault(model, _Found(set(), []))
            found.spellings.add(text)
            found.kinds.append(kind)
    return models


def _model_of(obj: Json) -> DeviceModel | None:
    """Return the model that a class selects by nothing but its labels `vendor` and `model`; else None."""
    selector = at(obj, "spec").get("selector")
    labels = at(as_mapping(selector), "matchLabels")
    if set(as_mapping(selector)) != {"matchLabels"} or not {MODEL} <= set(labels) <= {VENDOR, MODEL}:
        return None
    return DeviceModel(as_text(labels.get(VENDOR)), normalise_model(as_text(labels[MODEL])))


def _free_name(
    model: DeviceModel, found: _Found, taken: Mapping[str, Json], warnings: list[str]
) -> str | None:
    """Return the name for the class of a model; None where a class of that name has to do."""
    spelling = _best_spelling(found.spellings)
    name = class_name(model.vendor, spelling)
    if name not in taken:
        return name
    if _selects(taken[name], found):
        return None
    if is_ours(taken[name]) and _model_of(taken[name]) is not None:
        # Two models that differ in nothing a name can hold: the one that came first keeps the name.
        other = told_apart(name, model.vendor, spelling)
        return other if other not in taken else None
    warnings.append(
        f"ResourceClass {name} does not select {spelling!r}, whose class would have this name; it stays as "
        "it is: widen its selector, or give these devices a class of another name"
    )
    return None


def _selects(obj: Json, found: _Found) -> bool:
    try:
        selector = parse_selector(at(obj, "spec").get("selector"))
    except BadSelector:
        return False
    return any(selector.matches(kind) for kind in found.kinds)


def _best_spelling(spellings: Iterable[str]) -> str:
    """Return the spelling closest to the driver's own: with spaces, and with the vendor's name."""
    return max(spellings, key=lambda text: (text.count(" "), len(text), text))
