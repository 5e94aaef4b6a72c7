"""What others have said of an object: the scheduler, controllers, the webhook, by events and conditions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.values.names import Json

# What Kubernetes puts before the words of whoever has refused a pod, in this order.
_BEFORE_WORDS: Final = ("(combined from similar events): ", "Error creating: ")
_TIMES: Final = ("lastTimestamp", "eventTime", "firstTimestamp")


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that was said, `when` in RFC 3339; `about` names the object, as `replicaset/train-5d9`."""

    when: str
    by: str
    reason: str
    message: str
    about: str
    uid: str = ""
    count: int = 1

    @property
    def words(self) -> str:
        """The message, without what Kubernetes puts before it."""
        text = self.message
        for before in _BEFORE_WORDS:
            text = text.removeprefix(before)
        return text


def told_of(event: Json) -> Told:
    """Read an Event of core/v1; the scheduler's, made by events.k8s.io, carry their times in other fields."""
    about, series = at(event, "involvedObject"), at(event, "series")
    times = (as_text(series.get("lastObservedTime")), *(as_text(event.get(field)) for field in _TIMES))
    count = series.get("count") or event.get("count")
    return Told(
        when=next(filter(None, times), as_text(at(event, "metadata").get("creationTimestamp"))),
        by=as_text(event.get("reportingComponent")) or as_text(at(event, "source").get("component")),
        reason=as_text(event.get("reason")),
        message=as_text(event.get("message")),
        about=f"{as_text(about.get('kind')).lower()}/{as_text(about.get('name'))}",
        uid=as_text(about.get("uid")),
        count=count if isinstance(count, int) else 1,
    )


def latest(events: Iterable[Told], most: int) -> tuple[Told, ...]:
    """Return the last `most` of the events, each reason about an object once, the latest first."""
    ordered = sorted(events, key=lambda item: item.when, reverse=True)
    kinds = {(item.about, item.reason, item.by): item for item in reversed(ordered)}
    return tuple(item for item in ordered if kinds[item.about, item.reason, item.by] is item)[:most]


def scheduling_condition(pod: Json) -> Told | None:
    """Return what the scheduler wrote into the pod when it found no place; None if it has said nothing."""
    for raw in as_list(at(pod, "status").get("conditions")):
        condition = as_mapping(raw)
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return Told(
                when=as_text(condition.get("lastTransitionTime")),
                by=as_text(at(pod, "spec").get("schedulerName")),
                reason=as_text(condition.get("reason")),
                message=as_text(condition.get("message")),
                about=f"pod/{as_text(at(pod, 'metadata').get('name'))}",
            )
    return None


def scheduler_said(pod: Json, events: Iterable[Told]) -> Told | None:
    """Return the last words of the pod's scheduler: of its events, else of the pod's condition.

    Others speak of a pod that waits as well, a cluster autoscaler for one.
    """
    name = as_text(at(pod, "spec").get("schedulerName"))
    own = [told for told in events if told.by == name]
    return max(own, key=lambda told: told.when, default=None) or scheduling_condition(pod)
