"""One address in front of several replicas, as a Service is: it hands out connections in turn."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Coroutine, Sequence

from tests.harness.processes import free_port

CHUNK_BYTES = 65536
CONNECT_SECONDS = 2.0


class Proxy:
    """A TCP proxy on 127.0.0.1 in a thread of its own. TLS passes through it untouched."""

    def __init__(self) -> None:
        self.port = free_port()
        self._backends: Sequence[int] = ()
        self._turn = itertools.count()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._accepted, "127.0.0.1", self.port), self._loop
        ).result(CONNECT_SECONDS)

    def send_to(self, ports: Sequence[int]) -> None:
        """From now on, new connections go to these ports in turn; open ones stay where they are."""
        self._backends = tuple(ports)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(CONNECT_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Joins the caller with the first replica that takes the connection."""
        try:
            far_reader, far_writer = await self._connect()
        except ConnectionRefusedError:  # the caller sees a closed connection
            writer.close()
            return
        try:
            await _first_of(_copy(reader, far_writer), _copy(far_reader, writer))
        finally:
            writer.close()
            far_writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        ports, first = self._backends, next(self._turn)
        for number in range(len(ports)):
            port = ports[(first + number) % len(ports)]
            try:
                return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), CONNECT_SECONDS)
            except (OSError, TimeoutError):
                continue
        raise ConnectionRefusedError("no replica listens")


async def _first_of(*ways: Coroutine[None, None, None]) -> None:
    """Runs all of them until one ends: a connection that is closed on one side is closed on both."""
    tasks = [asyncio.create_task(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK_BYTES):
        writer.write(data)
        await writer.drain()
