"""Reading certificates and judging them."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from certs.errors import Unreadable
from certs.inspect import chain_verifies, check, describe, key_matches, not_after
from certs.issue import issue_ca, issue_leaf
from certs.model import Pair

DAY = timedelta(days=1)


def test_a_good_pair_has_no_problem_and_no_warning(ca: Pair, leaf: Pair, now: datetime):
    report = check(leaf.cert, now, key_pem=leaf.key, ca_pem=ca.cert)

    assert (report.problems, report.warnings) == ((), ())


@pytest.mark.parametrize(("day", "warned"), [(242, False), (245, True)])
def test_a_warning_comes_when_less_than_a_third_of_the_life_is_left(
    leaf: Pair, now: datetime, day: int, warned: bool
):
    report = check(leaf.cert, now + day * DAY)

    assert report.problems == ()
    assert [("renewal is due" in text) for text in report.warnings] == [True] * warned


def test_an_expired_certificate_is_a_problem(leaf: Pair, now: datetime):
    report = check(leaf.cert, now + 365 * DAY)

    assert report.problems == ("the certificate expired at 2031-01-01T12:00:00+00:00; renew it",)


def test_a_certificate_of_the_future_is_a_problem_of_the_clock(leaf: Pair, now: datetime):
    (problem,) = check(leaf.cert, now - 2 * DAY).problems

    assert "not valid before" in problem
    assert "clock" in problem


def test_an_expired_ca_is_a_problem_of_its_own(now: datetime):
    ca = issue_ca("Test CA", now, 10 * DAY)
    leaf = issue_leaf(ca, ["a.example"], now, 10 * DAY)

    problems = check(leaf.cert, now + 11 * DAY, ca_pem=ca.cert).problems

    assert any(problem.startswith("the CA certificate expired") for problem in problems)


def test_an_expired_ca_that_others_signed_under_harms_nobody(ca: Pair, leaf: Pair, now: datetime):
    expired = issue_ca("Old CA", now - 100 * DAY, 10 * DAY)

    assert check(leaf.cert, now, ca_pem=ca.cert + expired.cert).problems == ()


def test_a_key_of_another_certificate_is_a_problem(ca: Pair, leaf: Pair, now: datetime):
    (problem,) = check(leaf.cert, now, key_pem=ca.key).problems

    assert "does not belong" in problem


def test_a_bundle_without_the_signer_is_a_problem(leaf: Pair, now: datetime):
    stranger = issue_ca("Test CA", now, DAY)

    (problem,) = check(leaf.cert, now, ca_pem=stranger.cert).problems

    assert "no CA of the bundle" in problem


def test_a_bundle_of_old_and_new_ca_verifies_leaves_of_both(now: datetime):
    old, new = issue_ca("Test CA", now, DAY), issue_ca("Test CA", now, DAY)
    leaves = [issue_leaf(ca, ["a.example"], now, DAY) for ca in (old, new)]

    assert [chain_verifies(leaf.cert, new.cert + old.cert) for leaf in leaves] == [True, True]


def test_a_chain_through_an_intermediate_verifies_in_any_order(now: datetime):
    root, middle = _root_and_intermediate(now)
    leaf = issue_leaf(middle, ["a.example"], now, DAY)
    stranger = issue_ca("Stranger", now, DAY)

    assert chain_verifies(leaf.cert + stranger.cert + middle.cert, root.cert)


def test_a_chain_without_its_intermediate_does_not_verify(now: datetime):
    root, middle = _root_and_intermediate(now)
    leaf = issue_leaf(middle, ["a.example"], now, DAY)

    assert not chain_verifies(leaf.cert, root.cert)


def test_a_leaf_cannot_vouch_for_another(ca: Pair, leaf: Pair, now: datetime):
    forged = issue_leaf(leaf, ["a.example"], now, DAY)

    assert not chain_verifies(forged.cert + leaf.cert, ca.cert)


def test_a_certificate_trusted_itself_verifies(leaf: Pair):
    assert chain_verifies(leaf.cert, leaf.cert)


def test_a_server_certificate_known_by_its_common_name_alone_is_a_problem(now: datetime):
    (problem,) = check(_without_names(now), now).problems

    assert "no DNS name and no IP address" in problem


def test_the_end_is_told_in_seconds(leaf: Pair):
    assert not_after(leaf.cert) == datetime(2031, 1, 1, 12, tzinfo=UTC).timestamp()


def test_the_end_of_no_certificate_is_a_value_error():
    with pytest.raises(ValueError, match="the certificate holds no certificate in PEM"):
        not_after(b"-----BEGIN CERT")


def test_all_certificates_of_a_text_are_described_in_their_order(ca: Pair, leaf: Pair):
    assert [info.is_ca for info in describe(leaf.cert + ca.cert)] == [False, True]


@pytest.mark.parametrize("text", [b"", b"hello", b"-----BEGIN CERT", b"\xff\xfe"])
def test_a_text_without_a_certificate_is_an_error_that_names_it(text: bytes):
    with pytest.raises(Unreadable, match=r"here\.crt holds no certificate in PEM"):
        describe(text, "here.crt")


def test_a_truncated_certificate_is_an_error(leaf: Pair):
    with pytest.raises(Unreadable, match=r"here\.crt holds a certificate that is damaged or cut off"):
        describe(leaf.cert[:200], "here.crt")


def test_a_key_in_place_of_a_certificate_is_called_so(leaf: Pair):
    with pytest.raises(Unreadable, match=r"^here\.crt is a private key, not a certificate$"):
        describe(leaf.key, "here.crt")


def test_an_encrypted_key_is_an_error_that_says_so(leaf: Pair):
    key = serialization.load_pem_private_key(leaf.key, None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )

    with pytest.raises(Unreadable, match="without a passphrase"):
        key_matches(leaf.cert, locked)


def test_a_certificate_in_place_of_a_key_is_called_so(leaf: Pair):
    with pytest.raises(Unreadable, match=r"^the key is a certificate, not a private key$"):
        key_matches(leaf.cert, leaf.cert)


def test_a_text_without_a_key_is_an_error(leaf: Pair):
    with pytest.raises(Unreadable, match="the key holds no private key in PEM"):
        key_matches(leaf.cert, b"hello")


def test_a_truncated_key_is_an_error(leaf: Pair):
    with pytest.raises(Unreadable, match="the key holds a private key that is damaged or cut off"):
        key_matches(leaf.cert, leaf.key[:80])


def _root_and_intermediate(now: datetime) -> tuple[Pair, Pair]:
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    root = _authority("Root", keys[0], "Root", keys[0], now)
    return root, _authority("Middle", keys[1], "Root", keys[0], now)


def _authority(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    now: datetime,
) -> Pair:
    """An authority as other tools make it: here one without a subject key identifier."""
    cert = (
        _builder(name, issuer, key, now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(issuer_key, hashes.SHA256())
    )
    pem_key = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    return Pair(cert.public_bytes(serialization.Encoding.PEM), pem_key)


def _without_names(now: datetime) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    cert = _builder("old.example", "old.example", key, now).sign(key, hashes.SHA256())
    return cert.public_bytes(serialization.Encoding.PEM)


def _builder(
    name: str, issuer: str, key: ec.EllipticCurvePrivateKey, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name.from_rfc4514_string(f"CN={name}"))
        .issuer_name(x509.Name.from_rfc4514_string(f"CN={issuer}"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + 30 * DAY)
    )
