"""Fixtures of the tests of the cluster room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cluster.scripted import Clock
from tests.unit.cluster.small_server import Connect, Handler, Server, serving, write_kubeconfig
from webhook.cluster.connection import Connection
from webhook.cluster.folder import FolderCluster


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path, clock: Clock) -> Callable[..., FolderCluster]:
    """Write files by name and return the cluster of them."""

    def written(**files: str) -> FolderCluster:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return FolderCluster(tmp_path, clock)

    return written


@pytest.fixture
def connect(tmp_path: Path, clock: Clock) -> Connect:
    @contextmanager
    def connected(
        answer: Callable[[Handler], None], user: dict[str, Any] | None = None
    ) -> Iterator[tuple[Server, Connection]]:
        with serving(answer) as server:
            connection = Connection(write_kubeconfig(tmp_path, server.url, user), clock)
            yield server, connection
            connection.close()

    return connected
