"""What the demo sends, and what must come of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webhook.admission.played.verdict import Party, Verdict
from webhook.cluster.documents import load_documents
from webhook.core.raw import as_list, as_mapping, at
from webhook.core.values.names import RECORD_ANNOTATION, SCHEDULER, Json, node_label, quota_key, stored_key

K80: Final = "nvidia.tesla.k80"
# The namespace of examples/04-quota.yaml, which has room for five.
METERED: Final = "system"

Check = Callable[[Verdict], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Scene:
    """One object that is sent, in a sentence, and a check that yields what is not as it must be."""

    title: str
    document: Json
    check: Check
    reviews: bool = True


def scenes(examples: Path) -> list[Scene]:
    """Return the manifests of examples/ in order, then what a person may try next."""
    found = []
    for file in sorted(examples.glob("*.yaml")):
        for document in load_documents(file.read_bytes(), str(file)):
            kind = document.obj["kind"]
            title, check = _EXAMPLES.get(kind, ("stored as it stands", _unchanged))
            # Neither rule nor webhook entry exists for a Node.
            found.append(Scene(f"{file.name}: {title}", document.obj, check, reviews=kind != "Node"))
    return found + _tried()


def _tried() -> list[Scene]:
    forged = a_pod("forged", amount=1)
    forged["metadata"]["annotations"] = {RECORD_ANNOTATION: '{"version":1,"node":"node-a"}'}
    return [
        Scene("a pod that takes 3 of the 5 devices of its namespace", a_pod("train-a", amount=3), _rewritten),
        Scene("another one that would take 3 more", a_pod("train-b", amount=3), _over_quota),
        Scene("a class that is misspelt", a_pod("typo", amount=1, key="nvidia.tesla.k8"), _misspelt),
        Scene("half a device", a_pod("half", amount="0.5"), _fraction),
        Scene("a pod that writes the record of its devices itself", forged, _forged),
        Scene("a pod without a class: the webhook is not asked", _plain_pod(), _unchanged, reviews=False),
    ]


def a_pod(name: str, *, amount: Any, key: str = K80) -> Json:
    """Return a pod of the namespace with a quota, in whose container `train` it asks for an amount."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": METERED},
        "spec": {
            "containers": [
                {"name": "train", "image": "example.com/train:v1", "resources": {"limits": {key: amount}}}
            ]
        },
    }


def _plain_pod() -> Json:
    pod = a_pod("web", amount=0)
    pod["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "1"}}
    return pod


def _unchanged(verdict: Verdict) -> Iterator[str]:
    yield from _admitted(verdict)
    if verdict.document != verdict.received:
        yield "it was changed and should have been stored as it was sent"


def _rewritten(verdict: Verdict) -> Iterator[str]:
    yield from _admitted(verdict)
    spec = at(verdict.document, "spec")
    container = as_mapping(next(iter(as_list(spec.get("containers"))), None))
    for field in ("limits", "requests"):
        amounts = at(container, "resources", field)
        if stored_key(K80) not in amounts or K80 in amounts:
            yield f"{field} should hold {stored_key(K80)} and the bare name no more"
    if spec.get("schedulerName") != SCHEDULER:
        yield f"schedulerName should be {SCHEDULER}"
    if node_label(K80) not in str(spec.get("affinity")):
        yield f"the required node affinity should hold {node_label(K80)}"
    if "NVIDIA_VISIBLE_DEVICES" not in str(container.get("env")):
        yield "the container should learn its devices from NVIDIA_VISIBLE_DEVICES"


def _enforced_quota(verdict: Verdict) -> Iterator[str]:
    yield from _admitted(verdict)
    hard = at(verdict.document, "spec", "hard")
    if hard != {"cpu": "10", "memory": "20Gi", quota_key(K80): "5"}:
        yield f"spec.hard should name the class as {quota_key(K80)}"
    if not any(quota_key(K80) in warning for warning in verdict.warnings):
        yield "a warning should say what was stored"


def _over_quota(verdict: Verdict) -> Iterator[str]:
    key = quota_key(K80)
    words = f"exceeded quota: example-quota, requested: {key}=3, used: {key}=3, limited: {key}=5"
    yield from _refused(verdict, Party.WEBHOOK, 403, words, "train-a")


def _misspelt(verdict: Verdict) -> Iterator[str]:
    yield from _refused(verdict, Party.WEBHOOK, 403, "nvidia.tesla.k8", K80)


def _fraction(verdict: Verdict) -> Iterator[str]:
    yield from _refused(verdict, Party.WEBHOOK, 422, "train", K80, "whole number")


def _forged(verdict: Verdict) -> Iterator[str]:
    yield from _refused(verdict, Party.POLICY, 403, RECORD_ANNOTATION)


def _admitted(verdict: Verdict) -> Iterator[str]:
    if not verdict.admitted:
        yield f"it was refused and should have been stored: {verdict.message}"


def _refused(verdict: Verdict, party: Party, code: int, *words: str) -> Iterator[str]:
    if verdict.admitted:
        yield "it was stored and should have been refused"
        return
    if (verdict.refused_by, verdict.code) != (party, code):
        yield f"it should have been refused by the {party} with {code}"
    yield from (f"the refusal should name {word}" for word in words if word not in verdict.message)


_EXAMPLES: Final[dict[str, tuple[str, Check]]] = {
    "ResourceClass": ("a class, stored as it stands", _unchanged),
    "Pod": ("a pod with the bare name of a class", _rewritten),
    "ResourceQuota": ("a quota with the bare name", _enforced_quota),
    "Node": ("a node, none of the webhook's business", _unchanged),
    "Deployment": ("a Deployment without a class, stored as it stands", _unchanged),
}
