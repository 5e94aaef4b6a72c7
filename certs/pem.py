"""PEM to objects and back, with errors that say what was read and what is wrong with it."""

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes

from certs.errors import Unreadable

_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"
_PRIVATE_KEY = b"PRIVATE KEY-----"

SigningKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def load_certificates(pem: bytes, source: str) -> list[x509.Certificate]:
    """All certificates in ``pem``, in order, at least one. ``source`` names the text in errors."""
    try:
        return x509.load_pem_x509_certificates(pem)
    except ValueError as error:
        raise Unreadable(f"{source} {_instead_of_certificate(pem)}") from error


def load_key(pem: bytes, source: str) -> PrivateKeyTypes:
    """The private key in ``pem``."""
    try:
        return serialization.load_pem_private_key(pem, password=None)
    except TypeError as error:
        raise Unreadable(f"{source} is encrypted; give the key without a passphrase") from error
    except UnsupportedAlgorithm as error:
        raise Unreadable(f"{source} is a key of an unsupported kind; use an ECDSA or an RSA key") from error
    except ValueError as error:
        raise Unreadable(f"{source} {_instead_of_key(pem)}") from error


def load_signing_key(pem: bytes, source: str) -> SigningKey:
    """A private key of a kind that this room signs with."""
    key = load_key(pem, source)
    if isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey):
        return key
    raise Unreadable(f"{source} is a key of an unsupported kind; use an ECDSA or an RSA key")


def dump_certificates(certificates: list[x509.Certificate]) -> bytes:
    """The certificates as one PEM text."""
    return b"".join(cert.public_bytes(serialization.Encoding.PEM) for cert in certificates)


def dump_key(key: SigningKey) -> bytes:
    """The private key as PKCS 8, not encrypted: who may read it is the file mode's matter."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def same_public_key(cert: x509.Certificate, key: PrivateKeyTypes) -> bool:
    """Whether ``key`` is the private half of the certificate's key."""
    return _spki(cert.public_key()) == _spki(key.public_key())


def _instead_of_certificate(pem: bytes) -> str:
    """What a text is that could not be read as certificates; what the library says is for programmers."""
    if _CERTIFICATE in pem:
        return "holds a certificate that is damaged or cut off; copy the file again"
    if _PRIVATE_KEY in pem:
        return "is a private key, not a certificate"
    return "holds no certificate in PEM, the text that begins with -----BEGIN CERTIFICATE-----"


def _instead_of_key(pem: bytes) -> str:
    if _PRIVATE_KEY in pem:
        return "holds a private key that is damaged or cut off; copy the file again"
    if _CERTIFICATE in pem:
        return "is a certificate, not a private key"
    return "holds no private key in PEM, the text that begins with -----BEGIN PRIVATE KEY-----"


def _spki(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
