"""The directory of a set: modes, the switch as a whole, and what is never overwritten."""

import os
import stat
import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from certs import store
from certs.errors import CertificateError, Refused, Unreadable
from certs.inspect import key_matches
from certs.model import CertificateSet
from certs.renew import renew


@pytest.fixture
def successor(certificates: CertificateSet, now: datetime) -> CertificateSet:
    renewal = renew(certificates, now + timedelta(days=300))
    assert renewal is not None
    return renewal.certificates


def test_what_is_written_is_read_back(tmp_path: Path, certificates: CertificateSet):
    store.write(tmp_path, certificates)

    assert store.read(tmp_path) == certificates


def test_a_second_set_replaces_the_first_and_leaves_nothing_of_it(
    tmp_path: Path, certificates: CertificateSet, successor: CertificateSet
):
    store.write(tmp_path, certificates)
    store.write(tmp_path, successor)

    assert store.read(tmp_path) == successor
    assert len(os.listdir(tmp_path)) == len(["..data", "..set-", *store.FILES])


def test_keys_are_for_the_owner_alone_and_certificates_for_all_whatever_the_umask(
    tmp_path: Path, certificates: CertificateSet
):
    before = os.umask(0o077)
    try:
        store.write(tmp_path, certificates)
    finally:
        os.umask(before)

    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in store.FILES}
    assert modes == {"ca.crt": 0o644, "ca.key": 0o600, "tls.crt": 0o644, "tls.key": 0o600}


def test_a_reader_that_resolves_the_directory_once_never_sees_two_sets_mixed(
    tmp_path: Path, certificates: CertificateSet, successor: CertificateSet
):
    store.write(tmp_path, certificates)
    done = threading.Event()
    writer = threading.Thread(target=_write_in_turn, args=(tmp_path, certificates, successor, done))
    writer.start()
    complete = 0
    while not done.is_set():
        try:
            seen = store.read(tmp_path)
        except Unreadable:
            continue  # the set was removed between two reads; the next try finds the new one
        assert key_matches(seen.cert, seen.key)
        complete += 1
    writer.join()
    assert complete > 0


def test_the_leavings_of_a_crash_are_removed(tmp_path: Path, certificates: CertificateSet):
    (tmp_path / "..set-crashed").mkdir()
    (tmp_path / "..new-data").symlink_to("..set-crashed")

    store.write(tmp_path, certificates)

    assert not any(path.name in {"..set-crashed", "..new-data"} for path in tmp_path.iterdir())


@pytest.mark.parametrize("name", store.FILES)
def test_a_foreign_file_is_never_overwritten(tmp_path: Path, certificates: CertificateSet, name: str):
    (tmp_path / name).write_text("precious")

    with pytest.raises(Refused, match=f"{name} was not written by this command; move it away"):
        store.write(tmp_path, certificates)

    assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]


def test_a_foreign_link_is_never_overwritten(tmp_path: Path, certificates: CertificateSet):
    (tmp_path / "tls.key").symlink_to("/etc/nowhere/tls.key")

    with pytest.raises(Refused, match=r"tls\.key"):
        store.write(tmp_path, certificates)

    assert os.readlink(tmp_path / "tls.key") == "/etc/nowhere/tls.key"


def test_files_of_others_stay(tmp_path: Path, certificates: CertificateSet):
    (tmp_path / "README").write_text("mine")

    store.write(tmp_path, certificates)

    assert (tmp_path / "README").read_text() == "mine"


def test_plain_files_of_a_directory_are_read_too(tmp_path: Path, certificates: CertificateSet):
    for name, content in zip(
        store.FILES,
        (certificates.ca_bundle, certificates.ca_key, certificates.cert, certificates.key),
        strict=True,
    ):
        (tmp_path / name).write_bytes(content)

    assert store.read(tmp_path) == certificates


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path):
    with pytest.raises(Unreadable, match=r"ca\.crt: No such file"):
        store.read(tmp_path)


def test_a_directory_is_made_when_it_is_not_there(tmp_path: Path, certificates: CertificateSet):
    directory = tmp_path / "deep" / "down"

    with store.writing(directory):
        store.write(directory, certificates)

    assert store.holds_set(directory)


def test_two_writers_never_work_on_one_directory(tmp_path: Path):
    with store.writing(tmp_path), pytest.raises(Refused, match="another process"), store.writing(tmp_path):
        pass


def test_a_directory_is_free_again_after_an_error(tmp_path: Path):
    with pytest.raises(Refused, match="inside"), store.writing(tmp_path):
        raise Refused("inside")

    with store.writing(tmp_path):
        assert not store.holds_set(tmp_path)


def test_a_file_in_place_of_the_directory_is_an_error(tmp_path: Path):
    (tmp_path / "file").write_text("")

    with pytest.raises(Unreadable, match="cannot use"), store.writing(tmp_path / "file"):
        pass


def test_a_disk_that_refuses_is_an_error_that_names_the_directory(
    tmp_path: Path, certificates: CertificateSet
):
    with pytest.raises(CertificateError, match=f"cannot write certificates to {tmp_path}/absent"):
        store.write(tmp_path / "absent", certificates)


def _write_in_turn(
    directory: Path, one: CertificateSet, other: CertificateSet, done: threading.Event
) -> None:
    try:
        for _ in range(25):
            store.write(directory, other)
            store.write(directory, one)
    finally:
        done.set()
