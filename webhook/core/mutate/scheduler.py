"""The scheduler of a pod that asks for a class.

Reads and changes: spec.schedulerName. Only our scheduler asks the binder, which chooses the devices; a
pod that any other scheduler places would run without one. So a pod that names another is refused,
unless the administrator decided otherwise.
"""

from typing import Final

from webhook.core.mutate.draft import Draft
from webhook.core.outcome import Reason
from webhook.core.raw import at
from webhook.core.settings import PodSettings
from webhook.core.values.names import DEFAULT_SCHEDULER, SCHEDULER

_NONE_IN_PARTICULAR: Final = (None, "", DEFAULT_SCHEDULER)


def set_scheduler(draft: Draft, settings: PodSettings) -> None:
    """Give the pod our scheduler; one that names another is refused, kept or overridden by the settings."""
    current = at(draft.object, "spec").get("schedulerName")
    if current == SCHEDULER:
        return
    if current not in _NONE_IN_PARTICULAR:
        if settings.foreign_scheduler != "override":
            _leave(draft, current, settings)
            return
        draft.warn(f'spec.schedulerName "{current}" is replaced by {SCHEDULER}, which places class pods')
    draft.put(
        ("spec", "schedulerName"), SCHEDULER, SCHEDULER, "it asks the binder, which chooses the devices"
    )


def _leave(draft: Draft, current: object, settings: PodSettings) -> None:
    if settings.foreign_scheduler == "refuse":
        draft.fault(
            Reason.FOREIGN_SCHEDULER,
            f'spec.schedulerName is "{current}": a pod that asks for a class is placed by {SCHEDULER}; '
            "leave schedulerName out",
        )
