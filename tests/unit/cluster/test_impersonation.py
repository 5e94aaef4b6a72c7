"""Acting as somebody else, as a kubeconfig says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.cluster.small_server import Connect, chunks, reply, write_kubeconfig
from webhook.cluster.connection import Connection
from webhook.core.errors import BadInput

ADMIN = {
    "token": "t",
    "as": "jürgen@example.com",
    "as-uid": "7",
    "as-groups": ["ops", "system:masters"],
    "as-user-extra": {"reason": ["outage", "night"], "example.com/50%": ["x"]},
}


def received(headers: Any, name: str) -> list[str]:
    """Return the values of a header as the API server reads them, in UTF-8."""
    return [value.encode("latin-1").decode() for value in headers.get_all(name, [])]


def assert_acts_as_admin(headers: Any) -> None:
    assert received(headers, "Authorization") == ["Bearer t"]
    assert received(headers, "Impersonate-User") == ["jürgen@example.com"]
    assert received(headers, "Impersonate-Uid") == ["7"]
    assert received(headers, "Impersonate-Group") == ["ops", "system:masters"]
    assert received(headers, "Impersonate-Extra-reason") == ["outage", "night"]
    assert received(headers, "Impersonate-Extra-example.com%2F50%25") == ["x"]


def test_reads_and_writes_are_made_as_the_user_whom_the_kubeconfig_names(connect: Connect) -> None:
    with connect(reply({}), ADMIN) as (server, connection):
        connection.get("/version")
        connection.send("POST", "/api/v1/namespaces/a/events", {})
    for seen in server.seen:
        assert_acts_as_admin(seen.headers)
    assert server.seen[1].headers["Content-Type"] == "application/json"


def test_watches_are_made_as_the_user_whom_the_kubeconfig_names(connect: Connect) -> None:
    with connect(chunks(b"{}\n"), ADMIN) as (server, connection):
        connection.watch("/api/v1/pods", {"watch": "true"}, 1.0).close()
    assert_acts_as_admin(server.seen[0].headers)


@pytest.mark.parametrize("user", [{"token": "t"}, {"token": "t", "as": "", "as-groups": [], "as-uid": None}])
def test_who_names_nobody_acts_as_themselves(connect: Connect, user: dict[str, Any]) -> None:
    with connect(reply({}), user) as (server, connection):
        connection.get("/version")
    assert not [name for name in server.seen[0].headers if name.lower().startswith("impersonate")]


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ({"as-groups": ["ops"]}, "of no use without `as`"),
        ({"as": 7}, "as holds 7, which is no string: put it in quotes"),
        ({"as": "a", "as-groups": "ops"}, "as-groups must be a list of strings"),
        ({"as": "a", "as-groups": ["ops", None]}, "as-groups holds None, which is no string"),
        ({"as": "a", "as-user-extra": ["x"]}, "as-user-extra must map names to lists of strings"),
        ({"as": "a", "as-user-extra": {"k": "v"}}, r"as-user-extra\.k must be a list of strings"),
        ({"as": "a\r\nImpersonate-Group: system:masters"}, "as holds a line break or control character"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_its_place(
    tmp_path: Path, user: dict[str, Any], said: str
) -> None:
    path = write_kubeconfig(tmp_path, "https://127.0.0.1:1", user)
    with pytest.raises(BadInput, match=f"^{path}: .*{said}"):
        Connection(path)
