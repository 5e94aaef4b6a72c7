"""The rule of the chart's ValidatingAdmissionPolicy: only the binder and the agent write device records.

In a cluster the API server evaluates it (CEL), for every namespace and whether the webhook runs or not.
Played here is the same rule for the pods that `check` and the demo create.
"""

from collections.abc import Iterable
from typing import Final

from webhook.core.raw import at
from webhook.core.values.names import DEVICES_DOMAIN, RECORD_ANNOTATION, Json

_SUFFIX: Final = f".{DEVICES_DOMAIN}"


def forged(document: Json) -> str:
    """Return the annotation of a new pod that only the binder may write; empty where there is none."""
    return next(iter(sorted(_records(at(document, "metadata", "annotations")))), "")


def refusal(annotation: str) -> str:
    """Return the text of the refusal."""
    return (
        f"annotation {annotation} records which devices a pod holds, and only ResourceClass writes it: "
        "remove it from the manifest (a copy of a running pod carries it)"
    )


def _records(annotations: Iterable[str]) -> Iterable[str]:
    return (key for key in annotations if key == RECORD_ANNOTATION or _is_devices_key(key))


def _is_devices_key(key: str) -> bool:
    prefix, slash, _ = key.partition("/")
    return bool(slash) and (prefix == DEVICES_DOMAIN or prefix.endswith(_SUFFIX))
