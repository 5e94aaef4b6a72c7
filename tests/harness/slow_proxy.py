"""An address of the API server where requests arrive late, and so may outlive their sender."""

from __future__ import annotations

import asyncio
import itertools

from tests.harness.proxy import CHUNK_BYTES, Proxy

# A handshake of TLS sends two. They are not held up, or a request on a new connection would be late thrice.
HANDSHAKE_PIECES = 2


class SlowProxy(Proxy):
    """Passes on what clients send `delay_seconds` after it came, and what the server answers at once.

    What is under way when a client dies still arrives.
    """

    delay_seconds = 0.0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await self._connect()
        except ConnectionRefusedError:
            writer.close()
            return
        back = asyncio.create_task(_copy(far_reader, writer))
        try:
            await self._copy_late(reader, far_writer)
        finally:
            back.cancel()
            writer.close()
            far_writer.close()

    async def _copy_late(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Each piece is due a fixed time after it came, however many are under way."""
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sender = asyncio.create_task(_send(pieces, writer))
        try:
            for number in itertools.count():
                piece = await _read(reader)
                delay = self.delay_seconds if number >= HANDSHAKE_PIECES else 0.0
                await pieces.put((loop.time() + delay, piece))
                if not piece:
                    break
            await sender
        finally:
            sender.cancel()


async def _send(pieces: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
    """Sends each piece when it is due, until the empty one that ends the connection."""
    while True:
        due, piece = await pieces.get()
        await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
        if not piece:
            return
        try:
            writer.write(piece)
            await writer.drain()
        except ConnectionError:
            return


async def _read(reader: asyncio.StreamReader) -> bytes:
    """Returns what came, empty at the end of the connection."""
    try:
        return await reader.read(CHUNK_BYTES)
    except ConnectionError:
        return b""


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(CHUNK_BYTES):
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
