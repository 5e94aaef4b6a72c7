"""`kubectl apply` again and again with the bare name: what is stored follows the manifest.

kubectl compares the manifest with what it applied before, and knows nothing of the full name that is stored;
client-side apply goes by the last-applied annotation, server-side apply by managed fields.
"""

from __future__ import annotations

import json

import pytest

from tests.cluster.appliable import NAME, SUBJECTS, Applier, Subject
from tests.cluster.expect import K80, P100, bare_keys, key
from tests.cluster.workloads import ALL_KINDS, limits_of, workload
from tests.harness.api import Api
from tests.harness.kubectl import Kubectl

pytestmark = pytest.mark.usefixtures("classes")


@pytest.fixture(params=[False, True], ids=["client-side", "server-side"])
def server_side(request: pytest.FixtureRequest) -> bool:
    side: bool = request.param
    return side


@pytest.fixture(params=SUBJECTS, ids=lambda subject: subject.kind)
def applied(
    request: pytest.FixtureRequest, kubectl: Kubectl, api: Api, namespace: str, server_side: bool
) -> Applier:
    """An object that was applied with one K80 under its bare name, and has lived on since."""
    subject: Subject = request.param
    applier = Applier(kubectl, api, namespace, subject, server_side)
    applier.apply({K80: "1"}).must()
    applier.live_on()
    return applier


def test_living_on_keeps_the_class(applied: Applier) -> None:
    assert applied.amounts() == {applied.subject.key(K80): "1"}


def test_the_same_manifest_changes_nothing(applied: Applier) -> None:
    before = applied.stored()

    applied.apply({K80: "1"}).must()

    assert applied.amounts() == {applied.subject.key(K80): "1"}
    after = applied.stored()
    assert after["spec"] == before["spec"]
    assert after["metadata"]["labels"] == {"touched": "yes"}


# The stored name must not stay beside the new number, and not win over it.
def test_another_number_replaces_the_old_one(applied: Applier) -> None:
    applied.apply({K80: "2"}).must()

    assert applied.amounts() == {applied.subject.key(K80): "2"}


def test_another_class_replaces_the_old_one(applied: Applier) -> None:
    applied.apply({P100: "1"}).must()

    assert applied.amounts() == {applied.subject.key(P100): "1"}


def test_a_removed_line_removes_the_class(applied: Applier) -> None:
    applied.apply({}).must()

    assert applied.amounts() == {}


def test_a_removed_line_can_come_back(applied: Applier) -> None:
    applied.apply({}).must()
    applied.live_on()

    applied.apply({K80: "3"}).must()

    assert applied.amounts() == {applied.subject.key(K80): "3"}


def test_moving_to_the_stored_name_changes_nothing(applied: Applier) -> None:
    full = applied.subject.key(K80)
    before = applied.stored()

    applied.apply({full: "1"}).must()

    assert applied.amounts() == {full: "1"}
    assert applied.stored()["spec"] == before["spec"]


def test_after_moving_to_the_stored_name_a_removed_line_removes_the_class(applied: Applier) -> None:
    applied.apply({applied.subject.key(K80): "2"}).must()
    applied.live_on()

    applied.apply({}).must()

    assert applied.amounts() == {}


def test_the_bare_name_is_warned_of_at_every_apply_and_the_stored_one_is_not(applied: Applier) -> None:
    full = applied.subject.key(K80)

    assert f"Warning: {applied.subject.kind}" in applied.apply({K80: "4"}).err
    assert full in applied.apply({K80: "5"}).err
    assert "Warning" not in applied.apply({full: "5"}).err


# A Job and the selector of others cannot be changed: the second apply must be none.
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_workload_of_any_kind_may_be_applied_twice(
    kubectl: Kubectl, api: Api, namespace: str, server_side: bool, kind: str
) -> None:
    apply = kubectl.apply_server_side if server_side else kubectl.apply_client_side
    manifest = json.dumps(workload(kind, NAME, {K80: 1}))

    apply(manifest, namespace).must()
    apply(manifest, namespace).must()

    stored = api.get(kind, NAME, namespace).must()
    assert limits_of(stored) == {key(K80): "1"}
    assert not bare_keys(stored)
