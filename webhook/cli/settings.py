"""The settings of each part, read from flags and a configuration file, and the table that documents them.

Flags win over the file. There are no environment variables: that prefix belongs to containers that got a
device. Every problem is reported at once, and before a port opens.

``python -m webhook.cli.settings`` prints the tables of docs/configuration.md.
"""

import argparse
import re
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Protocol, TypeVar

from webhook.cli.options import BadSettings, Option, build, options_of
from webhook.cli.parser import hint
from webhook.cluster.yaml_json import read_stream
from webhook.core.errors import BadInput
from webhook.core.settings import PodSettings
from webhook.serve.settings import HealthSettings, ServeSettings


class Judged(Protocol):
    """Settings that know what is wrong with them."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, by the names of the fields."""


T = TypeVar("T", bound=Judged)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Where the state of the cluster comes from."""

    kubeconfig: Annotated[str, "FILE"] = ""
    """Kubeconfig whose current context is used. Default "": a server takes the service account of its pod,
    `check` only what it is given, `explain`, `classes` and `doctor` what kubectl would take."""
    manifests: Annotated[str, "DIR"] = ""
    """Folder of manifests (.yaml, .yml, .json) that stands in for a cluster; what is written stays in memory.
    Default "": none."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        found = []
        if self.kubeconfig and self.manifests:
            found.append("kubeconfig and manifests are both given; leave one out")
        if self.kubeconfig and not Path(self.kubeconfig).is_file():
            found.append(_absent("kubeconfig", self.kubeconfig, "file"))
        if self.manifests and not Path(self.manifests).is_dir():
            found.append(_absent("manifests", self.manifests, "folder"))
        return found


def _absent(name: str, path: str, wanted: str) -> str:
    what = f"is not a {wanted}" if Path(path).exists() else f"there is no such {wanted}"
    return f"{name} {path}: {what}"


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """`resourceclass webhook`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    pods: PodSettings = field(default_factory=PodSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    required: ClassVar = ("tls-cert", "tls-key")

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, the parts' own problems included."""
        found = []
        files = {"tls_cert": self.serve.tls_cert, "tls_key": self.serve.tls_key}
        for name, path in files.items():
            # Where one of the two is given, `serve` tells of the other.
            if not any(files.values()):
                found.append(f"{name} is missing: the API server calls a webhook over TLS only")
            elif path and not Path(path).is_file():
                found.append(_absent(name, path, "file"))
        return [*self.cluster.problems(), *found, *self.serve.problems()]


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """`resourceclass check`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    pods: PodSettings = field(default_factory=PodSettings)
    namespace: Annotated[str, "NAME"] = "default"
    """Namespace of objects that name none. Default "default"."""
    output: Literal["text", "json"] = "text"
    """How the verdicts are written: text to read, or one JSON document."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        return self.cluster.problems()


@dataclass(frozen=True, slots=True)
class ExplainSettings:
    """`resourceclass explain`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    namespace: Annotated[str, "NAME"] = ""
    """Namespace of the pod. Default "": that of the kubeconfig's context, else "default"."""
    output: Literal["text", "json"] = "text"
    """How the answer is written: text to read, or one JSON document."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        return self.cluster.problems()


@dataclass(frozen=True, slots=True)
class ClassesSettings:
    """`resourceclass classes`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    output: Literal["text", "json"] = "text"
    """How the table is written: text to read, or one JSON document."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        return self.cluster.problems()


@dataclass(frozen=True, slots=True)
class DoctorSettings:
    """`resourceclass doctor`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    output: Literal["text", "json"] = "text"
    """How the problems are written: text to read, or one JSON document."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        return self.cluster.problems()


@dataclass(frozen=True)
class BinderServeSettings(ServeSettings):
    """How the binder listens: beside the scheduler, and in one process, for there is one set of books."""

    host: Annotated[str, "ADDRESS"] = "127.0.0.1"
    """Address of the request port. The scheduler calls it within the pod, without TLS."""
    port: int = 9098
    """Request port. Zero: any free one (the log names it)."""
    workers: int = 1
    """Processes. One: two sets of books would give one device twice."""
    threads: int = 16
    """Requests that are worked on at once. A bind whose answer is lost holds one for up to 5 seconds."""
    max_wait_seconds: float = 0.0
    """Age at which a request that found no thread gets 503. Zero: never, for the scheduler would not repeat
    it."""
    drain_seconds: float = 0.0
    """After SIGTERM: how long to go on serving. Zero: stop at once, as the scheduler beside does."""
    graceful_seconds: int = 6
    """After the drain: how long requests that have begun may take; a bind takes 5 at most. Zero: they are
    cut off."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        several = [f"workers is {self.workers}: must be 1, as two sets of books would give one device twice"]
        return [*(several if self.workers > 1 else []), *super().problems()]


