"""The data that the room passes around: PEM as bytes, private keys kept out of every ``repr``."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pair:
    """One certificate and its private key, both PEM."""

    cert: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True)
class CertificateSet:
    """What a webhook needs, and what is needed to renew it.

    ``ca_bundle`` is what clients trust: the CA that signs now comes first, earlier ones follow it.
    """

    ca_bundle: bytes
    ca_key: bytes = field(repr=False)
    cert: bytes
    key: bytes = field(repr=False)
