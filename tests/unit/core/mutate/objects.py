"""Objects of the tests of mutation, and questions to what became of them."""

from webhook.core.mutate.pod import mutate_pod
from webhook.core.settings import PodSettings
from webhook.core.values.classes import Classes

K80 = "nvidia.tesla.k80"
P100 = "nvidia.tesla.p100"
STORED_K80 = f"resourceclass.io/{K80}"
STORED_P100 = f"resourceclass.io/{P100}"
LABEL_K80 = f"class.resourceclass.io/{K80}"
GIB = 1 << 30
VOID = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}


def a_class(name, **spec):
    selector = {"matchLabels": {"model": name}}
    return {"metadata": {"name": name}, "spec": {"selector": selector, **spec}}


CLASSES = Classes.of(
    [
        a_class(K80),
        a_class(P100),
        a_class("t4"),
        a_class("share-2g", share={"memory": "2GiB"}),
        a_class("share-8g", share={"memory": "8GiB"}),
        a_class("mi100", pod={"deviceEnv": ["ROCR_VISIBLE_DEVICES"]}),
        a_class("ib", delivery="DevicePlugin"),
        a_class("rt-a", pod={"runtimeClassName": "a", "tolerations": [{"key": "gpu", "operator": "Exists"}]}),
        a_class("rt-b", pod={"runtimeClassName": "b"}),
        a_class("v100", pod={"vendorResource": "nvidia.com/gpu"}),
        a_class("v100-32g", pod={"vendorResource": "nvidia.com/gpu"}),
        a_class("mi300", pod={"vendorResource": "amd.com/gpu"}),
        a_class("broken", selector={}),
    ]
)


def container(name="c", limits=None, requests=None, **more):
    resources = {}
    if limits is not None:
        resources["limits"] = limits
    if requests is not None:
        resources["requests"] = requests
    return {"name": name, "image": "i", **({"resources": resources} if resources else {}), **more}


def pod(*containers, **spec):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": list(containers), **spec},
    }


def mutated(obj, *, classes=CLASSES, isolated=False, **settings):
    """Return what a pod becomes, having made sure that it is admitted."""
    outcome = mutate_pod(obj, classes, PodSettings(**settings), isolated=isolated)
    assert outcome.faults == ()
    return outcome.object


def refused(obj, *, classes=CLASSES, isolated=False, **settings):
    """Return the faults of a pod as reason and message, having made sure that it is left as it was."""
    outcome = mutate_pod(obj, classes, PodSettings(**settings), isolated=isolated)
    assert outcome.object is obj
    return [(fault.reason.value, fault.message) for fault in outcome.faults]


def warnings(obj, **settings):
    return mutate_pod(obj, CLASSES, PodSettings(**settings)).warnings


def env(obj, index=0, kind="containers"):
    return obj["spec"][kind][index].get("env")


def from_annotation(variable, annotation):
    field = {"apiVersion": "v1", "fieldPath": f"metadata.annotations['{annotation}']"}
    return {"name": variable, "valueFrom": {"fieldRef": field}}


def terms(obj):
    required = obj["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return required["nodeSelectorTerms"]


def gt(label, operand):
    return {"key": label, "operator": "Gt", "values": [str(operand)]}
