"""A webhook process with certificates of its own, and a client that talks to it as the API server would."""

import http.client
import json
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from certs import store
from certs.issue import issue_ca, issue_leaf
from certs.model import CertificateSet
from webhook.admission.played.local import decoded
from webhook.admission.played.verdict import Answer
from webhook.core.errors import ClusterUnavailable
from webhook.core.values.names import Json

HOST: Final = "127.0.0.1"
# A start takes about 2 s; a laptop under load may need several times that.
START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.05
CALL_SECONDS: Final = 5.0
CERTIFICATE_LIFETIME: Final = timedelta(days=7)


class WebhookProcess:
    """`resourceclass webhook` as a child process. `calls` counts the reviews that were sent to it."""

    def __init__(self, folder: Path, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.folder = folder
        self.process = process
        self.calls = 0
        self._log = log
        self._context = ssl.create_default_context(cafile=str(folder / store.CA_BUNDLE))
        self.port, self._health_port = self._wait()

    def review(self, path: str, review: Json) -> Answer:
        """Post an AdmissionReview over TLS."""
        self.calls += 1
        connection = http.client.HTTPSConnection(
            "localhost", self.port, timeout=CALL_SECONDS, context=self._context
        )
        try:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", f"{path}?timeout=5s", orjson.dumps(review), headers)
            response = connection.getresponse()
            body = response.read()
        except OSError as error:
            raise ClusterUnavailable(f"the webhook did not answer on port {self.port}: {error}") from error
        finally:
            connection.close()
        if response.status != 200:
            raise ClusterUnavailable(f"the webhook answered {response.status}: {body.decode().strip()}")
        return decoded(body)

    def _wait(self) -> tuple[int, int]:
        """Return the ports of requests and of health, once the webhook is ready."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            ports = self._ports()
            if ports and self._is_ready(ports[1]):
                return ports
            time.sleep(POLL_SECONDS)
        log = self._log.read_text("utf-8").rstrip()
        raise ClusterUnavailable(f"the webhook did not start; its log:\n{log}")

    def _ports(self) -> tuple[int, int] | None:
        for line in self._log.read_text("utf-8").splitlines():
            event: dict[str, Any] = json.loads(line) if line.startswith("{") else {}
            if event.get("message") == "listening":
                return urlsplit(event["requests"]).port or 0, urlsplit(event["health"]).port or 0
        return None

    def _is_ready(self, health_port: int) -> bool:
        connection = http.client.HTTPConnection(HOST, health_port, timeout=CALL_SECONDS)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


@contextmanager
def running(folder: Path, manifests: Path, port: int = 0) -> Iterator[WebhookProcess]:
    """Issue certificates into `folder` and run a webhook over `manifests` until the block ends."""
    _issue(folder)
    log = folder / "webhook.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(_command(folder, manifests, port), stderr=stream)  # noqa: S603 - our own
    try:
        yield WebhookProcess(folder, process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def port_or_any(port: int) -> int:
    """Return `port`, or 0, which takes any free one, where another process listens on it."""
    try:
        socket.create_server((HOST, port)).close()
    except OSError:
        return 0
    return port


def _command(folder: Path, manifests: Path, port: int) -> list[str]:
    flags = {
        "--manifests": manifests,
        "--host": HOST,
        "--port": port,
        "--health-host": HOST,
        "--health-port": 0,
        "--tls-cert": folder / store.CERT,
        "--tls-key": folder / store.KEY,
        "--drain-seconds": 0,
    }
    listed = [str(part) for pair in flags.items() for part in pair]
    return [sys.executable, "-m", "webhook", "webhook", *listed]


def _issue(folder: Path) -> None:
    now = datetime.now(UTC)
    ca = issue_ca("ResourceClass demo CA", now, CERTIFICATE_LIFETIME)
    leaf = issue_leaf(ca, ["localhost"], now, CERTIFICATE_LIFETIME, [HOST])
    with store.writing(folder):
        store.write(folder, CertificateSet(ca.cert, ca.key, leaf.cert, leaf.key))
