"""What every API server must answer to our own code. The classes of `test_api_contract.py` inherit it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any, NamedTuple

import pytest

from tests.contract.ports import STORED, pod, resource_class
from webhook.cluster.api import STRATEGIC, Api, ApiError

Json = dict[str, Any]
Make = Callable[[str, Json], Json]

CORE = "/api/v1"
OURS = "/apis/resourceclass.io/v1alpha1"
CLASSES, DEVICES, NODES = f"{OURS}/resourceclasses", f"{OURS}/extendedresources", f"{CORE}/nodes"
NAME = "contract-api"
TRUE = {"status": "True", "reason": "Known", "lastTransitionTime": "2026-01-01T00:00:00Z"}


class World(NamedTuple):
    """An API server with an empty namespace."""

    api: Api
    namespace: str

    def path(self, plural: str, name: str = "", group: str = CORE) -> str:
        """Return the path of a collection in the namespace, or of an object of it."""
        return f"{group}/namespaces/{self.namespace}/{plural}" + (f"/{name}" if name else "")

    @property
    def leases(self) -> str:
        return self.path("leases", group="/apis/coordination.k8s.io/v1")


def device(**properties: str) -> Json:
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": NAME, "labels": {"a": "1"}},
        "spec": {"nodeName": "node-a", "deviceID": "GPU-0", "properties": properties},
    }


def node() -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NAME, "labels": {"a": "1"}}}


def lease(holder: str, **metadata: str) -> Json:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": NAME, **metadata},
        "spec": {"holderIdentity": holder},
    }


def binding(uid: str, **annotations: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": NAME, "uid": uid, "annotations": annotations},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "node-a"},
    }


def uid(obj: Json) -> str:
    return str(obj["metadata"]["uid"])


def refused(status: int, call: Callable[[], Any]) -> None:
    with pytest.raises(ApiError) as caught:
        call()
    assert caught.value.status == status


class ApiContract:
    """The tests; `world` is a fixture of the module that inherits them."""

    @pytest.fixture
    def make(self, world: World) -> Iterator[Make]:
        """Creates objects, which are gone after the test."""
        made: list[str] = []

        def make(collection: str, obj: Json) -> Json:
            stored = world.api.send("POST", collection, obj)
            made.append(f"{collection}/{stored['metadata']['name']}")
            return stored

        yield make
        for path in made:
            with suppress(ApiError):
                world.api.send("DELETE", path, {"gracePeriodSeconds": 0})

    @pytest.fixture
    def a_pod(self, world: World, make: Make) -> Json:
        return make(world.path("pods"), pod(NAME, world.namespace, {STORED: 1}))

    def test_a_new_object_is_read_and_listed_as_it_was_answered(self, world: World, make: Make) -> None:
        stored = make(CLASSES, resource_class(NAME))
        assert world.api.get(f"{CLASSES}/{NAME}") == stored
        listed = world.api.get(CLASSES)
        (found,) = [obj for obj in listed["items"] if obj["metadata"]["name"] == NAME]
        assert found["metadata"] == stored["metadata"]
        assert int(listed["metadata"]["resourceVersion"]) >= int(stored["metadata"]["resourceVersion"])

    def test_a_new_object_gets_what_tells_it_from_others(self, world: World, make: Make) -> None:
        first = make(CLASSES, resource_class(NAME))["metadata"]
        world.api.send("DELETE", f"{CLASSES}/{NAME}", {})
        second = make(CLASSES, resource_class(NAME))["metadata"]
        assert first["creationTimestamp"]
        assert first["uid"] != second["uid"]
        assert int(first["resourceVersion"]) < int(second["resourceVersion"])

    def test_what_is_not_there_is_not_found(self, world: World) -> None:
        for path in (f"{CLASSES}/never", world.path("pods", "never"), "/api/v1/nothings", f"{OURS}/nothings"):
            refused(404, lambda path=path: world.api.get(path))
        for path in (f"{DEVICES}/never", f"{DEVICES}/never/status"):
            refused(404, lambda path=path: world.api.send("PATCH", path, {"metadata": {}}))
        refused(404, lambda: world.api.send("DELETE", f"{CLASSES}/never", {}))

    def test_a_name_is_given_once(self, world: World, make: Make) -> None:
        make(CLASSES, resource_class(NAME))
        refused(409, lambda: world.api.send("POST", CLASSES, resource_class(NAME)))

    def test_a_merge_patch_changes_what_it_names_and_takes_away_what_is_null(
        self, world: World, make: Make
    ) -> None:
        make(DEVICES, device(model="K80", memory="12GiB"))
        change = {
            "metadata": {"labels": {"b": "2"}},
            "spec": {"properties": {"model": "K40", "memory": None}},
        }
        stored = world.api.send("PATCH", f"{DEVICES}/{NAME}", change)
        assert stored["metadata"]["labels"] == {"a": "1", "b": "2"}
        assert stored["spec"] == device(model="K40")["spec"]
        assert world.api.get(f"{DEVICES}/{NAME}") == stored

    def test_a_patch_that_changes_nothing_is_no_change(self, world: World, make: Make) -> None:
        make(DEVICES, device(model="K80"))
        same = {"spec": {"properties": {"model": "K40"}}}
        first, second = (world.api.send("PATCH", f"{DEVICES}/{NAME}", same) for _ in range(2))
        assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]

    def test_a_patch_of_another_object_of_the_name_is_refused(
        self, world: World, make: Make, a_pod: Json
    ) -> None:
        made, path = make(DEVICES, device(model="K80")), f"{DEVICES}/{NAME}"
        other = {"metadata": {"uid": "another", "labels": {"b": "2"}}}
        refused(422, lambda: world.api.send("PATCH", path, other))
        refused(422, lambda: world.api.send("PATCH", f"{world.path('pods', NAME)}/status", other))
        assert world.api.get(path) == made
        own = {"metadata": {"uid": uid(made), "labels": {"b": "2"}}}
        assert uid(world.api.send("PATCH", path, own)) == uid(made)

    def test_a_status_is_changed_by_its_own_path_alone(self, world: World, make: Make) -> None:
        made, path = make(CLASSES, {**resource_class(NAME), "status": {"devices": 9}}), f"{CLASSES}/{NAME}"
        assert "status" not in made
        metadata = {"uid": "unheeded", "labels": {"b": "2"}}
        both = {"metadata": metadata, "spec": {"placement": "Spread"}, "status": {"devices": 1}}
        status = world.api.send("PATCH", f"{path}/status", both)
        assert (status["spec"], status["status"]) == (made["spec"], {"devices": 1})
        assert (uid(status), "labels" in status["metadata"]) == (uid(made), False)
        change = {"spec": {"placement": "Spread"}, "status": {"devices": 2}}
        after = world.api.send("PATCH", path, change)
        assert (after["spec"]["placement"], after["status"]) == ("Spread", {"devices": 1})

    def test_the_generation_of_our_kinds_grows_with_the_spec_alone(self, world: World, make: Make) -> None:
        made = make(CLASSES, resource_class(NAME))
        status = world.api.send("PATCH", f"{CLASSES}/{NAME}/status", {"status": {"devices": 1}})
        spec = world.api.send("PATCH", f"{CLASSES}/{NAME}", {"spec": {"placement": "Spread"}})
        assert [obj["metadata"]["generation"] for obj in (made, status, spec)] == [1, 1, 2]

    def test_a_strategic_patch_of_a_nodes_status_merges_conditions_by_type(
        self, world: World, make: Make
    ) -> None:
        make(NODES, node())
        one, two = ({"type": name, **TRUE} for name in ("One", "Two"))
        amounts = {"resourceclass.io/k80": "2"}

        def patch(conditions: list[Json], **more: Any) -> Json:
            status = {"conditions": conditions, "capacity": amounts}
            return world.api.send(STRATEGIC, f"{NODES}/{NAME}/status", {"status": status, **more})

        patch([one])
        stored = patch([two], metadata={"labels": {"b": "2"}})
        assert sorted(item["type"] for item in _ours(stored)) == ["One", "Two"]
        assert stored["metadata"]["labels"].items() >= {"a": "1", "b": "2"}.items()
        assert stored["status"]["capacity"] == amounts
        changed = patch([{"type": "One", "status": "False"}, {"type": "Two", "$patch": "delete"}])
        (left,) = _ours(changed)
        assert left.items() >= {**one, "status": "False"}.items()

    def test_an_object_is_replaced_by_who_has_seen_its_last_state(self, world: World, make: Make) -> None:
        made = make(world.leases, lease("a"))
        path = f"{world.leases}/{NAME}"
        meta = {key: made["metadata"][key] for key in ("namespace", "uid", "resourceVersion")}
        second = world.api.send("PUT", path, lease("b", **meta))
        assert (uid(second), second["spec"]) == (uid(made), {"holderIdentity": "b"})
        refused(409, lambda: world.api.send("PUT", path, lease("c", **meta)))
        assert world.api.get(path) == second

    def test_only_the_object_that_is_meant_is_deleted(self, world: World, make: Make) -> None:
        made = make(CLASSES, resource_class(NAME))
        path = f"{CLASSES}/{NAME}"
        refused(409, lambda: world.api.send("DELETE", path, {"preconditions": {"uid": "another"}}))
        world.api.send("DELETE", path, {"preconditions": {"uid": uid(made)}})
        refused(404, lambda: world.api.get(path))

    def test_a_binding_gives_a_pod_its_node_and_annotations_in_one_write(
        self, world: World, a_pod: Json
    ) -> None:
        path = world.path("pods", NAME)
        world.api.send("PATCH", path, {"metadata": {"annotations": {"own": "1"}}})
        answer = world.api.send("POST", f"{path}/binding", binding(uid(a_pod), record="2"))
        assert answer["status"] == "Success"
        bound = world.api.get(path)
        assert bound["metadata"]["annotations"] == {"own": "1", "record": "2"}
        assert bound["spec"]["nodeName"] == "node-a"
        (scheduled,) = [item for item in bound["status"]["conditions"] if item["type"] == "PodScheduled"]
        assert scheduled["status"] == "True"
        assert scheduled["lastTransitionTime"]

    def test_a_pod_is_bound_once_and_only_the_one_that_is_meant(self, world: World, a_pod: Json) -> None:
        path = world.path("pods", NAME)
        refused(409, lambda: world.api.send("POST", f"{path}/binding", binding("another", record="1")))
        assert world.api.get(path) == a_pod
        world.api.send("POST", f"{path}/binding", binding(uid(a_pod)))
        refused(409, lambda: world.api.send("POST", f"{path}/binding", binding(uid(a_pod))))
        absent = {**binding(""), "metadata": {"name": "never"}}
        refused(404, lambda: world.api.send("POST", f"{world.path('pods', 'never')}/binding", absent))

    def test_a_message_in_a_pods_status_leaves_all_else(self, world: World, a_pod: Json) -> None:
        path = world.path("pods", NAME)
        change = {"metadata": {"uid": uid(a_pod)}, "status": {"message": "look again"}}
        after = world.api.send("PATCH", f"{path}/status", change)
        assert after["spec"] == a_pod["spec"]
        assert after["status"] == {**a_pod.get("status", {}), "message": "look again"}

    def test_a_pod_is_evicted_if_it_is_the_one_that_is_meant(self, world: World, a_pod: Json) -> None:
        path = world.path("pods", NAME)

        def evict(which: str) -> Json:
            options = {"deleteOptions": {"preconditions": {"uid": which}}}
            document = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": NAME}, **options}
            return world.api.send("POST", f"{path}/eviction", document)

        refused(409, lambda: evict("another"))
        evict(uid(a_pod))
        refused(404, lambda: world.api.get(path))

    def test_an_event_is_written_and_renewed(self, world: World, make: Make) -> None:
        about = {"apiVersion": "v1", "kind": "Pod", "name": NAME, "namespace": world.namespace}
        document = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": NAME}, "involvedObject": about}
        make(world.path("events"), {**document, "message": "one", "type": "Warning"})
        refused(409, lambda: world.api.send("POST", world.path("events"), document))
        after = world.api.send("PATCH", world.path("events", NAME), {"message": "two"})
        assert (after["message"], after["involvedObject"]["name"]) == ("two", NAME)

    def test_a_list_can_be_of_some_fields(self, world: World, a_pod: Json) -> None:
        def names(selector: str) -> list[str]:
            items = world.api.get(world.path("pods"), {"fieldSelector": selector, "limit": 500})["items"]
            return [obj["metadata"]["name"] for obj in items]

        assert names(f"metadata.name={NAME},status.phase!=Failed") == [NAME]
        assert names("spec.schedulerName=resourceclass-scheduler") == [NAME]
        assert names("metadata.name=another") == names(f"metadata.name!={NAME}") == []

    def test_a_watch_tells_what_happened_after_a_version(self, world: World, make: Make) -> None:
        version = world.api.get(CLASSES)["metadata"]["resourceVersion"]
        made = make(CLASSES, resource_class(NAME))
        changed = world.api.send("PATCH", f"{CLASSES}/{NAME}", {"spec": {"placement": "Spread"}})
        world.api.send("DELETE", f"{CLASSES}/{NAME}", {})
        first, second, third = _events(world.api, CLASSES, version, 3)
        assert (first["type"], first["object"]) == ("ADDED", made)
        assert (second["type"], second["object"]) == ("MODIFIED", changed)
        assert (third["type"], uid(third["object"])) == ("DELETED", uid(made))
        versions = [int(each["object"]["metadata"]["resourceVersion"]) for each in (first, second, third)]
        assert versions == sorted(set(versions))

    def test_a_watch_goes_on_from_where_another_ended(self, world: World, make: Make) -> None:
        made = make(CLASSES, resource_class(NAME))
        world.api.send("PATCH", f"{CLASSES}/{NAME}", {"spec": {"placement": "Spread"}})
        (event,) = _events(world.api, CLASSES, made["metadata"]["resourceVersion"], 1)
        assert event["type"] == "MODIFIED"

    def test_what_is_selected_no_more_is_gone_for_a_watch(self, world: World, a_pod: Json) -> None:
        version = world.api.get(world.path("pods"))["metadata"]["resourceVersion"]
        path = f"{world.path('pods', NAME)}/status"
        world.api.send("PATCH", path, {"status": {"phase": "Failed"}})
        world.api.send("PATCH", path, {"status": {"message": "unseen"}})
        world.api.send("PATCH", path, {"status": {"phase": "Pending"}})
        found = _events(world.api, world.path("pods"), version, 2, fieldSelector="status.phase!=Failed")
        assert [event["type"] for event in found] == ["DELETED", "ADDED"]

    def test_a_watch_ends_when_its_time_is_over(self, world: World) -> None:
        version = world.api.get(world.leases)["metadata"]["resourceVersion"]
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": 1}
        with closing(world.api.watch(world.leases, query, 10.0)) as source:
            assert list(source) == []

    def test_a_watch_of_an_unknown_collection_is_not_found(self, world: World) -> None:
        query = {"watch": "true", "resourceVersion": "1", "timeoutSeconds": 1}
        refused(404, lambda: list(world.api.watch(f"{OURS}/nothings", query, 10.0)))


def _ours(node_object: Json) -> list[Json]:
    """The conditions of the test; a node lifecycle controller adds its own."""
    return [item for item in node_object["status"]["conditions"] if item["type"] in ("One", "Two")]


def _events(api: Api, path: str, version: str, count: int, **query: str) -> list[Json]:
    asked = {**query, "watch": "true", "resourceVersion": version, "timeoutSeconds": 10}
    found: list[Json] = []
    with closing(api.watch(path, asked, 10.0)) as source:
        for event in source:
            found.append(event)
            if len(found) == count:
                break
    return found
