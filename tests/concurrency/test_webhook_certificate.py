"""The product's certificate exchanged under load: only a pair that works is taken, and no call notices."""

import ssl

import pytest

from tests.harness.waiting import until
from tests.harness.webhook import Webhook

CALLERS = 16


@pytest.fixture
def write(directory):
    """Write certificate and key in place, one after the other, as a careless script does."""

    def write(cert: bytes | None, key: bytes | None) -> None:
        for name, content in (("tls.crt", cert), ("tls.key", key)):
            if content is None:
                (directory / name).unlink(missing_ok=True)
            else:
                (directory / name).write_bytes(content)

    return write


def served(client) -> bytes:
    with client.handshaken() as sock:
        return sock.getpeercert(binary_form=True) or b""


def der(pair) -> bytes:
    return ssl.PEM_cert_to_DER_cert(pair.cert.decode())


def errors(webhook: Webhook) -> float:
    return webhook.metric("resourceclass_certificate_errors_total")


def test_a_new_pair_is_served_under_load_without_a_failed_call(product, load, reviews, client, issue, write):
    webhook = product("--workers=1", replicas=1)
    with load(webhook, "/validate", [reviews.stored], CALLERS) as callers:
        for _ in range(3):
            new = issue()
            write(new.cert, new.key)
            until(lambda new=new: served(client(webhook)) == der(new), "the new certificate is served", 5)
        met = callers.finish()
    assert (met.errors, met.denied) == ({}, 0)


@pytest.mark.parametrize("state", ["torn", "broken", "missing"])
def test_a_pair_that_does_not_work_is_not_taken_under_load(
    product, load, reviews, client, issue, write, directory, state
):
    webhook = product("--workers=1", replicas=1)
    old, new = served(client(webhook)), issue()
    key = (directory / "tls.key").read_bytes()
    content = {"torn": (new.cert, key), "broken": (new.cert[:200], new.key), "missing": (None, None)}[state]
    with load(webhook, "/validate", [reviews.stored], CALLERS) as callers:
        write(*content)
        until(lambda: errors(webhook) >= 1, "the state of the files is counted as an error", 5)
        assert served(client(webhook)) == old
        write(new.cert, new.key)
        until(lambda: served(client(webhook)) == der(new), "the pair that works is served", 5)
        met = callers.finish()
    assert (met.errors, met.denied) == ({}, 0)
