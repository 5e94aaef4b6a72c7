"""Generated pods get the same verdict from a real API server and from the played one over a folder.

`check`, the demo and many fast tests stand on the played API server and the folder of manifests. Here both
hold the same objects, and each pod is sent to both: to the real one as a dry run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.cluster.expect import K80, OURS, P100, asking, key, quota_key
from tests.cluster.generated_pods import CLOSED, SHARE, pods
from tests.harness.api import Answer, Api
from tests.harness.cluster import fresh_namespace, quota, quota_synced
from tests.harness.controlplane import ControlPlane
from tests.harness.product import fresh_class
from webhook.admission.engine import Engine
from webhook.admission.overlay import Overlay
from webhook.admission.played.local import LocalWebhook
from webhook.admission.played.server import PlayedApiServer
from webhook.admission.played.verdict import Party, Verdict
from webhook.cluster.folder import FolderCluster
from webhook.core.settings import PodSettings
from webhook.core.values.quantity import parse_quantity

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

EXAMPLES = 150  # about 20 ms each
NEVER = {"matchLabels": {"kubernetes.io/metadata.name": "somewhere-else"}}
ADOPTING = {"resourceclass.io/adopt": K80}
TOLERATION = {"key": "shared", "operator": "Exists", "effect": "NoSchedule"}


@dataclass(frozen=True)
class Both:
    """A namespace of a real cluster, and a folder with the same objects."""

    api: Api
    namespace: str
    folder: Path

    def real(self, pod: Json) -> Answer:
        return self.api.create(pod, self.namespace, dryRun="All")

    def played(self, pod: Json) -> Verdict:
        """Over a new overlay each time, so that nothing is stored, as in a dry run."""
        overlay = Overlay(FolderCluster(self.folder))
        server = PlayedApiServer(LocalWebhook(Engine(overlay, PodSettings())), overlay)
        return server.create(pod, self.namespace)


@pytest.fixture(scope="module", params=[{}, ADOPTING], ids=["anywhere", "where pods are adopted"])
def both(
    request: pytest.FixtureRequest,
    control_plane: ControlPlane,
    classes: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Both]:
    """Quotas for 3 K80, of which one pod uses 1, and for no P100; a class to share and one that is closed."""
    api = control_plane.api()
    share = {"share": {"memory": "2GiB"}, "pod": {"tolerations": [TOLERATION]}}
    with (
        fresh_class(api, SHARE, {"model": "Shared"}, **share),
        fresh_class(api, CLOSED, {"model": "Closed"}, namespaces=NEVER),
        fresh_namespace(api, request.param) as namespace,
    ):
        api.create(quota("few", {quota_key(K80): "3"}), namespace).must()
        api.create(quota("none", {quota_key(P100): "0"}), namespace).must()
        quota_synced(api, namespace, "few")
        quota_synced(api, namespace, "none")
        api.create(asking("holder"), namespace).must()
        yield Both(api, namespace, written(api, namespace, tmp_path_factory.mktemp("cluster")))


def written(api: Api, namespace: str, folder: Path) -> Path:
    """Writes what the rules read of the cluster into a folder, as `kubectl get -o json` would."""
    objects = [api.get("Namespace", namespace).must(), *api.items("ResourceClass")]
    for kind in ("ResourceQuota", "Pod"):  # in a list of these the items do not say what they are
        objects += [{"apiVersion": "v1", "kind": kind, **obj} for obj in api.items(kind, namespace)]
    for number, obj in enumerate(objects):
        (folder / f"{number}.json").write_text(json.dumps(obj))
    return folder


# As the API server hands a pod on: keys in order.
AS_SENT = pods().map(lambda pod: json.loads(json.dumps(pod, sort_keys=True)))


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
@given(pod=AS_SENT)
def test_a_generated_pod_gets_the_same_verdict(both: Both, pod: Json) -> None:
    real, played = both.real(pod), both.played(pod)

    assert real.ok == played.admitted, f"{real.code} {real.message} / {played.code} {played.message}"
    if real.ok:
        assert ours(real.body) == ours(played.document)
    else:
        assert (real.code, real.reason) == (played.code, played.reason), f"{real.message} / {played.message}"
        assert who(real) == played.refused_by, f"{real.message} / {played.message}"
    if played.refused_by is Party.WEBHOOK:
        assert real.message.partition("denied the request: ")[2] == played.message


def who(answer: Answer) -> Party:
    if OURS in answer.message:
        return Party.WEBHOOK
    return Party.POLICY if "ValidatingAdmissionPolicy" in answer.message else Party.SERVER


def ours(pod: Json) -> Json:
    """What the webhook reads and writes of a pod; the rest the played server does not fill in."""
    spec = pod["spec"]
    containers = [*spec.get("initContainers", []), *spec["containers"]]
    return {
        "schedulerName": spec.get("schedulerName", "default-scheduler"),
        "affinity": spec.get("affinity"),
        "tolerates": TOLERATION in spec.get("tolerations", []),
        "containers": [(each["name"], variables(each), amounts(each)) for each in containers],
        "annotations": pod["metadata"].get("annotations", {}),
    }


def variables(container: Json) -> list[Json]:
    return list(container.get("env", []))


def amounts(container: Json) -> Json:
    """Amounts as numbers: the server writes 2000m as 2."""
    resources = container.get("resources", {})
    return {
        part: {name: parse_quantity(value).nanos for name, value in resources.get(part, {}).items()}
        for part in ("limits", "requests")
    }


def test_the_two_are_compared_where_they_could_differ(both: Both) -> None:
    """The folder says what the cluster says: one of three K80 is in use."""
    answer, verdict = both.real(asking("more", 3)), both.played(asking("more", 3))

    assert f"used: {quota_key(K80)}=1, limited: {quota_key(K80)}=3" in answer.message
    assert answer.message.endswith(verdict.message)
    assert key(K80) in verdict.message
