"""The settings of the commands that ask a cluster once and end."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from webhook.cli.settings.cluster import ClusterSettings
from webhook.core.settings import PodSettings


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """What these commands share."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        return self.cluster.problems()


@dataclass(frozen=True, slots=True)
class CheckSettings(CommandSettings):
    """`resourceclass check`."""

    pods: PodSettings = field(default_factory=PodSettings)
    namespace: Annotated[str, "NAME"] = "default"
    """Namespace of objects that name none. Default "default"."""
    output: Literal["text", "json"] = "text"
    """How the verdicts are written: text to read, or one JSON document."""


@dataclass(frozen=True, slots=True)
class ExplainSettings(CommandSettings):
    """`resourceclass explain`."""

    namespace: Annotated[str, "NAME"] = ""
    """Namespace of the pod. Default "": that of the kubeconfig's context, else "default"."""
    output: Literal["text", "json"] = "text"
    """How the answer is written: text to read, or one JSON document."""


@dataclass(frozen=True, slots=True)
class ClassesSettings(CommandSettings):
    """`resourceclass classes`."""

    output: Literal["text", "json"] = "text"
    """How the table is written: text to read, or one JSON document."""


@dataclass(frozen=True, slots=True)
class DoctorSettings(CommandSettings):
    """`resourceclass doctor`."""

    output: Literal["text", "json"] = "text"
    """How the problems are written: text to read, or one JSON document."""
