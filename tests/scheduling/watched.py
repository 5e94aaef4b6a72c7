"""Watches pods all the time, so that a device that is held twice is seen however short it lasts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Self

import httpx

from tests.harness.api import Api
from tests.scheduling.expect import holders

Json = dict[str, Any]

WATCH_SECONDS = 2  # of one request; how long a stop may take
PAUSE_SECONDS = 0.1  # before the next attempt while the API server is away


class Watched:
    """The pods of a namespace as a watch tells them, and every moment at which two held one device."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._pods: dict[str, Json] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self.twice: list[str] = []
        self.events = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def bound(self) -> list[str]:
        """The names of the pods that have a node."""
        pods = list(self._pods.values())
        return [pod["metadata"]["name"] for pod in pods if pod["spec"].get("nodeName")]

    def _run(self) -> None:
        version = ""
        while not self._stopped.is_set():
            try:
                version = self._follow(version or self._list())
            except (httpx.TransportError, AssertionError, _Expired):
                version = ""
                self._stopped.wait(PAUSE_SECONDS)

    def _list(self) -> str:
        listed = self._api.list("Pod", self._namespace).must()
        self._pods = {pod["metadata"]["uid"]: pod for pod in listed["items"]}
        self._check()
        return str(listed["metadata"]["resourceVersion"])

    def _follow(self, version: str) -> str:
        for event in self._events(version):
            pod = event["object"]
            if event["type"] == "ERROR":
                raise _Expired
            version = pod["metadata"]["resourceVersion"]
            if event["type"] == "DELETED":
                self._pods.pop(pod["metadata"]["uid"], None)
            else:
                self._pods[pod["metadata"]["uid"]] = pod
            self.events += 1
            self._check()
        return version

    def _events(self, version: str) -> Iterator[Json]:
        path = f"/api/v1/namespaces/{self._namespace}/pods"
        query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": str(WATCH_SECONDS)}
        headers = {"Authorization": f"Bearer {self._api.token}"}
        with self._api.connection.client.stream("GET", path, params=query, headers=headers) as answer:
            if answer.status_code != 200:
                raise _Expired
            for line in answer.iter_lines():
                with suppress(json.JSONDecodeError):  # the server went away in the middle of a line
                    yield json.loads(line)

    def _check(self) -> None:
        for device, held in holders(self._pods.values()).items():
            if len(held) > 1:
                self.twice.append(f"{device}: {held}")


class _Expired(Exception):
    """The watch cannot go on from where it was."""
