"""When a certificate is due, and what replaces it.

Due at two thirds of its life, as cert-manager and others do: a third is left to notice that renewal does not
work. An authority that is due is replaced too. Clients cannot learn of the new one at the very moment at
which the server changes, so the bundle then holds both: whoever trusts the bundle accepts the old and the new
server certificate.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.x509.oid import NameOID

from certs import pem
from certs.errors import Refused
from certs.inspect import Info, describe
from certs.issue import BACKDATE, MIN_LIFETIME, issue_ca, issue_leaf
from certs.model import CertificateSet, Pair


@dataclass(frozen=True)
class Renewal:
    """The new set, and whether clients must be given its bundle."""

    certificates: CertificateSet
    rotated_ca: bool


def due_at(info: Info) -> datetime:
    """The moment from which a certificate should be replaced: two thirds of its life."""
    return info.not_before + 2 * (info.not_after - info.not_before) / 3


def renew(
    current: CertificateSet, now: datetime, *, lifetime: timedelta | None = None, force: bool = False
) -> Renewal | None:
    """The set that replaces ``current``, or None when nothing is due and ``force`` is not set.

    The new certificate carries the names of the old one and lasts as long as that did, unless ``lifetime`` is
    given. Raises Unreadable for a set that cannot be read, Refused for one that was not made by an own
    authority.
    """
    leaf = describe(current.cert, "tls.crt")[0]
    authority = describe(current.ca_bundle, "ca.crt")[0]
    rotate = now >= due_at(authority)
    if not (force or rotate or now >= due_at(leaf)):
        return None
    ca, bundle = _next_authority(current, authority, now) if rotate else _same_authority(current, now)
    pair = issue_leaf(ca, leaf.dns_names, now, lifetime or _lifetime(leaf), leaf.ip_addresses)
    return Renewal(CertificateSet(bundle, ca.key, pair.cert, pair.key), rotate)


def _same_authority(current: CertificateSet, now: datetime) -> tuple[Pair, bytes]:
    first, *others = pem.load_certificates(current.ca_bundle, "ca.crt")
    ca = Pair(pem.dump_certificates([first]), current.ca_key)
    return ca, pem.dump_certificates([first, *_not_expired(others, now)])


def _next_authority(current: CertificateSet, authority: Info, now: datetime) -> tuple[Pair, bytes]:
    trusted = pem.load_certificates(current.ca_bundle, "ca.crt")
    ca = issue_ca(_common_name(trusted[0]), now, _lifetime(authority))
    return ca, ca.cert + pem.dump_certificates(_not_expired(trusted, now))


def _not_expired(certificates: list[x509.Certificate], now: datetime) -> list[x509.Certificate]:
    return [cert for cert in certificates if now < cert.not_valid_after_utc]


def _common_name(cert: x509.Certificate) -> str:
    names = cert.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    if not names or cert.subject != cert.issuer:
        raise Refused("the CA of ca.crt was not made by `certs issue`; let the one who issued it renew it")
    return str(names[0].value)


def _lifetime(info: Info) -> timedelta:
    return max(info.not_after - info.not_before - BACKDATE, MIN_LIFETIME)
