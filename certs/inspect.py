"""Read certificates and say what is wrong with them, in sentences.

Nothing here raises for a certificate that is merely bad: ``check`` lists what a client would stumble over.
Only bytes that cannot be read at all are an error (Unreadable).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes

from certs import pem

# Where less than this part of the life is left, renewal is overdue: it becomes due when as much is left.
WARN_BELOW = 1 / 3


@dataclass(frozen=True)
class Info:
    """What a person wants to know of one certificate; ``serial`` and ``fingerprint`` are hexadecimal."""

    subject: str
    issuer: str
    dns_names: tuple[str, ...]
    ip_addresses: tuple[str, ...]
    not_before: datetime
    not_after: datetime
    serial: str
    fingerprint: str
    is_ca: bool

    def life_left(self, now: datetime) -> float:
        """The part of the whole life that is still ahead; 0 or less when expired."""
        return (self.not_after - now) / (self.not_after - self.not_before)


@dataclass(frozen=True)
class Report:
    """``problems`` make a client fail now, ``warnings`` will do so later."""

    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def describe(cert_pem: bytes, source: str = "the text") -> tuple[Info, ...]:
    """All certificates of ``cert_pem`` in their order. Raises Unreadable."""
    return tuple(_info(cert) for cert in pem.load_certificates(cert_pem, source))


def not_after(cert_pem: bytes) -> float:
    """When the first certificate of ``cert_pem`` ends, in seconds since 1970. Raises Unreadable."""
    return pem.load_certificates(cert_pem, "the certificate")[0].not_valid_after_utc.timestamp()


def key_matches(cert_pem: bytes, key_pem: bytes) -> bool:
    """Whether the key belongs to the first certificate of ``cert_pem``. Raises Unreadable."""
    leaf = pem.load_certificates(cert_pem, "the certificate")[0]
    return pem.same_public_key(leaf, pem.load_key(key_pem, "the key"))


def chain_verifies(cert_pem: bytes, ca_pem: bytes) -> bool:
    """Whether the first certificate leads, through the others, to one of ``ca_pem``; dates are not judged.

    Raises Unreadable.
    """
    return _path(cert_pem, ca_pem) != []


def check(
    cert_pem: bytes, now: datetime, *, key_pem: bytes | None = None, ca_pem: bytes | None = None
) -> Report:
    """What a TLS client says to this certificate at ``now``; a key or bundle not given is not judged.

    Raises Unreadable.
    """
    leaf = describe(cert_pem, "the certificate")[0]
    problems, warnings = _dates("the certificate", leaf, now)
    if not (leaf.is_ca or leaf.dns_names or leaf.ip_addresses):
        problems.append(
            "the certificate lists no DNS name and no IP address; clients know a server by these alone"
        )
    if key_pem is not None and not key_matches(cert_pem, key_pem):
        problems.append("the key does not belong to the certificate; a server with these two would not start")
    if ca_pem is not None:
        more_problems, more_warnings = _authorities(cert_pem, ca_pem, now)
        problems += more_problems
        warnings += more_warnings
    return Report(tuple(problems), tuple(warnings))


def _authorities(cert_pem: bytes, ca_pem: bytes, now: datetime) -> tuple[list[str], list[str]]:
    """Judges those that vouch for the certificate; others in the bundle may have ended, that harms nobody."""
    path = _path(cert_pem, ca_pem)
    if not path:
        return ["no CA of the bundle has signed the certificate; clients with this bundle refuse it"], []
    problems, warnings = [], []
    for authority in path[1:]:
        more_problems, more_warnings = _dates("the CA certificate", _info(authority), now)
        problems += more_problems
        warnings += more_warnings
    return problems, warnings


def _dates(what: str, info: Info, now: datetime) -> tuple[list[str], list[str]]:
    start, end = info.not_before.isoformat(), info.not_after.isoformat()
    if now < info.not_before:
        return [f"{what} is not valid before {start}; check the clock of this machine"], []
    if now >= info.not_after:
        return [f"{what} expired at {end}; renew it"], []
    if info.life_left(now) < WARN_BELOW:
        days = (info.not_after - now).days
        return [], [f"{what} ends at {end}, {days} days from now; renewal is due"]
    return [], []


def _path(cert_pem: bytes, ca_pem: bytes) -> list[x509.Certificate]:
    """From the first certificate to a trusted one, both included; empty when there is no way."""
    first, *others = pem.load_certificates(cert_pem, "the certificate")
    return _path_from(first, others, pem.load_certificates(ca_pem, "the CA bundle"))


def _path_from(
    cert: x509.Certificate, others: Sequence[x509.Certificate], roots: Sequence[x509.Certificate]
) -> list[x509.Certificate]:
    if cert in roots:
        return [cert]
    for root in roots:
        if _signed_by(cert, root):
            return [cert, root]
    for at, other in enumerate(others):
        # Each step uses one of the others up, so a ring of certificates ends.
        rest = _path_from(other, [*others[:at], *others[at + 1 :]], roots) if _signed_by(cert, other) else []
        if rest:
            return [cert, *rest]
    return []


def _signed_by(cert: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        cert.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return _is_ca(authority)


def _is_ca(cert: x509.Certificate) -> bool:
    try:
        return cert.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


def _info(cert: x509.Certificate) -> Info:
    names = _alternative_names(cert)
    return Info(
        subject=cert.subject.rfc4514_string(),
        issuer=cert.issuer.rfc4514_string(),
        dns_names=tuple(names.get_values_for_type(x509.DNSName)),
        ip_addresses=tuple(str(address) for address in names.get_values_for_type(x509.IPAddress)),
        not_before=cert.not_valid_before_utc,
        not_after=cert.not_valid_after_utc,
        serial=f"{cert.serial_number:x}",
        fingerprint=cert.fingerprint(hashes.SHA256()).hex(),
        is_ca=_is_ca(cert),
    )


def _alternative_names(cert: x509.Certificate) -> x509.SubjectAlternativeName:
    try:
        return cert.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return x509.SubjectAlternativeName([])
