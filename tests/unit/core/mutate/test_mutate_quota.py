"""ResourceQuota: the spelling that the API server enforces."""

import json

import pytest

from tests.unit.core.mutate.objects import CLASSES, K80, P100, STORED_K80
from webhook.core.mutate.quota import mutate_quota

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
QUOTA_K80 = f"requests.{STORED_K80}"


def quota(hard, *, manifest=None, **metadata):
    if manifest is not None:
        metadata["annotations"] = {LAST_APPLIED: json.dumps({"spec": {"hard": manifest}})}
    return {"kind": "ResourceQuota", "metadata": {"name": "q", **metadata}, "spec": {"hard": hard}}


def mutated(obj, old=None):
    outcome = mutate_quota(obj, old, CLASSES)
    assert outcome.faults == ()
    return outcome


def hard(outcome):
    return outcome.object["spec"]["hard"]


SPELLINGS = [K80, STORED_K80, f"requests.{K80}", f"limits.{K80}", f"limits.{STORED_K80}"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_becomes_the_enforced_one_with_a_warning(spelling):
    outcome = mutated(quota({"cpu": "10", spelling: "5"}))
    assert hard(outcome) == {"cpu": "10", QUOTA_K80: "5"}
    assert "".join(outcome.warnings) == (
        f"ResourceQuota q: stored {spelling} as {QUOTA_K80}, the only spelling that is enforced; "
        "write it so in Git"
    )


def test_a_quota_in_the_enforced_spelling_is_left_alone_and_silent():
    stored = quota({QUOTA_K80: "5", "pods": "1"})
    outcome = mutated(stored)
    assert outcome.object is stored
    assert outcome.warnings == ()


def test_a_key_of_our_domain_is_rewritten_before_its_class_exists():
    outcome = mutated(quota({"resourceclass.io/fpga": "1"}))
    assert hard(outcome) == {"requests.resourceclass.io/fpga": "1"}
    assert outcome.warnings[0] == (
        'ResourceQuota q: resourceclass.io/fpga: there is no class "fpga"; '
        "it limits nothing until there is one"
    )


def test_a_key_of_our_domain_that_is_nearly_a_class_is_warned_of():
    (warning,) = mutated(quota({"requests.resourceclass.io/nvidia.tesla.k8": "1"})).warnings
    assert warning.endswith(f"did you mean {K80}?")


@pytest.mark.parametrize("key", ["unknown", "resourceclass.io/Not_A_Name", "nvidia.com/gpu", "requests.cpu"])
def test_what_can_mean_no_class_is_left_alone(key):
    other = quota({key: "1"})
    assert mutated(other).object is other


@pytest.mark.parametrize("typed", ["nvidia.tesla.k8", "requests.nvidia.tesla.k8"])
def test_a_bare_name_that_is_nearly_a_class_is_refused(typed):
    outcome = mutate_quota(quota({typed: "1"}), None, CLASSES)
    assert outcome.reason == "UnknownClass"
    assert outcome.message == f'ResourceQuota q: "{typed}" is no class; did you mean {K80}?'


@pytest.mark.parametrize("spelling", [K80, QUOTA_K80])
def test_a_limit_that_is_no_number_of_devices_is_refused_by_the_key_as_typed(spelling):
    outcome = mutate_quota(quota({spelling: "1500m"}), None, CLASSES)
    assert outcome.reason == "BadAmount"
    assert outcome.message.startswith(f"ResourceQuota q: {spelling}: '1500m' must be a whole number")


def test_the_number_that_was_just_applied_wins():
    assert hard(mutated(quota({QUOTA_K80: "5", K80: "3"}), quota({QUOTA_K80: "5"}))) == {QUOTA_K80: "3"}


def test_an_update_that_leaves_the_limits_as_they_were_is_silent():
    old = quota({QUOTA_K80: "1500m"})
    new = quota({QUOTA_K80: "1500m"}, labels={"a": "b"})
    assert mutated(new, old).object is new


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_limit_whose_line_was_removed_is_dropped_with_a_warning(spelling):
    old = quota({QUOTA_K80: "5", "cpu": "1"}, manifest={spelling: "5", "cpu": "1"})
    outcome = mutated(quota({QUOTA_K80: "5", "cpu": "1"}, manifest={"cpu": "1"}), old)
    assert hard(outcome) == {"cpu": "1"}
    assert outcome.warnings == (
        f"ResourceQuota q: dropped {QUOTA_K80}, because its line was removed from the manifest",
    )


@pytest.mark.parametrize("now", [*SPELLINGS[1:], QUOTA_K80])
def test_a_limit_that_is_only_spelled_differently_now_is_kept(now):
    old = quota({QUOTA_K80: "5"}, manifest={K80: "5"})
    sent = {QUOTA_K80: "5", now: "6"}
    assert hard(mutated(quota(sent, manifest={now: "6"}), old)) == {QUOTA_K80: "6"}


def test_a_line_that_became_another_class_leaves_that_one_alone():
    old = quota({QUOTA_K80: "5"}, manifest={K80: "5"})
    outcome = mutated(quota({QUOTA_K80: "5", P100: "2"}, manifest={P100: "2"}), old)
    assert hard(outcome) == {f"requests.resourceclass.io/{P100}": "2"}


def test_what_a_controller_owns_is_left_alone():
    owned = quota({K80: "1"}, ownerReferences=[{"controller": True}])
    assert mutated(owned).object is owned


def test_a_controller_is_told_of_keys_that_limit_nothing():
    keys = {f"limits.resourceclass.io/{K80}": "1", f"requests.resourceclass.io/{P100}": "1", "pods": "1"}
    (warning,) = mutated(quota(keys, ownerReferences=[{"controller": True}])).warnings
    assert f"limits.resourceclass.io/{K80} limits nothing: only {QUOTA_K80} is enforced" in warning


@pytest.mark.parametrize("spec", [None, 5, {}, {"hard": None}, {"hard": []}])
def test_wrong_types_are_the_api_servers_to_refuse(spec):
    odd = {"kind": "ResourceQuota", "spec": spec}
    assert mutated(odd).object is odd
