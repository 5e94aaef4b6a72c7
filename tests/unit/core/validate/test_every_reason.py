"""Every reason for a refusal has an object that is refused for it, and a mended one that passes."""

from functools import partial

import pytest

from webhook.core.mutate.isolate import mutate_isolated
from webhook.core.mutate.pod import mutate_pod
from webhook.core.outcome import Reason
from webhook.core.settings import PodSettings
from webhook.core.validate.facts import PodFacts, WorkloadFacts
from webhook.core.validate.pod import validate_pod
from webhook.core.validate.resource_class import validate_class
from webhook.core.validate.workload import validate_workload
from webhook.core.values.classes import Classes

K80 = "nvidia.tesla.k80"
KEY = f"requests.resourceclass.io/{K80}"


def a_class(name, selector=None, **spec):
    selector = {"matchLabels": {"model": "Tesla K80"}} if selector is None else selector
    return {"metadata": {"name": name}, "spec": {"selector": selector, **spec}}


CLASSES = Classes.of(
    [
        a_class(K80),
        a_class("broken", {}),
        a_class("closed", namespaces={"matchLabels": {"team": "ml"}}),
        a_class("two", share={"memory": "2GiB"}),
        a_class("four", share={"memory": "4GiB"}),
    ]
)
MUTATE = partial(mutate_pod, classes=CLASSES, settings=PodSettings())


def pod(limits, **spec):
    return {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "resources": {"limits": limits}}], **spec},
    }


def one(name=f"resourceclass.io/{K80}", **spec):
    return pod({name: "1"}, **spec)


def validate(a_pod, *, quotas=(), labels=None, mutated=True):
    facts = PodFacts(CLASSES, "team-a", labels or {}, quotas)
    return validate_pod(MUTATE(a_pod).object if mutated else a_pod, facts, PodSettings())


def isolated(*env):
    return mutate_isolated({"spec": {"containers": [{"name": "c", "env": list(env)}]}}, CLASSES)


def quota(used, *, synced=True):
    status = {"hard": {KEY: "1"}, "used": {KEY: used}} if synced else {}
    return {"metadata": {"name": "q"}, "spec": {"hard": {KEY: "1"}}, "status": status}


def deployment(replicas):
    obj = {"kind": "Deployment", "spec": {"replicas": replicas, "template": one()}}
    labels = {"resourceclass.io/enforce-workloads": "deny"}
    return validate_workload(obj, None, WorkloadFacts(CLASSES, "team-a", labels, [quota("0")]))


EVERY = {
    Reason.BAD_AMOUNT: (lambda: MUTATE(pod({K80: "0.5"})), lambda: MUTATE(pod({K80: "1"}))),
    Reason.UNKNOWN_CLASS: (lambda: MUTATE(one("nvidia.tesla.k8O")), lambda: MUTATE(one(K80))),
    Reason.BROKEN_CLASS: (lambda: MUTATE(one("broken")), lambda: MUTATE(one(K80))),
    Reason.FOREIGN_SCHEDULER: (lambda: MUTATE(one(schedulerName="volcano")), lambda: MUTATE(one())),
    Reason.CONFLICTING_CLASSES: (
        lambda: MUTATE(pod({"two": "1", "four": "1"})),
        lambda: MUTATE(pod({"two": "1"})),
    ),
    Reason.HAND_SET_DEVICE: (
        lambda: isolated({"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}),
        lambda: isolated({"name": "OTHER", "value": "all"}),
    ),
    Reason.NOT_FINAL: (lambda: validate(one(), mutated=False), lambda: validate(one())),
    Reason.NODE_NAME: (lambda: validate(one(nodeName="n")), lambda: validate(one(nodeSelector={"a": "b"}))),
    Reason.QUOTA_EXCEEDED: (
        lambda: validate(one(), quotas=[quota("1")]),
        lambda: validate(one(), quotas=[quota("0")]),
    ),
    Reason.QUOTA_NOT_READY: (
        lambda: validate(one(), quotas=[quota("0", synced=False)]),
        lambda: validate(one(), quotas=[quota("0")]),
    ),
    Reason.NAMESPACE_NOT_ALLOWED: (
        lambda: validate(one("closed")),
        lambda: validate(one("closed"), labels={"team": "ml"}),
    ),
    Reason.INVALID_OBJECT: (
        lambda: validate_class(a_class("new", {})),
        lambda: validate_class(a_class("new")),
    ),
    Reason.WORKLOAD_CANNOT_RUN: (lambda: deployment(2), lambda: deployment(1)),
}


def test_no_reason_is_missing_here():
    assert set(EVERY) == set(Reason)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_an_object_that_is_refused_for_it_alone(reason):
    refused, _ = EVERY[reason]
    assert {fault.reason for fault in refused().faults} == {reason}


@pytest.mark.parametrize("reason", list(Reason))
def test_the_mended_object_passes(reason):
    _, mended = EVERY[reason]
    assert mended().allowed
