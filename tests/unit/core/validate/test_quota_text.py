"""The sentence with which a pod is refused for its namespace's quota."""

import pytest

from webhook.core.outcome import Reason
from webhook.core.validate.facts import PodFacts
from webhook.core.validate.quota_text import quota_faults
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.device import DeviceKind
from webhook.core.values.usage import Usage

K80 = "nvidia.tesla.k80"
KEY = f"requests.resourceclass.io/{K80}"
CLASSES = Classes.of(
    [
        {"metadata": {"name": K80}, "spec": {"selector": {"matchLabels": {"model": "Tesla K80"}}}},
        {"metadata": {"name": "any.k80"}, "spec": {"selector": {"matchLabels": {"model": "Tesla K80"}}}},
    ]
)


def container(name, units, **fields):
    return {"name": name, "resources": {"limits": {f"resourceclass.io/{K80}": str(units)}}, **fields}


def pod(*containers, init=(), note=None):
    annotations = {"kubernetes.io/limit-ranger": note} if note else {}
    return {
        "metadata": {"annotations": annotations},
        "spec": {"containers": list(containers), "initContainers": list(init)},
    }


def quota(name="q", hard="2", used="2", ready=True):
    return {
        "metadata": {"name": name},
        "spec": {"hard": {KEY: hard}},
        "status": {"hard": {KEY: hard}, "used": {KEY: used}} if ready else {},
    }


def users(*units):
    return [Usage("team-a", f"pod-{index}", K80, amount) for index, amount in enumerate(units)]


def messages(a_pod, *quotas, usage=None, kinds=()):
    facts = PodFacts(CLASSES, "team-a", {}, quotas, kinds, usage)
    return [fault.message for fault in quota_faults(a_pod, demand(a_pod["spec"]), facts)]


def message(*args, **kwargs):
    (only,) = messages(*args, **kwargs)
    return only


TRAIN = pod(container("train", 1))


def test_a_pod_that_fits_has_no_fault():
    assert messages(TRAIN, quota(used="1")) == []


def test_the_refusal_begins_with_the_words_that_controllers_recognise():
    assert message(TRAIN, quota()).startswith(
        f"exceeded quota: q, requested: {KEY}=1, used: {KEY}=2, limited: {KEY}=2 - "
    )


def test_the_refusal_is_one_that_a_person_can_act_on():
    kinds = [DeviceKind({"model": "Tesla K80"}, 3)]
    assert message(TRAIN, quota(), usage=users(1, 1), kinds=kinds) == (
        f"exceeded quota: q, requested: {KEY}=1, used: {KEY}=2, limited: {KEY}=2 - class {K80} is asked for "
        "by container train (1); none of 2 left; in use by pods pod-0 (1) and pod-1 (1); "
        "there is room for any.k80, which the same devices serve"
    )


@pytest.mark.parametrize(
    ("hard", "used", "reason"), [("2", "2", Reason.QUOTA_EXCEEDED), ("0", "0", Reason.QUOTA_EXCEEDED)]
)
def test_a_broken_limit_has_the_reason_quota_exceeded(hard, used, reason):
    facts = PodFacts(CLASSES, "team-a", quotas=[quota(hard=hard, used=used)])
    assert [fault.reason for fault in quota_faults(TRAIN, demand(TRAIN["spec"]), facts)] == [reason]


@pytest.mark.parametrize(
    ("asked", "hard", "used", "expected"),
    [
        (1, "0", "0", "; the quota allows none of it"),
        (3, "2", "0", "; the quota never allows more than 2 at once"),
        (2, "2", "1", "; 1 of 2 left"),
        (1, "2", "2", "; none of 2 left"),
        (1, "2", "9", "; none of 2 left"),
    ],
)
def test_the_refusal_says_what_would_fit(asked, hard, used, expected):
    assert message(pod(container("train", asked)), quota(hard=hard, used=used)).endswith(expected)


def test_every_asking_container_is_named_with_its_units():
    text = message(pod(container("a", 2), {"name": "idle"}, container("b", 1)), quota())
    assert f"class {K80} is asked for by containers a (2) and b (1);" in text


def test_init_containers_that_run_one_after_another_are_said_not_to_add_up():
    text = message(pod(container("main", 1), init=[container("setup", 2)]), quota())
    assert f"requested: {KEY}=2," in text
    assert "is asked for by containers setup (2) and main (1), not all at the same time;" in text


def test_a_sidecar_adds_up_with_the_containers_beside_it():
    text = message(pod(container("main", 2), init=[container("side", 2, restartPolicy="Always")]), quota())
    assert f"requested: {KEY}=4," in text
    assert "not all at the same time" not in text


def test_the_largest_users_are_named_first_and_the_rest_is_counted():
    text = message(TRAIN, quota(hard="9", used="9"), usage=users(1, 3, 2, 2, 1))
    assert "in use by pods pod-1 (3), pod-2 (2), pod-3 (2) and 2 more" in text


def test_users_of_other_classes_are_not_named():
    text = message(TRAIN, quota(), usage=[*users(2), Usage("team-a", "other", "p100", 4)])
    assert "in use by pod pod-0 (2)" in text
    assert "other" not in text


def test_a_count_of_the_server_that_runs_high_is_said_to_heal():
    text = message(TRAIN, quota(), usage=users(1))
    assert "the API server counts 2 though 1 unit can be seen in use: it counts anew within minutes" in text


def test_a_count_that_agrees_with_the_pods_is_not_spoken_of():
    assert "counts anew" not in message(TRAIN, quota(), usage=users(1, 1))


def test_while_nobody_has_asked_for_the_users_none_are_spoken_of():
    text = message(TRAIN, quota())
    assert "in use" not in text


def test_a_limit_range_that_gave_the_class_is_named_with_the_way_out():
    note = (
        f"LimitRanger plugin set: resourceclass.io/{K80} request for container a; "
        f"resourceclass.io/{K80} limit for container a; resourceclass.io/{K80} limit for container b"
    )
    text = message(pod(container("a", 2), container("b", 2), note=note), quota(hard="3", used="0"))
    assert text.endswith(
        "; a LimitRange of the namespace gave the class to a and b: where none is needed, "
        f'write resourceclass.io/{K80}: "0" into the limits'
    )


def test_every_broken_quota_has_a_sentence_of_its_own():
    texts = messages(TRAIN, quota("small", hard="1", used="1"), quota("big", hard="9", used="9"))
    assert [text.split(",")[0] for text in texts] == ["exceeded quota: big", "exceeded quota: small"]


def test_a_quota_without_status_asks_to_retry_and_says_what_is_missing():
    a_pod, facts = TRAIN, PodFacts(CLASSES, "team-a", quotas=[quota(ready=False)])
    (fault,) = quota_faults(a_pod, demand(a_pod["spec"]), facts)
    assert fault.reason is Reason.QUOTA_NOT_READY
    assert fault.message == (
        "quota q is being computed, retry in a few seconds: its status does not carry the limit "
        f"{KEY}=2 yet, so nobody can say whether a request of 1 has exceeded quota q; if this lasts, ask an "
        "administrator whether kube-controller-manager runs"
    )
