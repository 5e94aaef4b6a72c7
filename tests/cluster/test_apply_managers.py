"""Objects that change their applier, or have several: a class stays as long as one of them wants it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.cluster.appliable import NAME, SUBJECTS, Applier, Subject
from tests.cluster.expect import K80, key
from tests.cluster.workloads import limits_of, workload
from tests.harness.api import Api
from tests.harness.kubectl import Kubectl

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]


@pytest.fixture(params=SUBJECTS, ids=lambda subject: subject.kind)
def moved(request: pytest.FixtureRequest, kubectl: Kubectl, api: Api, namespace: str) -> Applier:
    """An object that was applied on the client's side and, the same manifest, then on the server's.

    The first time needs --force-conflicts: the field manager of client-side apply owns the bare name, whose
    value is not there, so the server takes the same number for another one.
    """
    subject: Subject = request.param
    before = Applier(kubectl, api, namespace, subject, server_side=False)
    before.apply({K80: "1"}).must()
    after = replace(before, server_side=True)
    after.apply({K80: "1"}, "--force-conflicts").must()
    return after


def test_moving_to_server_side_apply_keeps_the_class(moved: Applier) -> None:
    assert moved.amounts() == {moved.subject.key(K80): "1"}


def test_a_line_removed_after_moving_to_server_side_apply_removes_the_class(moved: Applier) -> None:
    moved.apply({}).must()

    assert moved.amounts() == {}


def deployment(limits: Json) -> Json:
    return workload("Deployment", NAME, {**limits, "cpu": "1"})


@pytest.fixture
def shared(api: Api, namespace: str) -> Api:
    """A Deployment with one K80 that two field managers apply; the second has to take the bare name over."""
    for manager in ("one", "other"):
        obj = deployment({K80: "1"})
        obj["metadata"]["namespace"] = namespace
        api.apply(obj, manager, force="true").must()
    return api


def apply(api: Api, namespace: str, manager: str, limits: Json) -> Json:
    obj = deployment(limits)
    obj["metadata"]["namespace"] = namespace
    return limits_of(api.apply(obj, manager).must())


def test_a_class_stays_while_one_of_two_appliers_wants_it(shared: Api, namespace: str) -> None:
    assert apply(shared, namespace, "one", {}) == {key(K80): "1", "cpu": "1"}


def test_a_class_goes_when_the_last_applier_drops_it(shared: Api, namespace: str) -> None:
    apply(shared, namespace, "one", {})

    assert apply(shared, namespace, "other", {}) == {"cpu": "1"}


@pytest.mark.parametrize("limits", [{K80: "2"}, {}], ids=["another number", "no class"])
def test_replacing_the_whole_object_stores_what_it_says(
    api: Api, namespace: str, limits: dict[str, str]
) -> None:
    api.create(deployment({K80: "1"}), namespace).must()
    whole = deployment(limits)
    whole["metadata"]["namespace"] = namespace

    stored = limits_of(api.update(whole).must())

    assert stored == {**{key(name): amount for name, amount in limits.items()}, "cpu": "1"}
