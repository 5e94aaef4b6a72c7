"""The quota that a namespace has before anybody thinks of one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controller.labelled import MANAGED_BY
from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace, quota
from tests.harness.product import fresh_class
from tests.harness.waiting import holds, until

NAME = "resourceclass-defaults"
KEY = "requests.resourceclass.io/granted"

pytestmark = pytest.mark.usefixtures("controller")


def hard(api: Api, namespace: str) -> Any:
    """What the default quota of the namespace allows; None where there is none."""
    answer = api.get("ResourceQuota", NAME, namespace)
    return answer.body["spec"]["hard"] if answer.ok else None


def test_a_namespace_has_the_default_of_a_class_until_a_quota_of_its_own_names_it(api: Api) -> None:
    with fresh_namespace(api) as namespace:
        with fresh_class(api, "granted", quota={"default": 2}):
            until(lambda: hard(api, namespace) == {KEY: "2"}, "the default is there")
            made = api.get("ResourceQuota", NAME, namespace).must()
            assert made["metadata"]["labels"] == MANAGED_BY
            api.create(quota("own", {KEY: "7"}), namespace).must()
            until(lambda: hard(api, namespace) is None, "the default is gone")
            api.delete("ResourceQuota", "own", namespace).must()
            until(lambda: hard(api, namespace) == {KEY: "2"}, "the default is back")
        until(lambda: hard(api, namespace) is None, "the default went with the class")


def test_a_key_that_nobody_enforces_does_not_keep_the_default_away(api: Api) -> None:
    # The webhook leaves the spelling of a quota that another controller owns.
    with fresh_namespace(api) as namespace, fresh_class(api, "granted", quota={"default": 2}):
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}}
        uid = api.create(owner, namespace).must()["metadata"]["uid"]
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid, "controller": True}
        owned = quota("owned", {"resourceclass.io/granted": "5"})
        owned["metadata"]["ownerReferences"] = [reference]
        stored = api.create(owned, namespace).must()
        assert stored["spec"]["hard"] == {"resourceclass.io/granted": "5"}
        until(lambda: hard(api, namespace) == {KEY: "2"}, "the default is there")
        holds(lambda: hard(api, namespace) == {KEY: "2"}, "the default stays", 2)


def test_a_person_s_quota_of_that_name_is_left_alone_and_warned_of(api: Api) -> None:
    with fresh_namespace(api) as namespace:
        before = api.create(quota(NAME, {"pods": "5"}), namespace).must()
        with fresh_class(api, "granted", quota={"default": 2}):

            def warned() -> bool:
                events = api.items("Event", namespace, fieldSelector=f"involvedObject.name={NAME}")
                return any(KEY in event["message"] for event in events)

            until(warned, "an event says that nothing limits the class there")
            after = api.get("ResourceQuota", NAME, namespace).must()
            assert after["spec"] == before["spec"]
