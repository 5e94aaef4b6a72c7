"""pytest plugin: the tiers of the tests, and what is said when one does not run.

A test belongs to the cluster tier when it uses a control plane, directly or through other fixtures, and to
the load tier when it puts a server under load (tests/concurrency): each takes seconds. No test is left out in
silence: each run that leaves some out ends with lines `NOT RUN: …`.
"""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

MARK = "cluster"
LOAD_ROOM = "concurrency"
FIXTURES = {"control_plane", "control_plane_binaries"}
_reasons = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier",
        choices=("all", "fast"),
        default="all",
        help="fast leaves out the tests that need a control plane, and those of load (default: all)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_reasons] = []
    config.addinivalue_line("markers", f"{MARK}: needs a control plane; set by itself on tests that use one")


@pytest.hookimpl(tryfirst=True)  # before -m and -k look at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    cluster = [item for item in items if FIXTURES.intersection(getattr(item, "fixturenames", ()))]
    for item in cluster:
        item.add_marker(MARK)
    if config.getoption("--tier") == "fast":
        load = [item for item in items if item.path.parent.name == LOAD_ROOM and item not in cluster]
        _leave_out(config, items, "cluster", cluster)
        _leave_out(config, items, "load", load)


def _leave_out(config: pytest.Config, items: list[pytest.Item], tier: str, tests: list[pytest.Item]) -> None:
    if tests:
        left_out = set(tests)
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=tests)
        config.stash[_reasons].append(f"{tier} tier, {len(tests)} tests (--tier fast)")


def cannot_run(config: pytest.Config, why: str) -> NoReturn:
    """Ends the calling test: as a failure in CI, else as a skip that the closing lines repeat."""
    reason = f"cluster tier: {why}"
    if reason not in config.stash[_reasons]:
        config.stash[_reasons].append(reason)
    if os.environ.get("CI") == "true":
        pytest.fail(f"NOT RUN: {reason}", pytrace=False)
    pytest.skip(f"NOT RUN: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for reason in config.stash[_reasons]:
        terminalreporter.write_line(f"NOT RUN: {reason}", yellow=True)
