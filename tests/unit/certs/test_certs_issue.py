"""Issuing: what stands in a certificate, and what is refused before anything is signed."""

from datetime import datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from certs.errors import BadRequest, Refused
from certs.inspect import chain_verifies, describe, key_matches
from certs.issue import issue_ca, issue_leaf
from certs.model import Pair

DAY = timedelta(days=1)


def test_a_ca_and_its_leaf_are_valid_from_an_hour_before_they_were_made(ca: Pair, leaf: Pair, now: datetime):
    starts = {describe(pair.cert)[0].not_before for pair in (ca, leaf)}

    assert starts == {now - timedelta(hours=1)}


def test_a_lifetime_is_counted_from_now(leaf: Pair, now: datetime):
    assert describe(leaf.cert)[0].not_after == now + 365 * DAY


def test_a_leaf_ends_with_its_ca_at_the_latest(now: datetime):
    ca = issue_ca("Test CA", now, 10 * DAY)

    leaf = issue_leaf(ca, ["a.example"], now, 365 * DAY)

    assert describe(leaf.cert)[0].not_after == now + 10 * DAY


def test_a_certificate_of_24_hours_can_be_had(ca: Pair, now: datetime):
    leaf = issue_leaf(ca, ["a.example"], now, timedelta(hours=24))

    assert describe(leaf.cert)[0].not_after == now + DAY


def test_names_and_addresses_stand_in_the_alternative_names_once_and_in_order(ca: Pair, now: datetime):
    leaf = issue_leaf(ca, ["b.example", "a.example", "b.example"], now, DAY, ["::1", "10.0.0.1"])

    info = describe(leaf.cert)[0]
    assert (info.dns_names, info.ip_addresses) == (("b.example", "a.example"), ("::1", "10.0.0.1"))


def test_a_service_name_longer_than_a_common_name_may_be_is_issued(ca: Pair, now: datetime):
    name = f"{'w' * 63}.{'n' * 63}.svc"

    assert describe(issue_leaf(ca, [name], now, DAY).cert)[0].dns_names == (name,)


def test_a_leaf_has_no_subject_and_critical_names(leaf: Pair):
    cert = x509.load_pem_x509_certificate(leaf.cert)

    names = cert.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert (cert.subject.rfc4514_string(), names.critical) == ("", True)


def test_a_leaf_is_a_server_and_nothing_else(leaf: Pair):
    extensions = x509.load_pem_x509_certificate(leaf.cert).extensions

    usages = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    constraints = extensions.get_extension_for_class(x509.BasicConstraints).value
    assert (list(usages), constraints.ca) == ([ExtendedKeyUsageOID.SERVER_AUTH], False)


def test_a_ca_may_sign_servers_but_no_further_ca(ca: Pair):
    extensions = x509.load_pem_x509_certificate(ca.cert).extensions

    constraints = extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert constraints.value == x509.BasicConstraints(ca=True, path_length=0)


def test_keys_are_ecdsa_on_p256(ca: Pair, leaf: Pair):
    keys = [x509.load_pem_x509_certificate(pair.cert).public_key() for pair in (ca, leaf)]

    assert [key.curve.name for key in keys if isinstance(key, ec.EllipticCurvePublicKey)] == ["secp256r1"] * 2


def test_a_pair_belongs_together_and_leads_to_its_ca(ca: Pair, leaf: Pair):
    assert key_matches(leaf.cert, leaf.key)
    assert chain_verifies(leaf.cert, ca.cert)


def test_two_certificates_never_share_a_serial_number(ca: Pair, now: datetime):
    serials = {describe(issue_leaf(ca, ["a.example"], now, DAY).cert)[0].serial for _ in range(20)}

    assert len(serials) == 20


def test_a_key_does_not_show_when_a_pair_is_printed(leaf: Pair):
    assert "PRIVATE KEY" not in repr(leaf)


@pytest.mark.parametrize(
    ("name", "part_of_the_message"),
    [
        ("", "not a DNS name"),
        ("UPPER.example", "lower-case"),
        ("under_score.example", "not a DNS name"),
        ("-a.example", "not a DNS name"),
        ("a..example", "not a DNS name"),
        ("a.example.", "not a DNS name"),
        ("a.example\n", "not a DNS name"),
        ("ünicode.example", "not a DNS name"),
        ("a.*.example", "not a DNS name"),
        ("*", "not a DNS name"),
        ("l" * 64, "63 characters"),
        (".".join(["a" * 60] * 5), "253 in all"),
        ("10.0.0.1", "--ip"),
        ("::1", "--ip"),
    ],
)
def test_a_name_that_is_no_dns_name_is_refused(ca: Pair, now: datetime, name: str, part_of_the_message: str):
    with pytest.raises(BadRequest, match=part_of_the_message):
        issue_leaf(ca, [name], now, DAY)


@pytest.mark.parametrize("name", ["a", "1.example", "xn--nicode-2ya.example", "*.a.example", "l" * 63])
def test_a_dns_name_is_accepted(ca: Pair, now: datetime, name: str):
    assert describe(issue_leaf(ca, [name], now, DAY).cert)[0].dns_names == (name,)


def test_an_address_that_is_none_is_refused(ca: Pair, now: datetime):
    with pytest.raises(BadRequest, match="--dns-name"):
        issue_leaf(ca, [], now, DAY, ["a.example"])


def test_a_certificate_without_any_name_is_refused(ca: Pair, now: datetime):
    with pytest.raises(BadRequest, match="at least one"):
        issue_leaf(ca, [], now, DAY)


@pytest.mark.parametrize("lifetime", [timedelta(0), -DAY, timedelta(minutes=59)])
def test_a_lifetime_too_short_to_renew_is_refused(ca: Pair, now: datetime, lifetime: timedelta):
    with pytest.raises(BadRequest, match="1h or more"):
        issue_leaf(ca, ["a.example"], now, lifetime)


def test_a_lifetime_beyond_the_calendar_is_refused(now: datetime):
    with pytest.raises(BadRequest, match="9999"):
        issue_ca("Test CA", now, timedelta(days=3_000_000))


@pytest.mark.parametrize("name", ["", "n" * 65])
def test_a_common_name_of_impossible_length_is_refused(now: datetime, name: str):
    with pytest.raises(BadRequest, match="1 to 64"):
        issue_ca(name, now, DAY)


def test_an_expired_ca_signs_nothing(ca: Pair, now: datetime):
    with pytest.raises(Refused, match="rotate the CA"):
        issue_leaf(ca, ["a.example"], now + 3650 * DAY, DAY)


def test_the_key_of_another_ca_signs_nothing(ca: Pair, now: datetime):
    other = issue_ca("Other CA", now, DAY)

    with pytest.raises(Refused, match="does not belong"):
        issue_leaf(Pair(ca.cert, other.key), ["a.example"], now, DAY)
