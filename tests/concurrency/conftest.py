"""Servers for the tests of this room."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from certs.issue import issue_ca, issue_leaf
from certs.model import Pair
from tests.concurrency.api_server import SERVICE, ApiServerLoad, Target
from tests.concurrency.clients import Client
from tests.concurrency.product import Reviews, serving_arguments, write_manifests, write_reviews
from tests.concurrency.serving import Server
from tests.harness.webhook import Webhook


@pytest.fixture(scope="session")
def authority() -> Pair:
    return issue_ca("test", datetime.now(UTC), timedelta(days=1))


@pytest.fixture(scope="session")
def issue(authority: Pair) -> Callable[[], Pair]:
    """A new certificate for localhost, and for the service, with each call."""
    return lambda: issue_leaf(authority, ["localhost", SERVICE], datetime.now(UTC), timedelta(hours=12))


@pytest.fixture(scope="session")
def fill(authority: Pair, issue: Callable[[], Pair]) -> Callable[[Path], Path]:
    """Put a certificate for localhost and the service, its key, and the authority into a directory."""

    def fill(path: Path) -> Path:
        pair = issue()
        (path / "ca.crt").write_bytes(authority.cert)
        (path / "tls.crt").write_bytes(pair.cert)
        (path / "tls.key").write_bytes(pair.key)
        return path

    return fill


@pytest.fixture
def directory(tmp_path: Path, fill: Callable[[Path], Path]) -> Path:
    """A directory with a certificate, its key, and the authority."""
    return fill(tmp_path)


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory, fill: Callable[[Path], Path]) -> Iterator[Server]:
    """One server of one process and two threads, for tests that leave it as it was."""
    directory = fill(tmp_path_factory.mktemp("shared"))
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


@pytest.fixture(scope="session")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Reviews:
    return write_reviews(tmp_path_factory.mktemp("reviews"))


@pytest.fixture(scope="session")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_manifests(tmp_path_factory.mktemp("cluster") / "manifests")


@pytest.fixture
def product(directory: Path, manifests: Path) -> Iterator[Callable[..., Webhook]]:
    """Start replicas of the product on the certificate of the directory, where their logs are as well."""
    running: list[Webhook] = []

    def start(*arguments: str, **settings) -> Webhook:
        webhook = Webhook(directory, [*serving_arguments(directory, manifests), *arguments], **settings)
        running.append(webhook)
        webhook.start()
        return webhook

    yield start
    for webhook in running:
        webhook.close()


@pytest.fixture(scope="module")
def one_process(
    tmp_path_factory: pytest.TempPathFactory, fill: Callable[[Path], Path], manifests: Path
) -> Iterator[Webhook]:
    """One process of the product with eight threads, for tests that leave it as it was."""
    directory = fill(tmp_path_factory.mktemp("one"))
    arguments = [*serving_arguments(directory, manifests), "--workers=1", "--threads=8"]
    webhook = Webhook(directory, arguments, replicas=1)
    webhook.start()
    yield webhook
    webhook.close()


@pytest.fixture(scope="session")
def ca_file(tmp_path_factory: pytest.TempPathFactory, authority: Pair) -> Path:
    """The authority of every certificate of this room."""
    path = tmp_path_factory.mktemp("authority") / "ca.crt"
    path.write_bytes(authority.cert)
    return path


@pytest.fixture(scope="session")
def load(control_plane_binaries: dict[str, Path], ca_file: Path) -> Callable[..., ApiServerLoad]:
    """Callers with the API server's code."""

    def load(webhook: Webhook, path: str, reviews: list[Path], callers: int, **settings) -> ApiServerLoad:
        program, target = control_plane_binaries["loadclient"], Target(webhook.address, ca_file)
        return ApiServerLoad(program, target, path, reviews, callers, **settings)

    return load


@pytest.fixture(scope="session")
def client(ca_file: Path) -> Callable[[Webhook], Client]:
    """Clients that misbehave."""
    return lambda webhook: Client.of(webhook.address, ca_file)
