"""Certificates exchanged under a running server."""

import ssl
import time
from contextlib import closing

import pytest

from tests.concurrency.serving import Callers, call, wait_for


@pytest.fixture
def publish(directory, issue):
    """Publish a new pair the way the kubelet does: files behind a symlink that is swapped."""
    for name in ("tls.crt", "tls.key"):
        (directory / name).unlink()
        (directory / name).symlink_to(f"..data/{name}")
    versions = iter(range(100))

    def publish(pair=None):
        pair = pair or issue()
        version = directory / f"..{next(versions)}"
        version.mkdir()
        (version / "tls.crt").write_bytes(pair.cert)
        (version / "tls.key").write_bytes(pair.key)
        (directory / "..new").symlink_to(version.name)
        (directory / "..new").rename(directory / "..data")
        return pair

    publish()
    return publish


def served(server) -> bytes:
    with server.connect() as sock:
        return sock.getpeercert(binary_form=True)


def der(pair) -> bytes:
    return ssl.PEM_cert_to_DER_cert(pair.cert.decode())


def test_a_new_certificate_is_served_under_load_without_a_failed_call(start, publish):
    server = start(workers=2).wait_ready()
    with Callers(server, 16) as load:
        for _ in range(3):
            new = der(publish())
            wait_for(lambda new=new: all(served(server) == new for _ in range(4)), "the new certificate", 3)
    assert set(load.results) == {"200"}


def test_a_torn_pair_leaves_the_old_one_in_use(start, directory, publish, issue):
    server = start(workers=1).wait_ready()
    old = served(server)
    (directory / "..data/tls.crt").write_bytes(issue().cert)
    wait_for(lambda: server.metric("certificate_errors_total") == 1, "the error is counted")
    assert served(server) == old
    assert server.health("/readyz")[0] == 200


def test_a_pair_is_served_once_it_is_whole(start, directory, publish, issue):
    server = start(workers=1).wait_ready()
    new = issue()
    (directory / "..data/tls.crt").write_bytes(new.cert)
    wait_for(lambda: server.metric("certificate_errors_total") == 1, "the torn pair is seen")
    (directory / "..data/tls.key").write_bytes(new.key)
    wait_for(lambda: served(server) == der(new), "the new certificate")


def test_missing_files_leave_the_old_pair_in_use(start, directory, publish):
    server = start(workers=1).wait_ready()
    old = served(server)
    (directory / "..data").unlink()
    wait_for(lambda: server.metric("certificate_errors_total") == 1, "the error is counted")
    assert served(server) == old


def test_an_open_connection_outlives_the_exchange(start, publish):
    server = start(workers=1).wait_ready()
    with closing(server.client()) as client:
        call(client)
        used = client.sock
        new = der(publish())
        wait_for(lambda: served(server) == new, "the new certificate")
        assert call(client)[0] == 200
        assert client.sock is used


def test_a_server_without_a_certificate_is_not_ready_and_says_which_file(start, directory):
    (directory / "tls.crt").rename(directory / "later")
    server = start(workers=1, start_wait_seconds=0)
    status, body = wait_for(
        lambda: "certificate" in server.health("/readyz")[1] and server.health("/readyz"), "it starts"
    )
    assert status == 503
    assert f"certificate: {directory}/tls.crt: No such file or directory" in body
    (directory / "later").rename(directory / "tls.crt")
    server.wait_ready()
    assert server.post()[0] == 200


def test_the_expiry_of_the_certificate_in_use_is_a_metric(shared_server):
    left = shared_server.metric("certificate_expiry_seconds")
    assert 11.9 * 3600 < left <= 12 * 3600


def test_a_client_that_does_not_trust_the_certificate_is_worth_a_line(shared_server):
    for _ in range(3):
        with pytest.raises(ssl.SSLCertVerificationError):
            shared_server.connect(ssl.create_default_context())
    message = "a client refuses our certificate; does it trust the CA that issued it?"
    assert len(wait_for(lambda: shared_server.logged(message), "the line")) == 1


def test_an_older_protocol_than_tls_1_2_is_refused(shared_server):
    context = shared_server.context()
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        shared_server.connect(context)


def test_http_1_1_is_agreed_on_even_if_the_client_prefers_more(shared_server):
    context = shared_server.context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with shared_server.connect(context) as sock:
        assert sock.selected_alpn_protocol() == "http/1.1"


def test_start_to_ready_takes_less_than_three_seconds(start):
    server = start(workers=2).wait_ready()
    assert time.monotonic() - server.started < 3.0
