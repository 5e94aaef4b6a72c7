"""The race for devices again and again: 100 pods, 60 devices, and everything killed in turn.

python -m bench.soak_devices [--times N]
"""

import argparse
import sys
import time
from pathlib import Path

from bench.holds import exit_code
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product
from tests.harness.scheduling import Scheduling
from tests.scheduling.expect import CLASSES, end
from tests.scheduling.races import hundred_pods_for_sixty_devices


def run(paths: dict[str, Path], times: int) -> None:
    """Play the race so often. Raises AssertionError when a device is held twice."""
    with ControlPlane(paths) as plane, Product(plane, replicas=1) as product:
        for each in CLASSES:
            plane.api().apply(each, "soak", force="true").must()
        scheduling = Scheduling(product)
        # One namespace for all: the controllers need a while after each restart of the API server.
        with fresh_namespace(plane.api()) as namespace:
            for number in range(1, times + 1):
                started = time.monotonic()
                events = hundred_pods_for_sixty_devices(scheduling, plane.api(), namespace)
                for pod in plane.api().items("Pod", namespace):
                    end(plane.api(), namespace, pod["metadata"]["name"])
                took = time.monotonic() - started
                print(f"race for devices {number} of {times}: {events} events, {took:.0f} s", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Play the race alone; 0 when it holds every time."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak_devices", description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="how often it is run (default: 10)")
    times = parser.parse_args(argv).times
    return exit_code(lambda paths: run(paths, times))


if __name__ == "__main__":
    sys.exit(main())
