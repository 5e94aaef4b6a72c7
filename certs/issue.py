"""Issue a certificate authority and the server certificates under it.

The shapes are those of RFC 5280 as the API server's TLS client (Go crypto/x509) reads it: a server is known
by its subject alternative names alone, so a leaf has an empty subject and a critical list of names. Long
service names would not fit into a common name, which ends at 64 characters.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from certs import pem
from certs.errors import BadRequest, Refused
from certs.model import Pair
from certs.names import alternative_names

# Clocks of machines differ: a certificate is valid from an hour before it was made.
BACKDATE = timedelta(hours=1)
# Renewal is due at two thirds of the whole life, BACKDATE included. Below 30 minutes that moment would lie
# before the issue; an hour leaves 20 minutes of use.
MIN_LIFETIME = timedelta(hours=1)
# The upper bound of X.520 for a common name.
MAX_COMMON_NAME = 64


def issue_ca(common_name: str, now: datetime, lifetime: timedelta) -> Pair:
    """A new self-signed authority that may sign servers and no further authorities.

    ``now`` carries its time zone; the certificate ends at ``now + lifetime``. Raises BadRequest.
    """
    if not 1 <= len(common_name) <= MAX_COMMON_NAME:
        raise BadRequest(f"the common name {common_name!r} must have 1 to {MAX_COMMON_NAME} characters")
    end = _end(now, lifetime)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    builder = (
        _builder(key.public_key(), subject=subject, issuer=subject)
        .not_valid_before(now - BACKDATE)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
    )
    return Pair(_sign(builder, key), pem.dump_key(key))


def issue_leaf(
    ca: Pair, dns_names: Sequence[str], now: datetime, lifetime: timedelta, ip_addresses: Sequence[str] = ()
) -> Pair:
    """A new server certificate under ``ca`` for all the names and addresses.

    It ends at ``now + lifetime``, or with its authority where that ends earlier. Raises BadRequest for a
    name, an address or a lifetime that cannot be used, Unreadable or Refused for an authority that cannot
    sign.
    """
    names = alternative_names(dns_names, ip_addresses)
    end = _end(now, lifetime)
    authority, signing_key = _authority(ca, now)
    key = ec.generate_private_key(ec.SECP256R1())
    builder = (
        _builder(key.public_key(), subject=x509.Name([]), issuer=authority.subject)
        .not_valid_before(max(now - BACKDATE, authority.not_valid_before_utc))
        .not_valid_after(min(end, authority.not_valid_after_utc))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=True)
        .add_extension(_authority_key_identifier(authority), critical=False)
    )
    return Pair(_sign(builder, signing_key), pem.dump_key(key))


def _builder(
    public_key: ec.EllipticCurvePublicKey, *, subject: x509.Name, issuer: x509.Name
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _sign(builder: x509.CertificateBuilder, key: pem.SigningKey) -> bytes:
    return pem.dump_certificates([builder.sign(key, hashes.SHA256())])


def _authority(ca: Pair, now: datetime) -> tuple[x509.Certificate, pem.SigningKey]:
    authority = pem.load_certificates(ca.cert, "the CA certificate")[0]
    key = pem.load_signing_key(ca.key, "the CA key")
    if not pem.same_public_key(authority, key):
        raise Refused("the CA key does not belong to the CA certificate; give the two of one authority")
    if not authority.not_valid_before_utc <= now < authority.not_valid_after_utc:
        start, end = authority.not_valid_before_utc.isoformat(), authority.not_valid_after_utc.isoformat()
        raise Refused(f"the CA certificate is valid from {start} to {end} only; issue or rotate the CA first")
    return authority, key


def _authority_key_identifier(authority: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    # After a rotation two authorities of one name are trusted; the identifier tells which of them signed. It
    # repeats the authority's own identifier, which need not be a hash of its key in an authority made
    # elsewhere.
    try:
        own = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    except x509.ExtensionNotFound:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())  # type: ignore[arg-type]
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own)


def _end(now: datetime, lifetime: timedelta) -> datetime:
    if lifetime < MIN_LIFETIME:
        raise BadRequest(f"a lifetime of {lifetime} is too short to be renewed in time; use 1h or more")
    try:
        return now + lifetime
    except OverflowError as error:
        raise BadRequest(f"a lifetime of {lifetime.days} days ends after the year 9999; use less") from error


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
