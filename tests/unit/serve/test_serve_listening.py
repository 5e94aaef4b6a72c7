"""Listening sockets: where they are, and what is said when one cannot be had."""

import socket

import pytest

from webhook.serve.listening import CannotServe, address_of, listen


def complaint(host: str, port: int) -> str:
    with pytest.raises(CannotServe) as caught:
        listen(host, port, "--host", "--port")
    return str(caught.value)


def test_a_taken_port_is_named_with_the_flag_of_the_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert complaint("127.0.0.1", port) == (
            f"cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port"
        )


# 192.0.2.0/24 and 2001:db8::/32 are kept for documentation: no machine has them.
@pytest.mark.parametrize(
    ("host", "place"), [("192.0.2.1", "192.0.2.1:0"), ("2001:db8::1", "[2001:db8::1]:0")]
)
def test_an_address_of_another_machine_is_named_with_the_flag_of_the_address(host, place):
    found = complaint(host, 0)
    assert found.startswith(f"cannot listen on {place}: ")
    assert found.endswith("; --host has to be an address of this machine")


def test_a_name_that_cannot_be_resolved_is_named_with_the_flag_of_the_address():
    # Longer than a name may be, so nobody is asked for it.
    with socket.socket() as sock, pytest.raises(socket.gaierror) as asked:
        sock.bind(("a" * 64, 0))
    assert complaint("a" * 64, 0) == (
        f"cannot listen on {'a' * 64}:0: {asked.value.strerror}; --host has to be an address of this machine"
    )


def test_the_address_of_a_socket_is_written_as_in_a_url():
    with listen("127.0.0.1", 0, "--host", "--port") as sock:
        assert address_of(sock) == f"127.0.0.1:{sock.getsockname()[1]}"
