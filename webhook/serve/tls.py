"""The TLS side of a server: one context, exchanged when new files hold a pair that works.

Secrets reach a pod as files behind a symlink (``..data``) that the kubelet swaps, and other writers may be
slower: certificate and key can disagree for a while, be half written, or be gone. The context in use is
exchanged only for one that has loaded, and whose files did not change while it was loading.
"""

from __future__ import annotations

import hashlib
import logging
import os
import ssl
import time
from collections.abc import Callable
from typing import NoReturn

from webhook.serve.logging import event

log = logging.getLogger(__name__)

NotAfter = Callable[[bytes], float]
"""End of validity of the first certificate in a PEM file, in seconds of the epoch; ValueError if there is
none."""

CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""For TLS 1.2: forward secrecy and authenticated encryption alone. TLS 1.3 has nothing else."""

SETTLED_SECONDS = 2.0
"""Time stamps of files are as coarse as a tick of the kernel (up to 10 ms): a file that changed so recently
may change again without showing, so its contents are looked at until it is older."""

MAX_FILE_BYTES = 2**20
"""A Secret holds no more."""

_Signature = tuple[tuple[int, int, int, int], ...]


class Certificate:
    """The pair of files, and the context made of the last good state of them."""

    def __init__(self, cert_file: str, key_file: str, not_after: NotAfter | None = None) -> None:
        self._files = (cert_file, key_file)
        self._read_not_after = not_after
        self._settled: _Signature | None = None
        self._judged = b""
        self.context: ssl.SSLContext | None = None
        """For the next handshake; None until a pair has loaded."""
        self.expires_at: float | None = None
        """End of validity of the certificate in use, in seconds of the epoch, where it is known."""
        self.error = "not loaded yet"
        """Why the files, as they are now, cannot be used; empty when they are in use."""
        self.errors_total = 0
        """How many states of the files could not be used."""

    def refresh(self) -> bool:
        """Look at the files, which costs two stats while nothing changes; True if the context was exchanged.

        A state that failed is not tried, nor counted, again until it changes.
        """
        try:
            signature = self._signature()
            if signature == self._settled:
                return False
            contents = self._read()
        except OSError as error:
            self._settled = None
            return self._fail(str(error).encode(), error)
        self._settled = signature if time.time_ns() - _newest(signature) > SETTLED_SECONDS * 1e9 else None
        digest = hashlib.sha256(b"\0".join(contents)).digest()
        return digest != self._judged and self._try(contents, digest)

    def missing(self) -> list[str]:
        """What readiness has to say: nothing while any pair is in use."""
        return [] if self.context else [f"certificate: {self.error}"]

    def _try(self, contents: tuple[bytes, bytes], digest: bytes) -> bool:
        try:
            context = self._load()
            if self._read() != contents:
                self._settled = None  # changed while it was loading: the next look takes the new state
                return False
            expires_at = self._read_not_after(contents[0]) if self._read_not_after else None
        except (OSError, ValueError) as error:
            return self._fail(digest, error)
        self._judged, self.error = digest, ""
        self.context, self.expires_at = context, expires_at
        event(log, logging.INFO, "certificate loaded", file=self._files[0], expires_at=_iso(expires_at))
        return True

    def _fail(self, state: bytes, error: Exception) -> bool:
        if state != self._judged:
            self._judged, self.error = state, _sentence(error)
            self.errors_total += 1
            kept = "the pair in use stays" if self.context else "waiting for a usable pair"
            event(log, logging.WARNING, f"certificate not usable, {kept}", error=self.error)
        return False

    def _load(self) -> ssl.SSLContext:
        context = new_context()
        try:
            context.load_cert_chain(*self._files, password=_refuse_passphrase)
        except ssl.SSLError as error:
            raise ValueError(self._explain(error)) from error
        return context

    def _explain(self, error: ssl.SSLError) -> str:
        cert_file, key_file = self._files
        if error.reason == "KEY_VALUES_MISMATCH":
            return f"the key in {key_file} does not belong to the certificate in {cert_file}"
        return f"{cert_file} and {key_file} hold no certificate and key in PEM ({error.reason or error})"

    def _read(self) -> tuple[bytes, bytes]:
        cert_file, key_file = self._files
        with open(cert_file, "rb") as cert, open(key_file, "rb") as key:
            return cert.read(MAX_FILE_BYTES), key.read(MAX_FILE_BYTES)

    def _signature(self) -> _Signature:
        """What tells one state of the files from another, through symlinks."""
        stats = [os.stat(file) for file in self._files]
        return tuple((stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in stats)


def new_context() -> ssl.SSLContext:
    """A server context without a certificate: TLS 1.2 and later, HTTP/1.1 alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHERS)
    # A worker serves the streams of an HTTP/2 connection one by one; the API server asks webhooks for
    # HTTP/1.1 only.
    context.set_alpn_protocols(["http/1.1"])
    # The API server keeps no TLS sessions; without tickets a handshake is cheaper, and none outlives a
    # certificate.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET | ssl.OP_NO_RENEGOTIATION
    return context


def _refuse_passphrase() -> NoReturn:
    """Instead of OpenSSL's prompt, which would wait at a terminal for ever."""
    raise ValueError("the key is encrypted with a passphrase; a server needs it without")


def _iso(seconds: float | None) -> str | None:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds is not None else None


def _newest(signature: _Signature) -> int:
    return max(modified_ns for _, _, modified_ns, _ in signature)


def _sentence(error: Exception) -> str:
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
