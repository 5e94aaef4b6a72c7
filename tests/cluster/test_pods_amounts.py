"""Amounts of devices: zero asks for nothing, every spelling of a whole number counts, the rest is refused."""

from __future__ import annotations

import pytest

from tests.cluster.expect import (
    K80,
    OURS,
    P100,
    asking,
    assert_as_sent,
    assert_denied,
    assert_mutated,
    assert_room,
    assert_untouched,
    key,
    quota_key,
    whole,
)
from tests.cluster.reviews import Direct, pod_review
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod, quota, quota_synced

pytestmark = pytest.mark.usefixtures("classes")


def limit(api: Api, namespace: str, amount: str, class_name: str = K80) -> None:
    api.create(quota("q", {quota_key(class_name): amount}), namespace).must()
    quota_synced(api, namespace, "q")


# NVIDIA/k8s-device-plugin#61, NVIDIA/gpu-operator#284: zero gave every device, or the wrong scheduler.
@pytest.mark.parametrize("spelling", [key(K80), K80])
def test_a_pod_that_asks_for_zero_is_an_ordinary_pod(api: Api, namespace: str, spelling: str) -> None:
    limit(api, namespace, "0")

    stored = api.create(pod("cpu-build", {spelling: "0"}), namespace).must()

    assert_untouched(stored)
    assert stored["spec"]["containers"][0]["resources"]["limits"] == {key(K80): "0"}


# NVIDIA/k8s-device-plugin#61
def test_a_container_that_asks_for_zero_beside_one_that_asks_gets_no_device(api: Api, namespace: str) -> None:
    limit(api, namespace, "3", P100)
    containers = [
        {"name": "idle", "image": IMAGE, "resources": {"limits": {key(P100): "0"}}},
        {"name": "busy", "image": IMAGE, "resources": {"limits": {key(P100): "1"}}},
    ]
    half = pod("half", containers=containers)

    stored = api.create(half, namespace).must()

    assert_mutated(stored, {P100: 1})
    assert_as_sent(api, stored, half, [P100])
    assert_room(api, namespace, 2, P100)
    idle, busy = stored["spec"]["containers"]
    assert idle["env"] == [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]
    assert "void" not in [variable.get("value") for variable in busy["env"]]


# DataDog/integrations-core PR#17280, fabric8io/kubernetes-client#2052: exponents were read as suffixes.
@pytest.mark.parametrize(("spelling", "amount"), [("1e0", 1), ("2E0", 2), ("+2", 2), ("3e0", 3)])
def test_a_spelling_of_a_whole_number_counts_as_that_number(
    api: Api, namespace: str, spelling: str, amount: int
) -> None:
    limit(api, namespace, "5")
    sent = asking("spelled", spelling)

    stored = api.create(sent, namespace).must()

    assert_mutated(stored, {K80: amount})
    assert_as_sent(api, stored, sent)
    assert_room(api, namespace, 5 - amount)


@pytest.mark.parametrize("spelling", ["1k", "1e3", "1Ki", "2E", "1e30"])
def test_a_large_number_is_denied_as_the_number_it_is(api: Api, namespace: str, spelling: str) -> None:
    limit(api, namespace, "5")

    answer = api.create(asking("large", spelling), namespace)

    assert_denied(answer, whole(spelling), 0, 5)
    assert_room(api, namespace, 5)


@pytest.mark.parametrize("spelling", ["0x2", "２"])  # noqa: RUF001 - a digit of another script is no number here
def test_what_is_no_number_is_refused_by_the_server_and_by_the_webhook(
    api: Api, namespace: str, direct: Direct, spelling: str
) -> None:
    sent = asking("spelled", spelling)

    assert api.create(sent, namespace).code == 400
    answer = direct.post("/mutate", pod_review(sent, namespace))

    assert answer.status == 400 or not answer.response["allowed"]
    assert "Traceback" not in answer.text


# volcano-sh/volcano#822, skypilot-org/skypilot#2655, Project-HAMi/HAMi#2788: fractions were rounded.
@pytest.mark.parametrize("typed", [key(K80), K80])
def test_a_fraction_is_refused_and_costs_nothing(api: Api, namespace: str, typed: str) -> None:
    limit(api, namespace, "5")

    for spelling in ("0.5", "500m", "1.5", "1500m", "0.1m", "-1"):
        container = {"name": "trainer", "image": IMAGE, "resources": {"limits": {typed: spelling}}}
        answer = api.create(pod("fraction", containers=[container]), namespace)

        assert 400 <= answer.code < 500, f"{spelling}: {answer.code}"
        assert "trainer" in answer.message, answer.message
        assert typed in answer.message, answer.message
        assert "whole number" in answer.message, answer.message

    assert api.items("Pod", namespace) == []
    assert_room(api, namespace, 5)


@pytest.mark.parametrize("typed", [key(K80), K80])
@pytest.mark.parametrize(("spelling", "amount"), [("2000m", 2), ("1000000u", 1), ("1.0", 1), ("2.", 2)])
def test_a_whole_number_in_the_spelling_of_a_fraction_counts(
    api: Api, namespace: str, typed: str, spelling: str, amount: int
) -> None:
    limit(api, namespace, "5")

    stored = api.create(pod("whole", {typed: spelling}), namespace).must()

    assert_mutated(stored, {K80: amount})
    assert_room(api, namespace, 5 - amount)


# kubernetes/kubernetes PR#57170: devices cannot be over-committed.
@pytest.mark.parametrize("typed", [key(K80), K80])
@pytest.mark.parametrize(
    "resources",
    [{"requests": "1"}, {"limits": "2", "requests": "1"}],
    ids=["requests alone", "fewer requests than limits"],
)
def test_requests_that_are_not_the_limits_are_refused_naming_the_container(
    api: Api, namespace: str, typed: str, resources: dict[str, str]
) -> None:
    limit(api, namespace, "5")
    amounts = {part: {typed: amount} for part, amount in resources.items()}
    uneven = pod("uneven", containers=[{"name": "c", "image": IMAGE, "resources": amounts}])

    answer = api.create(uneven, namespace)

    assert answer.code == 422, answer.message
    assert 'container "c"' in answer.message, answer.message
    assert typed in answer.message, answer.message
    assert_room(api, namespace, 5)


def test_the_refusal_of_a_fraction_is_ours_and_says_what_to_write(api: Api, namespace: str) -> None:
    answer = api.create(asking("fraction", "1500m"), namespace)

    assert (answer.code, answer.reason) == (422, "Invalid")
    assert OURS in answer.message
