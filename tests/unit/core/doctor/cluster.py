"""A healthy cluster in plain objects, for tests to break one thing in."""

import base64
import copy
from collections import defaultdict

from tests.unit.cli.folder import K80, bound, device, node, quota, resource_class
from webhook.core.doctor.checks import diagnose
from webhook.core.doctor.definitions import FIELDS
from webhook.core.doctor.entries import EXPECTED
from webhook.core.doctor.facts import (
    BINDING,
    DEFINITION,
    MUTATING,
    POLICY,
    SCHEDULER_CONFIG,
    VALIDATING,
    Facts,
)
from webhook.core.explain.scene import Lease
from webhook.core.placement.pod_entry import keep_pod
from webhook.core.values.names import NODE_CONDITION

SYSTEM = "resourceclass-system"
NODE = "node-a"


class Cluster:
    """`objects` by kind; pods are raw ones. `found` diagnoses what there is now."""

    def __init__(self):
        self.objects = defaultdict(list)
        self.pods = [bound("train", NODE, "GPU-0")]
        self.leases = [Lease(f"{SYSTEM}/{name}", "a_1", 1.0, 15) for name in LEASES]
        self.certificates = []
        self.unread = {}
        self.objects["ResourceClass"] = [resource_class()]
        self.objects["ExtendedResource"] = [device(NODE, "GPU-0"), device(NODE, "GPU-1")]
        self.of("ExtendedResource")["status"] = {"phase": "Bound", "consumers": [dict(CONSUMER)]}
        self.objects["Node"] = [node(NODE, 2)]
        self.of("Node")["status"]["conditions"] = [{"type": NODE_CONDITION, "status": "True", "reason": "a"}]
        self.objects["ResourceQuota"] = [quota(2, 1)]
        self.objects["Namespace"] = [named("Namespace", name) for name in ("team-a", "kube-system", SYSTEM)]
        self.objects[MUTATING] = [configuration(MUTATING)]
        self.objects[VALIDATING] = [configuration(VALIDATING)]
        self.objects["EndpointSlice"] = [endpoints(True)]
        self.objects[POLICY] = [
            named(POLICY, "records.resourceclass.io") | {"spec": {"failurePolicy": "Fail"}}
        ]
        self.objects[BINDING] = [policy_binding()]
        self.objects[DEFINITION] = [definition(name) for name in FIELDS]
        self.objects["Version"] = [{"major": "1", "minor": "36", "gitVersion": "v1.36.3"}]
        self.objects["Deployment"] = [
            deployment("resourceclass-webhook", webhook="example.com/rc:1"),
            deployment("resourceclass-controller", controller="example.com/rc:1"),
            deployment(
                "resourceclass-scheduler",
                scheduler="example.com:5000/kube-scheduler:v1.36.1",
                binder="example.com/rc:1",
            ),
        ]
        self.objects["ConfigMap"] = []
        self.objects[SCHEDULER_CONFIG] = [scheduler_config()]

    def of(self, kind, number=0):
        return self.objects[kind][number]

    def entry(self, kind, name):
        return next(item for item in self.of(kind)["webhooks"] if item["name"] == f"{name}.resourceclass.io")

    def facts(self):
        pods = [kept for pod in self.pods if (kept := keep_pod(pod)) is not None]
        return Facts(copy.deepcopy(dict(self.objects)), pods, self.leases, self.certificates)

    def diagnosis(self):
        return diagnose(self.facts(), self.unread)

    def found(self):
        """Return the rules that found something, with the place."""
        return [(item.rule, item.place) for item in self.diagnosis().findings]


CONSUMER = {"namespace": "team-a", "pod": "train", "uid": "uid-train", "container": "main", "class": K80}
LEASES = ("resourceclass-scheduler", "resourceclass-controller")


def named(kind, name, namespace="", **labels):
    metadata = {"name": name, "labels": labels} | ({"namespace": namespace} if namespace else {})
    return {"kind": kind, "metadata": metadata}


def configuration(kind):
    return named(kind, "resourceclass") | {"webhooks": [_entry(*item) for item in EXPECTED[kind].items()]}


def _entry(name, expected):
    service = {"namespace": SYSTEM, "name": "resourceclass-webhook", "path": expected.path}
    outside = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", SYSTEM]}
    return {
        "name": f"{name}.resourceclass.io",
        "clientConfig": {"service": service, "caBundle": base64.b64encode(b"ca").decode()},
        "failurePolicy": "Ignore" if expected.is_advice else "Fail",
        "timeoutSeconds": 3,
        "namespaceSelector": {"matchExpressions": [outside]},
        "rules": [
            {"apiGroups": [group], "resources": [resource], "operations": list(operations)}
            for (group, resource), operations in expected.sees.items()
        ],
        **({"matchConditions": [{"name": "a", "expression": "true"}]} if expected.has_conditions else {}),
    }


def endpoints(ready):
    labels = {"kubernetes.io/service-name": "resourceclass-webhook"}
    return named("EndpointSlice", "w-1", SYSTEM, **labels) | {"endpoints": [{"conditions": {"ready": ready}}]}


def policy_binding():
    spec = {"policyName": "records.resourceclass.io", "validationActions": ["Deny", "Audit"]}
    return named(BINDING, "records.resourceclass.io") | {"spec": spec}


def definition(name):
    schema = {}
    for place, fields in FIELDS[name].items():
        at = schema
        for step in place.split("."):
            at = at.setdefault("properties", {}).setdefault(step, {})
        at.setdefault("properties", {}).update({field: {} for field in fields if field != "pod"})
    version = {"name": "v1alpha1", "served": True, "schema": {"openAPIV3Schema": schema}}
    return named(DEFINITION, name) | {"spec": {"versions": [version]}}


def deployment(name, **images):
    containers = [{"name": container, "image": image} for container, image in images.items()]
    spec = {"replicas": 2, "template": {"spec": {"containers": containers}}}
    return named("Deployment", name, SYSTEM) | {"spec": spec, "status": {"readyReplicas": 2}}


def scheduler_config():
    extender = {
        "filterVerb": "filter",
        "prioritizeVerb": "prioritize",
        "preemptVerb": "preempt",
        "bindVerb": "bind",
    }
    return {
        "percentageOfNodesToScore": 100,
        "profiles": [{"schedulerName": "resourceclass-scheduler"}],
        "extenders": [extender | {"nodeCacheCapable": True, "ignorable": False}],
    }