@dataclass(frozen=True, slots=True)
class BinderSettings:
    """`resourceclass binder`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    lease_namespace: Annotated[str, "NAME"] = ""
    """Namespace of the Lease that the scheduler holds (its leaderElection.resourceNamespace). Default "": the
    scheduler runs without leader election, and only once."""
    lease_name: Annotated[str, "NAME"] = ""
    """Name of that Lease (leaderElection.resourceName). Default "": none."""
    identity: Annotated[str, "TEXT"] = ""
    """What the holder of the Lease begins with, before a `_`, while it is the scheduler beside. Default "":
    this machine's host name, as kube-scheduler has it."""
    serve: BinderServeSettings = field(default_factory=BinderServeSettings)

    @property
    def holder(self) -> str:
        """What the holder of the Lease begins with; empty where no Lease is followed."""
        return (self.identity or socket.gethostname()) if self.lease_name else ""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, the parts' own problems included."""
        found = list(_half_a_lease(self.lease_namespace, self.lease_name))
        if self.identity and not self.lease_name:
            found.append("identity is given without lease_name: nothing would be compared with it")
        return [*self.cluster.problems(), *found, *self.serve.problems()]


@dataclass(frozen=True, slots=True)
class ControllerSettings:
    """`resourceclass controller`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    lease_namespace: Annotated[str, "NAME"] = ""
    """Namespace of the Lease whose holder writes. Default "": there is one controller only, and it writes."""
    lease_name: Annotated[str, "NAME"] = ""
    """Name of that Lease. Default "": none."""
    identity: Annotated[str, "TEXT"] = ""
    """What stands in the Lease, with a `_` and chance behind it. Default "": this machine's host name."""
    threads: int = 4
    """Objects that are worked on at once, each with one request to the API server at a time; at least 1."""
    double_allocations: Literal["report", "evict-newest"] = "report"
    """What happens when pods hold more of a device than it has: report tells of it, evict-newest also evicts
    the pod that was bound last."""
    resync_seconds: float = 600.0
    """How often everything is looked at again, though nothing has changed; at least 1."""
    remove_unused_classes: bool = False
    """Delete a class of the controller's own once no device belongs to it and no pod asks for it."""
    serve: HealthSettings = field(default_factory=HealthSettings)

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, the parts' own problems included."""
        found = list(_half_a_lease(self.lease_namespace, self.lease_name))
        if self.threads < 1:
            found.append(f"threads is {self.threads}: must be at least 1")
        if self.resync_seconds < 1:
            found.append(f"resync_seconds is {self.resync_seconds}: must be at least 1")
        return [*self.cluster.problems(), *found, *self.serve.problems()]


def _half_a_lease(namespace: str, name: str) -> Iterator[str]:
    if bool(namespace) != bool(name):
        given, missing = ("lease_name", "lease_namespace") if name else ("lease_namespace", "lease_name")
        yield f"{missing} is missing: {given} is given, and one is of no use without the other"


PARTS: Final[Mapping[str, type]] = {
    "webhook": WebhookSettings,
    "binder": BinderSettings,
    "controller": ControllerSettings,
    "check": CheckSettings,
    "explain": ExplainSettings,
    "classes": ClassesSettings,
    "doctor": DoctorSettings,
}
SHORT_FLAGS: Final[Mapping[str, str]] = {"namespace": "-n", "output": "-o"}


