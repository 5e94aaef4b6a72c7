"""The search for a device given twice, the races of the tests ten or twenty times each, their crowd in full,
ten minutes of load: `make soak`.

    python -m bench.soak [--examples N] [--times N] [--device-times N]
                         [--namespaces N] [--pods N] [--minutes N]

Ends with 1 at the first thing that does not hold, and says what it was.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench import soak_binder, soak_devices, soak_load
from bench.holds import exit_code
from tests.cluster import crowd
from tests.cluster.races import ROOM, SCENES, Tally
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product, resource_class
from tests.scheduling import crowds

CLASS = "nvidia.tesla.k80"
CROWD_SCENES: tuple[Callable[[crowd.Crowd], None], ...] = (
    crowd.creations_list_nothing,
    crowd.a_restart_lists_once,
    crowd.a_restart_of_the_api_server_is_survived,
    crowds.starts_of_the_binder_list_once,
)


def main(argv: list[str] | None = None) -> int:
    """Play everything; 0 when all of it holds."""
    options = _options(argv)

    def play(paths: dict[str, Path]) -> None:
        soak_binder.run(options.examples)
        _races(paths, options.times)
        soak_devices.run(paths, options.device_times)
        _crowd(paths, crowd.Size(options.namespaces, options.pods))
        soak_load.run(paths, options.minutes)

    return exit_code(play)


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--examples", type=int, default=3000, help="of the search (default: 3000)")
    parser.add_argument("--times", type=int, default=20, help="how often each race is run (default: 20)")
    parser.add_argument("--device-times", type=int, default=10, help="the race for devices (default: 10)")
    parser.add_argument("--namespaces", type=int, default=200, help="of the crowd (default: 200)")
    parser.add_argument("--pods", type=int, default=50, help="in each namespace of the crowd (default: 50)")
    parser.add_argument("--minutes", type=float, default=10.0, help="of steady load (default: 10)")
    return parser.parse_args(argv)


def _races(paths: dict[str, Path], times: int) -> None:
    """Every scene, every time in a new namespace."""
    with ControlPlane(paths) as plane, Product(plane):
        api = plane.api()
        api.create(resource_class(CLASS, {"model": "NVIDIA Tesla K80"})).must()
        for scene in SCENES:
            started, total = time.monotonic(), Tally()
            for _ in range(times):
                with fresh_namespace(api) as namespace:
                    total += scene(api, namespace)
            print(
                f"{scene.__name__}: {times} times, room for {ROOM}, {_seconds(started)}: {total}", flush=True
            )


def _crowd(paths: dict[str, Path], size: crowd.Size) -> None:
    with ControlPlane(paths) as plane, Product(plane) as product:
        started = time.monotonic()
        gathered = crowd.gather(product, size)
        print(f"{size.namespaces * size.pods} pods, {size.classes} classes: {_seconds(started)}", flush=True)
        for scene in CROWD_SCENES:
            started = time.monotonic()
            scene(gathered)
            print(f"{scene.__name__}: {_seconds(started)}", flush=True)


def _seconds(started: float) -> str:
    return f"{time.monotonic() - started:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
