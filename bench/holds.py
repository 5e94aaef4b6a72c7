"""How a soak ends: with 0 when all of it held, else with 1 and what it was."""

from collections.abc import Callable
from pathlib import Path

from bench.machine import describe
from tests.harness import binaries


def exit_code(play: Callable[[dict[str, Path]], None]) -> int:
    """Print the machine, build what is missing, and play. An AssertionError says what does not hold."""
    print(describe(), end="\n\n")
    try:
        play(binaries.ensure(lambda line: print(line, flush=True)))
    except binaries.BinariesError as error:
        print(f"NOT RUN: {error}")
        return 1
    except (AssertionError, TimeoutError) as error:
        print(f"does not hold: {error}", *getattr(error, "__notes__", ()), sep="\n")
        return 1
    return 0
