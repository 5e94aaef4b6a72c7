"""A workload whose pods are missing: whether its controller was refused, and by whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from webhook.core.explain.answer import Explanation, State, Verdict
from webhook.core.explain.told import Told, latest
from webhook.core.raw import as_list, as_mapping, at
from webhook.core.text import plural
from webhook.core.values.names import Json

FAILED_CREATE: Final = "FailedCreate"
_MOST_TOLD: Final = 3
_REMEDY: Final = (
    "docs/troubleshooting.md has these words, with what to do; a controller tries again by itself"
)


@dataclass(frozen=True, slots=True)
class Family:
    """A workload, how many pods it wants (None: nobody can say) and has, and who refused it more."""

    title: str
    wanted: int | None
    pods: int
    refusals: Sequence[Told] = ()

    @property
    def lacks_pods(self) -> bool:
        """Whether there should be more pods."""
        return self.pods < (1 if self.wanted is None else self.wanted)


def explain_family(family: Family) -> Explanation | None:
    """Explain why pods are missing; None when none is, or when there are some and nobody was refused."""
    if family.lacks_pods and family.refusals:
        return _refused(family)
    return None if family.pods else _without_pods(family)


def _refused(family: Family) -> Explanation:
    told = latest(family.refusals, _MOST_TOLD)
    of = f" of {family.wanted}" if family.wanted is not None else ""
    headline = f"{family.title} has {family.pods}{of} pods, and the next one is refused: {told[0].words}"
    return Explanation(family.title, Verdict(State.REFUSED, headline, (_REMEDY,)), told=told)


def _without_pods(family: Family) -> Explanation:
    if family.wanted == 0:
        text = f"{family.title} wants no pod now"
    else:
        wanted = f"wants {plural(family.wanted, 'pod')} and has none" if family.wanted else "has no pod"
        text = f"{family.title} {wanted}, and no event says why"
    return Explanation(
        family.title,
        Verdict(State.NO_PODS, text, ("look whether kube-controller-manager runs; events last an hour",)),
    )


def wanted_pods(workload: Json) -> int | None:
    """Return how many pods a workload wants at this moment; None of a CronJob."""
    spec, status = at(workload, "spec"), at(workload, "status")
    match workload.get("kind"):
        case "DaemonSet":
            return _count(status.get("desiredNumberScheduled"), 0)
        case "Job":
            return _of_job(spec, status)
        case "CronJob":
            return None
    return _count(spec.get("replicas"), 1)


def _of_job(spec: Json, status: Json) -> int:
    conditions = [as_mapping(item) for item in as_list(status.get("conditions"))]
    ended = any(c.get("type") in ("Complete", "Failed") and c.get("status") == "True" for c in conditions)
    if ended or spec.get("suspend") is True:
        return 0
    parallelism = _count(spec.get("parallelism"), 1)
    completions = _count(spec.get("completions"), parallelism)
    return min(parallelism, max(completions - _count(status.get("succeeded"), 0), 0))


def _count(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def not_found(
    kind: str, name: str, namespace: str, elsewhere: Sequence[str], told: Sequence[Told]
) -> Explanation:
    """Explain that there is nothing of this name.

    `elsewhere` are namespaces that have a pod of it, `told` what was said of refusing such a pod.
    """
    what = kind or "pod or workload"
    subject = f"{what} {namespace}/{name}"
    remedies = tuple(f"there is a pod of this name in {place}: add -n {place}" for place in elsewhere)
    if told:
        said = latest(told, _MOST_TOLD)
        headline = f"there is no {subject}; {said[0].by} said of {said[0].about}: {said[0].message}"
        return Explanation(subject, Verdict(State.REFUSED, headline, (*remedies, _REMEDY)), told=said)
    headline = f"there is no {what} {name} in namespace {namespace}"
    more = remedies or ("if `kubectl apply` was refused, `resourceclass check -f FILE` says why",)
    return Explanation(subject, Verdict(State.NOT_FOUND, headline, more))


def is_about(told: Told, name: str) -> bool:
    """Whether a refusal is about a pod of this name: of its controller, or one that names the pod itself.

    The controller of a pod that was never stored is known by its name, with which the pod's begins.
    """
    _, _, controller = told.about.rpartition("/")
    words = told.message.replace(",", " ").replace(":", " ").split()
    named = any(pair == ("pod", name) for pair in pairwise(words))
    return named or (told.reason == FAILED_CREATE and name.startswith(f"{controller}-"))
