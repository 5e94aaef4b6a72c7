"""Certificates of one run, made by the product's own `certs`: Go and Python judge them on the way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from certs.issue import issue_ca, issue_leaf
from certs.model import Pair

LIFETIME = timedelta(days=2)


class Pki:
    """One CA for loopback; writes PEM files into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._ca = issue_ca("resourceclass tests", datetime.now(UTC), LIFETIME)
        self.ca_file = self._write("ca.crt", self._ca.cert)

    def serving(self, name: str) -> tuple[Path, Path]:
        """Issues a certificate for localhost and 127.0.0.1; returns the files of certificate and key."""
        leaf: Pair = issue_leaf(self._ca, ["localhost"], datetime.now(UTC), LIFETIME, ["127.0.0.1"])
        return self._write(f"{name}.crt", leaf.cert), self._write(f"{name}.key", leaf.key)

    def _write(self, name: str, content: bytes) -> Path:
        path = self._folder / name
        path.touch(mode=0o600)
        path.write_bytes(content)
        return path
