"""A class that only some namespaces may use, and a pod that names its node itself."""

from webhook.core.outcome import Reason
from webhook.core.validate.facts import WorkloadFacts
from webhook.core.validate.node_name import node_name
from webhook.core.validate.policy import policy
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.device import DeviceKind

POD = {"spec": {"containers": [{"name": "c", "resources": {"limits": {"resourceclass.io/k80": "1"}}}]}}


def a_class(name, **spec):
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"model": "K80"}}, **spec}}


CLOSED = a_class(
    "k80",
    namespaces={"matchLabels": {"team": "ml"}, "matchExpressions": [{"key": "gpu", "operator": "Exists"}]},
)


def faults(*classes, labels, kinds=()):
    facts = WorkloadFacts(Classes.of(classes), "team-a", labels, (), kinds)
    return list(policy(POD, {"k80": 1}, facts))


def test_a_class_without_spec_namespaces_is_open():
    assert faults(a_class("k80"), labels={}) == []


def test_a_namespace_with_the_labels_may_use_the_class():
    assert faults(CLOSED, labels={"team": "ml", "gpu": "yes"}) == []


def test_a_class_that_does_not_exist_is_for_other_rules_to_refuse():
    assert faults(labels={}) == []


def test_the_refusal_says_what_is_required_what_the_namespace_has_and_whom_to_ask():
    (fault,) = faults(CLOSED, labels={"team": "web"})
    assert fault.reason is Reason.NAMESPACE_NOT_ALLOWED
    assert fault.message == (
        "class k80 is open to namespaces with team=ml,gpu only, and namespace team-a has team=web and no "
        "label gpu: ask an administrator to label the namespace or to widen spec.namespaces of the class"
    )


def test_the_refusal_names_a_class_of_the_same_devices_that_is_open():
    (fault,) = faults(CLOSED, a_class("any.k80"), labels={}, kinds=[DeviceKind({"model": "K80"}, 1)])
    assert fault.message.endswith("; this namespace may use any.k80, which the same devices serve")


def test_a_class_pod_that_names_its_node_is_refused_with_another_way():
    pod = {"spec": {**POD["spec"], "nodeName": "node-a"}}
    (fault,) = node_name(pod, demand(pod["spec"]))
    assert fault.reason is Reason.NODE_NAME
    assert "spec.nodeName is set to node-a" in fault.message
    assert fault.message.endswith("pin the pod with nodeSelector kubernetes.io/hostname: node-a instead")


def test_a_class_pod_without_a_node_name_passes():
    pod = {"spec": {**POD["spec"], "nodeName": ""}}
    assert list(node_name(pod, demand(pod["spec"]))) == []


def test_a_pod_that_asks_for_no_device_may_name_its_node():
    pod = {"spec": {"nodeName": "node-a", "containers": [{"name": "c"}]}}
    assert list(node_name(pod, demand(pod["spec"]))) == []
