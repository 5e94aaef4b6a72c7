"""A pod that is not, or no longer, what mutation makes of it."""

import pytest

from webhook.core.mutate.pod import mutate_pod
from webhook.core.outcome import Change, Outcome, Reason
from webhook.core.settings import PodSettings
from webhook.core.validate.facts import PodFacts
from webhook.core.validate.final_state import final_state
from webhook.core.validate.pod import validate_ephemeral, validate_pod
from webhook.core.values.classes import Classes

CLASSES = Classes.of([{"metadata": {"name": "k80"}, "spec": {"selector": {"matchLabels": {"model": "K80"}}}}])
CLOSED = Classes.of(
    [
        {
            "metadata": {"name": "k80"},
            "spec": {
                "selector": {"matchLabels": {"model": "K80"}},
                "namespaces": {"matchLabels": {"team": "ml"}},
            },
        }
    ]
)
SETTINGS = PodSettings()
KEY = "requests.resourceclass.io/k80"
FULL = {
    "metadata": {"name": "q"},
    "spec": {"hard": {KEY: "0"}},
    "status": {"hard": {KEY: "0"}, "used": {KEY: "0"}},
}


def pod(key="k80", **spec):
    containers = [{"name": "c", "resources": {"limits": {key: "1"}, "requests": {key: "1"}}}]
    return {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": containers, **spec}}


def mutated(a_pod, **kwargs):
    return mutate_pod(a_pod, CLASSES, SETTINGS, **kwargs).object


def validated(a_pod, classes=CLASSES, quotas=(), **kwargs):
    return validate_pod(a_pod, PodFacts(classes, "team-a", quotas=quotas), SETTINGS, **kwargs)


def reasons(outcome):
    return [fault.reason for fault in outcome.faults]


def test_a_pod_that_mutation_has_made_passes():
    outcome = validated(mutated(pod()))
    assert outcome.allowed
    assert outcome.warnings == ()


def test_a_pod_that_skipped_mutation_is_refused_with_what_is_missing_and_the_likely_cause():
    (fault,) = validated(pod("resourceclass.io/k80")).faults
    assert fault.reason is Reason.NOT_FINAL
    assert fault.message.startswith("the pod is not as ResourceClass writes it, in spec.schedulerName (")
    assert fault.message.endswith(
        ": a webhook that runs after ResourceClass probably changed it, or the class has just changed; "
        "create the pod again, and if that is refused too, look for a webhook that sets these fields"
    )


@pytest.mark.parametrize(
    "undone",
    [
        {"schedulerName": "default-scheduler"},
        {"affinity": None},
        {"containers": [pod("resourceclass.io/k80")["spec"]["containers"][0]]},
    ],
)
def test_a_pod_of_which_a_later_webhook_undid_a_part_is_refused(undone):
    made = mutated(pod())
    outcome = validated({**made, "spec": {**made["spec"], **undone}})
    assert reasons(outcome) == [Reason.NOT_FINAL]


def test_a_pod_with_the_opt_out_label_is_told_that_the_label_is_the_cause():
    opted_out = pod("resourceclass.io/k80")
    opted_out["metadata"]["labels"] = {"resourceclass.io/webhook": "ignore"}
    (fault,) = validated(opted_out).faults
    assert fault.message.endswith(
        ": its label resourceclass.io/webhook: ignore keeps ResourceClass from writing it; remove the label"
    )


def test_a_pod_written_by_hand_as_mutation_would_write_it_passes_with_the_opt_out_label():
    made = mutated(pod())
    made = {**made, "metadata": {"name": "p", "labels": {"resourceclass.io/webhook": "ignore"}}}
    assert validated(made).allowed


def test_what_mutation_refuses_validation_refuses_in_the_same_words():
    foreign = pod("resourceclass.io/k80", schedulerName="volcano")
    assert validated(foreign).faults == mutate_pod(foreign, CLASSES, SETTINGS).faults
    assert reasons(validated(foreign)) == [Reason.FOREIGN_SCHEDULER]


def test_only_the_first_changes_are_listed():
    changes = tuple(Change(("spec", letter), "x", "y") for letter in "abcde")
    (fault,) = final_state({}, Outcome({"spec": {}}, changes))
    assert "in spec.a (x), spec.b (x), spec.c (x) and 2 more:" in fault.message


def test_all_faults_are_told_at_once():
    skipped = pod("resourceclass.io/k80", nodeName="node-a")
    outcome = validated(skipped, CLOSED, [FULL])
    assert reasons(outcome) == [
        Reason.NOT_FINAL,
        Reason.NODE_NAME,
        Reason.NAMESPACE_NOT_ALLOWED,
        Reason.QUOTA_EXCEEDED,
    ]


def test_a_pod_that_asks_for_nothing_passes_whatever_the_quota_says():
    assert validated({"spec": {"nodeName": "n", "containers": [{"name": "c"}]}}, CLOSED, [FULL]).allowed


def test_in_an_isolated_namespace_a_pod_without_a_class_must_have_been_given_void():
    plain = {"metadata": {}, "spec": {"containers": [{"name": "c"}]}}
    assert reasons(validated(plain, isolated=True)) == [Reason.NOT_FINAL]
    assert validated(mutated(plain, isolated=True), isolated=True).allowed


def test_an_ephemeral_container_that_sets_a_device_variable_is_refused():
    old = {"spec": {"containers": []}}
    debug = {"name": "debug", "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]}
    outcome = validate_ephemeral({"spec": {"containers": [], "ephemeralContainers": [debug]}}, old, CLASSES)
    assert reasons(outcome) == [Reason.HAND_SET_DEVICE]


def test_an_ephemeral_container_with_void_passes():
    old = {"spec": {"containers": []}}
    debug = {"name": "debug", "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]}
    assert validate_ephemeral({"spec": {"ephemeralContainers": [debug]}}, old, CLASSES).allowed


def test_an_ephemeral_container_that_lacks_void_should_be_added_again():
    debug = {"name": "debug"}
    outcome = validate_ephemeral({"spec": {"ephemeralContainers": [debug]}}, {"spec": {}}, CLASSES)
    assert reasons(outcome) == [Reason.NOT_FINAL]
    assert "add the ephemeral container again" in outcome.message
