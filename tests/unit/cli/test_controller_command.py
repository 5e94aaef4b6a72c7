"""`resourceclass controller`: its settings, and what is said of bad ones."""

from __future__ import annotations

import argparse
import socket

import pytest

from webhook.cli import controller, main
from webhook.cli.options import BadSettings, options_of
from webhook.cli.settings.controller import ControllerSettings
from webhook.cli.settings.reading import add_flags, load

LEASE = ("--lease-namespace=infra", "--lease-name=controller")


def loaded(*argv):
    parser = argparse.ArgumentParser()
    add_flags(parser, ControllerSettings)
    return load(ControllerSettings, parser.parse_args(argv))


def test_two_processes_of_one_machine_are_told_apart_in_the_lease():
    first, second = (controller._options(loaded(*LEASE)).identity for _ in range(2))
    assert first != second
    assert first.startswith(f"{socket.gethostname()}_")


def test_another_identity_can_be_given():
    assert controller._options(loaded(*LEASE, "--identity=pod-a")).identity.startswith("pod-a_")


def test_settings_reach_the_controller():
    options = controller._options(
        loaded(
            *LEASE,
            "--threads=2",
            "--double-allocations=evict-newest",
            "--remove-unused-classes=true",
            "--resync-seconds=60",
        )
    )
    assert (options.lease_namespace, options.lease_name, options.threads) == ("infra", "controller", 2)
    assert (options.double_allocations, options.remove_unused_classes) == ("evict-newest", True)
    assert options.resync_seconds == 60


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["--threads=0"], "--threads is 0: must be at least 1"),
        (["--resync-seconds=0"], "--resync-seconds is 0.0: must be at least 1"),
        (["--lease-name=x"], "--lease-namespace is missing: --lease-name is given"),
        (["--lease-namespace=x"], "--lease-name is missing: --lease-namespace is given"),
        (["--double-allocations=evict"], "--double-allocations must be one of report, evict-newest"),
        (["--health-port=70000"], "--health-port is 70000: must be between 0 and 65535"),
        (["--log-level=loud"], "--log-level is 'loud': must be one of debug"),
    ],
)
def test_what_makes_no_sense_is_said(argv, problem):
    with pytest.raises(BadSettings) as caught:
        loaded(*argv)
    (found,) = caught.value.problems
    assert problem in found


def test_every_option_is_explained():
    assert [option.name for option in options_of(ControllerSettings) if not option.help] == []


def test_a_cluster_that_cannot_be_known_ends_the_command_before_a_port_opens(tmp_path, capsys):
    file = tmp_path / "config"
    file.write_text("{}")
    assert main.main(["controller", f"--kubeconfig={file}"]) == 2
    assert str(file) in capsys.readouterr().err
