"""What a rule must know of the cluster: from memory first, read afresh where memory may be behind.

Watches lag by milliseconds, and a manifest that holds a class, a quota and a pod is applied faster than
that. So nobody is refused on what memory says alone, and a quota that memory does not know yet counts.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from webhook.admission.ports import Cluster
from webhook.core.errors import NotReady
from webhook.core.raw import at
from webhook.core.validate.facts import PodFacts, WorkloadFacts
from webhook.core.validate.quota import judge
from webhook.core.values.classes import Classes
from webhook.core.values.names import ADOPT_LABEL, Json, quota_key
from webhook.wire.review import Request

# A read takes about 1 ms. An object that names more unknown classes than this is hardly meant seriously,
# and must not make this process ask the API server without end.
MAX_FRESH_CLASSES: Final = 8

InTime = Callable[[], None]
"""Raises ClusterUnavailable when the caller will not wait for one more read."""


def known_classes(cluster: Cluster, wanted: Iterable[str], in_time: InTime) -> Classes:
    """Return all classes. Those of `wanted` that memory lacks, holds unreadable or doubts are read afresh."""
    if missing := cluster.not_ready():
        raise NotReady(f"not ready yet: {', '.join(missing)}")
    classes = cluster.classes()
    doubted = cluster.classes_in_doubt()
    unsure = [name for name in wanted if doubted or name not in classes]
    return fresh_classes(cluster, classes, unsure, in_time)


def adopter(cluster: Cluster, namespace: str, in_time: InTime) -> str | None:
    """Return the class as which a namespace adopts plain pods, from its label; None without the label.

    The API server asks because it has seen the label. Where memory has not yet, the namespace is read now.
    """
    labels = cluster.namespace_labels(namespace)
    if ADOPT_LABEL not in labels:
        in_time()
        labels = cluster.fresh_namespace_labels(namespace)
    return labels.get(ADOPT_LABEL)


def with_fresh_classes(cluster: Cluster, facts: PodFacts, asked: Iterable[str], in_time: InTime) -> PodFacts:
    """Return the facts with the classes that a pod asks for read now."""
    return replace(facts, classes=fresh_classes(cluster, facts.classes, asked, in_time))


def fresh_classes(cluster: Cluster, classes: Classes, names: Iterable[str], in_time: InTime) -> Classes:
    """Return the classes with the first few of `names` read now."""
    for name in islice(names, MAX_FRESH_CLASSES):
        in_time()
        found = cluster.fresh_class(name)
        classes = classes.with_object(found) if found is not None else classes.without(name)
    return classes


def pod_facts(
    cluster: Cluster, request: Request, classes: Classes, units: Mapping[str, int], in_time: InTime
) -> PodFacts:
    """Return what the rules for a pod that asks for `units` of some classes must know.

    The quotas come from memory where that shows room, and are read afresh where it does not. A class that no
    quota in memory limits may have got its quota a moment ago: the API server's own plugin enforces nothing
    before it has computed a new quota's status, so this process must not miss it.
    """
    pod, namespace = request.document, request.namespace
    quotas = cluster.quotas(namespace)
    lacking = judge(pod, units, quotas)
    if lacking or not _all_limited(units, quotas):
        in_time()
        quotas = cluster.fresh_quotas(namespace)
        lacking = judge(pod, units, quotas)
    return PodFacts(
        classes=classes,
        namespace=namespace,
        namespace_labels=cluster.namespace_labels(namespace),
        quotas=quotas,
        device_kinds=cluster.device_kinds(),
        usage=tuple(use for name in units for use in cluster.usage(name, namespace)) if lacking else None,
        lacking=lacking,
    )


def _all_limited(names: Iterable[str], quotas: Iterable[Json]) -> bool:
    limits = [at(quota, "spec", "hard") for quota in quotas]
    return all(any(quota_key(name) in hard for hard in limits) for name in names)


def fresh_workload_facts(cluster: Cluster, facts: WorkloadFacts, in_time: InTime) -> WorkloadFacts:
    """Return the facts with the quotas read now."""
    in_time()
    return replace(facts, quotas=cluster.fresh_quotas(facts.namespace))


def workload_facts(cluster: Cluster, namespace: str, classes: Classes) -> WorkloadFacts:
    """Return what the rules for a workload must know, from memory."""
    return WorkloadFacts(
        classes=classes,
        namespace=namespace,
        namespace_labels=cluster.namespace_labels(namespace),
        quotas=cluster.quotas(namespace),
        device_kinds=cluster.device_kinds(),
    )
