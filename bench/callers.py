"""Callers that post as fast as they are answered, each on a connection of its own.

A bare `http.client`, and bodies encoded beforehand: the callers run on the machine that they measure.
"""

import http.client
import json
import ssl
import statistics
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

Json = dict[str, Any]

TIMEOUT_SECONDS = 40


@dataclass(frozen=True)
class Measured:
    """Requests per second, and the milliseconds of one: half of all took no longer, 99 of 100 no longer."""

    rate: float
    p50_ms: float
    p99_ms: float


class Callers:
    """Connections to one server, opened before the clock starts."""

    def __init__(self, url: str, ca_file: Path, count: int, headers: Mapping[str, str] | None = None) -> None:
        context = ssl.create_default_context(cafile=str(ca_file))
        address = urlsplit(url)
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._connections = [
            http.client.HTTPSConnection(
                address.hostname or "", address.port, timeout=TIMEOUT_SECONDS, context=context
            )
            for _ in range(count)
        ]
        for connection in self._connections:
            connection.connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self._connections:
            connection.close()

    def post(self, path: str, documents: Sequence[Json], status: int) -> Measured:
        """Post the documents, and fail unless every answer has the status."""
        bodies = [json.dumps(document).encode() for document in documents]
        shares = [bodies[number :: len(self._connections)] for number in range(len(self._connections))]
        with ThreadPoolExecutor(len(shares)) as threads:
            started = time.perf_counter()
            taken = threads.map(
                lambda pair: self._send(pair[0], path, pair[1], status),
                zip(self._connections, shares, strict=True),
            )
            seconds = [second for share in taken for second in share]
            elapsed = time.perf_counter() - started
        cuts = statistics.quantiles(seconds, n=100)
        return Measured(len(bodies) / elapsed, cuts[49] * 1000, cuts[98] * 1000)

    def _send(
        self, connection: http.client.HTTPSConnection, path: str, bodies: Sequence[bytes], status: int
    ) -> list[float]:
        taken = []
        for body in bodies:
            started = time.perf_counter()
            connection.request("POST", path, body, self._headers)
            answer = connection.getresponse()
            text = answer.read()
            taken.append(time.perf_counter() - started)
            if answer.status != status:
                raise RuntimeError(f"{answer.status} instead of {status}: {text[:500]!r}")
        return taken
