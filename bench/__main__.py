"""Runs every bench_*.py of this folder: `make bench`."""

import pkgutil
import sys
from importlib import import_module
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
                import_module(f"bench.{module.name}").main()
            except BinariesError as error:  # no control plane can be built on this machine
                print(f"NOT RUN: {error}")
                code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
