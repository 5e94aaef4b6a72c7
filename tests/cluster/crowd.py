"""A cluster that is full of pods already, and what the webhook asks of its API server there.

A test plays these scenes in a small crowd, and `make soak` in one of ten thousand pods.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.cluster.expect import K80, asking, assert_denied, assert_mutated, assert_room
from tests.cluster.expect_quota import limit, used
from tests.harness import chart
from tests.harness.api import STRATEGIC_PATCH, Api
from tests.harness.cluster import pod
from tests.harness.product import ACCOUNT, Product, resource_class
from tests.harness.waiting import until

Json = dict[str, Any]

CALLERS = 8
PAGE = 500  # objects per list request, as client-go has it
PROCESSES = 4  # of two replicas
COLLECTIONS = ("resourceclasses", "extendedresources", "namespaces", "resourcequotas", "pods")
USER = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"


@dataclass(frozen=True)
class Size:
    """How large a crowd is. Every third pod has a class, and every sixth has ended."""

    namespaces: int
    pods: int
    """In each namespace."""
    classes: int = 50
    creates: int = 100
    """How many more pods the first scene creates."""


@dataclass(frozen=True)
class Crowd:
    """A full cluster. `namespace` is one in which `creates` more units of the K80 are allowed."""

    product: Product
    size: Size
    namespace: str

    @property
    def api(self) -> Api:
        return self.product.plane.api()

    def mark(self) -> int:
        """Now, for `lists`."""
        return self.product.plane.audit.mark()

    def lists(self, since: int) -> list[tuple[str, str]]:
        """Resource and namespace (empty: of the whole cluster) of each list that the webhook has read."""
        events = self.product.plane.audit.entries(since, user=USER, verb="list")
        return [(each["objectRef"]["resource"], each["objectRef"].get("namespace", "")) for each in events]


def gather(product: Product, size: Size) -> Crowd:
    """Fills the cluster."""
    api = product.plane.api()
    for each in _classes(size.classes):
        api.create(each).must()
    names = [f"crowd-{number}" for number in range(size.namespaces)]
    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(lambda name: _namespace(api, name), names))
        places = itertools.product(names, range(size.pods))
        list(callers.map(lambda place: _pod(api, *place), places))
    _namespace(api, "busy")
    limit(api, "busy", size.creates + 5)
    return Crowd(product, size, "busy")


def creations_list_nothing(crowd: Crowd) -> None:
    """A burst of creations reads no collection of the cluster, and the count is right to the pod."""
    since = crowd.mark()
    with ThreadPoolExecutor(CALLERS) as callers:
        made = callers.map(
            lambda number: crowd.api.create(asking(f"p{number}"), crowd.namespace).must(),
            range(crowd.size.creates),
        )
        for each in made:
            assert_mutated(each)
    read = crowd.lists(since)
    assert [each for each in read if not each[1]] == [], "nothing of the whole cluster"
    # A quota that no watch has told of yet is read, in its namespace; that is over after the first pods.
    assert len(read) <= crowd.size.creates // 2, f"{len(read)} lists for {crowd.size.creates} creations"
    assert used(crowd.api, crowd.namespace) == crowd.size.creates
    assert_room(crowd.api, crowd.namespace, 5)


def a_restart_lists_once(crowd: Crowd) -> None:
    """Each new process reads every collection once, in pages, and the first verdicts after it are right."""
    since = crowd.mark()
    with crowd.product.webhook_stopped():
        pass
    _assert_first_verdicts(crowd)
    whole = Counter(resource for resource, namespace in crowd.lists(since) if not namespace)
    assert set(whole) == set(COLLECTIONS)
    for resource, number in whole.items():
        assert number <= PROCESSES * _pages(crowd, resource), f"{number} lists of {resource}"


def a_restart_of_the_api_server_is_survived(crowd: Crowd) -> None:
    """All watches end. They are taken up again, or what they show is listed once, without a storm."""
    plane, since = crowd.product.plane, crowd.mark()
    plane.stop_api_server()
    plane.start_api_server()
    until(
        lambda: crowd.api.create(asking("p"), crowd.namespace, dryRun="All").ok, "admission works again", 60
    )
    _assert_first_verdicts(crowd)
    label = {"metadata": {"labels": {"resourceclass.io/enforce": "wran"}}}
    crowd.api.patch("Namespace", crowd.namespace, label).must()
    until(lambda: _warned(crowd, "wran is not known"), "the webhook sees changes again", 60)
    whole = Counter(resource for resource, namespace in crowd.lists(since) if not namespace)
    for resource, number in whole.items():
        assert number <= PROCESSES * _pages(crowd, resource), f"{number} lists of {resource}"


def _assert_first_verdicts(crowd: Crowd) -> None:
    """A cache that is empty must not mean that there are no quotas, no classes and no users."""
    count, allowed = crowd.size.creates, crowd.size.creates + 5
    for number in range(2 * PROCESSES):
        answer = crowd.api.create(asking(f"over-{number}", 6), crowd.namespace)
        assert_denied(answer, 6, count, allowed)
        assert "can be seen in use" not in answer.message, "all the pods are seen"


def _warned(crowd: Crowd, part: str) -> bool:
    answers = [crowd.api.create(asking("p"), crowd.namespace, dryRun="All") for _ in range(2 * PROCESSES)]
    return all(any(part in warning for warning in answer.warnings) for answer in answers)


def _pages(crowd: Crowd, resource: str) -> int:
    class_pods = crowd.size.namespaces * crowd.size.pods // 3 + crowd.size.creates
    objects = {"pods": class_pods, "namespaces": crowd.size.namespaces + 10}
    return math.ceil(max(1, objects.get(resource, 0)) / PAGE)


def _classes(count: int) -> Iterable[Json]:
    yield resource_class(K80, {"model": "NVIDIA Tesla K80"})
    for number in range(count - 1):
        yield resource_class(f"model.{number}", {"model": f"Model {number}"})


def _namespace(api: Api, name: str) -> None:
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}).must()
    until(lambda: api.get("ServiceAccount", "default", name).ok, f"default service account in {name}", 60)


def _pod(api: Api, namespace: str, number: int) -> None:
    name = f"p{number}"
    made = asking(name, 1, f"model.{number}" if number % 2 else K80) if number % 3 == 0 else pod(name)
    api.create(made, namespace).must()
    if number % 6 == 0:
        how: Any = {"subresource": "status", "content_type": STRATEGIC_PATCH}
        api.patch("Pod", name, {"status": {"phase": "Succeeded"}}, namespace, **how).must()
