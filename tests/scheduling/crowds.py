"""The binder in a cluster full of pods: what its starts read, and whether its first answers are right.

A test plays the scene in a small crowd, and `make soak` in one of ten thousand pods.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from tests.cluster.crowd import PAGE, Crowd
from tests.harness import chart
from tests.harness.devices import device_nodes, k80
from tests.harness.scheduling import ACCOUNT, Binder, Scheduling
from tests.harness.waiting import until
from tests.scheduling.expect import asking
from tests.scheduling.verbs import bind, create, decides, fits, seen

Json = dict[str, Any]

USER = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"
COLLECTIONS = ("extendedresources", "nodes", "pods", "resourceclasses")


def starts_of_the_binder_list_once(crowd: Crowd) -> None:
    """A start reads each collection once in pages (pods twice: the take-over), broken watches at most once.

    The first answers after it are right: what is taken is not free because the books are empty.
    """
    binder = Binder(Scheduling(crowd.product), "crowd", elected=False)
    with device_nodes(crowd.api, {"crowd-a": [k80(), k80()]}):
        try:
            since = crowd.mark()
            decides(binder.start().wait_ready())
            _assert_listed(crowd, since, pods=2)
            first, second, third = (create(crowd.api, crowd.namespace, asking(f"c{n}")) for n in range(3))
            seen(binder, first, "crowd-a")
            assert bind(binder, first, "crowd-a") == ""

            since = crowd.mark()
            binder.kill()
            decides(binder.start().wait_ready())
            _assert_listed(crowd, since, pods=2)
            assert fits(binder, second, "crowd-a")
            assert bind(binder, second, "crowd-a") == ""

            since = crowd.mark()
            crowd.product.plane.stop_api_server()
            crowd.product.plane.start_api_server()
            until(lambda: crowd.api.list("ExtendedResource").ok, "our kinds are served again", 60)
            late = create(crowd.api, crowd.namespace, asking("late"))
            assert not fits(binder, third, "crowd-a")
            crowd.api.delete("Pod", "c0", crowd.namespace, gracePeriodSeconds=0).must()
            until(lambda: fits(binder, late, "crowd-a"), "the binder sees changes again", 60)
            _assert_listed(crowd, since, pods=1)
        finally:
            binder.stop()


def _assert_listed(crowd: Crowd, since: int, pods: int) -> None:
    """Each collection was listed once at most, the pods so often; every request was for one page."""
    events = crowd.product.plane.audit.entries(since, user=USER, verb="list")
    listed = Counter(event["objectRef"]["resource"] for event in events)
    unfinished = crowd.size.namespaces * crowd.size.pods + crowd.size.creates
    allowed = dict.fromkeys(COLLECTIONS, 1) | {"pods": pods * math.ceil(unfinished / PAGE)}
    assert set(listed) <= set(allowed)
    assert all(count <= allowed[name] for name, count in listed.items()), f"{listed}, allowed: {allowed}"
    assert all(f"limit={PAGE}" in event["requestURI"] for event in events)
