"""The credentials that go with each read."""

from types import SimpleNamespace

from webhook.cluster.configuration import HEADERS_SECONDS, Access


class Tokens:
    """A configuration of the package whose token is another one with every look."""

    host = "https://example.com"

    def __init__(self) -> None:
        self.looks = 0

    def auth_settings(self):
        self.looks += 1
        return {"BearerToken": {"value": f"Bearer {self.looks}"}}


def access_at(times, tokens):
    moments = iter(times)
    return Access(tokens, SimpleNamespace(), lambda: next(moments))


def test_the_credentials_are_not_looked_up_for_every_read():
    tokens = Tokens()
    access = access_at([0.0, HEADERS_SECONDS / 2], tokens)
    assert [access.headers()["Authorization"] for _ in range(2)] == ["Bearer 1", "Bearer 1"]
    assert tokens.looks == 1


def test_a_rotated_token_is_used_soon():
    access = access_at([0.0, HEADERS_SECONDS], Tokens())
    assert [access.headers()["Authorization"] for _ in range(2)] == ["Bearer 1", "Bearer 2"]
