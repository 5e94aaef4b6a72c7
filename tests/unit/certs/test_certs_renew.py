"""Renewal: when it is due, what it keeps, and what clients trust while an authority is replaced."""

from datetime import datetime, timedelta

import pytest

from certs.errors import Refused
from certs.inspect import chain_verifies, check, describe
from certs.issue import issue_ca, issue_leaf
from certs.model import CertificateSet, Pair
from certs.renew import due_at, renew

DAY = timedelta(days=1)


def test_a_certificate_is_due_at_two_thirds_of_its_life(leaf: Pair):
    info = describe(leaf.cert)[0]

    assert due_at(info) - info.not_before == 2 * (info.not_after - due_at(info))


def test_nothing_is_renewed_before_it_is_due(certificates: CertificateSet):
    just_before = due_at(describe(certificates.cert)[0]) - timedelta(seconds=1)

    assert renew(certificates, just_before) is None


def test_a_due_certificate_is_renewed_under_the_same_ca(certificates: CertificateSet):
    renewal = renew(certificates, due_at(describe(certificates.cert)[0]))

    assert renewal is not None
    assert not renewal.rotated_ca
    assert renewal.certificates.ca_bundle == certificates.ca_bundle
    assert renewal.certificates.ca_key == certificates.ca_key


def test_a_renewed_certificate_is_good_and_new(certificates: CertificateSet, now: datetime):
    renewed = _renewed(certificates, now + 300 * DAY)

    report = check(renewed.cert, now + 300 * DAY, key_pem=renewed.key, ca_pem=renewed.ca_bundle)
    assert (report.problems, report.warnings) == ((), ())
    assert renewed.key != certificates.key


def test_renewal_keeps_the_names_and_the_lifetime(certificates: CertificateSet, now: datetime):
    before = describe(certificates.cert)[0]

    after = describe(_renewed(certificates, now + 300 * DAY).cert)[0]

    assert (after.dns_names, after.ip_addresses) == (before.dns_names, before.ip_addresses)
    assert after.not_after - after.not_before == before.not_after - before.not_before


def test_a_lifetime_can_be_given_anew(certificates: CertificateSet, now: datetime):
    renewal = renew(certificates, now + 300 * DAY, lifetime=7 * DAY)

    assert renewal is not None
    assert describe(renewal.certificates.cert)[0].not_after == now + 307 * DAY


def test_force_renews_what_is_not_due(certificates: CertificateSet, now: datetime):
    renewal = renew(certificates, now, force=True)

    assert renewal is not None
    assert not renewal.rotated_ca
    assert renewal.certificates.cert != certificates.cert


def test_an_expired_certificate_is_repaired(certificates: CertificateSet, now: datetime):
    later = now + 500 * DAY

    renewed = _renewed(certificates, later)

    assert check(renewed.cert, later, ca_pem=renewed.ca_bundle).problems == ()


def test_a_ca_at_two_thirds_of_its_life_is_rotated(certificates: CertificateSet):
    renewal = renew(certificates, due_at(describe(certificates.ca_bundle)[0]))

    assert renewal is not None
    assert renewal.rotated_ca
    assert renewal.certificates.ca_key != certificates.ca_key


def test_while_a_ca_is_rotated_the_bundle_accepts_the_old_and_the_new_server(now: datetime):
    old = _set(now, ca_days=30, leaf_days=28)
    new = _renewed(old, now + 21 * DAY)

    assert chain_verifies(old.cert, new.ca_bundle)
    assert chain_verifies(new.cert, new.ca_bundle)
    assert not chain_verifies(new.cert, old.ca_bundle)


def test_the_new_ca_stands_first_and_signs_the_next_renewal(now: datetime):
    rotated = _renewed(_set(now, ca_days=30, leaf_days=6), now + 21 * DAY)

    renewed = _renewed(rotated, now + 27 * DAY)

    assert describe(renewed.ca_bundle)[0] == describe(rotated.ca_bundle)[0]
    assert chain_verifies(renewed.cert, renewed.ca_bundle)


def test_an_expired_ca_leaves_the_bundle_at_the_next_renewal(now: datetime):
    rotated = _renewed(_set(now, ca_days=30, leaf_days=6), now + 21 * DAY)

    renewed = _renewed(rotated, now + 31 * DAY)

    assert (len(describe(rotated.ca_bundle)), len(describe(renewed.ca_bundle))) == (2, 1)


def test_an_expired_ca_is_replaced_and_no_longer_trusted(now: datetime):
    later = now + 40 * DAY

    renewed = _renewed(_set(now, ca_days=30, leaf_days=6), later)

    assert check(renewed.cert, later, ca_pem=renewed.ca_bundle).problems == ()
    assert len(describe(renewed.ca_bundle)) == 1


def test_certificates_of_24_hours_are_renewed_after_two_thirds_of_them(now: datetime):
    short = _set(now, ca_days=30, leaf_days=1)

    assert renew(short, now + timedelta(hours=15)) is None
    assert renew(short, now + timedelta(hours=16)) is not None


def test_a_set_keeps_working_through_ten_years_of_monthly_runs(now: datetime):
    current = _set(now, ca_days=1000, leaf_days=90)

    for month in range(120):
        today = now + month * 30 * DAY
        renewal = renew(current, today)
        if renewal:
            assert chain_verifies(current.cert, renewal.certificates.ca_bundle)
            current = renewal.certificates
        assert check(current.cert, today, key_pem=current.key, ca_pem=current.ca_bundle).problems == ()


def test_a_certificate_with_another_authoritys_key_is_refused(certificates: CertificateSet, now: datetime):
    stranger = issue_ca("Stranger", now, 3650 * DAY)
    mixed = CertificateSet(certificates.ca_bundle, stranger.key, certificates.cert, certificates.key)

    with pytest.raises(Refused, match="does not belong"):
        renew(mixed, now, force=True)


def test_an_authority_signed_by_another_is_not_rotated(certificates: CertificateSet, now: datetime):
    leaf_as_authority = CertificateSet(
        certificates.cert, certificates.key, certificates.cert, certificates.key
    )

    with pytest.raises(Refused, match="let the one who issued it renew it"):
        renew(leaf_as_authority, now + 300 * DAY)


def _set(now: datetime, *, ca_days: int, leaf_days: int) -> CertificateSet:
    ca = issue_ca("Test CA", now, ca_days * DAY)
    leaf = issue_leaf(ca, ["a.example"], now, leaf_days * DAY)
    return CertificateSet(ca.cert, ca.key, leaf.cert, leaf.key)


def _renewed(current: CertificateSet, now: datetime) -> CertificateSet:
    renewal = renew(current, now)
    assert renewal is not None
    return renewal.certificates
