"""The certificates of the webhook, judged as the API server does: the Secret that its Deployment mounts, with
each caBundle of the webhook configurations."""

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from webhook.core.doctor.entries import Entry, entries
from webhook.core.doctor.facts import Certificate, Facts, namespace_of
from webhook.core.doctor.parts import WEBHOOK_DEPLOYMENT
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.text import list_of
from webhook.core.values.names import Json

Secrets = Mapping[tuple[str, str], Json | None]
"""Secrets by namespace and name; None for one that is not there."""

_VOLUME: Final = "tls"


def secret_names(facts: Facts) -> list[tuple[str, str]]:
    """Return namespace and name of the Secret that the webhook serves from; empty without a Deployment."""
    deployment = facts.named("Deployment", WEBHOOK_DEPLOYMENT)
    if deployment is None:
        return []
    volumes = map(as_mapping, as_list(at(deployment, "spec", "template", "spec").get("volumes")))
    named = (at(item, "secret").get("secretName") for item in volumes if item.get("name") == _VOLUME)
    return [(namespace_of(deployment), name) for name in named if isinstance(name, str)]


def certificates(facts: Facts, secrets: Secrets, now: datetime) -> list[Certificate]:
    """Judge every Secret, and the caBundles that should vouch for it."""
    found: list[Certificate] = []
    for (namespace, name), secret in secrets.items():
        place = f"Secret {namespace}/{name}"
        if secret is None:
            problem = f"it is not there, and Deployment {WEBHOOK_DEPLOYMENT} mounts it"
            found.append(Certificate(place, (problem,)))
            continue
        found += _judged(place, at(secret, "data"), list(entries(facts)), now)
    return found


def _judged(place: str, data: Json, calling: list[Entry], now: datetime) -> Iterator[Certificate]:
    from certs.errors import Unreadable
    from certs.inspect import check, describe

    cert, key = _decoded(data.get("tls.crt")), _decoded(data.get("tls.key"))
    try:
        own = check(cert, now, key_pem=key)
        names = describe(cert, place)[0].dns_names
    except Unreadable as error:
        yield Certificate(place, (str(error),))
        return
    missing = [name for name in sorted(_host_names(calling)) if not _covers(names, name)]
    problem = f"the certificate is not valid for {list_of(missing)}; it has {list_of(names) or 'no name'}"
    yield Certificate(place, (*own.problems, *([problem] if missing else [])), own.warnings)
    for bundle, where in _bundles(calling).items():
        try:
            more = check(cert, now, ca_pem=_decoded(bundle))
        except Unreadable as error:
            yield Certificate(where, (str(error),))
            continue
        yield Certificate(where, _without(more.problems, own.problems), _without(more.warnings, own.warnings))


def _bundles(calling: Iterable[Entry]) -> dict[str, str]:
    """Return each caBundle that is not empty, with one place where it stands."""
    found: dict[str, str] = {}
    for entry in calling:
        bundle = as_text(at(entry.raw, "clientConfig").get("caBundle"))
        if bundle:
            found.setdefault(bundle, f"caBundle of {entry.place}")
    return found


def _host_names(calling: Iterable[Entry]) -> set[str]:
    """Return the names under which the API server calls Services."""
    services = (entry.service for entry in calling if entry.service)
    return {f"{item.get('name')}.{item.get('namespace')}.svc" for item in services}


def _covers(names: Iterable[str], wanted: str) -> bool:
    """Whether a certificate is for a name: one star stands for the first part."""
    return not {wanted, f"*.{wanted.partition('.')[2]}"}.isdisjoint(names)


def _decoded(value: object) -> bytes:
    """Return what base64 stands for; nothing where it is none, which is then no certificate."""
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except binascii.Error:
        return b""


def _without(texts: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for text in texts if text not in known)
