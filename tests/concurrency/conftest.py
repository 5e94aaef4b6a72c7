"""Servers for the tests of this room."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from certs.issue import issue_ca, issue_leaf
from certs.model import Pair
from tests.concurrency.serving import Server


@pytest.fixture(scope="session")
def authority() -> Pair:
    return issue_ca("test", datetime.now(UTC), timedelta(days=1))


@pytest.fixture(scope="session")
def issue(authority: Pair) -> Callable[[], Pair]:
    """A new certificate for localhost with each call."""
    return lambda: issue_leaf(authority, ["localhost"], datetime.now(UTC), timedelta(hours=12))


@pytest.fixture
def directory(tmp_path: Path, authority: Pair, issue: Callable[[], Pair]) -> Path:
    """A directory with a certificate for localhost, its key, and the authority."""
    return _fill(tmp_path, authority, issue())


def _fill(path: Path, authority: Pair, pair: Pair) -> Path:
    (path / "ca.crt").write_bytes(authority.cert)
    (path / "tls.crt").write_bytes(pair.cert)
    (path / "tls.key").write_bytes(pair.key)
    return path


@pytest.fixture(scope="module")
def shared_server(
    tmp_path_factory: pytest.TempPathFactory, authority: Pair, issue: Callable[[], Pair]
) -> Iterator[Server]:
    """One server of one process and two threads, for tests that leave it as it was."""
    directory = _fill(tmp_path_factory.mktemp("shared"), authority, issue())
    server = Server(directory, workers=1, threads=2).wait_ready()
    yield server
    server.stop()


@pytest.fixture
def start(directory: Path) -> Iterator[Callable[..., Server]]:
    """Start a server; all are stopped at the end."""
    servers: list[Server] = []

    def start(**settings) -> Server:
        servers.append(Server(directory, **settings))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
