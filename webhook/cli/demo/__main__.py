"""``python -m webhook.cli.demo``: the demo; with ``--serve``: the webhook until it is stopped."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import orjson

from webhook.admission.overlay import Overlay
from webhook.admission.played.server import PlayedApiServer, review_of
from webhook.cli.check_text import as_yaml
from webhook.cli.demo.columns import WIDTH, side_by_side
from webhook.cli.demo.process import WebhookProcess, port_or_any, running
from webhook.cli.demo.scenes import K80, Scene, scenes
from webhook.cluster.folder import LOOK_SECONDS, FolderCluster
from webhook.cluster.identity import identify
from webhook.core.errors import BadInput, ClusterUnavailable
from webhook.core.values.names import Json

# A folder is looked at so often; the webhook has seen a new manifest a moment later.
SEEN_SECONDS: Final = LOOK_SECONDS + 0.2
PORT: Final = 8443


def main(argv: list[str] | None = None) -> int:
    """Run the demo; returns 0 when everything came out as it must."""
    args = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the webhook is stopped as well
    try:
        with tempfile.TemporaryDirectory(prefix="resourceclass-demo-") as folder:
            return _serve(args, Path(folder)) if args.serve else _play(args.examples, Path(folder))
    except (BadInput, ClusterUnavailable) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped")
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m webhook.cli.demo", description=__doc__)
    parser.add_argument("--examples", type=Path, default="examples", metavar="DIR", help="default: examples")
    parser.add_argument("--serve", action="store_true", help="serve over the examples until stopped")
    parser.add_argument(
        "--port", type=int, metavar="NUMBER", help=f"port for --serve; default: {PORT}, or a free one"
    )
    return parser


def _play(examples: Path, folder: Path) -> int:
    if not examples.is_dir():
        raise BadInput(f"{examples}: no such folder of examples")
    manifests = folder / "cluster"
    shutil.copytree(examples, manifests)
    begun = time.monotonic()
    with running(folder / "certificates", manifests) as webhook:
        print(f"The webhook serves https://localhost:{webhook.port} over a copy of {examples}/.")
        stage = _Stage(webhook, manifests)
        played = scenes(examples)
        failed = sum(not stage.show(number, scene) for number, scene in enumerate(played, 1))
    seconds = time.monotonic() - begun
    print("=" * WIDTH)
    print(f"{len(played) - failed} of {len(played)} came out as they must, in {seconds:.1f} s.")
    print("Real: certificates, server process, TLS, reviews. Played: the API server around them.")
    return 1 if failed else 0


class _Stage:
    """A played API server before a real webhook, and the folder that the webhook takes for the cluster."""

    def __init__(self, webhook: WebhookProcess, manifests: Path) -> None:
        self._webhook = webhook
        self._manifests = manifests
        self._cluster = FolderCluster(manifests)
        self._server = PlayedApiServer(webhook, Overlay(self._cluster))

    def show(self, number: int, scene: Scene) -> bool:
        """Send one object, print it beside its answer, and return whether all is as it must be."""
        calls = self._webhook.calls
        verdict = self._server.create(scene.document)
        print("=" * WIDTH)
        print(f"{number}. {scene.title}\n")
        print(side_by_side(verdict))
        problems = list(scene.check(verdict))
        if scene.reviews != (self._webhook.calls > calls):
            problems.append(f"the webhook should {'' if scene.reviews else 'not '}have been asked")
        for problem in problems:
            print(f"\nNOT AS IT MUST BE: {problem}")
        if verdict.admitted:
            self._store(verdict.document)
        return not problems

    def _store(self, document: Json) -> None:
        """Put a new object where the webhook sees it, as a watch would show it; the examples are there."""
        if self._cluster.get(document) is None:
            file = self._manifests / f"stored-{identify(document).name}.yaml"
            file.write_text(as_yaml(document), "utf-8")
            time.sleep(SEEN_SECONDS)


def _serve(args: argparse.Namespace, folder: Path) -> int:
    review = folder / "review.json"
    port = port_or_any(PORT) if args.port is None else args.port
    with running(folder / "certificates", args.examples, port) as webhook:
        review.write_bytes(orjson.dumps(_sample_review(), option=orjson.OPT_INDENT_2))
        print(f"The webhook serves https://localhost:{webhook.port} over {args.examples}/.")
        print("Ask it what becomes of a pod:\n")
        print(f"  curl --cacert {webhook.folder / 'ca.crt'} -H 'Content-Type: application/json' \\")
        print(f"    --data @{review} https://localhost:{webhook.port}/mutate\n")
        print("Manifests that change are read again. Ctrl-C stops it.", flush=True)
        return webhook.process.wait()


def _sample_review() -> Json:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {
            "containers": [
                {"name": "train", "image": "example.com/train:v1", "resources": {"limits": {K80: "1"}}}
            ]
        },
    }
    return review_of(pod, user="jane")


if __name__ == "__main__":
    sys.exit(main())
