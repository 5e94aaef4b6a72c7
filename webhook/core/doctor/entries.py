"""The entries of the two webhook configurations as the chart installs them, and those that are there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from webhook.core.doctor.facts import MUTATING, VALIDATING, Facts
from webhook.core.raw import as_list, as_mapping, as_text, at, name_of
from webhook.core.values.names import GROUP, Json

CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
_BOTH: Final = (CREATE, UPDATE)
_SUFFIX: Final = f".{GROUP}"


@dataclass(frozen=True, slots=True)
class Expected:
    """One entry: the path that it calls, and by group and resource the operations that it must see."""

    path: str
    sees: Mapping[tuple[str, str], tuple[str, ...]]
    has_conditions: bool = True
    is_advice: bool = False  # it must never stand in the way: failurePolicy Ignore


class Entry(NamedTuple):
    """One entry that is there. `kind` and `configuration` say where."""

    kind: str
    configuration: str
    name: str
    raw: Json

    @property
    def place(self) -> str:
        """The entry as places name it."""
        return f"{self.kind} {self.configuration}, entry {self.name}"

    @property
    def path(self) -> str:
        """The path that it calls."""
        client = at(self.raw, "clientConfig")
        return as_text(at(client, "service").get("path")) or urlsplit(as_text(client.get("url"))).path

    @property
    def service(self) -> Json:
        """The Service that it calls; empty where it calls a URL."""
        return at(self.raw, "clientConfig", "service")

    @property
    def refuses_when_down(self) -> bool:
        """Whether what it matches is refused while nobody answers; that is Kubernetes' default."""
        return as_text(self.raw.get("failurePolicy")) in ("", "Fail")


_ISOLATE: Final = {("", "pods"): (CREATE,), ("", "pods/ephemeralcontainers"): (UPDATE,)}
_ADOPT: Final = {("", "pods"): (CREATE,)}
_WORKLOADS: Final = {
    **{("apps", name): _BOTH for name in ("deployments", "statefulsets", "daemonsets", "replicasets")},
    ("", "replicationcontrollers"): _BOTH,
    ("batch", "jobs"): _BOTH,
}
_CRONJOBS: Final = {("batch", "cronjobs"): _BOTH}

EXPECTED: Final[Mapping[str, Mapping[str, Expected]]] = {
    MUTATING: {
        "isolate": Expected("/mutate/isolate", _ISOLATE, has_conditions=False),
        "pods": Expected("/mutate", {("", "pods"): _BOTH}),
        "adopt": Expected("/mutate/adopt", _ADOPT),
        "templates": Expected("/mutate", _WORKLOADS),
        "cronjobs": Expected("/mutate", _CRONJOBS),
        "podtemplates": Expected("/mutate", {("", "podtemplates"): _BOTH}),
        "resourcequotas": Expected("/mutate", {("", "resourcequotas"): _BOTH}),
        "limitranges": Expected("/mutate", {("", "limitranges"): _BOTH}),
    },
    VALIDATING: {
        "pods": Expected("/validate", {("", "pods"): (CREATE,)}),
        "workloads": Expected("/validate", {**_WORKLOADS, **_CRONJOBS}, is_advice=True),
        "resourceclasses": Expected("/validate", {(GROUP, "resourceclasses"): _BOTH}),
        "deletions": Expected(
            "/validate", {(GROUP, "resourceclasses"): ("DELETE",)}, has_conditions=False, is_advice=True
        ),
        "isolate": Expected("/validate/isolate", _ISOLATE, has_conditions=False),
        "adopt": Expected("/validate/adopt", _ADOPT),
        "adopt-workloads": Expected("/validate/adopt", {**_WORKLOADS, **_CRONJOBS}, is_advice=True),
    },
}


def entries(facts: Facts, *kinds: str) -> Iterator[Entry]:
    """Yield the entries of ours, whatever the configuration is called."""
    for kind in kinds or EXPECTED:
        for configuration in facts.of(kind):
            for raw in map(as_mapping, as_list(configuration.get("webhooks"))):
                name = as_text(raw.get("name"))
                if name.endswith(_SUFFIX):
                    yield Entry(kind, name_of(configuration), name.removesuffix(_SUFFIX), raw)


def expected_of(entry: Entry) -> Expected | None:
    """Return how the chart installs an entry; None of one that it does not know."""
    return EXPECTED[entry.kind].get(entry.name)
