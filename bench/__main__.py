"""Runs all measurements: `make bench`."""

import sys

from bench import bench_core, bench_create, bench_reviews
from bench.machine import describe
from tests.harness.binaries import BinariesError


def main() -> int:
    """Print the figures; 1 when a measurement could not be run."""
    print(describe(), end="\n\n")
    bench_core.main()
    print()
    bench_reviews.main()
    print()
    try:
        bench_create.main()
    except BinariesError as error:
        print(f"NOT RUN: creations through an API server: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
