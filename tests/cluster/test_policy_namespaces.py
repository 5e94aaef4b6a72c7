"""Classes that are open to some namespaces only, and the modes of a namespace: deny, warn, off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.expect import OURS, asking, assert_denied, assert_mutated
from tests.cluster.expect_quota import limit
from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.product import fresh_class
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

CLOSED = "team.a100"
ENFORCE = "resourceclass.io/enforce"
NOT_ENFORCED = f"not enforced ({ENFORCE}: warn): "


@pytest.fixture(scope="module", autouse=True)
def closed(control_plane: ControlPlane) -> Iterator[None]:
    """A class for namespaces with the label team=ml."""
    with fresh_class(
        control_plane.api(), CLOSED, {"model": "A100"}, namespaces={"matchLabels": {"team": "ml"}}
    ):
        yield


def test_a_namespace_that_the_class_is_not_open_to_is_refused(api: Api, namespace: str) -> None:
    answer = api.create(asking("p", 1, CLOSED), namespace)

    assert (answer.code, answer.reason) == (403, "Forbidden")
    assert f"class {CLOSED} is open to namespaces with team=ml only" in answer.message
    assert f"namespace {namespace} has no label team" in answer.message
    assert api.items("Pod", namespace) == []


def test_a_namespace_that_the_class_is_open_to_uses_it(api: Api) -> None:
    with fresh_namespace(api, {"team": "ml"}) as namespace:
        assert_mutated(api.create(asking("p", 1, CLOSED), namespace).must(), {CLOSED: 1})


def test_a_label_of_the_namespace_takes_effect_without_a_restart(api: Api, namespace: str) -> None:
    assert api.create(asking("p", 1, CLOSED), namespace).code == 403

    api.patch("Namespace", namespace, {"metadata": {"labels": {"team": "ml"}}}).must()

    until(lambda: api.create(asking("p", 1, CLOSED), namespace).ok, "the class is open to the namespace")


def test_with_warn_a_closed_class_is_a_warning(api: Api) -> None:
    with fresh_namespace(api, {ENFORCE: "warn"}) as namespace:
        answer = api.create(asking("p", 1, CLOSED), namespace)

    assert_mutated(answer.must(), {CLOSED: 1})
    (warning,) = answer.warnings
    assert warning.startswith(f"{NOT_ENFORCED}class {CLOSED} is open to namespaces with team=ml only")


def test_with_off_a_closed_class_is_no_matter(api: Api) -> None:
    with fresh_namespace(api, {ENFORCE: "off"}) as namespace:
        answer = api.create(asking("p", 1, CLOSED), namespace)

    assert_mutated(answer.must(), {CLOSED: 1})
    assert answer.warnings == []


# A ResourceQuota is the API server's: no label of ours reaches it.
@pytest.mark.parametrize("mode", ["warn", "off"])
def test_no_mode_reaches_a_resource_quota(api: Api, mode: str) -> None:
    with fresh_namespace(api, {ENFORCE: mode}) as namespace:
        limit(api, namespace, 1)
        answer = api.create(asking("p", 2), namespace)

    assert_denied(answer, 2, 0, 1, ours=False)
    assert any(each.startswith(NOT_ENFORCED) for each in answer.warnings) is (mode == "warn")


@pytest.mark.parametrize("mode", ["warn", "off"])
@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ({"nodeName": "node-a"}, "spec.nodeName is set"),
        ({"schedulerName": "volcano"}, "spec.schedulerName is"),
    ],
    ids=["nodeName", "schedulerName"],
)
def test_no_mode_reaches_the_rules_of_placement(api: Api, mode: str, spec: dict[str, str], part: str) -> None:
    with fresh_namespace(api, {ENFORCE: mode}) as namespace:
        answer = api.create(asking("p", **spec), namespace)

    assert answer.code == 403
    assert part in answer.message


@pytest.mark.parametrize("mode", ["warn", "off"])
def test_no_mode_reaches_the_check_of_the_final_state(api: Api, mode: str) -> None:
    skipped = asking("p")
    skipped["metadata"]["labels"] = {"resourceclass.io/webhook": "ignore"}

    with fresh_namespace(api, {ENFORCE: mode}) as namespace:
        answer = api.create(skipped, namespace)

    assert answer.code == 403
    assert "the pod is not as ResourceClass writes it" in answer.message


def test_an_unknown_mode_counts_as_deny_and_is_spoken_of(api: Api) -> None:
    with fresh_namespace(api, {ENFORCE: "wran"}) as namespace:
        refused = api.create(asking("p", 1, CLOSED), namespace)
        admitted = api.create(asking("p"), namespace)

    assert refused.code == 403
    assert OURS in refused.message
    assert admitted.ok
    assert any(f"{ENFORCE}: wran is not known and counts as deny" in each for each in admitted.warnings)
