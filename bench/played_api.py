"""An API server that is played: it lists and watches generated objects, and takes Bindings.

    python -m bench.played_api PORT NODES WAITING HEARTBEATS

To fill a real one with 40,000 devices takes longer than to measure. What the binder asks is answered in the
shapes of the real one: pages of 500, watches in chunks, a Binding that the watch of pods shows afterwards.
WAITING pods wait to be bound; HEARTBEATS nodes a second report that nothing has changed.
"""

import asyncio
import itertools
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson

from bench import many_devices
from bench.many_devices import VERSION

Json = dict[str, Any]

COLLECTIONS = ("resourceclasses", "nodes", "extendedresources", "pods")


class Played:
    """The collections, encoded, and who watches them."""

    def __init__(self, nodes: int, waiting: int) -> None:
        made = {
            "resourceclasses": iter(many_devices.classes()),
            "nodes": many_devices.nodes(nodes),
            "extendedresources": many_devices.devices(nodes),
            "pods": many_devices.bound_pods(nodes),
        }
        self._items = {kind: [orjson.dumps(each) for each in objects] for kind, objects in made.items()}
        self._pods = {each["metadata"]["name"]: each for each in waiting_pods(waiting)}
        self._items["pods"] += [orjson.dumps(each) for each in self._pods.values()]
        self._watchers: dict[str, list[asyncio.StreamWriter]] = {kind: [] for kind in COLLECTIONS}
        self._versions = itertools.count(int(VERSION) + 1)

    async def serve(self, port: int, heartbeats: int) -> None:
        """Serve until killed."""
        server = await asyncio.start_server(self._client, "127.0.0.1", port, backlog=256)
        async with server:
            await self._beat(heartbeats)

    async def _beat(self, heartbeats: int) -> None:
        nodes = itertools.cycle(self._items["nodes"])
        while True:
            await asyncio.sleep(0.02)
            for data in itertools.islice(nodes, heartbeats // 50):
                self._tell("nodes", orjson.loads(data))

    def _tell(self, kind: str, obj: Json) -> None:
        obj["metadata"]["resourceVersion"] = str(next(self._versions))
        line = orjson.dumps({"type": "MODIFIED", "object": obj}) + b"\n"
        for writer in self._watchers[kind]:
            writer.write(_chunk(line))

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = next(
                    (
                        int(line[15:])
                        for line in head.split("\r\n")
                        if line.lower().startswith("content-length:")
                    ),
                    0,
                )
                body = await reader.readexactly(length)
                method, target, _ = head.split(" ", 2)
                self._answer(writer, method, target, body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _answer(self, writer: asyncio.StreamWriter, method: str, target: str, body: bytes) -> None:
        url = urlsplit(target)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        *_, kind = url.path.split("/")
        if method == "POST":
            self._bind(orjson.loads(body))
            _send(writer, b'{"kind":"Status","status":"Success"}', "201 Created")
        elif kind not in COLLECTIONS:
            _send(writer, orjson.dumps(self._pods[kind]))
        elif "watch" in query:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            self._watchers[kind].append(writer)
        else:
            _send(writer, self._page(kind, query))

    def _bind(self, binding: Json) -> None:
        metadata = binding["metadata"]
        bound = self._pods[metadata["name"]]
        bound["spec"]["nodeName"] = binding["target"]["name"]
        bound["metadata"]["annotations"] = metadata.get("annotations", {})
        self._tell("pods", bound)

    def _page(self, kind: str, query: dict[str, str]) -> bytes:
        start, items = int(query.get("continue", 0)), self._items[kind]
        end = start + int(query.get("limit", len(items) or 1))
        metadata = {"resourceVersion": VERSION, "continue": str(end) if end < len(items) else ""}
        return b'{"metadata":%s,"items":[%s]}' % (orjson.dumps(metadata), b",".join(items[start:end]))


def waiting_pods(count: int) -> Iterator[Json]:
    """Yield pods that wait to be bound: each for a device of any model with 16 GiB."""
    return (many_devices.pod(f"waits-{n:04}", {"memory-16": 1}) for n in range(count))


def _send(writer: asyncio.StreamWriter, body: bytes, status: str = "200 OK") -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


if __name__ == "__main__":
    port, nodes, waiting, heartbeats = map(int, sys.argv[1:])
    asyncio.run(Played(nodes, waiting).serve(port, heartbeats))
