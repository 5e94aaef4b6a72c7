"""A process with nothing but a health port answers on it, and stops in order."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.harness.processes import free_port
from tests.harness.waiting import until
from webhook.serve.background import Background, run_background
from webhook.serve.listening import CannotServe
from webhook.serve.settings import HealthSettings

# Ready once a file is there; says what it does, line by line.
PROGRAM = """
import sys
from pathlib import Path
from webhook.serve.background import Background, run_background
from webhook.serve.metrics import controller_metrics
from webhook.serve.settings import HealthSettings

def say(word):
    print(word, flush=True)

def make():
    file = Path(sys.argv[2])
    return Background(
        lambda: say("started"),
        lambda: [] if file.exists() else ["the file"],
        lambda: controller_metrics().queue_depth.set(7),
        lambda: say("closed"),
    )

settings = HealthSettings(health_host="127.0.0.1", health_port=int(sys.argv[1]), run_dir=sys.argv[3])
sys.exit(run_background(make, settings))
"""


def test_it_answers_gets_ready_and_stops_when_told_to(tmp_path: Path) -> None:
    port, file, run_dir = free_port(), tmp_path / "file", tmp_path / "run"
    run_dir.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(port), str(file), str(run_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            client = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False)

            def status(path: str) -> int:
                try:
                    return client.get(path).status_code
                except httpx.TransportError:
                    return 0

            until(lambda: status("/livez") == 200, "it answers")
            assert client.get("/readyz").text == "the file\n"
            file.touch()
            assert status("/readyz") == 200
            until(
                lambda: "resourceclass_controller_queue_depth 7.0" in client.get("/metrics").text,
                "its metrics are there",
            )
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
            assert time.monotonic() - began < 5
        finally:
            process.kill()
        assert process.stdout is not None
        assert process.stdout.read().split() == ["started", "closed"]
    assert list(run_dir.iterdir()) == []


def test_bad_settings_start_nothing() -> None:
    def make() -> Background:
        raise AssertionError("must not be called")

    with pytest.raises(CannotServe, match="health_port is 70000"):
        run_background(make, HealthSettings(health_port=70000))
