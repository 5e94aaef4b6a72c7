"""Acting as somebody else: what the user of a kubeconfig says, as headers of every request.

The `kubernetes` package reads these fields not at all; requests would go out with other rights than the file
says. Names and escapes are those of client-go (transport/round_trippers.go, "impersonatingRoundTripper").
"""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from webhook.core.errors import BadInput
from webhook.core.raw import as_list, as_mapping, at, value_at
from webhook.core.values.names import Json

Headers = tuple[tuple[str, str], ...]
"""Names with values; a name may come several times, as Impersonate-Group does."""

_OTHERS: Final = ("as-uid", "as-groups", "as-user-extra")
# What may stand in the name of a header beside letters, digits and "_.-~"; "%" itself begins an escape.
_LEGAL_IN_NAMES: Final = "!#$&'*+^`|"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def impersonation(config: Json, path: str) -> Headers:
    """Return the headers that the user of the current context asks for; `config` is a kubeconfig at `path`.

    Raises BadInput for what client-go or HTTP would not take.
    """
    user = _user(config)
    name = _text(user, "as", path)
    if not name:
        if any(user.get(key) for key in _OTHERS):
            raise BadInput(f"{path}: {', '.join(_OTHERS)} are of no use without `as`, whom to act as; add it")
        return ()
    return tuple(_headers(user, name, path))


def _headers(user: Json, name: str, path: str) -> Iterator[tuple[str, str]]:
    yield "Impersonate-User", name
    if uid := _text(user, "as-uid", path):
        yield "Impersonate-Uid", uid
    for group in _texts(user.get("as-groups"), "as-groups", path):
        yield "Impersonate-Group", group
    extra = user.get("as-user-extra") or {}
    if not isinstance(extra, dict) or not all(isinstance(key, str) for key in extra):
        raise BadInput(f"{path}: as-user-extra must map names to lists of strings")
    for key, values in extra.items():
        for value in _texts(values, f"as-user-extra.{key}", path):
            yield f"Impersonate-Extra-{quote(key, safe=_LEGAL_IN_NAMES)}", value


def _user(config: Json) -> Json:
    name = config.get("current-context")
    context = at(_named(config.get("contexts"), name), "context")
    return at(_named(config.get("users"), context.get("user")), "user")


def _named(entries: Any, name: Any) -> Json:
    return next((as_mapping(entry) for entry in as_list(entries) if value_at(entry, ["name"]) == name), {})


def _text(user: Json, key: str, path: str) -> str:
    return _value(user.get(key) or "", key, path)


def _texts(values: Any, key: str, path: str) -> Iterator[str]:
    if values is not None and not isinstance(values, list):
        raise BadInput(f"{path}: {key} must be a list of strings")
    for value in values or ():
        yield _value(value, key, path)


def _value(value: Any, key: str, path: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{path}: {key} holds {value!r}, which is no string: put it in quotes")
    if _CONTROL.search(value):
        raise BadInput(f"{path}: {key} holds a line break or control character, which no header can carry")
    # Headers are written in Latin-1 here, and read as UTF-8 by the API server.
    return value.encode().decode("latin-1")
