"""What a pod without a class costs the API server, part by part, and how little it could cost at best.

    python -m bench.bench_plain

One control plane, in which each part of the product applies to a namespace of its own, so that all take turns
within seconds. The webhook itself does not run: no pod is sent to it. Beside the parts stands the least that
a webhook entry for pods can cost: one with the condition `false`. Ratios are those to the bare namespace in
the same round.
"""

import base64
import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass
from itertools import product
from statistics import median
from typing import Any

from bench.callers import Callers
from bench.processes import cpu_seconds
from tests.harness import binaries, chart
from tests.harness.cluster import fresh_namespace, pod
from tests.harness.controlplane import ControlPlane
from tests.harness.waiting import until

Json = dict[str, Any]

PODS, ROUNDS, CALLERS = 400, 9, (1, 8)
LABEL = "bench"
NOBODY = "https://127.0.0.1:1"
BINDING = "ValidatingAdmissionPolicyBinding"
SETTLE_SECONDS = 3  # the API server says nowhere that it has seen all configurations; it takes milliseconds
PARTS = {
    "bare": "nothing",
    "least": "one entry with the condition false",
    "policy": "the policy of records",
    "entries": "the entries of both configurations",
    "all": "all of the product",
}


@dataclass(frozen=True)
class Cost:
    """What one creation came to in one round; CPU time and memory are those of the API server."""

    rate: float
    cpu_us: float
    allocated_kib: float

    def beside(self, bare: "Cost") -> "Cost":
        """The ratio of the rates, and what is used beyond it."""
        more = (self.cpu_us - bare.cpu_us, self.allocated_kib - bare.allocated_kib)
        return Cost(self.rate / bare.rate, *more)


def main() -> None:
    """Print the figures."""
    paths = binaries.ensure(lambda line: print(line, flush=True))
    with ControlPlane(paths) as plane, _namespaces(plane) as namespaces:
        rounds = [_round(plane, namespaces, number) for number in range(ROUNDS + 1)][1:]
    print(f"{PODS} pods at a time, median of {ROUNDS} rounds; load {os.getloadavg()[0]:.1f} at the end")
    print("CPU and memory: what the API server uses for a pod beyond what it uses in the bare namespace")
    print(f"{'what applies':46}{'per s':>8}{'ratio':>8}{'CPU us':>8}{'KiB':>8}")
    for key in product(CALLERS, PARTS):
        beside = [costs[key].beside(costs[key[0], "bare"]) for costs in rounds]
        ratio, cpu, kib = (median(each) for each in zip(*map(astuple, beside), strict=True))
        rate = median(costs[key].rate for costs in rounds)
        print(
            f"{PARTS[key[1]]}, {key[0]} caller(s)".ljust(46) + f"{rate:8.0f}{ratio:8.2f}{cpu:8.0f}{kib:8.1f}"
        )


def _round(plane: ControlPlane, namespaces: dict[str, str], number: int) -> dict[tuple[int, str], Cost]:
    """What each part came to. Who comes after whom changes from round to round."""
    parts = [*PARTS][number % len(PARTS) :] + [*PARTS][: number % len(PARTS)]
    return {
        (callers, part): _create(plane, namespaces[part], callers) for callers in CALLERS for part in parts
    }


@contextmanager
def _namespaces(plane: ControlPlane) -> Iterator[dict[str, str]]:
    """A namespace per part; what the part consists of applies there alone."""
    rendered = chart.render(plane.binaries["helm"], _values(plane))
    ours = [o for o in chart.with_url(rendered, NOBODY) if o["kind"] in chart.CONFIGURATIONS]
    policy = [o for o in rendered if o["kind"].startswith("ValidatingAdmissionPolicy")]
    api = plane.api()
    chart.apply(api, [_least(plane), *_within(ours, ["entries", "all"]), *_within(policy, ["policy", "all"])])
    time.sleep(SETTLE_SECONDS)
    with ExitStack() as stack:
        yield {part: stack.enter_context(fresh_namespace(api, {LABEL: part})) for part in PARTS}


def _values(plane: ControlPlane) -> Json:
    return {**chart.REQUIRED, "webhook": {"caBundle": plane.pki.ca_file.read_text()}}


def _least(plane: ControlPlane) -> Json:
    entry = {
        "name": "least.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "clientConfig": {
            "url": NOBODY,
            "caBundle": base64.b64encode(plane.pki.ca_file.read_bytes()).decode(),
        },
        "rules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}
        ],
        "matchConditions": [{"name": "never", "expression": "false"}],
    }
    made = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": chart.CONFIGURATIONS[0],
        "metadata": {"name": "least"},
        "webhooks": [entry],
    }
    return _within([made], ["least"])[0]


def _within(objects: list[Json], parts: list[str]) -> list[Json]:
    """The objects, made to apply only to the namespaces of these parts."""
    only = {"key": LABEL, "operator": "In", "values": parts}
    for obj in objects:
        holders = [obj["spec"].setdefault("matchResources", {})] if obj["kind"] == BINDING else []
        for holder in obj.get("webhooks", holders):
            holder.setdefault("namespaceSelector", {}).setdefault("matchExpressions", []).append(only)
    return objects


def _create(plane: ControlPlane, namespace: str, callers: int) -> Cost:
    api = plane.api()
    path = f"/api/v1/namespaces/{namespace}/pods"
    pods = [pod(f"p{number}", {"cpu": "1"}) for number in range(PODS)]
    with Callers(
        plane.server, plane.pki.ca_file, callers, {"Authorization": f"Bearer {api.token}"}
    ) as sending:
        allocated, cpu = _allocated_bytes(plane), _cpu_seconds(plane)
        rate = sending.post(path, pods, 201).rate
        cpu = _cpu_seconds(plane) - cpu
        allocated = _allocated_bytes(plane) - allocated
    # Their end is not the next measurement's burden.
    api.request("DELETE", path, {"gracePeriodSeconds": 0}).must()
    until(lambda: not api.items("Pod", namespace), f"the pods of {namespace} are gone", 60)
    return Cost(rate, cpu * 1e6 / PODS, allocated / 1024 / PODS)


def _cpu_seconds(plane: ControlPlane) -> float:
    return cpu_seconds([plane.process("kube-apiserver").pid])


def _allocated_bytes(plane: ControlPlane) -> float:
    """All that the API server has ever allocated. To tell it allocates too, as much for every part."""
    api = plane.api()
    answer = api.connection.client.get("/metrics", headers={"Authorization": f"Bearer {api.token}"})
    found = re.search(r"^go_memstats_alloc_bytes_total (\S+)", answer.text, re.MULTILINE)
    assert found is not None, answer.text[:500]
    return float(found[1])


if __name__ == "__main__":
    main()
