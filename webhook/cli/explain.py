"""`resourceclass explain`: why a pod waits, or what it has and why."""

import argparse
import time
from itertools import chain
from typing import TYPE_CHECKING

from webhook.cli import explain_text
from webhook.cli.exit_codes import NO, YES
from webhook.cli.settings.commands import ExplainSettings
from webhook.cli.settings.reading import add_flags, load
from webhook.core.errors import BadInput
from webhook.core.raw import at
from webhook.core.text import plural

if TYPE_CHECKING:
    from webhook.cli.explain_reading import Reader
    from webhook.core.explain.answer import Explanation
    from webhook.core.values.names import Json


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "explain",
        help="say why a pod waits, or which devices it has and why",
        description="Say why a pod waits, or which devices it has and why; of a workload, why it has no pod. "
        "The cluster is a real one (--kubeconfig, else that of kubectl) or a folder (--manifests). The exit "
        "code is 0 when the pod has what it asked for, and 1 when it waits or something is wrong.",
    )
    parser.add_argument(
        "pod", metavar="POD", help="name of a pod or a workload, or kind/name: deployment/train"
    )
    add_flags(parser, ExplainSettings)


def run(args: argparse.Namespace) -> int:
    """Read, explain and print; returns 0 when all is as it should be."""
    from webhook.cli.explain_reading import Reader
    from webhook.cli.sources import namespace_of, reads_of

    settings = load(ExplainSettings, args)
    kind, name = subject(args.pod)
    wall = None if settings.cluster.manifests else time.time
    reads = reads_of(settings.cluster)
    namespace = settings.namespace or namespace_of(settings.cluster)
    found = _explained(Reader(reads, namespace, wall), kind, name, namespace)
    print(explain_text.as_json(found) if settings.output == "json" else explain_text.as_text(found))
    return YES if found.is_fine else NO


def subject(text: str) -> tuple[str, str]:
    """Return the kind, empty where none is given, and the name. Raises BadInput."""
    from webhook.cli.explain_collections import SHORT_NAMES, WORKLOADS

    written, slash, name = text.rpartition("/")
    kind = SHORT_NAMES.get(written.lower(), written.lower())
    if not name or (slash and kind not in ("pod", *WORKLOADS)):
        raise BadInput(f"{text}: name a pod, or write kind/name with pod, {', '.join(WORKLOADS)}")
    return kind, name


def _explained(reader: "Reader", kind: str, name: str, namespace: str) -> "Explanation":
    from webhook.core.explain.pod import explain_pod

    pod = reader.pod(name) if kind in ("", "pod") else None
    if pod is not None:
        return explain_pod(reader.scene(pod))
    workload = reader.workload(kind, name) if kind != "pod" else None
    if workload is not None:
        return _of_workload(reader, workload)
    return _not_found(reader, kind, name, namespace)


def _of_workload(reader: "Reader", workload: "Json") -> "Explanation":
    """Explain why pods are missing, else the first pod that waits, else any."""
    from dataclasses import replace

    from webhook.core.explain.family import explain_family
    from webhook.core.explain.pod import explain_pod

    family, pods = reader.family(workload)
    found = explain_family(family)
    if found is not None:
        return replace(found, notes=(*found.notes, *reader.unread))
    waiting = [pod for pod in pods if not at(pod, "spec").get("nodeName")]
    explained = explain_pod(reader.scene((waiting or list(pods))[0]))
    note = f"this is one of the {plural(len(pods), 'pod')} of {family.title}; without a node: {len(waiting)}"
    return replace(explained, notes=(note, *explained.notes))


def _not_found(reader: "Reader", kind: str, name: str, namespace: str) -> "Explanation":
    from webhook.core.explain.family import not_found

    devices = reader.devices()
    entries = chain.from_iterable(devices.pods.values()) if devices else ()
    elsewhere = sorted({entry.namespace for entry in entries if entry.name == name})
    return not_found(kind, name, namespace, elsewhere, reader.refusals_of(name))
