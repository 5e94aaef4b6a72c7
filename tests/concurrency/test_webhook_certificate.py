"""The product's certificate exchanged under load: only a pair that works is taken, and no call notices."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from certs.model import Pair
from tests.concurrency.api_server import ApiServerLoad
from tests.concurrency.clients import Client
from tests.harness.waiting import until
from tests.harness.webhook import Webhook

CALLERS = 16
SECONDS = 5


@dataclass(frozen=True)
class Scene:
    """One process of the product, and the files of its certificate."""

    webhook: Webhook
    client: Client
    directory: Path
    load: Callable[[], ApiServerLoad]

    def write(self, cert: bytes | None, key: bytes | None) -> None:
        """Write both files in place, one after the other, as a careless script does; None removes one."""
        for name, content in (("tls.crt", cert), ("tls.key", key)):
            if content is None:
                (self.directory / name).unlink()
            else:
                (self.directory / name).write_bytes(content)

    def serves(self, pair: Pair) -> bool:
        with self.client.handshaken() as sock:
            return sock.getpeercert(binary_form=True) == ssl.PEM_cert_to_DER_cert(pair.cert.decode())

    def errors(self) -> float:
        return self.webhook.metric("resourceclass_certificate_errors_total")

    @contextmanager
    def no_call_fails(self) -> Iterator[None]:
        with self.load() as callers:
            yield
            met = callers.finish()
        assert (met.errors, met.denied) == ({}, 0)


@pytest.fixture
def scene(product, load, client, reviews, directory) -> Scene:
    webhook = product("--workers=1", replicas=1)
    callers = lambda: load(webhook, "/validate", [reviews.stored], CALLERS)  # noqa: E731
    return Scene(webhook, client(webhook), directory, callers)


def test_a_new_pair_is_served_under_load_without_a_failed_call(scene, issue):
    with scene.no_call_fails():
        for _ in range(3):
            new = issue()
            scene.write(new.cert, new.key)
            until(lambda new=new: scene.serves(new), "the new certificate is served", SECONDS)


@pytest.mark.parametrize("state", ["torn", "broken", "missing"])
def test_a_pair_that_does_not_work_is_not_taken_under_load(scene, issue, state):
    old, new = issue(), issue()
    scene.write(old.cert, old.key)
    until(lambda: scene.serves(old), "the first certificate is served", SECONDS)
    counted = scene.errors()
    bad = {"torn": (new.cert, old.key), "broken": (new.cert[:200], new.key), "missing": (None, None)}
    with scene.no_call_fails():
        scene.write(*bad[state])
        until(lambda: scene.errors() > counted, "the state of the files is counted as an error", SECONDS)
        assert scene.serves(old)
        scene.write(new.cert, new.key)
        until(lambda: scene.serves(new), "the pair that works is served", SECONDS)
