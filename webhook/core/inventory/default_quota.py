"""The ResourceQuota of a namespace that follows from `spec.quota.default` of classes.

    ResourceQuota resourceclass-defaults: requests.resourceclass.io/<class>: <default>

One key for each class with a default that the namespace may use and that no other quota there names. It is
there ahead of use, because a quota that does not exist yet limits nothing. Only keys of classes are ours.
Other spellings of a key, such as `resourceclass.io/<class>` in a quota that the webhook did not rewrite, name
no class: the API server enforces none of them, and the webhook goes on waiting for one that it does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webhook.core.inventory.class_objects import is_ours
from webhook.core.raw import at, name_of
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.names import Json
from webhook.core.values.quantity import BadQuantity, parse_quantity

OPTED_OUT: Final = "ignore"
NOT_OURS: Final = "DefaultQuotaNotOurs"
"""The reason under which a ResourceQuota of that name that is not ours is told of."""


@dataclass(frozen=True, slots=True)
class QuotaPlan:
    """What to do about `resourceclass-defaults` of a namespace: at most one of create, patch and delete."""

    create: Json | None = None
    patch: Json | None = None
    delete: bool = False
    warning: str | None = None


NOTHING: Final = QuotaPlan()


def default_quota(namespace: Json, quotas: Sequence[Json], classes: Classes) -> QuotaPlan:
    """Return what to do, given all ResourceQuotas of the namespace.

    A namespace that is on its way out takes no new objects; one that has opted out has no default.
    """
    metadata = at(namespace, "metadata")
    if metadata.get("deletionTimestamp"):
        return NOTHING
    present = next((obj for obj in quotas if name_of(obj) == names.DEFAULT_QUOTA), None)
    others = [obj for obj in quotas if obj is not present or not is_ours(obj)]
    wanted = _wanted(at(metadata, "labels"), others, classes)
    if present is None:
        return QuotaPlan(create=_object(name_of(namespace), wanted)) if wanted else NOTHING
    if not is_ours(present):
        return QuotaPlan(warning=_taken(name_of(namespace), wanted)) if wanted else NOTHING
    return _brought_up_to_date(present, wanted, classes)


def _wanted(labels: Mapping[str, str], others: Iterable[Json], classes: Classes) -> dict[str, str]:
    if labels.get(names.WEBHOOK_LABEL) == OPTED_OUT:
        return {}
    named = {key for obj in others for key in at(obj, "spec", "hard")}
    return {
        names.quota_key(item.name): str(item.quota_default)
        for item in classes.all()
        if item.quota_default is not None
        and names.quota_key(item.name) not in named
        and (item.namespaces is None or item.namespaces.matches(labels))
    }


def _brought_up_to_date(present: Json, wanted: Mapping[str, str], classes: Classes) -> QuotaPlan:
    hard = at(present, "spec", "hard")
    # A class that cannot be read for the moment keeps its key: to take it away would lift the limit.
    ours = [key for key in hard if (name := names.class_of_quota_key(key)) and name not in classes.broken]
    gone = [key for key in ours if key not in wanted]
    if not wanted and len(gone) == len(hard):
        return QuotaPlan(delete=True)
    changes: dict[str, str | None] = {
        key: value for key, value in wanted.items() if _differs(hard, key, value)
    }
    changes |= dict.fromkeys(gone)
    return QuotaPlan(patch={"spec": {"hard": changes}}) if changes else NOTHING


def _differs(hard: Mapping[str, object], key: str, value: str) -> bool:
    """The API server writes 1000 as 1k."""
    try:
        return key not in hard or parse_quantity(hard[key]) != parse_quantity(value)
    except BadQuantity:
        return True


def _object(namespace: str, hard: Mapping[str, str]) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {
            "name": names.DEFAULT_QUOTA,
            "namespace": namespace,
            "labels": {names.MANAGED_BY_LABEL: names.MANAGED_BY},
        },
        "spec": {"hard": dict(hard)},
    }


def _taken(namespace: str, wanted: Mapping[str, str]) -> str:
    return (
        f"ResourceQuota {names.DEFAULT_QUOTA} in namespace {namespace} is not ours (it lacks the label "
        f"{names.MANAGED_BY_LABEL}: {names.MANAGED_BY}) and stays as it is, so nothing limits "
        f"{', '.join(wanted)} there: name these keys in it, or rename it"
    )
