"""What every cluster must answer, whatever stands behind it. The classes of this room's tests inherit it.

A world is a cluster that a test can change; its answers may lag a little, so they are waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from tests.harness.waiting import until
from webhook.admission.ports import Cluster

Json = dict[str, Any]
K80 = "nvidia.tesla.k80"
STORED = f"resourceclass.io/{K80}"
QUOTA_KEY = f"requests.{STORED}"


class World(Protocol):
    """A cluster under test, with the namespaces `team-a` and `team-b` in it under names of its own."""

    @property
    def cluster(self) -> Cluster: ...

    def namespace(self, name: str) -> str:
        """The name under which this world knows `team-a` or `team-b`."""

    def put(self, obj: Json) -> None:
        """Create the object, or replace it with its status."""

    def remove(self, obj: Json) -> None:
        """Delete the object."""


def resource_class(name: str, **spec: Any) -> Json:
    model = {"selector": {"matchLabels": {"model": "Tesla K80"}}}
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": name},
        "spec": {**model, **spec},
    }


def device(name: str, **properties: str) -> Json:
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": name},
        "spec": {"nodeName": "node-a", "deviceID": name, "properties": properties},
    }


def namespace(name: str, labels: Mapping[str, str]) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels)}}


def quota(name: str, where: str, hard: Mapping[str, str]) -> Json:
    metadata = {"name": name, "namespace": where}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": dict(hard)}}


def pod(name: str, where: str, limits: Mapping[str, int | str], phase: str = "Pending", **spec: Any) -> Json:
    container = {"name": "main", "image": "example.com/none:1", "resources": {"limits": dict(limits)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": where},
        "spec": {"containers": [container], "schedulerName": "resourceclass-scheduler", **spec},
        "status": {"phase": phase},
    }


def sees(check: Callable[[], bool], what: str) -> None:
    until(check, f"the cluster sees {what}")


class ClusterContract:
    """The tests; `world` is a fixture of the module that inherits them."""

    def test_is_ready(self, world: World) -> None:
        sees(lambda: not world.cluster.not_ready(), "everything")

    def test_a_class_is_known_by_its_name(self, world: World) -> None:
        world.put(resource_class("contract.known"))
        sees(lambda: "contract.known" in world.cluster.classes(), "the class")

    def test_a_class_that_was_deleted_is_unknown(self, world: World) -> None:
        world.put(resource_class("contract.gone"))
        sees(lambda: "contract.gone" in world.cluster.classes(), "the class")
        world.remove(resource_class("contract.gone"))
        sees(lambda: not world.cluster.classes().exists("contract.gone"), "that it is gone")

    def test_a_class_that_was_changed_is_known_as_it_is_now(self, world: World) -> None:
        world.put(resource_class("contract.changed"))
        world.put(resource_class("contract.changed", placement="Spread"))

        def spread() -> bool:
            found = world.cluster.classes().get("contract.changed")
            return found is not None and found.placement == "Spread"

        sees(spread, "the change")

    def test_a_class_that_cannot_be_read_is_known_as_broken(self, world: World) -> None:
        world.put(
            resource_class("contract.broken", selector={"matchExpressions": [{"key": "a", "operator": "Is"}]})
        )
        sees(lambda: bool(world.cluster.classes().broken.get("contract.broken")), "what is wrong with it")

    def test_a_fresh_read_of_a_class_needs_no_waiting(self, world: World) -> None:
        world.put(resource_class("contract.fresh"))
        found = world.cluster.fresh_class("contract.fresh")
        assert found is not None
        assert found["spec"]["selector"] == {"matchLabels": {"model": "Tesla K80"}}

    def test_a_fresh_read_of_no_class_is_none(self, world: World) -> None:
        assert world.cluster.fresh_class("contract.never") is None

    def test_a_fresh_read_of_no_possible_name_is_none(self, world: World) -> None:
        assert world.cluster.fresh_class("Not/A Name") is None

    def test_labels_of_a_namespace(self, world: World) -> None:
        where = world.namespace("team-a")
        world.put(namespace(where, {"tier": "gold"}))
        sees(lambda: world.cluster.namespace_labels(where).get("tier") == "gold", "the label")

    def test_a_fresh_read_of_labels_needs_no_waiting(self, world: World) -> None:
        where = world.namespace("team-a")
        world.put(namespace(where, {"tier": "silver"}))
        assert world.cluster.fresh_namespace_labels(where)["tier"] == "silver"

    def test_a_namespace_that_does_not_exist_has_no_labels(self, world: World) -> None:
        assert dict(world.cluster.namespace_labels("contract-nowhere")) == {}
        assert dict(world.cluster.fresh_namespace_labels("contract-nowhere")) == {}

    def test_a_quota_is_seen_in_its_namespace_alone(self, world: World) -> None:
        here, there = world.namespace("team-a"), world.namespace("team-b")
        world.put(quota("seen", here, {QUOTA_KEY: "5"}))
        sees(lambda: [q["metadata"]["name"] for q in world.cluster.quotas(here)] == ["seen"], "the quota")
        assert list(world.cluster.quotas(there)) == []

    def test_a_fresh_read_of_quotas_needs_no_waiting(self, world: World) -> None:
        here = world.namespace("team-a")
        world.put(quota("fresh", here, {QUOTA_KEY: "5"}))
        (found,) = world.cluster.fresh_quotas(here)
        assert found["spec"]["hard"] == {QUOTA_KEY: "5"}

    def test_the_use_of_a_quota_is_counted(self, world: World) -> None:
        here = world.namespace("team-a")
        world.put(quota("counted", here, {QUOTA_KEY: "5", "pods": "10"}))
        sees(lambda: self._status(world, here).get("hard") == {QUOTA_KEY: "5", "pods": "10"}, "the status")
        sidecar = {"initContainers": [_sidecar({STORED: 1})]}
        world.put(pod("one", here, {STORED: 2}, **sidecar))
        sees(lambda: self._status(world, here).get("used") == {QUOTA_KEY: "3", "pods": "1"}, "what it uses")

    def test_pods_that_ask_for_a_class_are_its_usage(self, world: World) -> None:
        here, there = world.namespace("team-a"), world.namespace("team-b")
        world.put(pod("a", here, {STORED: 2}))
        world.put(pod("b", there, {STORED: 1}))
        sees(lambda: _usage(world, here) == [("a", 2)], "the pod")
        sees(lambda: {("a", 2), ("b", 1)} <= set(_usage(world, None)), "the pods of all namespaces")

    def test_finished_pods_use_nothing(self, world: World) -> None:
        here = world.namespace("team-a")
        world.put(pod("done", here, {STORED: 1}))
        sees(lambda: _usage(world, here) == [("done", 1)], "the pod")
        world.put(pod("done", here, {STORED: 1}, phase="Succeeded"))
        sees(lambda: _usage(world, here) == [], "that it is finished")

    def test_pods_that_are_gone_use_nothing(self, world: World) -> None:
        here = world.namespace("team-a")
        world.put(pod("short", here, {STORED: 1}))
        sees(lambda: _usage(world, here) == [("short", 1)], "the pod")
        world.remove(pod("short", here, {STORED: 1}))
        sees(lambda: _usage(world, here) == [], "that it is gone")

    def test_pods_without_a_class_are_not_usage(self, world: World) -> None:
        here = world.namespace("team-a")
        world.put(pod("plain", here, {"cpu": "1"}))
        world.put(pod("classy", here, {STORED: 1}))
        sees(lambda: _usage(world, here) == [("classy", 1)], "only the pod with a class")

    def test_devices_are_counted_by_kind(self, world: World) -> None:
        for index in "01":
            world.put(device(f"contract-{index}", model="Contract K80", memory="12GiB", index=index))

        def counted() -> bool:
            kinds = world.cluster.device_kinds()
            return [kind.count for kind in kinds if kind.properties.get("model") == "Contract K80"] == [2]

        sees(counted, "two devices of one kind")

    @staticmethod
    def _status(world: World, where: str) -> Json:
        found = world.cluster.quotas(where)
        return dict(found[0].get("status") or {}) if found else {}


def _usage(world: World, where: str | None) -> list[tuple[str, int]]:
    return [(usage.pod, usage.units) for usage in world.cluster.usage(K80, where)]


def _sidecar(limits: Mapping[str, int]) -> Json:
    return {
        "name": "side",
        "image": "example.com/none:1",
        "restartPolicy": "Always",
        "resources": {"limits": dict(limits)},
    }
