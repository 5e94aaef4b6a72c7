"""Pod templates of workloads: names alone."""

import json

import pytest

from tests.unit.core.mutate.objects import CLASSES, K80, P100, STORED_K80, STORED_P100, container
from webhook.core.mutate.template import mutate_template
from webhook.core.raw import at
from webhook.core.values.pod_template import POD_SPEC_PATHS, TEMPLATE_KINDS

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def workload(limits, kind="Deployment", *, manifest=None, spec=None, **metadata):
    pod_spec = {"containers": [container("train", limits)]}
    template = {"metadata": {}, "spec": pod_spec}
    body = {"spec": {"template": template, **(spec or {})}}
    if kind == "CronJob":
        body = {"spec": {"jobTemplate": body}}
    elif kind == "PodTemplate":
        body = {"template": template}
    if manifest is not None:
        metadata["annotations"] = {LAST_APPLIED: json.dumps(workload(manifest, kind))}
    return {"kind": kind, "metadata": {"name": "job", **metadata}, **body}


def mutated(obj, old=None):
    outcome = mutate_template(obj, old, CLASSES)
    assert outcome.faults == ()
    return outcome


def limits(outcome):
    return at(outcome.object, *POD_SPEC_PATHS[outcome.object["kind"]])["containers"][0]["resources"]["limits"]


@pytest.mark.parametrize("kind", TEMPLATE_KINDS)
def test_a_bare_key_is_renamed_in_every_kind_with_a_warning(kind):
    outcome = mutated(workload({K80: 1, "cpu": 1}, kind))
    assert limits(outcome) == {STORED_K80: 1, "cpu": 1}
    assert "".join(outcome.warnings) == (
        f'{kind} job: stored {K80} of container "train" as {STORED_K80}; '
        "write it so in Git, then what is stored is what you wrote"
    )


def test_nothing_but_names_is_changed():
    outcome = mutated(workload({K80: 1}))
    assert outcome.object == workload({STORED_K80: 1})


def test_a_workload_in_stored_names_is_left_alone_and_silent():
    stored = workload({STORED_K80: 1})
    outcome = mutated(stored)
    assert outcome.object is stored
    assert outcome.warnings == ()


def test_what_a_controller_owns_is_left_alone():
    owned = workload({K80: 1}, "ReplicaSet", ownerReferences=[{"kind": "Deployment", "controller": True}])
    assert mutated(owned).object is owned


@pytest.mark.parametrize("kind", ["Service", "Pod", None])
def test_another_kind_is_left_alone_unless_it_holds_a_pod_spec(kind):
    other = {"kind": kind, "spec": {"template": {"spec": {"containers": [container("c", {K80: 1})]}}}}
    assert mutated(other).object is other


# kubectl apply again with another number ends with the stored key alone.
def test_the_number_that_was_just_applied_wins():
    assert limits(mutated(workload({STORED_K80: 1, K80: 2}), workload({STORED_K80: 1}))) == {STORED_K80: 2}


def test_an_update_that_leaves_the_template_as_it_was_is_silent():
    old = workload({"resourceclass.io/fpga": "0.5"}, spec={"replicas": 1})
    new = workload({"resourceclass.io/fpga": "0.5"}, spec={"replicas": 9})
    outcome = mutated(new, old)
    assert outcome.object is new
    assert outcome.warnings == ()


def test_a_class_whose_line_was_removed_is_dropped_with_a_warning():
    old = workload({STORED_K80: 1, "cpu": 1}, manifest={K80: 1, "cpu": 1})
    outcome = mutated(workload({STORED_K80: 1, "cpu": 1}, manifest={"cpu": 1}), old)
    assert limits(outcome) == {"cpu": 1}
    assert "".join(outcome.warnings) == (
        f'Deployment job: dropped {STORED_K80} of container "train", '
        "because its line was removed from the manifest"
    )


def test_a_line_that_became_another_class_leaves_that_one_alone():
    old = workload({STORED_K80: 1}, manifest={K80: 1})
    outcome = mutated(workload({STORED_K80: 1, P100: 1}, manifest={P100: 1}), old)
    assert limits(outcome) == {STORED_P100: 1}


def test_a_removed_line_of_a_class_that_no_longer_exists_is_dropped_too():
    old = workload({"resourceclass.io/gone": 1}, manifest={"gone": 1})
    assert limits(mutated(workload({"resourceclass.io/gone": 1}, manifest={}), old)) == {}


def test_a_fraction_is_refused():
    outcome = mutate_template(workload({K80: "0.5"}), None, CLASSES)
    assert outcome.reason == "BadAmount"
    assert f'container "train": {K80}: ' in outcome.message


def test_a_name_that_is_nearly_a_class_is_refused():
    assert mutate_template(workload({"nvidia.tesla.k8": 1}), None, CLASSES).reason == "UnknownClass"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("resourceclass.io/fpga", 'there is no class "fpga"; kubectl get resourceclasses lists the classes'),
        ("broken", "asks for class broken, which cannot be read: spec.selector is empty"),
    ],
)
def test_a_class_that_cannot_serve_yet_is_a_warning(key, said):
    assert any(said in warning for warning in mutated(workload({key: 1})).warnings)


def test_zero_of_an_unknown_class_is_no_reason_for_a_warning():
    assert mutated(workload({"resourceclass.io/fpga": 0})).warnings == ()


@pytest.mark.parametrize("spec", [None, 5, {"template": None}, {"template": {"spec": []}}])
def test_wrong_types_are_the_api_servers_to_refuse(spec):
    odd = {"kind": "Deployment", "spec": spec}
    assert mutated(odd).object is odd
    assert mutated(odd, {"kind": "Deployment"}).object is odd
