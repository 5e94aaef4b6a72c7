"""A cluster with more objects laid over it."""

import pytest

from tests.unit.admission.worlds import (
    K80,
    QUOTA_KEY,
    STORED,
    cluster,
    namespace,
    pod,
    quota,
    resource_class,
)
from webhook.admission.overlay import Overlay


def over(*below, put=()):
    overlay = Overlay(cluster(*below))
    for document in put:
        overlay.put(document)
    return overlay


def used(overlay, name="q"):
    (found,) = [q for q in overlay.quotas("team-a") if q["metadata"]["name"] == name]
    return found["status"]["used"][QUOTA_KEY]


def running(name, amount="1"):
    return pod(name=name, key=STORED, amount=amount)


def test_classes_of_both_are_seen():
    overlay = over(resource_class(), put=[resource_class("t4")])
    assert overlay.classes().names == (K80, "t4")


def test_a_class_on_top_is_found_afresh_too():
    assert over(put=[resource_class("t4")]).fresh_class("t4")["metadata"]["name"] == "t4"


def test_a_class_below_is_found_afresh():
    assert over(resource_class()).fresh_class(K80)["metadata"]["name"] == K80


def test_a_namespace_on_top_hides_the_one_below():
    overlay = over(namespace(enforce="deny"), put=[namespace(enforce="warn")])
    assert overlay.namespace_labels("team-a") == {"resourceclass.io/enforce": "warn"}
    assert overlay.fresh_namespace_labels("team-a") == {"resourceclass.io/enforce": "warn"}


def test_a_namespace_below_is_seen():
    overlay = over(namespace(enforce="off"))
    assert overlay.namespace_labels("team-a") == {"resourceclass.io/enforce": "off"}
    assert overlay.fresh_namespace_labels("team-a") == {"resourceclass.io/enforce": "off"}


def test_a_pod_on_top_uses_up_a_quota_below():
    assert used(over(resource_class(), quota(hard="5"), running("a", "2"), put=[running("b", "3")])) == "5"


def test_a_pod_that_runs_already_is_not_counted_twice():
    assert used(over(resource_class(), quota(hard="5"), running("a", "2"), put=[running("a", "3")])) == "3"


def test_a_quota_on_top_counts_the_pods_of_both():
    overlay = over(resource_class(), running("a", "2"), put=[quota(hard="5"), running("b", "1")])
    assert used(overlay) == "3"


def test_a_quota_on_top_is_enforced_at_once():
    (found,) = over(put=[quota(hard="5")]).quotas("team-a")
    assert found["status"]["hard"] == found["spec"]["hard"]


def test_a_quota_on_top_takes_the_place_of_the_one_below():
    overlay = over(quota(hard="5"), put=[quota(hard="7")])
    assert [q["spec"]["hard"][QUOTA_KEY] for q in overlay.quotas("team-a")] == ["7"]


def test_a_quota_counts_only_the_pods_of_its_scopes():
    scoped = quota(hard="5")
    scoped["spec"]["scopes"] = ["Terminating"]
    assert used(over(resource_class(), scoped, put=[running("a", "2")])) == "0"


def test_other_namespaces_have_their_own_quota():
    assert over(put=[quota(namespace="team-b", hard="5")]).quotas("team-a") == []


def test_fresh_quotas_count_the_pods_on_top():
    overlay = over(resource_class(), quota(hard="5"), put=[running("b", "3")])
    assert overlay.fresh_quotas("team-a")[0]["status"]["used"] == {QUOTA_KEY: "3"}


def test_an_unreadable_amount_in_a_status_counts_as_nothing():
    status = {"hard": {QUOTA_KEY: "5"}, "used": {QUOTA_KEY: "many"}}
    below = quota(hard="5", status=status)

    class Odd:
        def quotas(self, namespace):
            return [below]

        def usage(self, class_name, namespace):
            return []

    overlay = Overlay(Odd())
    overlay.put(running("a", "2"))
    assert used(overlay) == "2"


@pytest.mark.parametrize(("where", "pods"), [("team-a", ["a", "b"]), (None, ["a", "b"]), ("team-b", [])])
def test_users_of_a_class_are_those_of_both(where, pods):
    overlay = over(resource_class(), running("a"), put=[running("b")])
    assert [use.pod for use in overlay.usage(K80, where)] == pods


def test_a_replaced_pod_uses_what_the_new_one_asks_for():
    overlay = over(resource_class(), running("a", "2"), put=[running("a", "3")])
    assert [use.units for use in overlay.usage(K80)] == [3]


def test_devices_of_both_are_seen():
    def device(name, model):
        return {
            "apiVersion": "resourceclass.io/v1alpha1",
            "kind": "ExtendedResource",
            "metadata": {"name": name},
            "spec": {"properties": {"model": model}},
        }

    kinds = over(device("a", "Tesla K80"), put=[device("b", "T4")]).device_kinds()
    assert [kind.properties["model"] for kind in kinds] == ["Tesla K80", "T4"]


def test_what_the_cluster_below_waits_for_is_passed_on():
    assert over().not_ready() == []
