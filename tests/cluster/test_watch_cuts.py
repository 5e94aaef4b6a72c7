"""While its watches are broken the webhook judges by what it reads afresh, and not by what it remembers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.conftest import CLASSES
from tests.cluster.expect import K80, asking, assert_denied
from tests.cluster.expect_quota import forget_status, limit
from tests.cluster.outages import UNCERTAIN, DistantProduct, oldest_seconds, wait_in_step, watches_broken
from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace, quota
from tests.harness.controlplane import ControlPlane
from tests.harness.product import fresh_class, resource_class
from tests.harness.waiting import until


@pytest.fixture(scope="module")
def distant(control_plane_binaries: dict[str, Path]) -> Iterator[DistantProduct]:
    with ControlPlane(control_plane_binaries) as plane, DistantProduct(plane) as product:
        for each in CLASSES:
            plane.api().create(each).must()
        yield product


@pytest.fixture(scope="module")
def control_plane(distant: DistantProduct) -> ControlPlane:
    """The control plane of this file: others must not lose their watches with it."""
    return distant.plane


@pytest.fixture
def known(api: Api, namespace: str) -> str:
    """A namespace with room for five K80, which the webhook has seen."""
    limit(api, namespace, 5)
    api.create(asking("first"), namespace).must()
    return namespace


def test_a_quota_that_was_made_meanwhile_counts_before_its_status_is_there(
    api: Api, distant: DistantProduct, known: str
) -> None:
    with watches_broken(distant):
        api.create(quota("late", {f"requests.resourceclass.io/{K80}": "1"}), known).must()
        until(lambda: api.get("ResourceQuota", "late", known).must().get("status"), "its status")
        forget_status(api, known, "late")

        answer = api.create(asking("p", 2), known)

    assert answer.code == 403, "the API server's plugin alone lets it pass"
    assert "quota late is being computed" in answer.message


def test_a_quota_that_was_raised_meanwhile_refuses_nobody_who_fits(
    api: Api, distant: DistantProduct, known: str
) -> None:
    with watches_broken(distant):
        api.patch("ResourceQuota", "q", {"spec": {"hard": _hard(9)}}, known).must()
        until(lambda: api.get("ResourceQuota", "q", known).must()["status"]["hard"] == _hard(9), "its status")

        api.create(asking("p", 8), known, dryRun="All").must()
        assert_denied(api.create(asking("p", 9), known, dryRun="All"), 9, 1, 9)


def test_a_class_that_was_closed_meanwhile_is_closed(
    api: Api, distant: DistantProduct, namespace: str
) -> None:
    with fresh_class(api, "example.closing"):
        api.create(asking("before", 1, "example.closing"), namespace).must()
        with watches_broken(distant):
            closed = {"spec": {"namespaces": {"matchLabels": {"team": "vision"}}}}
            api.patch("ResourceClass", "example.closing", closed).must()

            answer = api.create(asking("after", 1, "example.closing"), namespace)

    assert (answer.code, "open to namespaces" in answer.message) == (403, True), answer.message


def test_a_class_that_was_deleted_meanwhile_is_gone(
    api: Api, distant: DistantProduct, namespace: str
) -> None:
    with fresh_class(api, "example.leaving"), watches_broken(distant):
        api.delete("ResourceClass", "example.leaving").must()

        answer = api.create(asking("p", 1, "example.leaving"), namespace)

    assert (answer.code, "example.leaving" in answer.message) == (403, True), answer.message


def test_a_namespace_that_was_labelled_meanwhile_is_judged_by_its_new_label(
    api: Api, distant: DistantProduct, namespace: str
) -> None:
    closed = resource_class("example.open", namespaces={"matchLabels": {"team": "vision"}})
    api.create(closed).must()
    assert api.create(asking("p", 1, "example.open"), namespace, dryRun="All").code == 403
    with watches_broken(distant):
        api.patch("Namespace", namespace, {"metadata": {"labels": {"team": "vision"}}}).must()

        api.create(asking("p", 1, "example.open"), namespace, dryRun="All").must()
    api.delete("ResourceClass", "example.open")


def test_cut_watches_are_taken_up_again(api: Api, distant: DistantProduct, known: str) -> None:
    broken_at = time.monotonic()
    distant.line.cut()

    wait_in_step(distant, broken_at)

    with fresh_namespace(api, {"resourceclass.io/enforce": "wran"}) as other:
        assert "wran is not known" in str(api.create(asking("p"), other, dryRun="All").warnings)


def test_watches_are_taken_up_again_once_they_are_allowed(distant: DistantProduct) -> None:
    with watches_broken(distant):
        until(lambda: oldest_seconds(distant) > 12, "several attempts have failed", 30)
        broken_at = time.monotonic()

    wait_in_step(distant, broken_at)


def test_nobody_is_judged_while_nothing_can_be_read(api: Api, distant: DistantProduct, known: str) -> None:
    def uncertain() -> float:
        return distant.webhook.metric("resourceclass_http_refused_total", reason="cluster_unavailable")

    before = uncertain()
    with distant.line.down(distant.plane.layout.api_port):
        answers = [api.create(asking("p", amount), known, dryRun="All") for amount in (1, 9)]
        broken_at = time.monotonic()

    assert [answer.code for answer in answers] == [500, 500]
    assert all(UNCERTAIN in answer.message for answer in answers)
    assert uncertain() >= before + 2
    wait_in_step(distant, broken_at)
    api.create(asking("p"), known, dryRun="All").must()
    assert_denied(api.create(asking("p", 9), known, dryRun="All"), 9, 1, 5)


def _hard(amount: int) -> dict[str, str]:
    return {f"requests.resourceclass.io/{K80}": str(amount)}
