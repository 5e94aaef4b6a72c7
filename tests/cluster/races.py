"""Many creations at the same moment against a quota: scenes that tests play a few times, `make soak` often.

Each scene is played in a namespace of its own, fails with an AssertionError, and tells how the refusals came
about: by the webhook, or by the API server's own count after a race that was lost between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.expect import K80, OURS, asking, exceeded, quota_key
from tests.cluster.expect_quota import at_once, limit, settle
from tests.harness.api import Answer, Api
from tests.harness.cluster import quota, quota_synced

Json = dict[str, Any]

CALLERS = 40
ROOM = 5
# What the API server answers when two writers of a quota's status collide for too long: come again.
TRY_AGAIN = (409, 429)
MOST_TO_TRY_AGAIN = 4
NOT_COMPUTED = "quota q is being computed, retry"


@dataclass(frozen=True)
class Tally:
    """How a burst ended."""

    stored: int = 0
    by_webhook: int = 0
    by_server: int = 0
    not_computed: int = 0
    try_again: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.stored + other.stored,
            self.by_webhook + other.by_webhook,
            self.by_server + other.by_server,
            self.not_computed + other.not_computed,
            self.try_again + other.try_again,
        )


def forty_for_five(api: Api, namespace: str) -> Tally:
    """Forty pods of one unit: five are stored, and after two of those are gone exactly two of ten more."""
    limit(api, namespace, ROOM)
    first = _burst(api, namespace, CALLERS)
    assert first.stored == ROOM, f"{first.stored} pods instead of {ROOM}: {first}"
    for made in api.items("Pod", namespace)[:2]:
        api.delete("Pod", made["metadata"]["name"], namespace, gracePeriodSeconds=0).must()
    settle(api, namespace, ROOM - 2)
    second = _burst(api, namespace, 10)
    assert second.stored == 2, f"{second.stored} pods instead of 2: {second}"
    assert _units(api, namespace) == ROOM
    return first + second


def one_large_and_ten_small(api: Api, namespace: str) -> Tally:
    """A pod of three units among ten of one: whoever comes first, five units are used and not one more."""
    limit(api, namespace, ROOM)
    tally = tally_of(at_once(api, namespace, [asking("large", 3), *_small(10)]))
    # The large one may come when less than three are left; the small ones then fill the rest.
    assert _units(api, namespace) == ROOM, f"{_units(api, namespace)} units instead of {ROOM}: {tally}"
    settle(api, namespace, ROOM)
    return tally


def with_the_quota(api: Api, namespace: str) -> Tally:
    """Ten pods in the moment in which their quota is made, and ten more once it is computed."""
    api.create(quota("q", {quota_key(K80): str(ROOM)}), namespace).must()
    first = tally_of(at_once(api, namespace, _small(10)))
    assert first.stored <= ROOM, f"{first.stored} pods instead of {ROOM} at most: {first}"
    quota_synced(api, namespace, "q")
    both = first + tally_of(at_once(api, namespace, _small(10)))
    assert both.stored == ROOM, f"{both.stored} pods instead of {ROOM}: {both}"
    return both


SCENES: tuple[Callable[[Api, str], Tally], ...] = (forty_for_five, one_large_and_ten_small, with_the_quota)


def tally_of(answers: Sequence[Answer]) -> Tally:
    """Sorts the answers; each refusal must be a 403 in the words of the API server, or ask to come again."""
    refused = [answer for answer in answers if not answer.ok]
    denied = [answer for answer in refused if answer.code not in TRY_AGAIN]
    over = [answer for answer in denied if NOT_COMPUTED not in answer.message]
    for answer in over:
        _assert_over_quota(answer)
    again = len(refused) - len(denied)
    assert again <= MOST_TO_TRY_AGAIN, f"{again} answers of 409 or 429"
    ours = sum(OURS in answer.message for answer in over)
    return Tally(len(answers) - len(refused), ours, len(over) - ours, len(denied) - len(over), again)


def _assert_over_quota(answer: Answer) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    (requested, used, limited) = exceeded(answer.message)["q", K80]
    assert limited == ROOM, answer.message
    assert used <= limited < used + requested, f"it would have fitted: {answer.message}"


def _burst(api: Api, namespace: str, callers: int) -> Tally:
    tally = tally_of(at_once(api, namespace, _small(callers)))
    settle(api, namespace, ROOM)
    return tally


def _small(count: int) -> list[Json]:
    pod = asking("small")
    pod["metadata"] = {"generateName": "burst-"}
    return [pod] * count


def _units(api: Api, namespace: str) -> int:
    limits = [each["spec"]["containers"][0]["resources"]["limits"] for each in api.items("Pod", namespace)]
    return sum(int(amount) for amounts in limits for amount in amounts.values())
