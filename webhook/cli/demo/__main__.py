"""``python -m webhook.cli.demo``: the demo; with ``--serve``: the webhook until it is stopped."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import orjson

from webhook.admission.played.server import review_of
from webhook.cli.demo import job
from webhook.cli.demo.columns import WIDTH, in_one_line, side_by_side
from webhook.cli.demo.parts import parts_over
from webhook.cli.demo.process import port_or_any, running
from webhook.cli.demo.scenes import K80, Scene, scenes
from webhook.cli.demo.stage import Stage
from webhook.cluster.embedded.api import EmbeddedApi
from webhook.cluster.folder import FolderCluster
from webhook.core.errors import BadInput, ClusterUnavailable
from webhook.core.values.names import Json

PORT: Final = 8443
EXAMPLE: Final = "02-pod-k80.yaml"


def main(argv: list[str] | None = None) -> int:
    """Run the demo; returns 0 when everything came out as it must."""
    args = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the webhook is stopped as well
    try:
        with tempfile.TemporaryDirectory(prefix="resourceclass-demo-") as folder:
            return _serve(args, Path(folder)) if args.serve else _play(args, Path(folder))
    except (BadInput, ClusterUnavailable) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped")
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m webhook.cli.demo", description=__doc__)
    parser.add_argument("--examples", type=Path, default="examples", metavar="DIR", help="default: examples")
    parser.add_argument("--full", action="store_true", help="show every request beside its answer")
    parser.add_argument("--serve", action="store_true", help="serve over the examples until stopped")
    parser.add_argument(
        "--port", type=int, metavar="NUMBER", help=f"port for --serve; default: {PORT}, or a free one"
    )
    return parser


def _play(args: argparse.Namespace, folder: Path) -> int:
    if not args.examples.is_dir():
        raise BadInput(f"{args.examples}: no such folder of examples")
    played = scenes(args.examples)
    example = next((scene.document for scene in played if scene.title.startswith(EXAMPLE)), None)
    if example is None:
        raise BadInput(f"{args.examples}: {EXAMPLE} is missing, which the demo follows on its way")
    manifests = folder / "cluster"
    shutil.copytree(args.examples, manifests)
    job.prepare(manifests)
    begun = time.monotonic()
    api = EmbeddedApi(cluster := FolderCluster(manifests))
    with parts_over(api) as parts:
        job.wait_for_inventory(manifests, api)
        with running(folder / "certificates", manifests) as webhook:
            stage = Stage(webhook, manifests, cluster, api)
            print(f"A copy of {args.examples}/ with one more node is the cluster: no Kubernetes runs.")
            print("Webhook (a process, TLS), controller and binder are real; played: API server, scheduler.")
            problems = job.show(stage, parts, example)
            _complain(problems)
            failed = _show_all(stage, played, args.full)
    print(f"{len(played) - failed} of {len(played)} came out as they must, in ", end="")
    print(f"{time.monotonic() - begun:.1f} s.")
    return 1 if failed or problems else 0


def _show_all(stage: Stage, played: Sequence[Scene], full: bool) -> int:
    """Send the objects of all scenes; returns how many did not come out as they must."""
    more = "" if full else " (FULL=1 shows request beside answer)"
    print(f"\n6. All examples, and what else a person may try{more}:")
    failed = sum(not _show(stage, number, scene, full) for number, scene in enumerate(played, 1))
    print("=" * WIDTH if full else "")
    return failed


def _show(stage: Stage, number: int, scene: Scene, full: bool) -> bool:
    """Send one object, print its answer, and return whether all is as it must be."""
    calls = stage.webhook.calls
    verdict = stage.send(scene.document)
    if full:
        print(f"{'=' * WIDTH}\n{number}. {scene.title}\n\n{side_by_side(verdict)}")
    else:
        print(in_one_line(scene.title, verdict))
    problems = stage.problems(scene, verdict, calls)
    _complain(problems)
    if verdict.admitted:
        stage.store_in_file(verdict.document)
    return not problems


def _complain(problems: Sequence[str]) -> None:
    for problem in problems:
        print(f"\nNOT AS IT MUST BE: {problem}")


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
