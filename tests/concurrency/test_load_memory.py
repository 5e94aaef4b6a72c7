"""What bad and large requests leave behind."""

import contextlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.concurrency.serving import Server

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
LARGE = HEAD + b"Connection: close\r\nContent-Length: 7000000\r\n\r\n" + b"x" * 7_000_000
BAD = [
    b"\x00" * 4_000,
    b"nonsense\r\n\r\n",
    HEAD + b"A: " + b"x" * 60_000,
    HEAD + b"Content-Length: 9000000\r\n\r\n" + b"x" * 100_000,
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n",
]
MIB = 2**20


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def send(server: Server, data: bytes) -> None:
    """Send, and wait for the first bytes of an answer if there is one."""
    with contextlib.suppress(OSError), server.connect() as sock:
        sock.settimeout(0.5 if data.startswith(b"\x00") else 5)
        sock.sendall(data)
        sock.recv(100)


def test_bad_and_large_requests_leave_no_memory_behind(start):
    server = start(workers=1, threads=8).wait_ready()
    (worker,) = server.workers()
    for _ in range(20):
        server.post()
    before = resident_bytes(worker)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda data: send(server, data), [*BAD * 25, *[LARGE] * 32]))
    assert resident_bytes(worker) - before < 25 * MIB
    assert server.post()[0] == 200
    assert server.problems() == []
