"""Outages of the API server as the webhook meets them: watches that are cut, verdicts given meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.cluster.expect import OURS, asking, exceeded
from tests.harness import chart
from tests.harness.api import Answer, Api
from tests.harness.controlplane import ControlPlane
from tests.harness.kubectl import write_kubeconfig
from tests.harness.product import ACCOUNT, Product
from tests.harness.proxy import Proxy
from tests.harness.waiting import until

# What the webhook promises.
IN_STEP_SECONDS = 30.0
# How old a metric may be: processes bring theirs up to now about twice a second. Less than the second that
# passes at least between the end of a watch and the next one, so that a cache in step cannot look otherwise.
METRIC_SECONDS = 0.9
USER = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"
KINDS = 5
UNCERTAIN = 'failed calling webhook "'


class Line(Proxy):
    """The line between the webhook and the API server. TLS passes through it: all it can do is break."""

    def cut(self) -> None:
        """Breaks the open connections; new ones are made."""
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result(10)

    @contextmanager
    def down(self, port: int) -> Iterator[None]:
        """Breaks the open connections and takes no new ones for a while."""
        self.send_to([])
        self.cut()
        try:
            yield
        finally:
            self.send_to([port])

    async def _cut(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class DistantProduct(Product):
    """One replica of two processes that reaches the API server over a line."""

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane, replicas=1)
        self.line = Line()
        self.line.start()
        self.line.send_to([plane.layout.api_port])

    def stop(self) -> None:
        super().stop()
        self.line.stop()

    def _arguments(self, rendered: list[dict[str, object]]) -> list[str]:
        token = self.plane.service_account_token(chart.NAMESPACE, ACCOUNT)
        path = self.plane.folder / "kubeconfig-of-the-line"
        write_kubeconfig(path, f"https://127.0.0.1:{self.line.port}", self.plane.pki.ca_file, token)
        return [*super()._arguments(rendered), f"--kubeconfig={path}"]


@contextmanager
def watches_broken(product: DistantProduct) -> Iterator[None]:
    """No watch is open, and none can be opened: its role lacks the verb. Lists and reads go through."""
    api = product.plane.api()
    role = api.get("ClusterRole", ACCOUNT).must()
    rules = [{**rule, "verbs": [v for v in rule["verbs"] if v != "watch"]} for rule in role["rules"]]
    api.patch("ClusterRole", ACCOUNT, {"rules": rules}).must()
    try:
        until(lambda: not _may_watch(api), "the right to watch is gone")
        since = product.plane.audit.mark()
        product.line.cut()
        for process in product.webhook.replicas:
            assert process.ready()
        refused = {"user": USER, "verb": "watch", "code": "403"}
        until(lambda: len(product.plane.audit.entries(since, **refused)) >= 2 * KINDS, "all watches broken")
        yield
    finally:
        api.patch("ClusterRole", ACCOUNT, {"rules": role["rules"]}).must()
        until(lambda: _may_watch(api), "the right to watch is back")


def wait_in_step(product: Product, broken_at: float) -> None:
    """Waits, from now on, until every cache was confirmed after the moment `broken_at` (monotonic)."""
    until(
        lambda: oldest_seconds(product) + METRIC_SECONDS < time.monotonic() - broken_at,
        "every cache is in step again",
        IN_STEP_SECONDS,
    )


def oldest_seconds(product: Product) -> float:
    """The age of the oldest cache of all replicas."""
    ages = [
        sample.value
        for replica in product.webhook.replicas
        for family in text_string_to_metric_families(replica.health("/metrics").text)
        for sample in family.samples
        if sample.name == "resourceclass_cache_age_seconds"
    ]
    return max(ages)


def right_or_uncertain(api: Api, namespace: str, *, fits: int, too_many: int) -> bool:
    """Asks for both amounts in dry runs, and tells whether both were judged.

    While something is away the answer may be that the webhook or the server cannot say; never a wrong one.
    """
    fitting = _answer(lambda: api.create(asking("fits", fits), namespace, dryRun="All"))
    exceeding = _answer(lambda: api.create(asking("too-many", too_many), namespace, dryRun="All"))
    assert fitting is None or fitting.ok or not exceeded(fitting.message), f"refused: {fitting}"
    assert exceeding is None or not exceeding.ok, "a pod over quota has passed"
    return bool(fitting and fitting.ok and exceeding and _is_verdict(exceeding))


def _is_verdict(answer: Answer) -> bool:
    return answer.code == 403 and OURS in answer.message and bool(exceeded(answer.message))


def _answer(ask: Callable[[], Answer]) -> Answer | None:
    try:
        return ask()
    except httpx.TransportError:
        return None


def _may_watch(api: Api) -> bool:
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": USER,
            "groups": ["system:serviceaccounts"],
            "resourceAttributes": {"verb": "watch", "resource": "resourcequotas"},
        },
    }
    return bool(api.create(review).must()["status"]["allowed"])
