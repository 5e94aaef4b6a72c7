"""The played API server: one create request, step by step."""

import pytest

from tests.unit.admission.worlds import (
    K80,
    QUOTA_KEY,
    STORED,
    cluster,
    deployment,
    namespace,
    pod,
    quota,
    resource_class,
)
from webhook.admission.engine import Engine
from webhook.admission.overlay import Overlay
from webhook.admission.played.local import LocalWebhook
from webhook.admission.played.server import PlayedApiServer
from webhook.admission.played.verdict import Answer, Party
from webhook.core.errors import BadInput
from webhook.core.settings import PodSettings


class Recorded:
    """A webhook that remembers the paths it was asked on."""

    def __init__(self, webhook):
        self._webhook = webhook
        self.paths = []

    def review(self, path, review):
        self.paths.append(path)
        return self._webhook.review(path, review)


class World:
    """A played API server over some objects, with the engine behind it."""

    def __init__(self, *objects):
        self.overlay = Overlay(cluster(resource_class(), *objects))
        self.webhook = Recorded(LocalWebhook(Engine(self.overlay, PodSettings())))
        self._server = PlayedApiServer(self.webhook, self.overlay)

    def create(self, document, **options):
        return self._server.create(document, **options)


def first(document):
    return document["spec"]["containers"][0]


def test_a_bare_pod_is_stored_under_the_qualified_name_in_limits_and_requests():
    verdict = World().create(pod())
    assert verdict.admitted
    assert first(verdict.document)["resources"] == {"limits": {STORED: "1"}, "requests": {STORED: "1"}}


def test_the_sent_object_stays_as_it_was():
    sent = pod()
    verdict = World().create(sent)
    assert verdict.sent is sent
    assert first(sent)["resources"] == {"limits": {K80: "1"}}


def test_what_the_rules_changed_is_told_in_words():
    assert "spec.schedulerName" in [change.place for change in World().create(pod()).changes]


def test_pods_without_class_never_reach_the_webhook():
    world = World()
    assert world.create(pod(key=None)).admitted
    assert world.webhook.paths == []


def test_a_class_pod_is_mutated_and_validated():
    world = World()
    world.create(pod())
    assert world.webhook.paths == ["/mutate", "/validate"]


def test_every_pod_of_an_isolated_namespace_is_asked_about():
    world = World(namespace(isolate="true"))
    verdict = world.create(pod(key=None))
    assert world.webhook.paths == ["/mutate/isolate", "/validate/isolate"]
    assert first(verdict.document)["env"] == [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]


def test_a_class_pod_of_an_isolated_namespace_goes_through_both_entries():
    world = World(namespace(isolate="true"))
    assert world.create(pod()).admitted
    assert world.webhook.paths == ["/mutate/isolate", "/mutate", "/validate/isolate", "/validate"]


@pytest.mark.parametrize("key", [None, K80, STORED])
def test_a_device_variable_by_hand_is_refused_before_the_class_pods_entry_replaces_it(key):
    sent = pod(key=key)
    sent["spec"]["containers"][0]["env"] = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
    verdict = World(namespace(isolate="true")).create(sent)
    assert not verdict.admitted
    assert "sets NVIDIA_VISIBLE_DEVICES" in verdict.message


def test_a_plain_pod_of_a_namespace_that_adopts_goes_through_both_calls():
    world = World(namespace(adopt=K80))
    assert STORED in first(world.create(pod(key="nvidia.com/gpu")).document)["resources"]["limits"]
    # By then it asks for a class.
    assert world.webhook.paths == ["/mutate/adopt", "/validate"]


def test_a_plain_pod_that_opts_out_of_being_adopted_is_refused():
    world = World(namespace(adopt=K80))
    labels = {"resourceclass.io/webhook": "ignore"}
    assert not world.create(pod(key="nvidia.com/gpu", labels=labels)).admitted
    assert world.webhook.paths == ["/validate/adopt"]


@pytest.mark.parametrize("where", ["kube-system", "team-a"])
def test_excluded_namespaces_are_left_alone(where):
    world = World(namespace(webhook="ignore"))
    world.create(pod(key=STORED, namespace=where))
    assert world.webhook.paths == []


def test_the_opt_out_label_of_a_pod_skips_mutation_only():
    world = World()
    verdict = world.create(pod(key=STORED, labels={"resourceclass.io/webhook": "ignore"}))
    assert world.webhook.paths == ["/validate"]
    assert verdict.refused_by is Party.WEBHOOK


