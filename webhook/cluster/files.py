"""The manifests in a folder: which files there are, whether they have changed, and what they hold."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from webhook.cluster.documents import Document, load_documents
from webhook.cluster.identity import ObjectId, identify
from webhook.core.errors import BadInput

SUFFIXES: Final = (".yaml", ".yml", ".json")
# 5,000 pods as `kubectl get -o yaml` writes them are about 30 MB.
MAX_FILE_BYTES: Final = 64 * 2**20
# A broken folder is mended file by file; more than this many complaints are not read.
MAX_COMPLAINTS: Final = 20

Signature = tuple[tuple[str, int, int, int], ...]
"""Path, inode, size and time of change of every manifest: different whenever one of them was written."""


def signature_of(folder: Path) -> Signature:
    """Return what changes when a manifest does. Raises BadInput if there is no such folder."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder of manifests")
    return tuple(
        (str(path), info.st_ino, info.st_size, info.st_mtime_ns) for path, info in _manifests(folder)
    )


def read_folder(folder: Path) -> dict[ObjectId, Document]:
    """Read all manifests. Raises BadInput with everything that is wrong, one line each."""
    found: dict[ObjectId, Document] = {}
    complaints: list[str] = []
    for path, info in _manifests(folder):
        try:
            for document in _read_file(path, info.st_size):
                _add(document, found)
        except BadInput as error:
            complaints.append(str(error))
    if complaints:
        raise BadInput("\n".join(complaints[:MAX_COMPLAINTS]))
    return found


def _manifests(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the manifests in order, hidden names left out: a mounted ConfigMap keeps its files there too."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if name.startswith(".") or path.suffix.lower() not in SUFFIXES:
                continue
            try:
                info = path.stat()
            except OSError:
                continue  # gone since the folder was listed, or a link to nothing
            if stat.S_ISREG(info.st_mode):
                yield path, info


def _read_file(path: Path, size: int) -> list[Document]:
    if size > MAX_FILE_BYTES:
        raise BadInput(f"{path}: {size} bytes; a manifest has at most {MAX_FILE_BYTES}: split the file")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    return load_documents(data, str(path))


def _add(document: Document, found: dict[ObjectId, Document]) -> None:
    try:
        identity = identify(document.obj)
    except BadInput as error:
        raise BadInput(f"{document.place}: {error}") from error
    first = found.get(identity)
    if first is not None:
        raise BadInput(f"{document.place}: {identity} stands already in {first.place}; keep one of the two")
    found[identity] = document
