"""What keeps a pod off a node, judged as kube-scheduler judges it."""

from __future__ import annotations

import pytest

from webhook.core.explain.node_gates import gates

CLASS_LABEL = "class.resourceclass.io/nvidia.tesla.k80"
LABELS = {"zone": "a", "cores": "16", CLASS_LABEL: "1"}


def node(unschedulable=False, taints=(), labels=LABELS):
    spec = {"unschedulable": unschedulable, "taints": list(taints)}
    return {"metadata": {"name": "node-a", "labels": dict(labels)}, "spec": spec}


def taint(key="gpu", value="", effect="NoSchedule"):
    return {"key": key, "value": value, "effect": effect}


def pod(*terms, **spec):
    if terms:
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
        spec["affinity"] = {"nodeAffinity": required}
    return {"spec": spec}


def expression(key, operator, *values):
    return {"key": key, "operator": operator, "values": list(values)}


def term(*expressions, fields=()):
    return {"matchExpressions": list(expressions), "matchFields": list(fields)}


OURS = expression(CLASS_LABEL, "Gt", "7")
OTHER = "does not match the pod's node affinity"


def test_a_node_without_conditions_takes_every_pod():
    assert gates(pod(), node()) == ()


@pytest.mark.parametrize(
    ("tolerations", "expected"),
    [
        ([], ("is cordoned",)),
        ([{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}], ()),
        ([{"operator": "Exists"}], ()),
    ],
)
def test_a_cordoned_node_takes_pods_that_tolerate_it(tolerations, expected):
    cordoned = node(unschedulable=True, taints=[taint("node.kubernetes.io/unschedulable")])
    assert gates(pod(tolerations=tolerations), cordoned) == expected


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Equal", "value": "only"}, True),
        ({"key": "gpu", "value": "only"}, True),
        ({"key": "gpu", "value": "other"}, False),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"operator": "Exists"}, True),
        ({"value": "only"}, False),
    ],
)
def test_a_taint_is_tolerated_by_key_value_and_effect(toleration, tolerated):
    found = gates(pod(tolerations=[toleration]), node(taints=[taint(value="only")]))
    words = "has the taint gpu=only:NoSchedule, which the pod does not tolerate"
    assert found == (() if tolerated else (words,))


@pytest.mark.parametrize(("effect", "count"), [("NoSchedule", 1), ("NoExecute", 1), ("PreferNoSchedule", 0)])
def test_a_soft_taint_keeps_nobody_off(effect, count):
    assert len(gates(pod(), node(taints=[taint(effect=effect)]))) == count


def test_labels_of_the_node_selector_that_the_node_lacks_are_named():
    found = gates(pod(nodeSelector={"zone": "a", "disk": "ssd", "cores": "8"}), node())
    assert found == ("lacks disk=ssd and cores=8 of the pod's nodeSelector",)


@pytest.mark.parametrize(
    ("one", "holds"),
    [
        (expression("zone", "In", "a", "b"), True),
        (expression("zone", "In", "b"), False),
        (expression("none", "In", "a"), False),
        (expression("zone", "NotIn", "a"), False),
        (expression("none", "NotIn", "a"), True),
        (expression("zone", "Exists"), True),
        (expression("none", "Exists"), False),
        (expression("zone", "DoesNotExist"), False),
        (expression("none", "DoesNotExist"), True),
        (expression("cores", "Gt", "15"), True),
        (expression("cores", "Gt", "16"), False),
        (expression("cores", "Lt", "17"), True),
        (expression("cores", "Lt", "-1"), False),
        (expression("zone", "Gt", "1"), False),
        (expression("cores", "Gt"), False),
        (expression("zone", "Like", "a"), False),
    ],
)
def test_expressions_hold_as_in_kubernetes(one, holds):
    assert gates(pod(term(one)), node()) == (() if holds else (OTHER,))


def test_one_term_is_enough_and_of_a_term_everything_must_hold():
    yes, no = expression("zone", "Exists"), expression("none", "Exists")
    assert gates(pod(term(no), term(yes)), node()) == ()
    assert gates(pod(term(yes, no)), node()) == (OTHER,)


def test_fields_name_the_node():
    here, there = (expression("metadata.name", "In", name) for name in ("node-a", "node-b"))
    assert gates(pod(term(fields=[here])), node()) == ()
    assert gates(pod(term(fields=[there])), node()) == (OTHER,)


def test_what_the_webhook_asks_of_the_node_is_no_gate_of_the_user():
    assert gates(pod(term(OURS)), node()) == ()
    assert gates(pod(term(OURS, expression("none", "Exists"))), node()) == (OTHER,)


def test_an_empty_term_matches_nothing():
    assert gates(pod({}), node()) == (OTHER,)


@pytest.mark.parametrize("spec", [None, [], {"tolerations": 1, "nodeSelector": 2, "affinity": "x"}])
def test_nonsense_is_read_as_absent(spec):
    assert gates({"spec": spec}, {"metadata": None, "spec": {"taints": ["x", None]}}) == ()
