import contextlib
import os
import ssl
from datetime import UTC, datetime, timedelta

import pytest

from certs.issue import issue_ca, issue_leaf
from webhook.serve.tls import Certificate, new_context

AUTHORITY = issue_ca("test", datetime.now(UTC), timedelta(days=1))
FIRST, SECOND = (
    issue_leaf(AUTHORITY, ["localhost"], datetime.now(UTC), timedelta(hours=9)) for _ in range(2)
)
CLIENT = ssl.create_default_context(cadata=AUTHORITY.cert.decode())


@pytest.fixture
def files(tmp_path):
    """The paths of certificate and key, holding the first pair, written long ago."""
    paths = (tmp_path / "tls.crt", tmp_path / "tls.key")
    write(paths, FIRST.cert, FIRST.key)
    return paths


def write(paths, *contents: bytes, age_seconds: float = 60.0) -> None:
    for path, content in zip(paths, contents, strict=False):
        path.write_bytes(content)
        then = datetime.now(UTC).timestamp() - age_seconds
        os.utime(path, (then, then))


def served(certificate: Certificate) -> bytes:
    """The certificate that a client meets, in DER, by a handshake in memory."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = CLIENT.wrap_bio(to_client, to_server, server_hostname="localhost")
    server = certificate.context.wrap_bio(to_server, to_client, server_side=True)
    for side in (client, server, client):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return client.getpeercert(binary_form=True)


def der(pair) -> bytes:
    return ssl.PEM_cert_to_DER_cert(pair.cert.decode())


def loaded(files) -> Certificate:
    certificate = Certificate(*map(str, files), not_after=lambda pem: float(len(pem)))
    assert certificate.refresh()
    return certificate


def test_a_pair_is_loaded(files):
    certificate = loaded(files)
    assert served(certificate) == der(FIRST)
    assert (certificate.missing(), certificate.error, certificate.errors_total) == ([], "", 0)


def test_the_end_of_validity_is_read_from_the_certificate_in_use(files):
    assert loaded(files).expires_at == len(FIRST.cert)


def test_a_server_that_cannot_read_the_end_of_validity_has_none(files):
    certificate = Certificate(*map(str, files))
    certificate.refresh()
    assert certificate.expires_at is None


def test_the_log_has_the_end_of_validity_as_people_read_it(files, caplog):
    caplog.set_level("INFO")
    Certificate(*map(str, files), not_after=lambda pem: 1_900_000_000.0).refresh()
    (record,) = caplog.records
    assert record.fields["expires_at"] == "2030-03-17T17:46:40Z"


def test_files_that_do_not_change_are_not_read_again(files):
    certificate = loaded(files)
    in_use = certificate.context
    for path in files:
        path.chmod(0)
    assert not certificate.refresh()
    assert certificate.context is in_use


def test_a_new_pair_is_exchanged(files):
    certificate = loaded(files)
    write(files, SECOND.cert, SECOND.key, age_seconds=30)
    assert certificate.refresh()
    assert served(certificate) == der(SECOND)


def test_a_new_pair_behind_a_swapped_symlink_is_exchanged(tmp_path):
    for name, pair in (("one", FIRST), ("two", SECOND)):
        (tmp_path / name).mkdir()
        write((tmp_path / name / "tls.crt", tmp_path / name / "tls.key"), pair.cert, pair.key)
    (tmp_path / "..data").symlink_to("one")
    certificate = loaded((tmp_path / "..data/tls.crt", tmp_path / "..data/tls.key"))
    (tmp_path / "new").symlink_to("two")
    (tmp_path / "new").rename(tmp_path / "..data")
    assert certificate.refresh()
    assert served(certificate) == der(SECOND)


def test_a_change_within_one_tick_of_the_clock_is_seen(files):
    first, second = ([pem.ljust(2000, b"\n") for pem in (pair.cert, pair.key)] for pair in (FIRST, SECOND))
    write(files, *first, age_seconds=0)
    certificate = Certificate(*map(str, files))
    certificate.refresh()
    for path, content in zip(files, second, strict=True):
        stamp = path.stat().st_mtime_ns
        path.write_bytes(content)
        os.utime(path, ns=(stamp, stamp))
    assert certificate.refresh()


@pytest.mark.parametrize(
    ("contents", "error"),
    [
        ((SECOND.cert,), "the key in {key} does not belong to the certificate in {cert}"),
        ((FIRST.cert[:200],), "{cert} and {key} hold no certificate and key in PEM"),
        ((b"",), "{cert} and {key} hold no certificate and key in PEM"),
        ((FIRST.cert, b"no key"), "{cert} and {key} hold no certificate and key in PEM"),
    ],
)
def test_a_pair_that_does_not_work_leaves_the_old_one_in_use(files, contents, error):
    certificate = loaded(files)
    write(files, *contents, age_seconds=30)
    assert not certificate.refresh()
    assert served(certificate) == der(FIRST)
    assert certificate.error.startswith(error.format(cert=files[0], key=files[1]))
    assert (certificate.missing(), certificate.errors_total) == ([], 1)


@pytest.mark.parametrize("which", [0, 1])
def test_a_missing_file_leaves_the_old_pair_in_use(files, which):
    certificate = loaded(files)
    files[which].unlink()
    assert not certificate.refresh()
    assert served(certificate) == der(FIRST)
    assert certificate.error == f"{files[which]}: No such file or directory"


def test_a_state_that_fails_is_counted_once(files):
    certificate = loaded(files)
    files[0].unlink()
    for _ in range(3):
        certificate.refresh()
    assert certificate.errors_total == 1


def test_files_that_come_back_are_in_use_without_an_exchange(files):
    certificate = loaded(files)
    files[0].unlink()
    certificate.refresh()
    write(files, FIRST.cert, FIRST.key)
    certificate.refresh()
    assert certificate.error == ""
    assert served(certificate) == der(FIRST)


def test_an_end_of_validity_that_cannot_be_read_is_an_error(files):
    def not_after(_pem: bytes) -> float:
        raise ValueError("no certificate in it")

    certificate = Certificate(*map(str, files), not_after=not_after)
    assert not certificate.refresh()
    assert certificate.missing() == ["certificate: no certificate in it"]


def test_a_key_with_a_passphrase_is_an_error_and_no_prompt(files):
    from cryptography.hazmat.primitives import serialization

    key = serialization.load_pem_private_key(FIRST.key, None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    write(files, FIRST.cert, locked)
    certificate = Certificate(*map(str, files))
    certificate.refresh()
    assert certificate.missing() == [
        "certificate: the key is encrypted with a passphrase; a server needs it without"
    ]


def test_nothing_loaded_yet_is_missing(files):
    assert Certificate(*map(str, files)).missing() == ["certificate: not loaded yet"]


def test_nothing_older_than_tls_1_2_is_spoken():
    assert new_context().minimum_version is ssl.TLSVersion.TLSv1_2


def test_every_cipher_authenticates_and_has_forward_secrecy():
    ciphers = new_context().get_ciphers()
    assert ciphers
    assert [cipher["name"] for cipher in ciphers if not cipher["aead"]] == []
    assert {cipher["kea"] for cipher in ciphers} <= {"kx-ecdhe", "kx-any"}
