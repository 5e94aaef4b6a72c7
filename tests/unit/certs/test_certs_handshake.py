"""What others make of our certificates: the TLS of Python's ``ssl`` on both sides, and ``openssl verify``."""

import shutil
import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from certs.issue import issue_ca, issue_leaf
from certs.model import CertificateSet, Pair
from certs.renew import renew

DAY = timedelta(days=1)
NAME = "resourceclass-webhook.resourceclass-system.svc"


@pytest.fixture
def today() -> datetime:
    """TLS libraries look at the clock themselves, so these certificates are of today."""
    return datetime.now(UTC)


@pytest.fixture
def server(today: datetime) -> CertificateSet:
    return _set(today)


@pytest.mark.parametrize("name", [NAME, "127.0.0.1"])
def test_a_client_that_trusts_the_ca_accepts_the_server(tmp_path: Path, server: CertificateSet, name: str):
    assert _handshake(tmp_path, server, trust=server.ca_bundle, name=name) == "TLSv1.3"


def test_a_client_that_asks_for_another_name_refuses_the_server(tmp_path: Path, server: CertificateSet):
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        _handshake(tmp_path, server, trust=server.ca_bundle, name="other.example")


def test_a_client_that_trusts_another_ca_of_the_same_name_refuses_the_server(
    tmp_path: Path, server: CertificateSet, today: datetime
):
    with pytest.raises(ssl.SSLCertVerificationError):
        _handshake(tmp_path, server, trust=_set(today).ca_bundle, name=NAME)


def test_a_client_whose_clock_is_ten_minutes_behind_accepts_the_server(tmp_path: Path, today: datetime):
    made_ahead = _set(today + timedelta(minutes=10))

    assert _handshake(tmp_path, made_ahead, trust=made_ahead.ca_bundle, name=NAME) == "TLSv1.3"


def test_an_expired_certificate_is_refused_and_renewal_repairs_it(tmp_path: Path, today: datetime):
    expired = _set(today - 400 * DAY)
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        _handshake(tmp_path, expired, trust=expired.ca_bundle, name=NAME)

    renewal = renew(expired, today)

    assert renewal is not None
    assert _handshake(tmp_path, renewal.certificates, trust=expired.ca_bundle, name=NAME) == "TLSv1.3"


@pytest.mark.parametrize("which", ["old", "new"])
def test_a_client_with_the_bundle_of_a_rotation_accepts_both_servers(
    tmp_path: Path, today: datetime, which: str
):
    ca = issue_ca("Test CA", today - 80 * DAY, 100 * DAY)
    leaf = issue_leaf(ca, [NAME], today - 80 * DAY, 100 * DAY)
    old = CertificateSet(ca.cert, ca.key, leaf.cert, leaf.key)
    renewal = renew(old, today)
    assert renewal is not None
    new = renewal.certificates

    server = {"old": old, "new": new}[which]

    assert _handshake(tmp_path, server, trust=new.ca_bundle, name=NAME) == "TLSv1.3"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="NOT RUN: openssl is not on this machine")
def test_openssl_finds_the_chain_strictly_right(tmp_path: Path, server: CertificateSet):
    (tmp_path / "ca.crt").write_bytes(server.ca_bundle)
    (tmp_path / "tls.crt").write_bytes(server.cert)

    arguments = [
        "-x509_strict",
        "-purpose",
        "sslserver",
        "-verify_hostname",
        NAME,
        "-CAfile",
        "ca.crt",
        "tls.crt",
    ]
    result = subprocess.run(
        ["openssl", "verify", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )

    assert (result.returncode, result.stdout) == (0, "tls.crt: OK\n"), result.stderr


def _set(now: datetime) -> CertificateSet:
    ca: Pair = issue_ca("Test CA", now, 3650 * DAY)
    leaf = issue_leaf(ca, [NAME], now, 365 * DAY, ["127.0.0.1"])
    return CertificateSet(ca.cert, ca.key, leaf.cert, leaf.key)


def _handshake(directory: Path, server: CertificateSet, *, trust: bytes, name: str) -> str | None:
    """Both sides of a TLS handshake in memory; returns the protocol or raises what the client says."""
    (directory / "tls.crt").write_bytes(server.cert)
    (directory / "tls.key").write_bytes(server.key)
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(directory / "tls.crt", directory / "tls.key")
    client_context = ssl.create_default_context(cadata=trust.decode())
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server, server_hostname=name)
    accepting = server_context.wrap_bio(to_server, to_client, server_side=True)
    pending = [client, accepting]
    while pending:
        pending = [side for side in pending if not _finished(side)]
    return client.version()


def _finished(side: ssl.SSLObject) -> bool:
    try:
        side.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True
