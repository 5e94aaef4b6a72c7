"""What is not a request that we serve."""

import json
import socket

import pytest

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


def exchange(sock, data: bytes) -> bytes:
    """Send, then read until the server ends the stream."""
    sock.sendall(data)
    received = b""
    while part := sock.recv(65536):
        received += part
    return received


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (HEAD + b"Content-Length: 9000000\r\n\r\n", 413),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (HEAD + b"Content-Length: x\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (HEAD + b"Bad Name: x\r\n\r\n", 400),
        (HEAD + b"X: " + b"x" * 9000 + b"\r\n\r\n", 431),
        (HEAD + b"X: x\r\n" * 150 + b"\r\n", 431),
        (HEAD + b"X: " + b"x" * 40000, 431),
        (b"POST /" + b"x" * 5000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"POST / HTTP/9.1\r\n\r\n", 505),
        (b"nonsense\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nExpect: magic\r\n\r\n", 417),
    ],
)
def test_what_is_no_request_gets_its_status_and_the_end(shared_server, request_bytes, status):
    with shared_server.connect() as sock:
        assert exchange(sock, request_bytes).startswith(b"HTTP/1.1 %d " % status)


def test_a_body_beyond_the_limit_is_refused_although_it_is_being_sent(shared_server):
    with shared_server.connect() as sock:
        answer = exchange(sock, HEAD + b"Content-Length: 7500000\r\n\r\n" + b"x" * 7_500_000)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"the body has 7500000 bytes; at most 7340032 are read" in answer


def test_a_body_of_the_largest_size_is_read(shared_server):
    status, answer = shared_server.post(body=b"x" * 7_340_032)
    assert (status, answer["length"]) == (200, 7_340_032)


def test_a_client_that_asks_first_is_told_to_go_on(shared_server):
    with shared_server.connect() as sock:
        sock.sendall(HEAD + b"Connection: close\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        assert sock.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert exchange(sock, b"abc").startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_client_that_asks_first_with_too_large_a_body_is_refused_at_once(shared_server):
    with shared_server.connect() as sock:
        answer = exchange(sock, HEAD + b"Content-Length: 9000000\r\nExpect: 100-continue\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_fault_of_the_application_says_nothing_about_itself(shared_server):
    with shared_server.connect() as sock:
        answer = exchange(sock, b"POST /fault HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"fault of the application" not in answer
    assert any(
        "a fault of the application" in line["traceback"] for line in shared_server.logged("a request failed")
    )


def test_an_http_1_0_client_is_served_and_its_connection_closed(shared_server):
    with shared_server.connect() as sock:
        answer = exchange(sock, b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")
    assert b"\r\nConnection: close\r\n" in answer
    assert json.loads(answer.rsplit(b"\r\n", 1)[1])["length"] == 2


def test_the_deadline_of_the_caller_reaches_the_application(shared_server):
    assert 2.0 < shared_server.post("/?timeout=3s")[1]["remaining"] <= 2.8


def test_the_application_knows_that_it_is_behind_tls(shared_server):
    assert shared_server.post()[1]["scheme"] == "https"


def test_a_server_without_certificate_speaks_plain_http(start):
    server = start(tls=False, workers=1).wait_ready()
    with server.plain() as sock:
        answer = exchange(sock, b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
    assert json.loads(answer.rsplit(b"\r\n", 1)[1])["scheme"] == "http"


def test_large_bodies_have_a_budget_that_small_ones_do_not_need(shared_server):
    head = HEAD + b"Content-Length: 7000000\r\n\r\n"
    held = [shared_server.connect() for _ in range(9)]
    try:
        for sock in held:
            sock.sendall(head)
        with shared_server.connect() as sock:
            answer = exchange(sock, head)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nRetry-After: 1\r\n" in answer
        assert shared_server.post(body=b"x" * 100_000)[0] == 200
    finally:
        for sock in held:
            sock.close()


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_without_a_host_every_address_is_served(start, address):
    server = start(tls=False, workers=1, host="", health_host="").wait_ready()
    with socket.create_connection((address, server.port), timeout=5) as sock:
        answer = exchange(sock, b"POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


def test_the_environment_of_the_container_changes_nothing(start):
    strange = {"SCRIPT_NAME": "/elsewhere", "WEB_CONCURRENCY": "7", "PORT": "1", "FORWARDED_ALLOW_IPS": "*"}
    server = start(workers=1, environ=strange).wait_ready()
    assert server.post()[0] == 200
    assert len(server.workers()) == 1


def test_a_taken_port_is_named_with_its_remedy(directory):
    from webhook.serve.run import CannotServe, serve
    from webhook.serve.settings import ServeSettings

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            CannotServe, match=f"cannot listen on 127.0.0.1:{port}: .*; choose another --port"
        ):
            serve(lambda: (None, None), ServeSettings(host="127.0.0.1", port=port))
