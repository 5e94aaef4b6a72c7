"""Classes with a default quota, in namespaces that have not got it yet."""

import pytest

from tests.unit.core.validate.workloads import KEY, warnings, workload
from webhook.core.outcome import Reason
from webhook.core.validate.default_quota import default_quota
from webhook.core.validate.facts import PodFacts
from webhook.core.values.classes import Classes


def a_class(name="k80", default=2, **spec):
    selector = {"matchLabels": {"model": "K80"}}
    quota = {} if default is None else {"quota": {"default": default}}
    return {"metadata": {"name": name}, "spec": {"selector": selector, **quota, **spec}}


def quota(name, key=KEY, hard="2", **spec):
    return {"metadata": {"name": name}, "spec": {"hard": {key: hard}, **spec}}


def faults(*classes, units=None, quotas=(), labels=None):
    facts = PodFacts(Classes.of(classes), "team-a", labels or {}, quotas)
    return list(default_quota(units or {"k80": 1}, facts))


@pytest.mark.parametrize("default", [0, 2])
def test_a_pod_waits_until_the_namespace_has_the_default(default):
    (fault,) = faults(a_class(default=default))
    assert fault.reason is Reason.DEFAULT_QUOTA_MISSING
    assert fault.message == (
        f"the default quota of class k80 ({default} per namespace) is not in place in namespace team-a yet, "
        "so nobody can say whether a request of 1 has exceeded quota; the controller makes it within "
        "seconds: retry; if it stays so, ask an administrator whether resourceclass controller runs, or for "
        f"a ResourceQuota with {KEY}"
    )


@pytest.mark.parametrize(
    "named",
    [
        quota("resourceclass-defaults"),
        quota("own", hard="9"),
        quota("own", hard="0"),
        quota("scoped", scopes=["Terminating"]),
    ],
)
def test_any_quota_that_names_the_class_is_in_the_place_of_the_default(named):
    assert faults(a_class(), quotas=[quota("other", "cpu"), named]) == []


@pytest.mark.parametrize("key", ["cpu", "requests.resourceclass.io/t4", "resourceclass.io/k80"])
def test_a_quota_that_limits_something_else_is_not(key):
    assert len(faults(a_class(), quotas=[quota("q", key)])) == 1


def test_a_class_without_a_default_is_not_waited_for():
    assert faults(a_class(default=None)) == []


def test_every_class_of_the_pod_is_named():
    found = faults(a_class(), a_class("t4"), a_class("l4", None), units={"t4": 1, "k80": 2, "l4": 1})
    assert [fault.message.split()[5] for fault in found] == ["k80", "t4"]


def test_a_namespace_that_may_not_use_the_class_gets_no_default():
    closed = a_class(namespaces={"matchLabels": {"team": "ml"}})
    assert faults(closed) == []
    assert len(faults(closed, labels={"team": "ml"})) == 1


def test_a_workload_is_held_to_the_default_that_is_to_come():
    (told,) = warnings(workload(replicas=3), classes=[a_class()])
    assert told == (
        "Deployment w: quota resourceclass-defaults allows 2 of class k80, and 3 pods of 1 would need 3: "
        "no more than 2 pods can run at once"
    )
    assert warnings(workload(replicas=3), classes=[a_class()], quotas=[quota("own", hard="3")]) == []
