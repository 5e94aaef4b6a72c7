"""Init containers and sidecars count as the API server's own quota counts them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import K80, assert_denied, assert_mutated, key, quota_key
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod, quota, quota_synced

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]


def container(name: str, amount: int, **more: Any) -> Json:
    return {"name": name, "image": IMAGE, "resources": {"limits": {key(K80): str(amount)}}, **more}


def sidecar(amount: int) -> Json:
    return container("sc", amount, restartPolicy="Always")


# kubernetes/kubernetes#131379, Project-HAMi/HAMi PR#1773: sidecars were pooled like other init containers.
SHAPES = {
    "a sidecar between init containers": (
        [container("ic1", 1), sidecar(1), container("ic2", 2)],
        container("c1", 1),
        3,
    ),
    "a sidecar after the init containers": (
        [container("ic1", 1), container("ic2", 2), sidecar(1)],
        container("c1", 1),
        2,
    ),
    "a sidecar beside the main container": ([sidecar(2)], container("c1", 2), 4),
}


def shape(name: str) -> tuple[Json, int]:
    init, main, units = SHAPES[name]
    return pod("a", initContainers=init, containers=[main]), units


@pytest.mark.parametrize("name", SHAPES)
def test_a_quota_of_what_the_pod_holds_at_once_admits_it(api: Api, namespace: str, name: str) -> None:
    sent, units = shape(name)
    api.create(quota("q", {quota_key(K80): units}), namespace).must()
    quota_synced(api, namespace, "q")

    stored = api.create(sent, namespace).must()

    assert_mutated(stored, {K80: units})
    assert [c.get("restartPolicy") for c in stored["spec"]["initContainers"]] == [
        c.get("restartPolicy") for c in sent["spec"]["initContainers"]
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_the_server_charges_what_we_count(api: Api, namespace: str, name: str) -> None:
    sent, units = shape(name)
    api.create(quota("q", {quota_key(K80): "10"}), namespace).must()
    quota_synced(api, namespace, "q")

    api.create(sent, namespace).must()

    used = api.get("ResourceQuota", "q", namespace).must()["status"]["used"]
    assert used == {quota_key(K80): str(units)}


@pytest.mark.parametrize("name", SHAPES)
def test_a_quota_of_one_less_refuses_the_pod(api: Api, namespace: str, name: str) -> None:
    sent, units = shape(name)
    api.create(quota("q", {quota_key(K80): units - 1}), namespace).must()
    quota_synced(api, namespace, "q")

    answer = api.create(sent, namespace)

    assert_denied(answer, units, 0, units - 1)
    assert api.items("Pod", namespace) == []
