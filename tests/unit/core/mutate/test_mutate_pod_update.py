"""A pod that is updated: names alone."""

import json

from tests.unit.core.mutate.objects import CLASSES, K80, STORED_K80, container, pod
from webhook.core.mutate.pod_update import mutate_pod_update

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def updated(obj, old):
    return mutate_pod_update(obj, old, CLASSES)


def with_manifest(obj, *keys):
    manifest = pod(container("c", dict.fromkeys(keys, 1)))
    obj["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(manifest)}
    return obj


STORED = pod(container("c", {STORED_K80: 1}, {STORED_K80: 1}), schedulerName="resourceclass-scheduler")


def test_the_bare_key_that_apply_sends_again_is_folded_into_the_stored_one():
    again = pod(container("c", {STORED_K80: 1, K80: 1}, {STORED_K80: 1, K80: 1}), schedulerName="x")
    outcome = updated(again, STORED)
    assert outcome.object["spec"]["containers"] == STORED["spec"]["containers"]
    assert outcome.object["spec"]["schedulerName"] == "x"
    assert outcome.warnings == ()


def test_an_update_without_a_bare_key_is_left_alone():
    assert updated(STORED, STORED).object is STORED


def test_a_class_whose_line_was_removed_is_taken_out():
    old = with_manifest(pod(container("c", {STORED_K80: 1, "cpu": 1})), K80)
    new = with_manifest(pod(container("c", {STORED_K80: 1, "cpu": 1})), "cpu")
    assert updated(new, old).object["spec"]["containers"][0]["resources"] == {"limits": {"cpu": 1}}


def test_requests_that_the_server_copied_from_a_removed_limit_go_with_it():
    old = with_manifest(pod(container("c", {STORED_K80: 1}, {STORED_K80: 1})), K80)
    new = with_manifest(pod(container("c", {STORED_K80: 1}, {STORED_K80: 1})), "cpu")
    outcome = updated(new, old)
    assert outcome.object["spec"]["containers"][0]["resources"] == {"limits": {}, "requests": {}}
    assert outcome.allowed


def test_requests_that_the_manifest_still_names_stay_when_the_limit_is_removed():
    manifest = pod(container("c", {"cpu": 1}, {K80: 1}))
    old = with_manifest(pod(container("c", {STORED_K80: 1}, {STORED_K80: 1})), K80)
    new = pod(container("c", {STORED_K80: 1}, {STORED_K80: 1}))
    new["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(manifest)}
    outcome = updated(new, old)
    assert "requests ask for 1 and limits for none" in outcome.message


def test_a_bad_amount_is_refused_by_the_key_as_typed():
    outcome = updated(pod(container("c", {K80: "0.5"})), STORED)
    assert [fault.reason.value for fault in outcome.faults] == ["BadAmount"]
    assert K80 in outcome.message


def test_a_spec_of_a_wrong_type_is_the_api_servers_to_refuse():
    odd = {"kind": "Pod", "spec": 5}
    assert updated(odd, {}).object is odd
