"""Workloads that ask for a class, and what their author is told."""

from webhook.core.validate.facts import WorkloadFacts
from webhook.core.validate.workload import validate_workload
from webhook.core.values.classes import Classes

KEY = "requests.resourceclass.io/k80"
K80 = {"metadata": {"name": "k80"}, "spec": {"selector": {"matchLabels": {"model": "K80"}}}}
CLOSED = {"metadata": {"name": "k80"}, "spec": {**K80["spec"], "namespaces": {"matchLabels": {"team": "ml"}}}}
NO_SURGE = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


def template(units=1, **spec):
    limits = {"resourceclass.io/k80": str(units)}
    return {"metadata": {}, "spec": {"containers": [{"name": "c", "resources": {"limits": limits}}], **spec}}


def workload(kind="Deployment", units=1, **spec):
    return {
        "kind": kind,
        "metadata": {"name": "w"},
        "spec": {"template": template(units), "strategy": NO_SURGE, **spec},
    }


def quota(hard, **spec):
    return {"metadata": {"name": "q"}, "spec": {"hard": {KEY: hard}, **spec}}


def outcome(obj, *, old=None, quotas=(), classes=(K80,), labels=None, kinds=()):
    return validate_workload(
        obj, old, WorkloadFacts(Classes.of(classes), "team-a", labels or {}, quotas, kinds)
    )


def warnings(obj, **facts):
    told = outcome(obj, **facts)
    assert told.allowed
    return list(told.warnings)
