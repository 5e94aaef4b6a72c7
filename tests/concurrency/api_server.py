"""Load as an API server makes it: tests/loadclient calls with the API server's own code."""

from __future__ import annotations

import json
import selectors
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

Json = dict[str, Any]

SERVICE = "resourceclass-webhook.resourceclass-system.svc"
"""The name that the certificate must bear; the same as that of the chart's service."""
SERVING_SECONDS = 20.0
END_SECONDS = 40.0


@dataclass(frozen=True)
class Target:
    """Where a webhook listens, and how it is trusted."""

    address: str
    ca_file: Path


@dataclass(frozen=True)
class Met:
    """What all callers met; the times are those of calls that got a verdict."""

    calls: int
    allowed: int
    denied: int
    errors: Mapping[str, int]
    seconds: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float


class ApiServerLoad:
    """Callers that call without a pause, from the start of the block until :meth:`finish` or its end.

    With `same_uid` all calls bear the uid of the review, else each has one of its own and wants it back.
    """

    def __init__(
        self,
        program: Path,
        target: Target,
        path: str,
        reviews: Sequence[Path],
        callers: int,
        *,
        calls: int = 0,
        timeout_seconds: int = 5,
        same_uid: bool = False,
    ) -> None:
        self._command = [
            str(program),
            f"-address={target.address}",
            f"-ca={target.ca_file}",
            f"-path={path}",
            *[f"-review={review}" for review in reviews],
            f"-callers={callers}",
            f"-calls={calls}",
            f"-timeout={timeout_seconds}s",
            f"-same-uid={str(same_uid).lower()}",
        ]
        self._met: Met | None = None

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert self._process.stderr is not None
        said = _line(self._process.stderr, SERVING_SECONDS)
        if said != "serving\n":
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"not every caller had an answer in {SERVING_SECONDS} s: {said}")
        return self

    def __exit__(self, *_: object) -> None:
        if self._met is None:
            self.finish()

    def finish(self) -> Met:
        """Begin no more calls, wait for those that have begun, and return what was met."""
        try:
            # Callers with a number of calls end by themselves, and are not told to.
            out, _ = self._process.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        self._met = Met(**json.loads(out))
        return self._met


def _line(stream: IO[str], seconds: float) -> str:
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return stream.readline() if selector.select(seconds) else ""


def create_review(pod: Json, namespace: str) -> Json:
    """The review of the creation of a pod."""
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    resource = {"group": "", "version": "v1", "resource": "pods"}
    request = {
        "uid": "0",
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "name": pod["metadata"]["name"],
        "namespace": namespace,
        "operation": "CREATE",
        "userInfo": {"username": "jane", "groups": ["system:authenticated"]},
        "object": pod,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
