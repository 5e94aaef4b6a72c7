"""The command line as a whole."""

import subprocess
import sys
from importlib import metadata

import pytest

from webhook.cli.main import main


def test_help_lists_the_commands_and_the_exit_codes(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("webhook", "check", "certs", "3 the cluster"))


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"resourceclass {metadata.version('resourceclass')}\n"


@pytest.mark.parametrize("argv", [[], ["fly"], ["webhook", "--no-such-flag"]])
def test_wrong_usage_is_exit_code_2(argv, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2


@pytest.mark.parametrize(
    ("argv", "usage", "ends"),
    [
        (
            ["check", "-f", "x", "--manfests", "."],
            "check",
            "no such flag: --manfests; did you mean --manifests?",
        ),
        (
            ["check", "-f", "x", "--manfests=."],
            "check",
            "no such flag: --manfests; did you mean --manifests?",
        ),
        (["webhook", "--zzz"], "webhook", "no such flag: --zzz"),
        (["certs", "show", "x", "--outptu", "json"], "certs show", "did you mean --output?"),
        (["webhook", "here"], "webhook", "nothing is expected here: here"),
        (["clases"], "", "no such command: clases; did you mean classes?"),
        (["certs", "isue", "--out", "x"], "certs", "no such command: isue; did you mean issue?"),
        (["fly"], "", "no such command: fly"),
        (["--versoin", "check", "-f", "x"], "", "no such flag: --versoin; did you mean --version?"),
    ],
)
def test_an_unknown_flag_or_command_is_told_with_the_usage_and_the_nearest_one(argv, usage, ends, capsys):
    with pytest.raises(SystemExit):
        main(argv)
    err = capsys.readouterr().err
    assert err.startswith(f"usage: resourceclass {usage}".rstrip() + " [-h]")
    assert err.endswith(f"{ends}\n")


def test_bad_settings_are_told_line_by_line_before_a_port_opens(capsys):
    assert main(["webhook", "--workers=0", "--port=70000"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert "resourceclass webhook: --workers is 0: must be at least 1" in lines
    assert "resourceclass webhook: --port is 70000: must be between 0 and 65535" in lines


def test_a_folder_that_cannot_be_read_is_told_before_a_port_opens(tmp_path, capsys):
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).write_text("pem")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "bad.yaml").write_text("a:\n  - b\n c: 1\n")
    tls = ["--tls-cert", f"{tmp_path}/tls.crt", "--tls-key", f"{tmp_path}/tls.key"]
    assert main(["webhook", "--manifests", f"{tmp_path}/m", *tls]) == 2
    assert "bad.yaml:3" in capsys.readouterr().err


def test_help_of_a_command_shows_its_options(capsys):
    with pytest.raises(SystemExit):
        main(["webhook", "--help"])
    assert "--foreign-scheduler refuse|keep|override" in capsys.readouterr().out


@pytest.mark.parametrize("heavy", ["flask", "kubernetes", "cryptography", "gunicorn", "prometheus_client"])
def test_the_command_line_starts_light(heavy):
    code = f"import sys, webhook.cli.main; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
