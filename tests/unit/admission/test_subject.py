"""What a review is about."""

import pytest

from tests.unit.admission.worlds import pod, request
from webhook.admission.subject import Subject, is_mirror_pod, subject_of

MIRROR = {"kubernetes.io/config.mirror": "5f2c"}


def of(api_version, kind, operation="CREATE", sub_resource=""):
    document = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}
    return subject_of(request(document, operation, sub_resource=sub_resource))


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "DaemonSet"),
        ("apps/v1", "ReplicaSet"),
        ("batch/v1", "Job"),
        ("batch/v1", "CronJob"),
        ("v1", "ReplicationController"),
        ("v1", "PodTemplate"),
    ],
)
@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_what_holds_a_pod_template_is_a_template(api_version, kind, operation):
    assert of(api_version, kind, operation) is Subject.TEMPLATE


def test_a_pod_is_told_apart_by_operation():
    assert of("v1", "Pod") is Subject.POD
    assert of("v1", "Pod", "UPDATE") is Subject.POD_UPDATE


@pytest.mark.parametrize("operation", ["DELETE", "CONNECT"])
def test_the_end_of_a_pod_is_nothing_to_decide(operation):
    assert of("v1", "Pod", operation) is Subject.OTHER


@pytest.mark.parametrize("sub_resource", ["status", "resize", "binding", "eviction"])
def test_other_subresources_of_a_pod_are_left_alone(sub_resource):
    assert of("v1", "Pod", "UPDATE", sub_resource) is Subject.OTHER


def test_ephemeral_containers_are_a_subject_of_their_own():
    assert of("v1", "Pod", "UPDATE", "ephemeralcontainers") is Subject.EPHEMERAL_CONTAINERS


def test_a_kind_of_the_same_name_in_another_group_is_another_kind():
    assert of("batch.volcano.sh/v1alpha1", "Job") is Subject.OTHER


def test_the_scale_of_a_deployment_is_left_alone():
    assert of("autoscaling/v1", "Scale", "UPDATE", "scale") is Subject.OTHER


def test_a_class_that_is_deleted_is_a_subject():
    assert of("resourceclass.io/v1alpha1", "ResourceClass", "DELETE") is Subject.CLASS_DELETE


def test_a_deployment_that_is_deleted_is_not():
    assert of("apps/v1", "Deployment", "DELETE") is Subject.OTHER


def test_the_kubelets_mirror_of_a_static_pod_is_known():
    assert is_mirror_pod(request(pod(annotations=MIRROR), groups=["system:nodes"]))


def test_the_annotation_of_anybody_else_makes_no_mirror_pod():
    assert not is_mirror_pod(request(pod(annotations=MIRROR), groups=["system:authenticated"]))


def test_a_pod_that_a_node_creates_is_no_mirror_without_the_annotation():
    assert not is_mirror_pod(request(pod(), groups=["system:nodes"]))
