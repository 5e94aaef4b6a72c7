"""Runs every bench_*.py of this folder: `make bench`; with QUICK=1 the long ones in short."""

import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path

from bench.machine import describe
from tests.harness.binaries import BinariesError


def main() -> int:
    """Print the figures; 1 when a measurement could not be run."""
    print(describe())
    code = 0
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name.startswith("bench_"):
            print(f"\n{module.name}", flush=True)
            try:
                _run(import_module(f"bench.{module.name}").main)
            except BinariesError as error:  # no control plane can be built on this machine
                print(f"NOT RUN: {error}")
                code = 1
    return code


def _run(measure: Callable[..., None]) -> None:
    """Run one measurement, in short if that is asked for and it can."""
    if "--quick" in sys.argv and "quick" in signature(measure).parameters:
        measure(quick=True)
    else:
        measure()


if __name__ == "__main__":
    sys.exit(main())
