"""What a pod asks for, with the arithmetic of Kubernetes."""

import pytest

from webhook.core.values.containers import EPHEMERAL_CONTAINERS, containers
from webhook.core.values.demand import demand

K80 = "resourceclass.io/nvidia.tesla.k80"
P100 = "resourceclass.io/nvidia.tesla.p100"


def container(name, amount=None, key=K80, **more):
    resources = {} if amount is None else {"resources": {"limits": {key: amount}}}
    return {"name": name, **resources, **more}


def sidecar(name, amount):
    return container(name, amount, restartPolicy="Always")


def units(*, init=(), main=(), name="nvidia.tesla.k80"):
    return demand({"initContainers": list(init), "containers": list(main)}).units.get(name, 0)


# The first three are those of kubernetes/kubernetes#131379 and #134880; what counts is what the quota of a
# kube-apiserver 1.36.3 reports for them.
@pytest.mark.parametrize(
    ("init", "main", "expected"),
    [
        ([container("ic1", 1), sidecar("sc", 1), container("ic2", 2)], [container("c1", 1)], 3),
        ([container("ic1", 1), container("ic2", 2), sidecar("sc", 1)], [container("c1", 1)], 2),
        ([sidecar("sc", 2)], [container("c1", 2)], 4),
        ([container("ic1", 5)], [container("c1", 1), container("c2", 1)], 5),
        ([container("ic1", 1)], [container("c1", 1), container("c2", 1)], 2),
        ([sidecar("s1", 1), sidecar("s2", 1)], [], 2),
        ([container("ic1", 1, restartPolicy="Never")], [], 1),
        ([], [], 0),
    ],
)
def test_the_effective_demand_is_the_largest_moment_of_the_pod(init, main, expected):
    assert units(init=init, main=main) == expected


def test_classes_peak_each_in_its_own_moment():
    found = demand({"initContainers": [container("i", 3)], "containers": [container("c", 2, key=P100)]})
    assert found.units == {"nvidia.tesla.k80": 3, "nvidia.tesla.p100": 2}


def test_the_largest_container_is_known_beside_the_sum():
    found = demand({"containers": [container("a", 1), container("b", 3)]})
    assert found.units == {"nvidia.tesla.k80": 4}
    assert found.largest == {"nvidia.tesla.k80": 3}


def test_the_containers_that_ask_are_named_in_order():
    found = demand({"containers": [container("a", 1), container("b"), container("c", 2)]})
    assert [item.ref.name for item in found.by_container] == ["a", "c"]


@pytest.mark.parametrize("zero", ["0", 0, "0.0", "0m", "+0", "-0"])
def test_zero_is_no_request(zero):
    found = demand({"containers": [container("a", zero)]})
    assert not found
    assert found.by_container == ()


# The spellings are those of DataDog/integrations-core PR#17280 and volcano-sh/volcano#822.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e0", 1), ("2E0", 2), ("+2", 2), ("3e0", 3), ("1k", 1000), ("1e3", 1000), ("1Ki", 1024),
        ("2E", 2 * 10**18), ("1e30", 10**30), ("2000m", 2), ("1000000u", 1), ("1.0", 1), ("2.", 2), (1, 1),
    ],
)  # fmt: skip
def test_one_number_has_many_spellings(text, expected):
    assert units(main=[container("a", text)]) == expected


@pytest.mark.parametrize("text", ["0.5", "500m", "1.5", "1500m", "0.1m", "-1", "0x2", "\uff12", "", [], True])
def test_an_amount_that_cannot_count_devices_counts_nothing(text):
    assert not demand({"containers": [container("trainer", text)]})


def test_requests_count_only_where_limits_lack_the_class():
    both = {"name": "a", "resources": {"limits": {K80: 2}, "requests": {K80: 1, P100: 3}}}
    assert demand({"containers": [both]}).units == {"nvidia.tesla.k80": 2, "nvidia.tesla.p100": 3}


def test_bare_and_foreign_keys_are_not_counted():
    other = {"name": "a", "resources": {"limits": {"nvidia.tesla.k80": 1, "nvidia.com/gpu": 1, "cpu": 1}}}
    assert not demand({"containers": [other]})


@pytest.mark.parametrize(
    "spec",
    [
        None,
        5,
        [],
        {},
        {"containers": None, "initContainers": 5},
        {"containers": [None, 5, []]},
        {"containers": [{"name": None, "resources": []}, {"resources": {"limits": [], "requests": None}}]},
    ],
)
def test_a_spec_of_wrong_types_asks_for_nothing(spec):
    assert not demand(spec)


def test_a_container_knows_its_place_and_how_messages_name_it():
    spec = {"initContainers": [container("i"), sidecar("s", 1)], "containers": [{"image": "x"}]}
    first, second, third = containers(spec)
    assert (first.title, first.path, first.is_sidecar) == ('init container "i"', ("initContainers", 0), False)
    assert second.is_sidecar
    assert (third.title, third.name) == ("containers[0]", "")


def test_ephemeral_containers_are_yielded_only_when_asked_for():
    spec = {"ephemeralContainers": [container("debug")]}
    assert list(containers(spec)) == []
    assert [ref.title for ref in containers(spec, EPHEMERAL_CONTAINERS)] == ['ephemeral container "debug"']
