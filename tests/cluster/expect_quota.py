"""What the tests of quota share: computed quotas, counts that have settled, many creations at once."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.cluster.expect import K80, quota_key, whole
from tests.harness.api import Answer, Api
from tests.harness.cluster import quota, quota_synced
from tests.harness.waiting import holds, until

Json = dict[str, Any]

# The controller manager counts once per pod that ends, so a count that is right may be written once more.
SETTLED_SECONDS = 1.0


def limit(api: Api, namespace: str, hard: Mapping[str, int] | int, name: str = "q", **spec: Any) -> None:
    """Makes a quota by class (a number alone: of the K80) and waits until its status is computed."""
    amounts = {K80: hard} if isinstance(hard, int) else hard
    keys = {quota_key(class_name): str(amount) for class_name, amount in amounts.items()}
    api.create(quota(name, keys, **spec), namespace).must()
    quota_synced(api, namespace, name)


def used(api: Api, namespace: str, class_name: str = K80, name: str = "q") -> int:
    """What the API server counts as used."""
    status: Json = api.get("ResourceQuota", name, namespace).must()["status"]
    return whole(status["used"][quota_key(class_name)])


def settle(api: Api, namespace: str, units: int, name: str = "q") -> None:
    """Waits until the count of the K80 is so, and no recount is under way any more."""
    until(lambda: used(api, namespace, name=name) == units, f"{units} used in {namespace}", 30)
    holds(lambda: used(api, namespace, name=name) == units, f"{units} used", SETTLED_SECONDS)


def forget_status(api: Api, namespace: str, name: str = "q") -> None:
    """Leaves a quota as one that the controller manager has not seen yet.

    It looks at a quota again when its spec changes, a pod ends, or its resync of 5 minutes comes.
    """
    api.patch("ResourceQuota", name, {"status": None}, namespace, subresource="status").must()
    assert not api.get("ResourceQuota", name, namespace).must().get("status")


def at_once(api: Api, namespace: str, pods: Sequence[Json]) -> list[Answer]:
    """Creates the pods at the same moment, each by a caller of its own; the answers in their order."""
    start = threading.Barrier(len(pods))

    def send(pod: Json) -> Answer:
        start.wait(timeout=30)
        return api.create(pod, namespace)

    with ThreadPoolExecutor(len(pods)) as callers:
        return list(callers.map(send, pods))
