"""``resourceclass certs show``: certificates and what is wrong with them, as text or JSON."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webhook.cli.exit_codes import NO, YES

if TYPE_CHECKING:
    from certs.inspect import Info, Report


@dataclass(frozen=True)
class _Found:
    """Certificates of one place, each with the name of its file, and the verdict on them."""

    certificates: "list[tuple[str, Info]]"
    report: "Report"


def show(args: argparse.Namespace, now: datetime) -> int:
    """Print what is at ``args.path``; 1 when a client would refuse it at ``now``, else 0."""
    found = _look(args.path, now)
    if args.output == "json":
        print(json.dumps(_document(found, now), indent=2))
    else:
        print("\n".join(_lines(found, now)))
    return NO if found.report.problems else YES


def utc(moment: datetime) -> str:
    """A moment as people and programs read it: 2027-11-29T22:57:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _look(path: Path, now: datetime) -> _Found:
    from certs import store
    from certs.inspect import check, describe

    if not path.is_dir():
        cert = store.read_file(path)
        return _Found([(path.name, info) for info in describe(cert, str(path))], check(cert, now))
    cert = store.read_file(path / store.CERT)
    key, bundle = (_read_optional(path / name) for name in (store.KEY, store.CA_BUNDLE))
    infos = [(store.CERT, info) for info in describe(cert, str(path / store.CERT))]
    if bundle is not None:
        infos += [(store.CA_BUNDLE, info) for info in describe(bundle, str(path / store.CA_BUNDLE))]
    return _Found(infos, check(cert, now, key_pem=key, ca_pem=bundle))


def _read_optional(path: Path) -> bytes | None:
    """A directory of someone else's certificates need not hold a CA, and the key may lie elsewhere."""
    from certs import store

    return store.read_file(path) if path.exists() else None


def _lines(found: _Found, now: datetime) -> Iterator[str]:
    for file, info in found.certificates:
        yield file
        for label, value in _fields(info, now):
            yield f"  {label:<12} {value}"
    for warning in found.report.warnings:
        yield f"warning: {warning}"
    for problem in found.report.problems:
        yield f"problem: {problem}"


def _fields(info: "Info", now: datetime) -> Iterator[tuple[str, str]]:
    from certs.renew import due_at

    days = (info.not_after - now).days
    if info.subject:
        yield "subject", info.subject
    if names := (*info.dns_names, *info.ip_addresses):
        yield "names", ", ".join(names)
    yield "issued by", "itself (a CA)" if info.is_ca and info.issuer == info.subject else info.issuer
    yield "valid", f"{utc(info.not_before)} to {utc(info.not_after)}"
    yield "days left", str(days) if now < info.not_after else "none, expired"
    yield "renewal due", utc(due_at(info))
    yield "serial", info.serial
    yield "SHA-256", info.fingerprint


def _document(found: _Found, now: datetime) -> dict[str, Any]:
    return {
        "certificates": [_entry(file, info, now) for file, info in found.certificates],
        "warnings": list(found.report.warnings),
        "problems": list(found.report.problems),
    }


def _entry(file: str, info: "Info", now: datetime) -> dict[str, Any]:
    from certs.renew import due_at

    return {
        "file": file,
        "subject": info.subject,
        "issuer": info.issuer,
        "isCA": info.is_ca,
        "dnsNames": list(info.dns_names),
        "ipAddresses": list(info.ip_addresses),
        "notBefore": utc(info.not_before),
        "notAfter": utc(info.not_after),
        "renewalDue": utc(due_at(info)),
        "daysLeft": (info.not_after - now).days,
        "serial": info.serial,
        "sha256": info.fingerprint,
    }
