"""``resourceclass certs`` as a person uses it: exit codes, texts, and the files it leaves."""

import argparse
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from certs import store
from certs.inspect import describe
from webhook.cli import certs as command

DAY = timedelta(days=1)


class Cli:
    """Runs ``certs …`` at a given time and keeps what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str], now: datetime) -> None:
        self._capsys = capsys
        self.now = now
        self.out = self.err = ""

    def __call__(self, *arguments: object) -> int:
        parser = argparse.ArgumentParser()
        command.add_parser(parser.add_subparsers())
        code = command.run_at(parser.parse_args(["certs", *map(str, arguments)]), self.now)
        self.out, self.err = self._capsys.readouterr()
        return code


@pytest.fixture
def certs(capsys: pytest.CaptureFixture[str], now: datetime) -> Cli:
    return Cli(capsys, now)


@pytest.fixture
def issued(certs: Cli, tmp_path: Path) -> Path:
    directory = tmp_path / "pki"
    assert certs("issue", "--out", directory, "--dns-name", "a.example", "--ip", "127.0.0.1") == 0
    return directory


def test_issue_writes_the_four_files(issued: Path):
    assert {path.name for path in issued.iterdir() if not path.name.startswith("..")} == set(store.FILES)


def test_issue_makes_a_server_certificate_of_a_year_under_a_ca_of_ten(issued: Path, now: datetime):
    ends = [describe((issued / name).read_bytes())[0].not_after for name in ("tls.crt", "ca.crt")]

    assert ends == [now + 365 * DAY, now + 3650 * DAY]


def test_issue_takes_the_lifetimes_it_is_given(certs: Cli, tmp_path: Path, now: datetime):
    certs("issue", "--out", tmp_path, "--dns-name", "a.example", "--lifetime", "24h", "--ca-lifetime", "30d")

    ends = [describe((tmp_path / name).read_bytes())[0].not_after for name in ("tls.crt", "ca.crt")]
    assert ends == [now + DAY, now + 30 * DAY]


def test_issue_does_not_replace_a_ca_that_clients_may_trust(certs: Cli, issued: Path):
    before = store.read(issued)

    code = certs("issue", "--out", issued, "--dns-name", "a.example")

    assert code == 1
    assert f"renew them with `resourceclass certs renew --out {issued}`" in certs.err
    assert store.read(issued) == before


def test_issue_without_a_name_is_bad_input(certs: Cli, tmp_path: Path):
    assert certs("issue", "--out", tmp_path / "pki") == 2
    assert "at least one DNS name" in certs.err
    assert not (tmp_path / "pki").exists()


def test_issue_refuses_a_foreign_file(certs: Cli, tmp_path: Path):
    (tmp_path / "tls.key").write_text("precious")

    assert certs("issue", "--out", tmp_path, "--dns-name", "a.example") == 1
    assert (tmp_path / "tls.key").read_text() == "precious"


@pytest.mark.parametrize("text", ["365", "0d", "-1d", "1.5d", "1 d", "d", "1y", "", "٣d"])
def test_a_lifetime_that_cannot_be_read_is_a_usage_error(certs: Cli, tmp_path: Path, text: str):
    with pytest.raises(SystemExit, match="2"):
        certs("issue", "--out", tmp_path, "--dns-name", "a.example", f"--lifetime={text}")


@pytest.mark.parametrize(
    ("text", "span"), [("365d", 365 * DAY), ("24h", DAY), ("90m", timedelta(minutes=90))]
)
def test_a_lifetime_is_read_with_its_unit(text: str, span: timedelta):
    assert command.lifetime(text) == span


def test_show_of_good_certificates_says_their_names_and_ends_well(certs: Cli, issued: Path):
    assert certs("show", issued) == 0
    assert "  names        a.example, 127.0.0.1\n" in certs.out
    assert "  days left    365\n" in certs.out
    assert "warning" not in certs.out


def test_show_warns_when_less_than_a_third_of_the_life_is_left(certs: Cli, issued: Path, now: datetime):
    certs.now = now + 345 * DAY

    assert certs("show", issued) == 0
    assert "warning: the certificate ends at 2031-01-01T12:00:00+00:00, 20 days from now" in certs.out


def test_show_of_an_expired_certificate_is_a_problem(certs: Cli, issued: Path, now: datetime):
    certs.now = now + 365 * DAY

    assert certs("show", issued) == 1
    assert "  days left    none, expired\n" in certs.out
    assert "problem: the certificate expired" in certs.out


def test_show_of_a_mismatched_pair_is_a_problem(certs: Cli, issued: Path, tmp_path: Path):
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    (mixed / "tls.crt").write_bytes((issued / "tls.crt").read_bytes())
    (mixed / "tls.key").write_bytes((issued / "ca.key").read_bytes())

    assert certs("show", mixed) == 1
    assert "problem: the key does not belong to the certificate" in certs.out


def test_show_of_a_file_shows_every_certificate_in_it(certs: Cli, issued: Path, tmp_path: Path):
    chain = tmp_path / "chain.pem"
    chain.write_bytes((issued / "tls.crt").read_bytes() + (issued / "ca.crt").read_bytes())

    assert certs("show", chain) == 0
    assert certs.out.count("chain.pem\n") == 2


def test_show_as_json_holds_all_that_the_text_says(certs: Cli, issued: Path):
    assert certs("show", issued, "-o", "json") == 0

    document = json.loads(certs.out)
    server, authority = document["certificates"]
    assert (server["file"], server["dnsNames"], server["ipAddresses"]) == (
        "tls.crt",
        ["a.example"],
        ["127.0.0.1"],
    )
    assert (server["notBefore"], server["notAfter"]) == ("2030-01-01T11:00:00Z", "2031-01-01T12:00:00Z")
    assert (authority["isCA"], authority["subject"]) == (True, "CN=ResourceClass CA")
    assert (document["problems"], document["warnings"]) == ([], [])


def test_show_of_a_key_says_that_it_is_one(certs: Cli, issued: Path):
    assert certs("show", issued / "tls.key") == 2
    assert certs.err == f"resourceclass certs show: {issued}/tls.key is a private key, not a certificate\n"


def test_show_never_prints_a_key(certs: Cli, issued: Path):
    certs("show", issued)
    text = certs.out
    certs("show", issued, "-o", "json")

    assert "PRIVATE" not in text + certs.out


@pytest.mark.parametrize("content", [None, b"-----BEGIN CERT"])
def test_show_of_what_cannot_be_read_is_bad_input(certs: Cli, tmp_path: Path, content: bytes | None):
    if content is not None:
        (tmp_path / "a.crt").write_bytes(content)

    assert certs("show", tmp_path / "a.crt") == 2
    assert str(tmp_path / "a.crt") in certs.err


def test_renew_leaves_alone_what_is_not_due(certs: Cli, issued: Path):
    before = store.read(issued)

    assert certs("renew", "--out", issued) == 0
    assert "nothing to renew: tls.crt is due at 2030-09-01T" in certs.out
    assert store.read(issued) == before


def test_renew_replaces_what_is_due(certs: Cli, issued: Path, now: datetime):
    certs.now = now + 300 * DAY

    assert certs("renew", "--out", issued) == 0
    assert "which now ends at 2031-10-28T12:00:00Z" in certs.out
    assert certs("show", issued) == 0
    assert "warning" not in certs.out


def test_renew_by_force_replaces_what_is_not_due(certs: Cli, issued: Path):
    before = store.read(issued)

    assert certs("renew", "--out", issued, "--force") == 0
    after = store.read(issued)
    assert (after.cert == before.cert, after.ca_bundle == before.ca_bundle) == (False, True)


def test_renew_that_rotates_the_ca_says_what_to_do_with_the_bundle(certs: Cli, issued: Path, now: datetime):
    certs.now = now + 2500 * DAY

    assert certs("renew", "--out", issued) == 0
    assert "the API server (caBundle) before the webhook gets the new tls.crt" in certs.out
    assert len(describe((issued / "ca.crt").read_bytes())) == 2


def test_renew_of_nothing_is_bad_input_with_the_command_that_makes_it(certs: Cli, tmp_path: Path):
    assert certs("renew", "--out", tmp_path / "pki") == 2
    assert f"`resourceclass certs issue --out {tmp_path}/pki --dns-name NAME`" in certs.err


def test_renew_of_nothing_leaves_no_directory(certs: Cli, tmp_path: Path):
    certs("renew", "--out", tmp_path / "pki")
    assert not (tmp_path / "pki").exists()


def test_renew_of_a_set_without_one_of_its_files_names_the_file(certs: Cli, issued: Path):
    (issued / "..data" / "ca.key").unlink()

    assert certs("renew", "--out", issued) == 2
    assert "ca.key: No such file or directory" in certs.err


def test_help_says_what_the_command_is_for(certs: Cli, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        certs("--help")
    assert "by hand" in capsys.readouterr().out


def test_the_command_goes_by_the_clock_of_the_machine(tmp_path: Path):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())

    code = command.run(
        parser.parse_args(["certs", "issue", "--out", str(tmp_path), "--dns-name", "a.example"])
    )

    info = describe((tmp_path / "tls.crt").read_bytes())[0]
    assert code == 0
    assert abs(info.not_before + timedelta(hours=1) - datetime.now(info.not_before.tzinfo)) < timedelta(
        minutes=1
    )
