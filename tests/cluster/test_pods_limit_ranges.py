"""A LimitRange hands out devices that nobody typed; we count them and say where they come from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import (
    K80,
    OURS,
    asking,
    assert_denied,
    assert_mutated,
    assert_untouched,
    key,
    quota_key,
)
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod, quota, quota_synced
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]


def set_up(api: Api, namespace: str, **maps: dict[str, str]) -> None:
    """A LimitRange in the namespace, in effect, and a quota of 3."""
    limits = [{"type": "Container", **maps}]
    limit_range = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "cap"},
        "spec": {"limits": limits},
    }
    api.create(limit_range, namespace).must()
    api.create(quota("q", {quota_key(K80): "3"}), namespace).must()
    quota_synced(api, namespace, "q")
    # The server learns of a LimitRange by a watch: it is in effect once one above its maximum is refused.
    most = int(maps["max"][key(K80)]) + 1
    until(
        lambda: "maximum" in api.create(asking("probe", most), namespace, dryRun="All").message,
        "the LimitRange is in effect",
    )


def web() -> Json:
    return pod("web", containers=[{"name": "a", "image": IMAGE}, {"name": "b", "image": IMAGE}])


# canonical/bundle-kubeflow#599: `max: 8` made every container ask for 8.
def test_devices_that_a_maximum_gives_to_all_containers_are_counted_and_explained(
    api: Api, namespace: str
) -> None:
    set_up(api, namespace, max={key(K80): "2"})

    answer = api.create(web(), namespace)

    assert_denied(answer, 4, 0, 3)
    assert f"class {K80} is asked for by containers a (2) and b (2)" in answer.message
    assert "a LimitRange of the namespace gave the class to a and b" in answer.message


def test_a_default_of_zero_leaves_pods_without_the_class_untouched(api: Api, namespace: str) -> None:
    zero = {key(K80): "0"}
    set_up(api, namespace, max={key(K80): "2"}, default=zero, defaultRequest=zero)

    stored = api.create(web(), namespace).must()

    assert_untouched(stored)
    assert_room_of_three(api, namespace)


def test_a_pod_that_asks_itself_counts_what_it_asks(api: Api, namespace: str) -> None:
    set_up(api, namespace, max={key(K80): "2"})

    stored = api.create(asking("own"), namespace).must()

    assert_mutated(stored)
    assert api.get("ResourceQuota", "q", namespace).must()["status"]["used"] == {quota_key(K80): "1"}


def test_a_pod_above_the_maximum_is_refused_by_the_limit_range_and_costs_nothing(
    api: Api, namespace: str
) -> None:
    set_up(api, namespace, max={key(K80): "2"})

    answer = api.create(asking("greedy", 3), namespace)

    assert (answer.code, answer.reason) == (403, "Forbidden")
    assert OURS not in answer.message
    assert f"maximum {key(K80)} usage per Container is 2" in answer.message
    assert_room_of_three(api, namespace)


def assert_room_of_three(api: Api, namespace: str) -> None:
    """With at most 2 per container, room for 3 shows with two containers."""
    two = [{"name": name, "image": IMAGE, "resources": {"limits": {key(K80): "1"}}} for name in ("a", "b")]
    third = {"name": "c", "image": IMAGE, "resources": {"limits": {key(K80): "1"}}}
    api.create(pod("room", containers=[*two, third]), namespace, dryRun="All").must()
    fourth = {**third, "resources": {"limits": {key(K80): "2"}}}
    assert_denied(api.create(pod("room", containers=[*two, fourth]), namespace, dryRun="All"), 4, 0, 3)


# The bare name in a LimitRange: stored under its full name in all five maps, the filled-in default too.
def test_a_limit_range_with_the_bare_name_is_stored_under_the_full_one(api: Api, namespace: str) -> None:
    one, two = {K80: "1"}, {K80: "2"}
    container = {"type": "Container", "max": two, "min": one, "defaultRequest": two}
    of_pod = {"type": "Pod", "max": two, "maxLimitRequestRatio": one}
    limit_range = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "bare"},
        "spec": {"limits": [container, of_pod]},
    }

    made = api.create(limit_range, namespace)

    first, second = made.must()["spec"]["limits"]
    assert first["max"] == first["default"] == first["defaultRequest"] == {key(K80): "2"}
    assert first["min"] == {key(K80): "1"}
    assert second == {"type": "Pod", "max": {key(K80): "2"}, "maxLimitRequestRatio": {key(K80): "1"}}
    assert any(key(K80) in warning for warning in made.warnings), made.warnings
