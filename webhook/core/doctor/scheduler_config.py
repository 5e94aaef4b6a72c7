"""The configuration of the scheduler of class pods, where it differs from what the binder needs.

Reads: the KubeSchedulerConfiguration in the ConfigMap of the chart; the command has taken it out of there.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import SCHEDULER_CONFIG, Facts
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.doctor.parts import SCHEDULER_DEPLOYMENT
from webhook.core.raw import as_list, as_mapping
from webhook.core.text import list_of
from webhook.core.values.names import SCHEDULER, Json

WRONG: Final = "SchedulerConfig"
CONFIG_MAP: Final = "resourceclass-scheduler"
CONFIG_KEY: Final = "scheduler.yaml"
_PLACE: Final = f"ConfigMap {CONFIG_MAP}"
_REMEDY: Final = "helm upgrade writes it as the chart has it; then restart the scheduler"
_VERBS: Final = ("filterVerb", "prioritizeVerb", "preemptVerb", "bindVerb")
ALL_NODES: Final = 100


def scheduler_config(facts: Facts) -> Iterator[Finding]:
    """Find settings by which class pods get no device, or not the best."""
    config = next(iter(facts.of(SCHEDULER_CONFIG)), None)
    if config is None:
        if facts.named("Deployment", SCHEDULER_DEPLOYMENT) is not None:
            text = f"it has no {CONFIG_KEY} that can be read: the scheduler cannot start"
            yield error(WRONG, _PLACE, text, _REMEDY)
        return
    profiles = map(as_mapping, as_list(config.get("profiles")))
    if SCHEDULER not in [profile.get("schedulerName") for profile in profiles]:
        text = f"no profile is called {SCHEDULER}: class pods stay Pending"
        yield error(WRONG, _PLACE, text, _REMEDY)
    if config.get("percentageOfNodesToScore") != ALL_NODES:
        text = "percentageOfNodesToScore is not 100: of more than 100 nodes the binder is shown a sample"
        yield warning(WRONG, _PLACE, text, _REMEDY)
    binders = [
        item for item in map(as_mapping, as_list(config.get("extenders"))) if item.get("bindVerb") == "bind"
    ]
    if not binders:
        text = "no extender has the bindVerb `bind`: class pods are bound without a device"
        yield error(WRONG, _PLACE, text, _REMEDY)
    for extender in binders:
        yield from _extender(extender)


def _extender(extender: Json) -> Iterator[Finding]:
    if extender.get("ignorable"):
        text = "the extender is ignorable: while the binder is down, class pods are bound without a device"
        yield error(WRONG, _PLACE, text, _REMEDY)
    if not extender.get("nodeCacheCapable"):
        text = "nodeCacheCapable is not true: whole nodes are sent to the binder, which is slow"
        yield warning(WRONG, _PLACE, text, _REMEDY)
    missing = [verb for verb in _VERBS if not extender.get(verb)]
    if missing:
        yield warning(WRONG, _PLACE, f"the extender lacks {list_of(missing)}", _REMEDY)
