"""Start a real server and talk to it through real sockets."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 10.0
STOP_SECONDS = 10.0


class Server:
    """One server in processes of its own."""

    def __init__(
        self, directory: Path, *, tls: bool = True, environ: dict[str, str] | None = None, **settings
    ) -> None:
        self.directory = directory
        self.log_file = directory / "log"
        given = {
            "host": "127.0.0.1",
            "port": 0,
            "health_host": "127.0.0.1",
            "health_port": 0,
            "drain_seconds": 0,
        }
        given |= {"run_dir": str(directory)}
        if tls:
            given |= {"tls_cert": str(directory / "tls.crt"), "tls_key": str(directory / "tls.key")}
        command = [
            sys.executable,
            "-m",
            "tests.concurrency.server_main",
            json.dumps(given | settings),
            str(directory),
        ]
        self.started = time.monotonic()
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, env=os.environ | (environ or {}))
        listening = wait_for(lambda: self.logged("listening"), "the server listens")[0]
        self.port = int(listening["requests"].rsplit(":", 1)[1])
        self.health_port = int(listening["health"].rsplit(":", 1)[1])

    def logged(self, message: str) -> list[dict]:
        lines = self.log_file.read_text(encoding="utf-8").splitlines()
        return [line for line in map(json.loads, lines) if line["message"] == message]

    def problems(self) -> list[dict]:
        """What it has logged as an error, or with a traceback."""
        lines = map(json.loads, self.log_file.read_text(encoding="utf-8").splitlines())
        return [line for line in lines if line["level"] in ("error", "critical") or "traceback" in line]

    def health(self, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.health_port, timeout=5)
        with closing(connection):
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()

    def wait_ready(self) -> "Server":
        wait_for(lambda: self.health("/readyz")[0] == 200, "the server is ready")
        return self

    def metric(self, name: str) -> float:
        """The sum of a metric over its labels."""
        lines = [
            line
            for line in self.health("/metrics")[1].splitlines()
            if line.startswith(f"resourceclass_{name}")
        ]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines)

    def connect(self, context: ssl.SSLContext | None = None) -> socket.socket:
        return (context or self.context()).wrap_socket(self.plain(), server_hostname="localhost")

    def plain(self) -> socket.socket:
        """A TCP connection on which nothing has been said."""
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.directory / "ca.crt"))

    def client(self, timeout: float = 5.0) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("localhost", self.port, timeout=timeout, context=self.context())

    def post(self, path: str = "/", body: bytes = b"{}") -> tuple[int, dict]:
        with closing(self.client()) as client:
            return call(client, path, body)

    def workers(self) -> set[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return {int(pid) for pid in children.split()}

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def stop(self) -> int:
        """End it in order; its exit status."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.wait_stopped()

    def wait_stopped(self) -> int:
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            workers = self.workers()
            self.process.kill()
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
            self.process.wait()
            raise


def call(client: http.client.HTTPConnection, path: str = "/", body: bytes = b"{}") -> tuple[int, dict]:
    """One POST on a connection that may stay open; status and the answer's JSON."""
    client.request("POST", path, body, {"Content-Type": "application/json"})
    response = client.getresponse()
    data = response.read()
    return response.status, json.loads(data) if response.headers["Content-Type"] == "application/json" else {}


def wait_for(condition, what: str, seconds: float = START_SECONDS):
    """Poll until ``condition`` gives something true; that value."""
    until = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            value = None
        if value:
            return value
        assert time.monotonic() < until, f"waited {seconds} s for: {what}"
        time.sleep(0.02)


@dataclass
class Load:
    """What callers have met."""

    results: Counter
    slowest_seconds: float


class Callers:
    """Threads that call without a pause, each on a connection of its own that it keeps."""

    def __init__(self, server: Server, number: int, path: str = "/") -> None:
        self._server = server
        self._path = path
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self.load = Load(Counter(), 0.0)
        self._threads = [threading.Thread(target=self._run) for _ in range(number)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self.load

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        client = self._server.client()
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                result = str(call(client, self._path, b"x" * 4000)[0])
            except (OSError, http.client.HTTPException) as error:
                result = repr(error)
                client.close()
            with self._lock:
                self.load.results[result] += 1
                self.load.slowest_seconds = max(self.load.slowest_seconds, time.monotonic() - began)
        client.close()
