"""The ports over watched caches and over direct reads, without sockets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.cluster.fake_api import FakeApi
from tests.unit.cluster.scripted import Clock
from webhook.cluster.cache import STALE_SECONDS
from webhook.cluster.direct import DirectCluster
from webhook.cluster.live import LiveCluster
from webhook.core.errors import BadInput, ClusterUnavailable

Json = dict[str, Any]
CLASSES = "/apis/resourceclass.io/v1alpha1/resourceclasses"
DEVICES = "/apis/resourceclass.io/v1alpha1/extendedresources"
NAMESPACES = "/api/v1/namespaces"
QUOTAS = "/api/v1/resourcequotas"
TEAM_QUOTAS = "/api/v1/namespaces/team-a/resourcequotas"
PODS = "/api/v1/pods"
TEAM_PODS = "/api/v1/namespaces/team-a/pods"


def named(name: str, namespace: str | None = None, **fields: Any) -> Json:
    where = {"namespace": namespace} if namespace else {}
    return {"metadata": {"name": name, "uid": "1", "managedFields": [{}], **where}, **fields}


K80 = named("k80", spec={"selector": {"matchLabels": {"model": "K80"}}}, status={"devices": 3})
QUOTA = named("q", "team-a", spec={"hard": {}}, status={})
POD = named("p", "team-a", spec={"containers": [{"resources": {"limits": {"resourceclass.io/k80": 2}}}]})
PLAIN = named("plain", "team-a", spec={"containers": [{}]})
DEVICE = named("d", spec={"properties": {"model": "K80", "index": "0"}}, status={"phase": "Bound"})


@pytest.fixture
def api() -> FakeApi:
    return FakeApi(
        {
            CLASSES: [K80],
            DEVICES: [DEVICE],
            NAMESPACES: [{"metadata": {"name": "team-a", "labels": {"tier": "gold"}}}],
            QUOTAS: [QUOTA],
            TEAM_QUOTAS: [QUOTA],
            PODS: [POD, PLAIN],
            TEAM_PODS: [POD, PLAIN],
        }
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def live(api: FakeApi, clock: Clock) -> Iterator[LiveCluster]:
    cluster = LiveCluster(api, clock, api.draw)
    cluster.start()
    api.wait_for_watches(5)
    api.asked.clear()
    yield cluster
    cluster.close()


@pytest.fixture
def direct(api: FakeApi) -> DirectCluster:
    return DirectCluster(api)


def test_answers_from_memory(live: LiveCluster, api: FakeApi) -> None:
    assert live.classes().names == ("k80",)
    assert live.namespace_labels("team-a") == {"tier": "gold"}
    assert [quota["metadata"]["name"] for quota in live.quotas("team-a")] == ["q"]
    assert [usage.units for usage in live.usage("k80", "team-a")] == [2]
    assert [(kind.properties, kind.count) for kind in live.device_kinds()] == [({"model": "K80"}, 1)]
    assert api.asked == []


def test_is_ready_once_every_kind_is_listed(live: LiveCluster) -> None:
    assert live.not_ready() == []


def test_says_what_it_has_not_listed_yet(api: FakeApi) -> None:
    assert LiveCluster(api).not_ready()[0] == "ResourceClass: not listed yet"


def test_keeps_only_what_is_needed_of_a_quota(live: LiveCluster) -> None:
    assert live.quotas("team-a") == [
        {"metadata": {"name": "q", "namespace": "team-a", "uid": "1"}, "spec": {"hard": {}}, "status": {}}
    ]


def test_knows_the_uid_of_a_quota_that_it_has_seen(live: LiveCluster) -> None:
    assert (live.quota_uid("team-a", "q"), live.quota_uid("team-a", "new")) == ("1", "")


def test_a_namespace_that_is_new_is_read(live: LiveCluster, api: FakeApi) -> None:
    api.objects[NAMESPACES].append({"metadata": {"name": "new", "labels": {"a": "b"}}})
    assert live.namespace_labels("new") == {"a": "b"}


def test_labels_that_changed_a_moment_ago_are_read_where_they_matter(live: LiveCluster, api: FakeApi) -> None:
    api.objects[NAMESPACES][0]["metadata"]["labels"] = {"tier": "silver"}
    assert live.namespace_labels("team-a") == {"tier": "gold"}
    assert live.fresh_namespace_labels("team-a") == {"tier": "silver"}


def test_a_namespace_that_does_not_exist_has_no_labels(live: LiveCluster) -> None:
    assert live.namespace_labels("nowhere") == {}


def test_no_namespace_has_no_labels_and_is_not_asked_for(live: LiveCluster, api: FakeApi) -> None:
    assert (live.namespace_labels(""), api.asked) == ({}, [])


def test_no_namespace_has_no_quotas_and_is_not_asked_for(live: LiveCluster, api: FakeApi) -> None:
    assert (live.fresh_quotas(""), api.asked) == ([], [])


def test_a_strange_name_cannot_change_the_path(live: LiveCluster, api: FakeApi) -> None:
    live.fresh_class("../pods?x=/y")
    assert api.asked == [f"{CLASSES}/..%2Fpods%3Fx%3D%2Fy"]


def test_fresh_reads_ask_the_api_server(live: LiveCluster, api: FakeApi) -> None:
    live.fresh_quotas("team-a")
    live.fresh_class("k80")
    assert api.asked == [TEAM_QUOTAS, f"{CLASSES}/k80"]


def test_a_class_that_does_not_exist_is_none(live: LiveCluster) -> None:
    assert live.fresh_class("v100") is None


def test_a_fresh_read_of_a_server_that_is_away_says_so(live: LiveCluster, api: FakeApi) -> None:
    api.failure = ClusterUnavailable("refused")
    with pytest.raises(ClusterUnavailable, match="refused"):
        live.fresh_quotas("team-a")


def test_quotas_of_a_stale_cache_are_read_afresh(live: LiveCluster, api: FakeApi, clock: Clock) -> None:
    clock.now += STALE_SECONDS + 1
    live.quotas("team-a")
    assert api.asked == [TEAM_QUOTAS]


def test_a_stale_cache_of_a_server_that_is_away_is_not_believed(
    live: LiveCluster, api: FakeApi, clock: Clock
) -> None:
    clock.now += STALE_SECONDS + 1
    api.failure = ClusterUnavailable("refused")
    with pytest.raises(ClusterUnavailable):
        live.quotas("team-a")


def test_a_cache_whose_watch_is_broken_is_not_believed(live: LiveCluster, api: FakeApi) -> None:
    api.break_watches()
    live.quotas("team-a")
    live.namespace_labels("team-a")
    assert api.asked == [TEAM_QUOTAS, f"{NAMESPACES}/team-a"]


def test_classes_are_in_doubt_while_their_watch_is_broken(live: LiveCluster, api: FakeApi) -> None:
    before = live.classes_in_doubt()
    api.break_watches()
    assert (before, live.classes_in_doubt()) == (False, True)


def test_age_and_lists_are_told_by_kind(live: LiveCluster, clock: Clock) -> None:
    clock.now += 7
    assert {kind: (live.age_seconds(kind), live.lists(kind)) for kind in live.kinds} == {
        "ResourceClass": (7, 1),
        "Namespace": (7, 1),
        "ResourceQuota": (7, 1),
        "Pod": (7, 1),
        "ExtendedResource": (7, 1),
    }


def test_direct_reads_give_the_same_answers(live: LiveCluster, direct: DirectCluster) -> None:
    assert direct.classes() == live.classes()
    assert direct.namespace_labels("team-a") == live.namespace_labels("team-a")
    assert direct.fresh_namespace_labels("team-a") == live.fresh_namespace_labels("team-a")
    assert direct.quotas("team-a") == live.quotas("team-a")
    assert direct.usage("k80") == live.usage("k80")
    assert direct.usage("k80", "team-a") == live.usage("k80", "team-a")
    assert direct.device_kinds() == live.device_kinds()
    assert direct.fresh_class("k80") == live.fresh_class("k80")


def test_direct_reads_are_made_once(direct: DirectCluster, api: FakeApi) -> None:
    for _ in range(2):
        direct.classes()
        direct.namespace_labels("team-a")
        direct.quotas("team-a")
        direct.usage("k80", "team-a")
    assert api.asked == [CLASSES, f"{NAMESPACES}/team-a", TEAM_QUOTAS, TEAM_PODS]


def test_a_cluster_without_our_kinds_is_told_apart_from_an_empty_one(api: FakeApi) -> None:
    del api.objects[CLASSES]
    with pytest.raises(BadInput, match="does not know ResourceClass: apply the CustomResourceDefinitions"):
        DirectCluster(api).classes()


def test_other_refusals_of_a_direct_read_are_the_clusters(direct: DirectCluster, api: FakeApi) -> None:
    api.failure = ClusterUnavailable("refused")
    with pytest.raises(ClusterUnavailable):
        direct.classes()
