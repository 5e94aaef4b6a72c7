"""`kubectl apply` of a Pod again: Kubernetes lets nobody change what a stored pod asks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.expect import K80, P100, assert_mutated, key
from tests.harness.api import Api
from tests.harness.cluster import pod
from tests.harness.kubectl import Kubectl, Ran

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]
Apply = Callable[[Json], Ran]

IMMUTABLE = "pod updates may not change fields"


@pytest.fixture(params=[False, True], ids=["client-side", "server-side"])
def apply(request: pytest.FixtureRequest, kubectl: Kubectl, api: Api, namespace: str) -> Apply:
    """Applies a pod with these limits. One with the bare name is there already, and has lived on since."""

    def apply(limits: Json) -> Ran:
        how = kubectl.apply_server_side if request.param else kubectl.apply_client_side
        return how(json.dumps(pod("applied", limits)), namespace)

    apply({K80: "1", "cpu": "1"}).must()
    label = {"metadata": {"labels": {"touched": "yes"}}}
    api.patch("Pod", "applied", label, namespace, fieldManager="kubectl-label").must()
    status = {"status": {"phase": "Pending", "message": "as a kubelet writes it"}}
    api.patch("Pod", "applied", status, namespace, subresource="status", fieldManager="kubelet").must()
    return apply


def stored(api: Api, namespace: str) -> Json:
    return api.get("Pod", "applied", namespace).must()


def test_the_same_pod_is_accepted_and_stays_as_it_is(apply: Apply, api: Api, namespace: str) -> None:
    before = stored(api, namespace)["spec"]

    apply({K80: "1", "cpu": "1"}).must()

    assert stored(api, namespace)["spec"] == before
    assert_mutated(stored(api, namespace))


@pytest.mark.parametrize(
    "limits",
    [{K80: "2", "cpu": "1"}, {P100: "1", "cpu": "1"}, {"cpu": "1"}],
    ids=["another number", "another class", "no class"],
)
def test_a_pod_that_asks_for_something_else_is_refused_as_kubernetes_refuses_it(
    apply: Apply, api: Api, namespace: str, limits: Json
) -> None:
    before = stored(api, namespace)["spec"]

    refused = apply(limits)

    assert not refused.ok
    assert IMMUTABLE in refused.err
    assert stored(api, namespace)["spec"] == before


def test_a_pod_may_move_to_the_stored_name(apply: Apply, api: Api, namespace: str) -> None:
    before = stored(api, namespace)["spec"]

    apply({key(K80): "1", "cpu": "1"}).must()

    assert stored(api, namespace)["spec"] == before


def test_a_label_may_be_applied_beside_the_bare_name(
    apply: Apply, kubectl: Kubectl, api: Api, namespace: str
) -> None:
    labelled = kubectl("label", "pod", "applied", "more=yes", "-n", namespace)

    labelled.must()
    apply({K80: "1", "cpu": "1"}).must()
    assert stored(api, namespace)["metadata"]["labels"] == {"touched": "yes", "more": "yes"}
