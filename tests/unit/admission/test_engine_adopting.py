"""What the engine makes of plain pods in namespaces that adopt, and what it says of them."""

import pytest

from tests.unit.admission.worlds import (
    K80,
    STORED,
    Lagging,
    cluster,
    deployment,
    namespace,
    pod,
    quota,
    request,
    resource_class,
)
from webhook.admission.engine import Engine
from webhook.core.errors import ClusterUnavailable
from webhook.core.outcome import Reason
from webhook.core.settings import PodSettings
from webhook.core.values.names import MIRROR_ANNOTATION

GPU = "nvidia.com/gpu"
ADOPTING = cluster(resource_class(), namespace(adopt=K80), quota(hard="1"))


def engine(world=ADOPTING):
    return Engine(world, PodSettings())


def limits(document):
    return document["spec"]["containers"][0]["resources"]["limits"]


def mutated(world=ADOPTING, **metadata):
    return engine(world).mutate(request(pod(key=GPU, **metadata)), adopting=True)


def test_a_plain_pod_is_adopted():
    assert limits(mutated().object) == {GPU: "1", STORED: "1"}


def test_the_entry_for_class_pods_adopts_nobody():
    asked = request(pod(key=GPU))
    assert engine().mutate(asked).object is asked.object


def test_what_was_adopted_is_allowed_by_both_entries():
    served = mutated().object
    assert engine().validate(request(served), adopting=True).allowed
    assert engine().validate(request(served)).allowed


def test_what_was_adopted_is_held_to_the_quota_of_the_class_and_told_why():
    served = mutated().object
    over = cluster(resource_class(), namespace(adopt=K80), quota(hard="0"))
    outcome = engine(over).validate(request(served))
    assert outcome.reason == Reason.QUOTA_EXCEEDED
    assert f"in this namespace whoever asks for {GPU} asks for class {K80}" in outcome.message


def test_a_class_pod_of_such_a_namespace_that_asks_for_no_vendors_device_is_told_of_no_adoption():
    over = cluster(resource_class(), namespace(adopt=K80), quota(hard="0"))
    served = engine(over).mutate(request(pod())).object
    assert "in this namespace" not in engine(over).validate(request(served)).message


def test_a_plain_pod_that_was_not_adopted_is_refused():
    outcome = engine().validate(request(pod(key=GPU)), adopting=True)
    assert outcome.reason == Reason.NOT_FINAL


def test_the_opt_out_of_a_plain_pod_is_named_as_the_cause():
    opted_out = pod(key=GPU, labels={"resourceclass.io/webhook": "ignore"})
    assert "remove the label" in engine().validate(request(opted_out), adopting=True).message


def test_a_pod_with_other_devices_is_allowed():
    asked = request(pod(key="rdma/hca"))
    assert engine().mutate(asked, adopting=True).object is asked.object
    assert engine().validate(asked, adopting=True).allowed


@pytest.mark.parametrize("call", ["mutate", "validate"])
def test_a_class_that_does_not_exist_refuses(call):
    world = cluster(resource_class(), namespace(adopt="other"))
    outcome = getattr(engine(world), call)(request(pod(key=GPU)), adopting=True)
    assert outcome.reason == Reason.CANNOT_ADOPT


@pytest.mark.parametrize("call", ["mutate", "validate"])
def test_a_mirror_pod_passes_unchanged(call):
    mirror = request(pod(key=GPU, annotations={MIRROR_ANNOTATION: "x"}), groups=["system:nodes"])
    outcome = getattr(engine(), call)(mirror, adopting=True)
    assert outcome.allowed
    assert outcome.object is mirror.object


def test_a_label_that_memory_has_not_seen_yet_is_read_now():
    world = Lagging(seen=cluster(resource_class(), namespace()), now=ADOPTING)
    assert limits(mutated(world).object) == {GPU: "1", STORED: "1"}
    assert world.reads == ["namespace team-a"]


def test_a_label_that_cannot_be_read_decides_nothing():
    world = Lagging(seen=cluster(resource_class(), namespace()), now=None)
    with pytest.raises(ClusterUnavailable):
        mutated(world)


def test_a_label_that_is_gone_adopts_nobody():
    world = cluster(resource_class(), namespace())
    asked = request(pod(key=GPU))
    assert engine(world).mutate(asked, adopting=True).object is asked.object
    assert engine(world).validate(asked, adopting=True).allowed


def test_a_class_that_memory_has_not_seen_yet_adopts():
    world = Lagging(seen=cluster(namespace(adopt=K80)), now=ADOPTING)
    assert limits(mutated(world).object) == {GPU: "1", STORED: "1"}


def test_a_class_that_was_mended_a_moment_ago_is_read_before_a_pod_is_refused_for_it():
    share = resource_class(share={"memory": "2GiB"})
    world = Lagging(seen=cluster(share, namespace(adopt=K80)), now=ADOPTING)
    outcome = engine(world).validate(request(pod(key=GPU)), adopting=True)
    assert outcome.reason == Reason.NOT_FINAL


def test_only_pods_that_are_created_are_adopted():
    asked = request(pod(key=GPU), "UPDATE", old=pod(key=GPU))
    assert engine().mutate(asked, adopting=True).object is asked.object


def told(world, **more):
    return engine(world).validate(request(deployment(key=GPU, **more)), adopting=True)


def test_a_workload_whose_adopted_pods_the_quota_cannot_hold_is_warned_of():
    outcome = told(ADOPTING, replicas=3)
    assert [warning for warning in outcome.warnings if "quota q allows 1 of class" in warning]
    assert outcome.object["spec"]["template"]["spec"] == pod(key=GPU)["spec"]


def test_a_namespace_that_refuses_such_workloads_refuses_it():
    labels = {"adopt": K80, "enforce_workloads": "deny"}
    world = cluster(resource_class(), namespace(**labels), quota(hard="1"))
    assert told(world, replicas=3).reason == Reason.WORKLOAD_CANNOT_RUN
    assert told(world, replicas=1).allowed


def test_a_workload_whose_pods_nothing_can_adopt_is_warned_of():
    outcome = told(cluster(resource_class(), namespace(adopt="other")))
    assert outcome.allowed
    assert outcome.warnings[0].startswith("Deployment serve: the namespace adopts pods that ask for devices")


def test_a_workload_that_is_changed_is_compared_as_its_pods_were_adopted_before():
    labels = {"adopt": K80, "enforce_workloads": "deny"}
    world = cluster(resource_class(), namespace(**labels), quota(hard="1"))
    smaller = request(deployment(key=GPU, replicas=2), "UPDATE", old=deployment(key=GPU, replicas=3))
    assert engine(world).validate(smaller, adopting=True).allowed
