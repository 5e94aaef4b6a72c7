"""Ten minutes of load on two replicas, then both reloaded and one killed under load.

    python -m bench.soak_load [--minutes N]

The calls are those of API servers (tests/loadclient): pods of a class that are stored, and pods that are
refused, for which the quota is read afresh. Fails when a call fails that was not in flight on a replica as it
was killed, or when the memory of a process grows.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from bench.full_cluster import fill, small_pod, write_reviews
from bench.holds import exit_code
from bench.processes import children, resident_mib
from tests.concurrency.api_server import ApiServerLoad, Met, Target
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product

CALLERS = 16
SAMPLE_SECONDS = 5.0
GROWTH_MIB = 5.0
"""What a process may hold more at the end than after its first fifth: some caches fill slowly."""


def main(argv: list[str] | None = None) -> int:
    """Run it; 0 when all of it holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak_load", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of steady load (default: 10)")
    minutes = parser.parse_args(argv).minutes
    return exit_code(lambda paths: run(paths, minutes))


def run(paths: dict[str, Path], minutes: float = 10.0) -> None:
    """Steady load, then trouble. Raises AssertionError."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        product = stack.enter_context(Product(stack.enter_context(ControlPlane(paths))))
        fill(product.plane.api())
        reviews = write_reviews(folder / "reviews", small_pod())
        target = Target(product.webhook.address, product.ca_file)

        def load() -> ApiServerLoad:
            files = [reviews.stored, reviews.refused]
            return ApiServerLoad(paths["loadclient"], target, "/validate", files, CALLERS)

        _steady(product, load, minutes * 60)
        _reload(product, load)
        _kill(product, load)


def _steady(product: Product, load: Callable[[], ApiServerLoad], seconds: float) -> None:
    with load() as callers:
        samples = _sample(product, seconds)
        met = callers.finish()
    _print("steady load", met)
    _assert_no_error(met)
    early = samples[len(samples) // 5]
    growth = {pid: samples[-1][pid] - held for pid, held in early.items()}
    print(f"memory: {_listed(early)} MiB after a fifth, {_listed(samples[-1])} MiB at the end", flush=True)
    assert max(growth.values()) < GROWTH_MIB, f"a process has grown by {max(growth.values()):.1f} MiB"


def _reload(product: Product, load: Callable[[], ApiServerLoad]) -> None:
    with load() as callers:
        for replica in product.webhook.replicas:
            before = children(replica.process.pid)
            replica.process.send(signal.SIGHUP)
            deadline = time.monotonic() + 60
            while set(before) & set(children(replica.process.pid)):
                assert time.monotonic() < deadline, "the workers are not replaced"
                time.sleep(0.1)
        met = callers.finish()
    _print("both replicas reloaded", met)
    _assert_no_error(met)


def _kill(product: Product, load: Callable[[], ApiServerLoad]) -> None:
    killed = product.webhook.replicas[0]
    with load() as callers:
        os.killpg(killed.process.pid, signal.SIGKILL)
        time.sleep(SAMPLE_SECONDS)
        met = callers.finish()
    _print("one replica killed", met)
    assert sum(met.errors.values()) <= CALLERS, f"more failed than were in flight: {met.errors}"


def _sample(product: Product, seconds: float) -> list[dict[int, float]]:
    """The memory of each process, again and again, for so long."""
    samples = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(min(SAMPLE_SECONDS, seconds / 10))
        pids = [pid for replica in product.webhook.replicas for pid in children(replica.process.pid)]
        samples.append({pid: resident_mib(pid) for pid in pids})
    return samples


def _assert_no_error(met: Met) -> None:
    assert not met.errors, f"calls failed: {met.errors}"
    assert abs(met.allowed - met.denied) <= 1, f"{met.allowed} allowed, {met.denied} denied"


def _print(name: str, met: Met) -> None:
    print(
        f"{name}: {met.seconds:.0f} s, {met.calls} calls, errors {dict(met.errors)}, "
        f"p50 {met.p50_ms:.0f} ms, p99 {met.p99_ms:.0f} ms, longest {met.max_ms:.0f} ms",
        flush=True,
    )


def _listed(memory: dict[int, float]) -> str:
    return ", ".join(f"{held:.1f}" for held in memory.values())


if __name__ == "__main__":
    sys.exit(main())
