"""What the engine makes of pods in isolated namespaces, and what it says of them."""

import pytest

from tests.unit.admission.worlds import STORED, cluster, namespace, pod, quota, request, resource_class
from webhook.admission.engine import Engine
from webhook.core.outcome import Reason
from webhook.core.settings import PodSettings

ALL = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
VOID = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]


@pytest.fixture
def engine():
    return Engine(cluster(resource_class(), namespace(), quota(hard="5")), PodSettings())


def env(document):
    return document["spec"]["containers"][0].get("env")


def with_env(document, env):
    document["spec"]["containers"][0]["env"] = env
    return document


def with_debugger(env):
    document = pod(key=None)
    document["spec"]["ephemeralContainers"] = [{"name": "debug", "image": "i", "env": env}]
    return request(document, "UPDATE", sub_resource="ephemeralcontainers", old=pod(key=None))


def test_an_isolated_pod_without_class_sees_no_device(engine):
    assert env(engine.mutate(request(pod(key=None)), isolated=True).object) == VOID


def test_elsewhere_a_pod_without_class_is_left_alone(engine):
    assert env(engine.mutate(request(pod(key=None))).object) is None


def test_an_isolated_class_pod_is_served_as_well(engine):
    outcome = engine.mutate(request(pod(key=STORED)), isolated=True)
    assert outcome.object["spec"]["schedulerName"] == "resourceclass-scheduler"


def test_a_device_variable_by_hand_is_refused_in_an_isolated_namespace(engine):
    outcome = engine.mutate(request(with_env(pod(key=None), ALL)), isolated=True)
    assert outcome.reason == Reason.HAND_SET_DEVICE


def test_an_isolated_pod_that_mutation_has_not_seen_is_refused(engine):
    assert engine.validate(request(pod(key=None)), isolated=True).reason == Reason.NOT_FINAL


def test_an_isolated_pod_as_mutation_leaves_it_is_allowed(engine):
    served = engine.mutate(request(pod(key=None)), isolated=True).object
    assert engine.validate(request(served), isolated=True).allowed


def test_an_ephemeral_container_in_an_isolated_namespace_sees_no_device(engine):
    outcome = engine.mutate(with_debugger([]), isolated=True)
    assert outcome.object["spec"]["ephemeralContainers"][0]["env"] == VOID


def test_an_ephemeral_container_elsewhere_is_left_alone(engine):
    asked = with_debugger([])
    assert engine.mutate(asked).object is asked.object


@pytest.mark.parametrize("call", ["mutate", "validate"])
def test_an_ephemeral_container_that_helps_itself_is_refused(engine, call):
    assert getattr(engine, call)(with_debugger(ALL), isolated=True).reason == Reason.HAND_SET_DEVICE


def test_an_ephemeral_container_that_mutation_has_not_seen_is_refused(engine):
    outcome = engine.validate(with_debugger([]), isolated=True)
    assert outcome.reason == Reason.NOT_FINAL
    assert "ephemeralContainers[0]" in outcome.message


def test_an_ephemeral_container_without_devices_is_allowed(engine):
    assert engine.validate(with_debugger(VOID), isolated=True).allowed


def test_ephemeral_containers_elsewhere_are_nobodys_business(engine):
    assert engine.validate(with_debugger(ALL)).allowed
