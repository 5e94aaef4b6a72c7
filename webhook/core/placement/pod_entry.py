"""What is kept of a pod: who it is, what it asks for, and what it holds.

Everything else of a pod, its environment and its images above all, is dropped as it comes in: 10,000 pods of
5 KB are 300 MB as JSON values, and 10 MB as what the books need.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webhook.core.placement.uses import Use, uses_of
from webhook.core.raw import as_text, at
from webhook.core.values.containers import CONTAINERS, INIT_CONTAINERS, LIMITS, containers
from webhook.core.values.names import SCHEDULER, Json, stored_key
from webhook.core.values.raw_requests import raw_requests
from webhook.core.values.record import DamagedRecord, Record, read_record
from webhook.core.values.usage import FINISHED


@dataclass(frozen=True, slots=True)
class PodEntry:
    """One unfinished pod."""

    uid: str
    namespace: str
    name: str
    node: str = ""  # empty until it is bound
    priority: int = 0
    created: str = ""
    spec: Json = field(default_factory=dict, hash=False)  # the containers that ask for classes, and only that
    record: Record | DamagedRecord | None = None
    uses: tuple[Use, ...] = ()
    raw: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Units of extended resources that are no classes, of a bound pod's containers without a record."""

    @property
    def title(self) -> str:
        """The pod as messages name it."""
        return f"{self.namespace}/{self.name}"

    @property
    def blocks_node(self) -> bool:
        """Whether nobody can say which devices the pod holds."""
        return isinstance(self.record, DamagedRecord) and self.record.blocks_node

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the record of the pod."""
        return self.record.problems if isinstance(self.record, DamagedRecord) else ()


def keep_pod(obj: Json) -> PodEntry | None:
    """Return what the books need of a pod; None of one that is finished or can concern no device."""
    entry = entry_of(obj)
    if entry is None:
        return None
    is_ours = at(obj, "spec").get("schedulerName") == SCHEDULER
    return entry if is_ours or entry.spec or entry.record is not None or entry.raw else None


def entry_of(obj: Json) -> PodEntry | None:
    """Return the entry of a pod, whatever it asks for; None of one that is finished."""
    metadata, spec = at(obj, "metadata"), at(obj, "spec")
    if at(obj, "status").get("phase") in FINISHED:
        return None
    node, priority = as_text(spec.get("nodeName")), spec.get("priority")
    asking, record = asking_spec(spec), read_record(obj)
    return PodEntry(
        uid=as_text(metadata.get("uid")),
        namespace=as_text(metadata.get("namespace")),
        name=as_text(metadata.get("name")),
        node=node,
        priority=priority if isinstance(priority, int) else 0,
        created=as_text(metadata.get("creationTimestamp")),
        spec=asking,
        record=record,
        uses=uses_of(record, asking),
        raw=raw_requests(spec, record.containers if isinstance(record, Record) else ()) if node else {},
    )


def asking_spec(pod_spec: Any) -> Json:
    """Return a pod spec with nothing but the containers that ask for classes, and of these only that."""
    kept: Json = {}
    for ref in containers(pod_spec):
        amounts = {stored_key(name): value for name, value in ref.class_amounts().items()}
        if amounts:
            item: Json = {"name": ref.name, "resources": {LIMITS: amounts}}
            if ref.is_sidecar:
                item["restartPolicy"] = "Always"
            kept.setdefault(ref.kind, []).append(item)
    # A spec is walked in this order, whichever kind came first.
    return {kind: kept[kind] for kind in (INIT_CONTAINERS, CONTAINERS) if kind in kept}
