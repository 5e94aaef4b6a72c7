"""Certificates of one run: one CA, leaves for loopback, and the key that signs service account tokens."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIFETIME = timedelta(days=2)
SKEW = timedelta(hours=1)


class Pki:
    """Writes PEM files into a folder; not by the product's own `certs`, which is under test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "resourceclass test CA")])
        self._ca = _builder(self._name, self._name, self._key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.ca_file = self._write("ca.crt", _pem(self._ca.sign(self._key, hashes.SHA256())))

    def serving(self, name: str, *dns_names: str) -> tuple[Path, Path]:
        """Issues a certificate for 127.0.0.1, localhost and the names; returns the files of both parts."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = [x509.DNSName(each) for each in ("localhost", *dns_names)]
        alternatives = x509.SubjectAlternativeName(
            [*names, x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        )
        leaf = _builder(subject, self._name, key).add_extension(alternatives, critical=False)
        certificate = self._write(f"{name}.crt", _pem(leaf.sign(self._key, hashes.SHA256())))
        return certificate, self._write(f"{name}.key", _private(key))

    def signing_key(self, name: str) -> Path:
        """Writes a bare private key; Kubernetes reads the public half from the same file."""
        return self._write(f"{name}.key", _private(ec.generate_private_key(ec.SECP256R1())))

    def _write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.touch(mode=0o600)
        path.write_bytes(content)
        return path


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + LIFETIME)
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    """In SEC 1 form: the one that Kubernetes reads a public key from."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