def add_flags(parser: argparse.ArgumentParser, settings: type) -> None:
    """Give `parser` a flag for every option of a settings class, and --config."""
    parser.add_argument("--config", metavar="FILE", help="YAML file, same names as the flags; a flag wins")
    required = getattr(settings, "required", ())
    for option in options_of(settings):
        text = option.help.replace("``", "`").replace("%", "%%")
        if option.name in required:
            text += " Must be given, here or in the file of --config."
        # Values stay text here: argparse would stop at the first bad one.
        parser.add_argument(
            *filter(None, (SHORT_FLAGS.get(option.name), f"--{option.name}")),
            dest=option.name,
            default=argparse.SUPPRESS,
            metavar=option.word,
            help=text,
        )


def load(settings: type[T], arguments: argparse.Namespace) -> T:
    """Return the settings that flags and file give together.

    Raises BadSettings with every problem of both.
    """
    options = {option.name: option for option in options_of(settings)}
    problems: list[str] = []
    values: dict[str, Any] = {}
    flags = {name: value for name, value in vars(arguments).items() if name in options}
    for place, given in ((arguments.config, _file(arguments.config, problems)), ("", flags)):
        _read(options, given, place, values, problems)
    # A value that cannot be read leaves the default in its place, so that the rest can still be judged.
    loaded = build(settings, values)
    problems += _kebab(loaded.problems(), options)
    if problems:
        raise BadSettings(problems)
    return loaded


def _file(path: str | None, problems: list[str]) -> Mapping[str, Any]:
    if path is None:
        return {}
    try:
        documents = [piece.value for piece in read_stream(Path(path).read_text("utf-8"), path)]
    except OSError as error:
        problems.append(f"--config {path}: {error.strerror}")
        return {}
    except UnicodeDecodeError:
        problems.append(f"--config {path}: not UTF-8 text")
        return {}
    except BadInput as error:
        problems.append(f"--config {error}")  # which begins with the path
        return {}
    content = documents[0] if documents else {}
    if len(documents) > 1 or not isinstance(content, dict):
        problems.append(f"--config {path}: must hold one mapping of option names to values")
        return {}
    return {_option_name(str(key)): value for key, value in content.items()}


def _option_name(key: str) -> str:
    """Return a key as a flag spells it: `foreignScheduler` and `foreign_scheduler` as `foreign-scheduler`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", key).replace("_", "-").lower()


def _read(
    options: Mapping[str, Option],
    given: Mapping[str, Any],
    place: str,
    values: dict[str, Any],
    problems: list[str],
) -> None:
    for name, value in given.items():
        where = f"{place}: {name}" if place else f"--{name}"
        if name not in options:
            problems.append(f"{where}: no such option{hint(name, options)}")
            continue
        try:
            values[name] = options[name].read(value)
        except ValueError as error:
            problems.append(f"{where} {error}")


def _kebab(problems: Iterable[str], options: Iterable[str]) -> Iterator[str]:
    """Return problems that name fields as ones that name options."""
    fields = {name.replace("-", "_"): f"--{name}" for name in options}
    pattern = re.compile(rf"(?<![\w-])({'|'.join(sorted(fields, key=len, reverse=True))})(?![\w-])")
    for problem in problems:
        yield pattern.sub(lambda match: fields[match[1]], problem)


def table(settings: type) -> str:
    """Return the options of a settings class as a Markdown table."""
    required = getattr(settings, "required", ())
    lines = ["| flag and key | value | default | what it does |", "| --- | --- | --- | --- |"]
    for option in options_of(settings):
        values = " or ".join(f"`{choice}`" for choice in option.choices) or option.word.lower()
        default = "must be given" if option.name in required else _shown(option.default)
        text = option.help.replace("``", "`")
        lines.append(f"| `{option.name}` | {values} | {default} | {text} |")
    return "\n".join(lines)


def _shown(default: Any) -> str:
    return f"`{default}`" if default != "" else "none"


def tables() -> str:
    """Return the tables of all parts, as docs/configuration.md holds them."""
    return "\n\n".join(f"### resourceclass {part}\n\n{table(settings)}" for part, settings in PARTS.items())


if __name__ == "__main__":
    sys.stdout.write(tables() + "\n")
