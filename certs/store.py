"""A directory that holds one set of certificates, replaced as a whole.

The four files belong together, and no order of writing them one by one is right: between two renames, or
after a crash there, a reader would find a key that is not the certificate's. So the files lie in a directory
of their own and are switched by one rename, in the way in which the kubelet mounts a Secret:

    ca.crt -> ..data/ca.crt        tls.crt -> ..data/tls.crt
    ca.key -> ..data/ca.key        tls.key -> ..data/tls.key
    ..data -> ..set-k3x9q/         the files themselves, written and synced before ..data points here

A server that watches mounted Secrets thus needs nothing new for this directory.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from certs.errors import CertificateError, Refused, Unreadable
from certs.model import CertificateSet

CA_BUNDLE, CA_KEY, CERT, KEY = "ca.crt", "ca.key", "tls.crt", "tls.key"
FILES = (CA_BUNDLE, CA_KEY, CERT, KEY)

_CURRENT = "..data"
_SET_PREFIX = "..set-"
_KEY_MODE = 0o600
_CERT_MODE = 0o644
_DIRECTORY_MODE = 0o755


def read_file(path: Path) -> bytes:
    """The bytes of one file. Raises Unreadable, which names it."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from error


def read(directory: Path) -> CertificateSet:
    """The whole set. Raises Unreadable, which names the file that is missing or cannot be read.

    ``..data`` is resolved once, so that all four files are of one set even while it is being replaced.
    """
    data = directory / _CURRENT
    home = data.resolve() if data.is_symlink() else directory
    contents = {name: read_file(home / name) for name in FILES}
    return CertificateSet(contents[CA_BUNDLE], contents[CA_KEY], contents[CERT], contents[KEY])


def holds_set(directory: Path) -> bool:
    """Whether ``write`` has been here before."""
    return (directory / _CURRENT).is_symlink()


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Make the directory if need be and keep other writers out of it.

    Reading, deciding and writing belong inside. Raises Refused at once when another process is in here.
    """
    try:
        directory.mkdir(mode=_DIRECTORY_MODE, parents=True, exist_ok=True)
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Unreadable(f"cannot use {directory} as a directory: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Refused(f"another process is writing certificates to {directory}; try again") from error
    else:
        yield
    finally:
        os.close(handle)


def write(directory: Path, certificates: CertificateSet) -> None:
    """Replace the set by one rename; call it inside ``writing``.

    Raises Refused for a file here that this module did not make, CertificateError when the disk refuses.
    """
    _refuse_foreign_files(directory)
    try:
        fresh = _write_set(directory, certificates)
        _point(directory / _CURRENT, fresh.name)
        for name in FILES:
            _point(directory / name, f"{_CURRENT}/{name}")
        _sync(directory)
        _remove_old_sets(directory, fresh)
    except OSError as error:
        raise CertificateError(f"cannot write certificates to {directory}: {error.strerror}") from error


def _refuse_foreign_files(directory: Path) -> None:
    for name in FILES:
        path = directory / name
        ours = path.is_symlink() and os.readlink(path) == f"{_CURRENT}/{name}"
        if not ours and os.path.lexists(path):
            raise Refused(f"{path} was not written by this command; move it away or use another directory")


def _write_set(directory: Path, certificates: CertificateSet) -> Path:
    home = Path(tempfile.mkdtemp(prefix=_SET_PREFIX, dir=directory))
    _write_file(home / CA_BUNDLE, certificates.ca_bundle, _CERT_MODE)
    _write_file(home / CA_KEY, certificates.ca_key, _KEY_MODE)
    _write_file(home / CERT, certificates.cert, _CERT_MODE)
    _write_file(home / KEY, certificates.key, _KEY_MODE)
    # mkdtemp makes it private; the certificates are for everyone, and each key has its own mode.
    home.chmod(_DIRECTORY_MODE)
    _sync(home)
    return home


def _write_file(path: Path, content: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _KEY_MODE)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        # The umask may have taken bits away from the mode of os.open.
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())


def _point(link: Path, target: str) -> None:
    """Make ``link`` point to ``target`` by a rename, so that it is never absent."""
    if link.is_symlink() and os.readlink(link) == target:
        return
    new = link.with_name(f"..new-{link.name.lstrip('.')}")
    new.unlink(missing_ok=True)
    new.symlink_to(target)
    new.replace(link)


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_old_sets(directory: Path, current: Path) -> None:
    """The set before this one, and what a crash left behind."""
    for old in directory.glob(f"{_SET_PREFIX}*"):
        if old != current:
            shutil.rmtree(old)
