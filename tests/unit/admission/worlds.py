"""Clusters, pods and reviews for the tests of admission."""

import copy
from dataclasses import dataclass, field

from webhook.cluster.folder import FolderCluster
from webhook.core.errors import ClusterUnavailable
from webhook.wire.review import Request

K80 = "nvidia.tesla.k80"
STORED = f"resourceclass.io/{K80}"
QUOTA_KEY = f"requests.resourceclass.io/{K80}"


def resource_class(name=K80, **spec):
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"model": "NVIDIA Tesla K80"}}} | spec,
    }


def quota(name="q", namespace="team-a", *, hard, status=None):
    spec = {QUOTA_KEY: hard}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": spec},
        **({"status": status} if status is not None else {}),
    }


def namespace(name="team-a", **labels):
    named = {f"resourceclass.io/{key.replace('_', '-')}": value for key, value in labels.items()}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": named}}


def pod(name="train", amount="1", key=K80, **metadata):
    limits = {key: amount} if key else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team-a"} | metadata,
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": limits}}]},
    }


def deployment(name="serve", key=K80, replicas=1):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": {"replicas": replicas, "template": {"spec": pod(key=key)["spec"]}},
    }


def request(document, operation="CREATE", *, sub_resource="", old=None, groups=(), dry_run=False):
    group = document["apiVersion"].rpartition("/")[0]
    metadata = document["metadata"]
    return Request(
        uid="u-1",
        operation=operation,
        group=group,
        kind=document["kind"],
        sub_resource=sub_resource,
        namespace=metadata.get("namespace", ""),
        name=metadata.get("name", ""),
        user="jane",
        groups=tuple(groups),
        object=None if operation == "DELETE" else document,
        old_object=document if operation == "DELETE" else old,
        dry_run=dry_run,
    )


def cluster(*objects):
    made = FolderCluster(None)
    for obj in objects:
        made.create(copy.deepcopy(obj))
    return made


@dataclass
class Lagging:
    """A cluster whose memory is behind: `seen` answers, a fresh read finds `now` (None: no answer)."""

    seen: FolderCluster
    now: FolderCluster | None
    missing: tuple[str, ...] = ()
    doubted: bool = False
    reads: list[str] = field(default_factory=list)

    def not_ready(self):
        return self.missing

    def classes(self):
        return self.seen.classes()

    def classes_in_doubt(self):
        return self.doubted

    def fresh_class(self, name):
        return self._read(f"class {name}").fresh_class(name)

    def namespace_labels(self, name):
        return self.seen.namespace_labels(name)

    def fresh_namespace_labels(self, name):
        return self._read(f"namespace {name}").namespace_labels(name)

    def quotas(self, namespace):
        return self.seen.quotas(namespace)

    def fresh_quotas(self, namespace):
        return self._read(f"quotas of {namespace}").quotas(namespace)

    def usage(self, class_name, namespace=None):
        return self.seen.usage(class_name, namespace)

    def device_kinds(self):
        return self.seen.device_kinds()

    def _read(self, what):
        self.reads.append(what)
        if self.now is None:
            raise ClusterUnavailable("the API server did not answer")
        return self.now
