"""The names of a server certificate: DNS names and IP addresses, checked before anything is signed."""

import ipaddress
import re
from collections.abc import Iterable

from cryptography import x509

from certs.errors import BadRequest

_DNS_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DNS_NAME = re.compile(rf"(\*\.)?{_DNS_LABEL}(\.{_DNS_LABEL})*")
# RFC 1035, section 2.3.4: 255 octets on the wire, which leaves 253 characters of text.
_MAX_DNS_NAME = 253


def alternative_names(dns_names: Iterable[str], ip_addresses: Iterable[str]) -> list[x509.GeneralName]:
    """The names and addresses, each once, in the order given; at least one. Raises BadRequest."""
    names = [*map(_dns_name, dict.fromkeys(dns_names)), *map(_ip_address, dict.fromkeys(ip_addresses))]
    if not names:
        raise BadRequest("a server certificate needs at least one DNS name or IP address")
    return names


def _dns_name(name: str) -> x509.GeneralName:
    if _is_address(name):
        raise BadRequest(f"{name!r} is an IP address, not a DNS name; give it as an address (--ip)")
    if len(name) > _MAX_DNS_NAME or not _DNS_NAME.fullmatch(name):
        raise BadRequest(
            f"{name!r} is not a DNS name: labels of lower-case letters, digits and '-' joined by dots, "
            f"each at most 63 characters, {_MAX_DNS_NAME} in all"
        )
    return x509.DNSName(name)


def _ip_address(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError as error:
        raise BadRequest(f"{text!r} is not an IP address; give names as DNS names (--dns-name)") from error


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
