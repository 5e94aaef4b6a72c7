"""The search for a way in which the binder gives a device twice, at length: by steps and by threads.

python -m bench.soak_binder [--examples N] [--threads N]
"""

import argparse
import logging
import sys
import time

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from bench.holds import exit_code
from tests.properties import binder_threads
from tests.properties.binder_steps import Binders

STEPS = 50  # of one example
EXAMPLES = 3000
THREADS = 40  # runs, each with a seed of its own


def run(examples: int = EXAMPLES, threads: int = THREADS) -> None:
    """Search. Raises AssertionError when a device is given twice or stays held; its notes are the steps."""
    logging.getLogger("webhook.binder").setLevel(logging.CRITICAL)  # thousands of Bindings fail on purpose
    started = time.monotonic()
    wanted = settings(max_examples=examples, stateful_step_count=STEPS, deadline=None, database=None)
    run_state_machine_as_test(Binders, settings=wanted)
    print(f"the binder by steps: {examples} examples, {time.monotonic() - started:.0f} s", flush=True)
    started = time.monotonic()
    for seed in range(threads):
        binder_threads.play(seed)
    print(f"the binder by threads: {threads} seeds, {time.monotonic() - started:.0f} s", flush=True)


def main(argv: list[str] | None = None) -> int:
    """Search alone; 0 when nothing is found."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak_binder", description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES, help=f"by steps (default: {EXAMPLES})")
    parser.add_argument("--threads", type=int, default=THREADS, help=f"seeds (default: {THREADS})")
    options = parser.parse_args(argv)
    return exit_code(lambda _: run(options.examples, options.threads))


if __name__ == "__main__":
    sys.exit(main())
