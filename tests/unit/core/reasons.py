"""For every reason for a refusal: an object that is refused for it alone, and a mended one that passes.

The documentation quotes what the rules say about them.
"""

from functools import partial

from webhook.core.mutate.isolate import mutate_isolated
from webhook.core.mutate.pod import mutate_adoptable, mutate_pod
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
        a_class("nvidia.old", {}),
        a_class("nvidia.t4", quota={"default": 2}),
        a_class("nvidia.a100", namespaces={"matchLabels": {"team": "ml"}}),
        a_class("k80.2g", share={"memory": "2GiB"}),
        a_class("k80.4g", share={"memory": "4GiB"}),
    ]
)
MUTATE = partial(mutate_pod, classes=CLASSES, settings=PodSettings())


def pod(limits, **spec):
    return {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "train", "resources": {"limits": limits}}], **spec},
    }


def one(name=f"resourceclass.io/{K80}", **spec):
    return pod({name: "1"}, **spec)


def validate(a_pod, *, quotas=(), labels=None, mutated=True):
    facts = PodFacts(CLASSES, "team-a", labels or {}, quotas)
    return validate_pod(MUTATE(a_pod).object if mutated else a_pod, facts, PodSettings())


def isolated(*env):
    return mutate_isolated({"spec": {"containers": [{"name": "train", "env": list(env)}]}}, CLASSES)


def adopted(adopter):
    return mutate_adoptable(one("nvidia.com/gpu"), CLASSES, PodSettings(), adopter)


def quota(used, *, synced=True, key=KEY):
    status = {"hard": {key: "1"}, "used": {key: used}} if synced else {}
    return {"metadata": {"name": "q"}, "spec": {"hard": {key: "1"}}, "status": status}


def deployment(replicas):
    obj = {
        "kind": "Deployment",
        "metadata": {"name": "serve"},
        "spec": {"replicas": replicas, "template": one()},
    }
    labels = {"resourceclass.io/enforce-workloads": "deny"}
    return validate_workload(obj, None, WorkloadFacts(CLASSES, "team-a", labels, [quota("0")]))


EVERY = {
    Reason.BAD_AMOUNT: (lambda: MUTATE(pod({K80: "0.5"})), lambda: MUTATE(pod({K80: "1"}))),
    Reason.UNKNOWN_CLASS: (lambda: MUTATE(one("nvidia.tesla.k08")), lambda: MUTATE(one(K80))),
    Reason.BROKEN_CLASS: (lambda: MUTATE(one("nvidia.old")), lambda: MUTATE(one(K80))),
    Reason.CANNOT_ADOPT: (lambda: adopted("nvidia.tesla.k8"), lambda: adopted(K80)),
    Reason.FOREIGN_SCHEDULER: (lambda: MUTATE(one(schedulerName="volcano")), lambda: MUTATE(one())),
    Reason.CONFLICTING_CLASSES: (
        lambda: MUTATE(pod({"k80.2g": "1", "k80.4g": "1"})),
        lambda: MUTATE(pod({"k80.2g": "1"})),
    ),
    Reason.HAND_SET_DEVICE: (
        lambda: isolated({"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}),
        lambda: isolated({"name": "OTHER", "value": "all"}),
    ),
    Reason.NOT_FINAL: (lambda: validate(one(), mutated=False), lambda: validate(one())),
    Reason.NODE_NAME: (
        lambda: validate(one(nodeName="node-a")),
        lambda: validate(one(nodeSelector={"kubernetes.io/hostname": "node-a"})),
    ),
    Reason.QUOTA_EXCEEDED: (
        lambda: validate(one(), quotas=[quota("1")]),
        lambda: validate(one(), quotas=[quota("0")]),
    ),
    Reason.QUOTA_NOT_READY: (
        lambda: validate(one(), quotas=[quota("0", synced=False)]),
        lambda: validate(one(), quotas=[quota("0")]),
    ),
    Reason.DEFAULT_QUOTA_MISSING: (
        lambda: validate(one("nvidia.t4")),
        lambda: validate(one("nvidia.t4"), quotas=[quota("0", key="requests.resourceclass.io/nvidia.t4")]),
    ),
    Reason.NAMESPACE_NOT_ALLOWED: (
        lambda: validate(one("nvidia.a100")),
        lambda: validate(one("nvidia.a100"), labels={"team": "ml"}),
    ),
    Reason.INVALID_OBJECT: (
        lambda: validate_class(a_class("nvidia.any", {})),
        lambda: validate_class(a_class("nvidia.any")),
    ),
    Reason.WORKLOAD_CANNOT_RUN: (lambda: deployment(2), lambda: deployment(1)),
}
