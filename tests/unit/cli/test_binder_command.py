"""`resourceclass binder`: its settings, and what is said of bad ones."""

from __future__ import annotations

import argparse
import socket

import pytest

from webhook.cli import main
from webhook.cli.options import BadSettings
from webhook.cli.settings.binder import BinderSettings
from webhook.cli.settings.reading import add_flags, load

LEASE = ("--lease-namespace=infra", "--lease-name=scheduler")


def loaded(*argv):
    parser = argparse.ArgumentParser()
    add_flags(parser, BinderSettings)
    return load(BinderSettings, parser.parse_args(argv))


def problems(*argv):
    with pytest.raises(BadSettings) as caught:
        loaded(*argv)
    return caught.value.problems


def test_listens_on_loopback_with_one_process():
    serve = loaded().serve
    assert (serve.host, serve.port, serve.workers) == ("127.0.0.1", 9098, 1)


def test_the_host_name_is_what_the_holder_begins_with():
    assert loaded(*LEASE).holder == socket.gethostname()


def test_another_identity_can_be_given():
    assert loaded(*LEASE, "--identity=pod-a").holder == "pod-a"


def test_without_a_lease_there_is_no_holder():
    assert loaded().holder == ""


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["--workers=2"], "--workers is 2: must be 1"),
        (["--lease-name=x"], "--lease-namespace is missing: --lease-name is given"),
        (["--lease-namespace=x"], "--lease-name is missing: --lease-namespace is given"),
        (["--identity=x"], "--identity is given without --lease-name"),
    ],
)
def test_what_makes_no_sense_is_said(argv, problem):
    (found,) = problems(*argv)
    assert problem in found


def test_help_of_inherited_options_is_not_lost():
    from webhook.cli.options import options_of

    assert [option.name for option in options_of(BinderSettings) if not option.help] == []


def test_a_cluster_that_cannot_be_known_ends_the_command_before_a_port_opens(tmp_path, capsys):
    file = tmp_path / "config"
    file.write_text("{}")
    assert main.main(["binder", f"--kubeconfig={file}"]) == 2
    assert str(file) in capsys.readouterr().err
