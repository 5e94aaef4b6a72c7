"""`resourceclass check`: what the webhook and the API server would say to manifests, without writing any.

The engine is the webhook's own. Objects see each other as if they had been created in an order that works:
namespaces, classes, devices and quotas before what needs them. A pod uses up quota for those after it.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from webhook.cli import check_text
from webhook.cli.exit_codes import NO, YES
from webhook.cli.settings.cluster import ClusterSettings
from webhook.cli.settings.commands import CheckSettings
from webhook.cli.settings.reading import add_flags, load
from webhook.core.errors import BadInput

if TYPE_CHECKING:
    from webhook.admission.overlay import Overlay
    from webhook.cli.check_text import Checked
    from webhook.cluster.documents import Document

# What others refer to comes first; everything else keeps the order of the stream.
_FIRST: Final = ("Namespace", "ResourceClass", "ExtendedResource", "Node", "ResourceQuota", "LimitRange")
# Without it, the refusal of a good name ("must be a standard resource type or fully qualified") misleads.
_NO_CLASS: Final = "no class is known: name a cluster with --kubeconfig or a folder with --manifests"
_NO_CLASS_IN_FOLDER: Final = "no class is known: there is none in --manifests {folder}"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "check",
        help="say what would become of manifests, without writing any",
        description="Say for each object whether it would be admitted, what would be changed, and why. "
        "The cluster is a real one (--kubeconfig), a folder (--manifests), or the manifests themselves.",
    )
    parser.add_argument(
        "-f",
        "--filename",
        action="append",
        required=True,
        metavar="FILE",
        help="manifests in YAML or JSON: a file, a folder, or - for standard input; may be repeated",
    )
    add_flags(parser, CheckSettings)


def run(args: argparse.Namespace) -> int:
    """Check and print; returns 0 when everything is admitted, 1 when anything is refused."""
    settings = load(CheckSettings, args)
    documents = [document for source in args.filename for document in _documents(source)]
    if not documents:
        raise BadInput(f"{', '.join(args.filename)}: no object in it")
    checked = check(documents, settings)
    admitted = all(item.verdict.admitted for item in checked)
    if settings.output == "json":
        print(check_text.as_json(checked))
    else:
        print(check_text.as_text(checked, colour=sys.stdout.isatty()))
        if not admitted and not _knows_classes(documents, settings.cluster):
            folder = settings.cluster.manifests
            print(_NO_CLASS_IN_FOLDER.format(folder=folder) if folder else _NO_CLASS)
    return YES if admitted else NO


def _knows_classes(documents: "list[Document]", source: ClusterSettings) -> bool:
    from webhook.cluster.files import read_folder

    if source.kubeconfig:
        return True
    folder = read_folder(Path(source.manifests)).values() if source.manifests else ()
    return any(document.obj["kind"] == "ResourceClass" for document in (*documents, *folder))


def check(documents: "list[Document]", settings: CheckSettings) -> "list[Checked]":
    """Return the verdict on each document, in the order given."""
    from webhook.admission.engine import Engine
    from webhook.admission.played.local import LocalWebhook
    from webhook.admission.played.server import PlayedApiServer
    from webhook.cli.check_text import Checked

    overlay = _overlay(settings.cluster)
    webhook = LocalWebhook(Engine(overlay, settings.pods))
    server = PlayedApiServer(webhook, overlay, with_controller=not settings.cluster.kubeconfig)
    verdicts = {}
    for index in sorted(range(len(documents)), key=lambda index: _rank(documents[index])):
        document = documents[index]
        try:
            verdicts[index] = server.create(document.obj, settings.namespace)
        except BadInput as error:
            raise BadInput(f"{document.place}: {error}") from error
    return [Checked(document.place, verdicts[index]) for index, document in enumerate(documents)]


def _rank(document: "Document") -> int:
    kind = document.obj["kind"]
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)


def _overlay(source: ClusterSettings) -> "Overlay":
    from webhook.admission.overlay import Overlay

    if source.kubeconfig:
        from webhook.cluster.connection import Connection
        from webhook.cluster.direct import DirectCluster

        return Overlay(DirectCluster(Connection(source.kubeconfig)))
    from webhook.cluster.folder import FolderCluster

    folder = FolderCluster(source.manifests or None)
    overlay = Overlay(folder)
    for obj in folder.objects():
        if obj.get("kind") == "LimitRange":
            overlay.put(obj)
    return overlay


def _documents(source: str) -> "list[Document]":
    from webhook.cluster.documents import load_documents
    from webhook.cluster.files import read_folder

    if source == "-":
        return load_documents(sys.stdin.buffer.read(), "standard input")
    path = Path(source)
    if path.is_dir():
        return list(read_folder(path).values())
    try:
        return load_documents(path.read_bytes(), source)
    except OSError as error:
        raise BadInput(f"{source}: {error.strerror}") from error