def test_a_bare_name_that_is_no_class_is_refused_by_the_server():
    verdict = World().create(pod(key="fpga.xyz"))
    assert (verdict.refused_by, verdict.code) == (Party.SERVER, 422)
    assert "spec.containers[0].resources.limits[fpga.xyz]" in verdict.message


def test_requests_that_differ_from_limits_are_refused_by_the_server():
    uneven = pod(key=STORED, amount="2")
    first(uneven)["resources"]["requests"] = {STORED: "1"}
    verdict = World().create(uneven)
    assert (verdict.admitted, verdict.code) == (False, 422)


def test_requests_without_limits_are_refused():
    verdict = World().create(pod_with({"requests": {STORED: "1"}}))
    assert (verdict.admitted, verdict.code) == (False, 422)


def pod_with(resources):
    made = pod(key=None)
    first(made)["resources"] = resources
    return made


@pytest.mark.parametrize(
    "annotation",
    ["resourceclass.io/allocation", "devices.resourceclass.io/c", "hca.devices.resourceclass.io/c"],
)
def test_a_forged_record_is_refused_by_the_policy(annotation):
    verdict = World().create(pod(key=None, annotations={annotation: "GPU-0"}))
    assert (verdict.refused_by, verdict.code) == (Party.POLICY, 403)
    assert annotation in verdict.message


def test_other_annotations_are_nobodys_business():
    assert World().create(pod(key=None, annotations={"example.com/devices": "x", "note": "y"})).admitted


def test_a_pod_over_quota_is_refused_by_the_webhook_first():
    assert World(quota(hard="0")).create(pod()).refused_by is Party.WEBHOOK


def test_a_quota_is_enforced_by_the_server_whatever_the_namespace_says():
    verdict = World(quota(hard="0"), namespace(enforce="off")).create(pod())
    assert verdict.refused_by is Party.SERVER
    assert f"exceeded quota: q, requested: {QUOTA_KEY}=1, used: {QUOTA_KEY}=0" in verdict.message


def test_the_server_does_not_enforce_a_quota_that_is_still_computed():
    new = quota(hard="0", status={"hard": {}, "used": {}})
    assert World(new, namespace(enforce="off")).create(pod()).admitted


def test_stored_pods_use_up_the_quota():
    world = World(quota(hard="1"))
    assert world.create(pod(name="a")).admitted
    assert not world.create(pod(name="b")).admitted


def test_a_refused_pod_uses_nothing():
    world = World(quota(hard="1"))
    world.create(pod(name="a", amount="2"))
    assert world.create(pod(name="b")).admitted


def test_a_stored_class_serves_what_comes_after_it():
    world = World()
    world.create(resource_class("t4"))
    assert world.create(pod(key="t4")).admitted


def test_a_broken_class_is_refused():
    assert World().create(resource_class("t4", selector={})).refused_by is Party.WEBHOOK


def test_a_deployment_keeps_its_pods_spec_but_for_the_names():
    verdict = World().create(deployment())
    template = verdict.document["spec"]["template"]
    assert first(template)["resources"] == {"limits": {STORED: "1"}}
    assert verdict.warnings


def test_a_limit_range_hands_out_a_class_and_the_pod_is_metered_for_it():
    limit_range = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "cap", "namespace": "team-a"},
        "spec": {"limits": [{"type": "Container", "max": {K80: "2"}}]},
    }
    world = World(quota(hard="1"))
    assert world.create(limit_range).admitted
    verdict = world.create(pod(key=None))
    assert f"requested: {QUOTA_KEY}=2" in verdict.message
    assert "LimitRange" in verdict.message


def test_an_object_without_namespace_goes_where_the_caller_says():
    sent = pod(namespace=None)
    assert World().create(sent, namespace="team-b").document["metadata"]["namespace"] == "team-b"


def test_a_generated_name_is_filled_in():
    verdict = World().create(pod(name=None, generateName="burst-"))
    assert verdict.document["metadata"]["name"] == "burst-00001"


def test_an_object_without_any_name_is_bad_input():
    with pytest.raises(BadInput, match=r"metadata\.name"):
        World().create(pod(name=None))


def test_a_warning_that_both_calls_give_is_kept_once():
    class Nagging:
        def review(self, path, review):
            return Answer(allowed=True, warnings=("mind the gap",))

    server = PlayedApiServer(Nagging(), Overlay(cluster()))
    assert server.create(pod(key=STORED)).warnings == ("mind the gap",)
