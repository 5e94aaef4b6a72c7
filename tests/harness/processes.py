"""Child processes that never outlive the run, and ports that are really theirs."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Self

from tests.harness.waiting import until

# Below the range from which Linux takes ports for outgoing connections (32768 upwards), so that none of these
# is lost between choosing and listening.
PORTS = range(20000, 30000)
STOP_SECONDS = 15.0
LINE_LENGTH = 1000  # of a log line in a message: a traceback in JSON fits

# Runs in the child, before the program: asks the kernel for a signal when the parent is gone (1 is
# PR_SET_PDEATHSIG). A launcher and not preexec_fn, which may hang in a process that has threads. The second
# look at the parent covers a parent that died before the request.
_LAUNCHER = """
import ctypes, os, sys
number, parent, *command = sys.argv[1:]
ctypes.CDLL(None).prctl(1, int(number))
if os.getppid() == int(parent):
    os.execv(command[0], command)
"""


class StartError(Exception):
    """A process did not come up; the text has the end of its log."""


class Process:
    """A running program with its log.

    Start it from a thread that lives as long as the run: the kernel ends it when that thread ends.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        log: Path,
        env: Mapping[str, str] | None = None,
        death_signal: signal.Signals = signal.SIGKILL,
    ) -> None:
        self.name = name
        self.log = log
        arguments = [str(int(death_signal)), str(os.getpid()), *map(str, command)]
        with log.open("ab") as output:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _LAUNCHER, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                start_new_session=True,  # Ctrl-C reaches us alone, and we stop things in their order
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def alive(self) -> bool:
        return self._popen.poll() is None

    def check(self) -> None:
        """Raises StartError when the process has ended."""
        if not self.alive():
            raise StartError(
                f"{self.name} ended with code {self._popen.returncode}; its log ends:\n{tail(self.log)}"
            )

    def wait_listening(self, port: int, seconds: float = 30.0) -> None:
        """Waits until this process, or a child of it, and no other listens on the port."""

        def listening() -> bool:
            self.check()
            return owns_port(self.pid, port)

        until(listening, f"{self.name} listens on port {port}", seconds)

    def stop(self, number: signal.Signals = signal.SIGTERM, seconds: float = STOP_SECONDS) -> int:
        """Ends the process, with SIGKILL once the seconds are over, and returns its exit code."""
        self.send(number)
        return self.join(seconds)

    def send(self, number: signal.Signals) -> None:
        """Sends the signal, if there is still someone to get it."""
        if self.alive():
            self._popen.send_signal(number)

    def join(self, seconds: float = STOP_SECONDS) -> int:
        """Waits for the end, helps with SIGKILL once the seconds are over, and returns the exit code."""
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            return self._popen.wait(STOP_SECONDS)


def tail(log: Path, lines: int = 20) -> str:
    """Returns the last lines of a log, long ones cut."""
    return "\n".join(line[:LINE_LENGTH] for line in log.read_text(errors="replace").splitlines()[-lines:])


def free_port() -> int:
    """Returns a port on 127.0.0.1 that nobody listens on."""
    for port in random.sample(PORTS, 200):
        with closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise StartError(f"no free port between {PORTS.start} and {PORTS.stop} on 127.0.0.1")


def owns_port(pid: int, port: int) -> bool:
    """Tells whether the process or one of its descendants holds the listening socket of the port."""
    listening = _listening_inodes(port)
    return any(listening & _socket_inodes(each) for each in (pid, *_descendants(pid)))


def _listening_inodes(port: int) -> set[str]:
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not Path(table).exists():
            continue
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:  # 0A: TCP_LISTEN
                inodes.add(fields[9])
    return inodes


def _socket_inodes(pid: int) -> set[str]:
    found = set()
    try:
        with os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                if match := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry.path)):
                    found.add(match[1])
    except OSError:  # it has ended, or closed the file while we read
        return found
    return found


def _descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, children) for each in (child, *_descendants(child))]
