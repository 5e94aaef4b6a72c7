"""The certificate that the webhook serves: whether the API server accepts it, now and in the weeks to come.

Reads: what a TLS client with each caBundle says to it; the command has asked.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error, warning

CERTIFICATE: Final = "Certificate"
_REMEDY: Final = "see docs/certificates.md: `resourceclass certs renew`, then the Secret and webhook.caBundle"


def certificates(facts: Facts) -> Iterator[Finding]:
    """Find what is wrong with certificates or will be."""
    for certificate in facts.certificates:
        for text in certificate.problems:
            yield error(CERTIFICATE, certificate.place, text, _REMEDY)
        for text in certificate.warnings:
            yield warning(CERTIFICATE, certificate.place, text, _REMEDY)
