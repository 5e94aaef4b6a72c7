"""The events of a watch: one JSON document per line, for as long as the server keeps talking."""

from collections.abc import Callable, Iterator
from typing import Final

import orjson
import urllib3

from webhook.core.errors import ClusterUnavailable
from webhook.core.values.names import Json

_CHUNK_BYTES: Final = 64 * 1024
# An event holds one object. etcd stores at most 1.5 MiB of one; JSON may be a few times its protobuf.
MAX_EVENT_BYTES: Final = 16 * 2**20


class EventStream:
    """Reads the lines of an open response. `translate` makes an error of urllib3 one of ours."""

    def __init__(
        self,
        response: urllib3.BaseHTTPResponse,
        translate: Callable[[Exception], ClusterUnavailable],
    ) -> None:
        self._response = response
        self._translate = translate
        self._interrupted = False

    def __iter__(self) -> Iterator[Json]:
        """Yield events until the server ends the watch."""
        try:
            for line in split_lines(self._response.stream(_CHUNK_BYTES)):
                yield orjson.loads(line)
        except (urllib3.exceptions.HTTPError, OSError, orjson.JSONDecodeError) as error:
            raise self._translate(error) from error
        except (ValueError, AttributeError) as error:
            # ssl.SSLSocket.shutdown takes TLS away from under a read that has just begun.
            if not self._interrupted:
                raise
            raise self._translate(error) from error

    def interrupt(self) -> None:
        """Wake the reading thread and end its iteration; harmless when nobody reads."""
        self._interrupted = True
        try:
            self._response.shutdown()
        except (OSError, RuntimeError, ValueError):
            return  # the connection is already gone, or was never one that can be shut down

    def close(self) -> None:
        """Close the connection: what is left of a watch is of no use to another request."""
        self._response.close()


def split_lines(chunks: Iterator[bytes], most: int = MAX_EVENT_BYTES) -> Iterator[bytes]:
    """Yield the complete, non-empty lines of a stream of chunks; a torn last line is dropped.

    Raises OSError for a line of more than `most` bytes.
    """
    pending: list[bytes] = []
    size = 0
    for chunk in chunks:
        first, *rest = chunk.split(b"\n")
        pending.append(first)
        size += len(first)
        if size > most:
            raise OSError(f"an event of more than {most} bytes")
        for part in rest:
            line = b"".join(pending)
            if line.strip():
                yield line
            pending, size = [part], len(part)
