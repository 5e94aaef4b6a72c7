"""Seeing that a user has just removed a class, from what kubectl and the API server note on an object."""

import json
import time

import pytest

from tests.unit.core.mutate.objects import K80, P100, STORED_K80
from webhook.core.mutate.removal import Intent, Item
from webhook.core.mutate.rename import container_spelling

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
LIMITS = ("spec", "containers", Item("train"), "resources", "limits")


def applied(*keys, text=None):
    """An object after a client-side apply of a manifest whose limits hold these keys."""
    limits = dict.fromkeys(keys, 1)
    containers = [{"name": "other"}, {"name": "train", "resources": {"limits": limits}}]
    manifest = json.dumps({"spec": {"containers": containers}}) if text is None else text
    return {"metadata": {"annotations": {LAST_APPLIED: manifest}}}


def manager(name, *keys, operation="Apply", **more):
    """An entry of managedFields that owns these keys of the limits."""
    fields = {f"f:{key}": {} for key in keys}
    owned = {'k:{"name":"train"}': {".": {}, "f:resources": {"f:limits": fields}}}
    return {
        "manager": name,
        "operation": operation,
        "fieldsV1": {"f:spec": {"f:containers": {'k:{"name":"other"}': {}, **owned}}},
        **more,
    }


def managed(*entries):
    return {"metadata": {"managedFields": list(entries)}}


def removed(old, new, place=LIMITS):
    return Intent(old, new).removed(place, container_spelling)


def test_a_line_that_is_gone_from_the_applied_manifest_was_removed():
    assert removed(applied(K80, "cpu"), applied("cpu")) == {K80}


def test_a_line_that_became_another_class_was_removed():
    assert removed(applied(K80), applied(P100)) == {K80}


@pytest.mark.parametrize("now", [(K80,), (STORED_K80,), (K80, STORED_K80)])
def test_a_class_that_the_manifest_still_names_was_not(now):
    assert removed(applied(K80), applied(*now)) == set()


def test_a_stored_name_that_is_gone_from_the_manifest_is_kubectls_to_remove():
    assert removed(applied(STORED_K80), applied()) == set()


def test_a_container_that_is_gone_from_the_manifest_took_its_line_along():
    assert removed(applied(K80), applied(text='{"spec": {"containers": [null, {"name": "other"}]}}')) == {K80}


@pytest.mark.parametrize(
    "unreadable",
    [
        pytest.param({}, id="no metadata"),
        pytest.param({"metadata": None}, id="null"),
        pytest.param({"metadata": {"annotations": 5}}, id="no map"),
        pytest.param(applied(text="{"), id="no JSON"),
        pytest.param(applied(text="[]"), id="no object"),
        pytest.param(applied(text="[" * 100_000), id="too deep"),
    ],
)
def test_without_two_readable_manifests_nothing_is_known(unreadable):
    assert removed(applied(K80), unreadable) == set()
    assert removed(unreadable, applied()) == set()


def test_another_place_of_the_same_object_is_another_matter():
    assert removed(applied(K80), applied(), (*LIMITS[:-1], "requests")) == set()
    assert (
        removed(applied(K80), applied(), ("spec", "containers", Item("other"), "resources", "limits"))
        == set()
    )


def test_a_field_that_its_applier_gave_up_was_removed():
    assert removed(managed(manager("me", K80, "cpu")), managed(manager("me", "cpu"))) == {K80}


def test_a_field_that_is_still_owned_was_not():
    assert removed(managed(manager("me", K80)), managed(manager("me", K80))) == set()


def test_a_field_that_another_applier_owns_was_not():
    both = managed(manager("me", K80), manager("other", K80))
    assert removed(both, managed(manager("me"), manager("other", K80))) == set()


def test_a_class_that_its_applier_now_names_by_the_stored_key_was_not():
    assert removed(managed(manager("me", K80)), managed(manager("me", STORED_K80))) == set()


def test_a_stored_key_that_somebody_edited_belongs_to_them():
    editor = manager("kubectl-edit", STORED_K80, operation="Update")
    assert removed(managed(manager("me", K80), editor), managed(manager("me"), editor)) == set()


def test_managers_of_plain_updates_keep_the_bare_key_for_ever_and_do_not_count():
    creator = manager("kubectl-create", K80, operation="Update")
    assert removed(managed(manager("me", K80), creator), managed(manager("me"), creator)) == {K80}
    assert removed(managed(creator), managed(manager("kubectl-create", operation="Update"))) == set()


def test_a_subresource_says_nothing_of_the_object():
    assert removed(managed(manager("me", K80, subresource="status")), managed(manager("me"))) == set()


@pytest.mark.parametrize(
    "new",
    [
        {},
        {"metadata": {"managedFields": None}},
        managed(),
        managed({}),
        managed(None, 5),
        managed(manager("x")),
    ],
)
def test_a_reset_of_managed_fields_is_no_removal(new):
    assert removed(managed(manager("me", K80)), new) == set()


@pytest.mark.parametrize(
    "fields", [None, 5, {"f:spec": None}, {"f:spec": {"f:containers": {"k:{": {}, "k:[": 1}}}]
)
def test_fields_that_cannot_be_read_own_nothing(fields):
    odd = managed({"manager": "me", "operation": "Apply", "fieldsV1": fields})
    assert removed(odd, managed(manager("me"))) == set()
    assert removed(managed(manager("me", K80)), odd) == {K80}


def test_removals_are_found_in_thousands_of_containers_in_little_time():
    """A list of owned fields was read again for every container: 3,000 of them took 40 s, and now 0.1 s."""
    names = [f"c{number}" for number in range(3000)]
    limits = {"f:resources": {"f:limits": {f"f:{K80}": {}}}}

    def owned(fields):
        containers = {json.dumps({"name": name}): fields for name in names}
        return {"f:spec": {"f:containers": {f"k:{key}": value for key, value in containers.items()}}}

    entries = [{"manager": "a", "operation": "Apply", "fieldsV1": owned(fields)} for fields in (limits, {})]
    intent = Intent(*map(managed, entries))
    begun = time.process_time()
    found = [
        intent.removed(("spec", "containers", Item(name), "resources", "limits"), container_spelling)
        for name in names
    ]
    assert found == [{K80}] * len(names)
    assert time.process_time() - begun < 4


def test_of_two_containers_of_one_name_in_a_manifest_the_first_counts():
    containers = [{"name": "train", "resources": {"limits": {key: 1}}} for key in (K80, P100)]
    before = json.dumps({"spec": {"containers": containers}})
    assert removed(applied(text=before), applied("cpu")) == {K80}
