"""When pods get their nodes, as a watch shows it; cheap, for it runs beside what it measures."""

import http.client
import re
import ssl
import threading
import time
from typing import Self
from urllib.parse import urlsplit

from tests.harness.api import Api
from tests.harness.controlplane import ControlPlane
from tests.harness.waiting import until

_NAME = re.compile(rb'"metadata":\{"name":"([^"]+)"')


class Arrivals:
    """The moment at which each pod of a namespace was first seen with a node."""

    def __init__(self, plane: ControlPlane, api: Api, namespace: str) -> None:
        self._seen: dict[bytes, float] = {}
        address = urlsplit(plane.server)
        context = ssl.create_default_context(cafile=str(plane.pki.ca_file))
        self._connection = http.client.HTTPSConnection(
            address.hostname or "", address.port, context=context, timeout=600
        )
        path = f"/api/v1/namespaces/{namespace}/pods"
        version = api.request("GET", path, query={"limit": "1"}).must()["metadata"]["resourceVersion"]
        headers = {"Authorization": f"Bearer {api.token}"}
        self._connection.request("GET", f"{path}?watch=1&resourceVersion={version}", headers=headers)
        self._thread = threading.Thread(target=self._run, name="arrivals", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection.sock is not None:
            self._connection.sock.shutdown(2)
        self._thread.join()
        self._connection.close()

    @property
    def count(self) -> int:
        """How many pods have been seen with a node."""
        return len(self._seen)

    def rate(self, count: int, seconds: float) -> float:
        """Wait until so many pods have nodes, at most so long; returns how many came per second."""
        ended = time.monotonic() + seconds
        until(lambda: len(self._seen) >= count or time.monotonic() > ended, "pods have nodes", seconds + 5)
        moments = sorted(self._seen.values())
        if len(moments) < 2:
            raise RuntimeError(
                f"{len(moments)} pods got a node within {seconds:g} s: see the scheduler's log"
            )
        return (len(moments) - 1) / (moments[-1] - moments[0])

    def _run(self) -> None:
        answer = self._connection.getresponse()
        while line := answer.readline():
            if b'"nodeName":' in line and (found := _NAME.search(line)):
                self._seen.setdefault(found[1], time.monotonic())
