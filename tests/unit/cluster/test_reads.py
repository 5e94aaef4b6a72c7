"""Collections and objects read once, from an API server and from a folder."""

from __future__ import annotations

import gc
import json

import pytest

from tests.unit.cluster.fake_api import FakeApi
from tests.unit.cluster.manifests import CLASS, K80, QUOTA, pod
from webhook.cluster.listing import Resource
from webhook.cluster.reads import FolderReads, LiveReads, collector_paused
from webhook.cluster.resources import RESOURCE_CLASSES
from webhook.core.errors import BadInput

PODS = Resource("Pod", "/api/v1", "pods", lambda obj: obj)
QUOTAS = Resource("ResourceQuota", "/api/v1", "resourcequotas", lambda obj: obj)
DEPLOYMENTS = Resource("Deployment", "/apis/apps/v1", "deployments", lambda obj: obj)
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "train", "namespace": "team-a"},
}


def test_an_api_server_is_asked_for_the_collection_of_a_namespace():
    api = FakeApi({"/api/v1/namespaces/team-a/pods": [pod("a")], "/api/v1/pods": [pod("a"), pod("b")]})
    assert LiveReads(api).all(PODS, "team-a") == [pod("a")]
    assert LiveReads(api).all(PODS) == [pod("a"), pod("b")]


def test_an_api_server_is_asked_for_one_object():
    api = FakeApi({"/api/v1/namespaces/team-a/pods": [pod("a")]})
    assert LiveReads(api).one(PODS, "a", "team-a") == pod("a")
    assert LiveReads(api).one(PODS, "b", "team-a") is None


def test_a_cluster_without_our_kinds_is_told_to_apply_the_definitions():
    with pytest.raises(BadInput, match="does not know ResourceClass: apply the CustomResourceDefinitions"):
        LiveReads(FakeApi({})).all(RESOURCE_CLASSES)


def test_a_kind_of_others_that_is_unknown_has_no_such_remedy():
    with pytest.raises(BadInput, match=r"does not know Deployment$"):
        LiveReads(FakeApi({})).all(DEPLOYMENTS)


def test_a_folder_gives_pods_and_quotas_as_they_would_be_stored(folder):
    pods = {"c_json": json.dumps(pod("a", 2)), "d_json": json.dumps(pod("b", namespace="team-b"))}
    reads = FolderReads(folder(a_yaml=CLASS, b_yaml=QUOTA, **pods))
    (found,) = reads.all(PODS, "team-a")
    assert found["spec"]["containers"][0]["resources"]["limits"] == {"resourceclass.io/nvidia.tesla.k80": 2}
    (quota,) = reads.all(QUOTAS)
    assert quota["status"] == {"hard": {K80: 5}, "used": {K80: "2"}}


def test_a_folder_tells_kinds_of_other_groups_apart(folder):
    reads = FolderReads(folder(a_yaml=CLASS, b_json=json.dumps(DEPLOYMENT)))
    assert reads.all(DEPLOYMENTS) == [DEPLOYMENT]
    assert reads.one(DEPLOYMENTS, "train", "team-a") == DEPLOYMENT
    assert reads.one(DEPLOYMENTS, "train", "team-b") is None


def test_what_a_resource_does_not_keep_is_not_seen(folder):
    nothing = Resource("Pod", "/api/v1", "pods", lambda obj: None)
    assert FolderReads(folder(a_json=json.dumps(pod("a")))).all(nothing) == []


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_as_it_was_after_a_read(was_on):
    before = gc.isenabled()
    try:
        (gc.enable if was_on else gc.disable)()
        with collector_paused():
            assert not gc.isenabled()
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
