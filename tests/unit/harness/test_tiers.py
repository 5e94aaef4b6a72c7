"""What a run says about tests that need a control plane and did not run."""

from __future__ import annotations

import pytest

SUITE = """
import pytest
from tests.harness.tiers import cannot_run

@pytest.fixture
def control_plane_binaries(request):
    cannot_run(request.config, "no Go here")

@pytest.fixture
def api(control_plane_binaries):
    return None

def test_of_a_cluster(api):
    pass

def test_of_none():
    pass
"""


@pytest.fixture
def run(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(SUITE)
    return pytester


def test_the_fast_tier_leaves_out_what_uses_a_control_plane_and_says_so(run: pytest.Pytester) -> None:
    result = run.runpytest("-p", "tests.harness.tiers", "--tier", "fast")

    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines("NOT RUN: cluster tier, 1 tests (--tier fast)")


def test_the_fast_tier_leaves_out_what_loads_a_server_and_says_so(run: pytest.Pytester) -> None:
    room = run.mkdir("concurrency")
    (room / "test_load.py").write_text("def test_of_load(): pass\ndef test_of_more_load(): pass\n")

    result = run.runpytest("-p", "tests.harness.tiers", "--tier", "fast")

    result.assert_outcomes(passed=1, deselected=3)
    result.stdout.fnmatch_lines("NOT RUN: load tier, 2 tests (--tier fast)")


def test_a_machine_that_cannot_build_is_reported(
    run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)

    result = run.runpytest("-p", "tests.harness.tiers")

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines("NOT RUN: cluster tier: no Go here")


def test_a_machine_that_cannot_build_fails_in_ci(
    run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")

    result = run.runpytest("-p", "tests.harness.tiers")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines("NOT RUN: cluster tier: no Go here")


def test_a_run_that_leaves_nothing_out_says_nothing(run: pytest.Pytester) -> None:
    result = run.runpytest("-p", "tests.harness.tiers", "-k", "of_none")

    result.stdout.no_fnmatch_line("NOT RUN*")
