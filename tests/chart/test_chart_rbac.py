"""The webhook may do what its code does, and nothing else."""

from __future__ import annotations

import inspect
import re

from tests.chart.rendering import only
from tests.chart.samples import WEBHOOK, Json
from tests.harness.chart import NAMESPACE
from webhook.cluster import events, live, resources
from webhook.cluster.listing import Resource

Permission = tuple[str, str, str]

_VERBS = {"POST": "create", "PATCH": "patch"}

COLLECTIONS: dict[str, Resource[object]] = {
    name: value for name, value in vars(resources).items() if isinstance(value, Resource)
}


def allowed(objects: list[Json]) -> set[Permission]:
    """Group, resource and verb of everything that the role allows."""
    return {
        (group, resource, verb)
        for rule in only(objects, "ClusterRole", WEBHOOK)["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def used(collection: Resource[object], *verbs: str) -> set[Permission]:
    _, kind_of_api, *rest = collection.prefix.split("/")
    group = rest[0] if kind_of_api == "apis" else ""
    return {(group, collection.plural, verb) for verb in verbs}


def read_one_by_one() -> set[str]:
    """The names of the collections of which the code reads single objects."""
    return set(re.findall(r"read_one\(self\._api, (\w+)\.path", inspect.getsource(live)))


def methods_on_events() -> set[str]:
    """The methods with which the code writes events."""
    return set(re.findall(r'\.send\("(\w+)"', inspect.getsource(events)))


def test_every_permission_is_used_and_every_use_permitted(objects: list[Json]) -> None:
    watched = [used(each, "list", "watch") for each in COLLECTIONS.values()]
    single = [used(COLLECTIONS[name], "get") for name in read_one_by_one()]
    written = {("", "events", _VERBS[method]) for method in methods_on_events()}

    assert single
    assert allowed(objects) == set().union(*watched, *single, written)


def test_the_role_is_given_to_the_account_that_the_pods_run_as(objects: list[Json]) -> None:
    (subject,) = only(objects, "ClusterRoleBinding", WEBHOOK)["subjects"]
    runs_as = only(objects, "Deployment", WEBHOOK)["spec"]["template"]["spec"]["serviceAccountName"]

    assert subject == {"kind": "ServiceAccount", "name": runs_as, "namespace": NAMESPACE}


def test_only_pods_that_need_it_get_a_token(objects: list[Json]) -> None:
    accounts = [o for o in objects if o["kind"] == "ServiceAccount"]
    pod = only(objects, "Deployment", WEBHOOK)["spec"]["template"]["spec"]

    assert {o["automountServiceAccountToken"] for o in accounts} == {False}
    assert pod["automountServiceAccountToken"] is True
