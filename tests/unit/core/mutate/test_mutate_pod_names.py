"""Names and amounts of class requests in a pod that is created."""

import pytest

from tests.unit.core.mutate.objects import CLASSES, K80, STORED_K80, container, mutated, pod, refused
from webhook.core.mutate.pod import mutate_pod
from webhook.core.settings import PodSettings


def resources(obj, kind="containers", index=0):
    return obj["spec"][kind][index]["resources"]


# kyverno/kyverno#1480 and kserve/kserve PR#143: a bare key is no legal resource name, and the server copies
# limits to requests before admission.
def test_a_bare_key_is_stored_qualified_in_limits_and_requests():
    became = mutated(pod(container("c", {K80: 1, "cpu": "2"}, {K80: 1, "cpu": "1"})))
    assert resources(became) == {
        "limits": {STORED_K80: 1, "cpu": "2"},
        "requests": {STORED_K80: 1, "cpu": "1"},
    }


def test_init_containers_are_renamed_too():
    became = mutated(pod(container("c"), initContainers=[container("i", {K80: 1})]))
    assert resources(became, "initContainers") == {"limits": {STORED_K80: 1}}


@pytest.mark.parametrize(("bare", "stored"), [(2, 1), (1, 1), ("0", 1), (1, "0")])
def test_of_two_spellings_the_bare_one_wins_and_they_are_never_added_up(bare, stored):
    became = mutated(pod(container("c", {STORED_K80: stored, K80: bare}, {STORED_K80: stored, K80: bare})))
    assert resources(became) == {"limits": {STORED_K80: bare}, "requests": {STORED_K80: bare}}


def test_a_bare_key_that_is_no_class_is_left_to_the_api_server():
    plain = pod(container("c", {"some.thing.else": 1, "hugepages-2Mi": "2Mi"}))
    assert mutated(plain) is plain


@pytest.mark.parametrize("typed", ["nvidia.tesla.k8", "NVIDIA.Tesla.K80", "nvidia-tesla-k80"])
def test_a_bare_key_that_is_nearly_a_class_is_refused_and_named(typed):
    assert refused(pod(container("train", {typed: 1}, {typed: 1}))) == [
        ("UnknownClass", f'container "train": "{typed}" is no class; did you mean {K80}?')
    ]


def test_a_stored_class_that_does_not_exist_is_refused_with_the_near_name():
    ((reason, message),) = refused(pod(container("train", {"resourceclass.io/nvidia.tesla.k8": 1})))
    assert reason == "UnknownClass"
    assert message == (
        'container "train" asks for resourceclass.io/nvidia.tesla.k8, but there is no class '
        f'"nvidia.tesla.k8"; did you mean {STORED_K80}?'
    )


def test_a_stored_class_that_is_near_to_none_is_refused_with_the_way_to_see_them():
    ((_, message),) = refused(pod(container("train", {"resourceclass.io/fpga": 1})))
    assert message.endswith('there is no class "fpga"; kubectl get resourceclasses lists the classes')


@pytest.mark.parametrize("key", ["broken", "resourceclass.io/broken"])
def test_a_class_that_cannot_be_read_is_refused_with_what_is_wrong_with_it(key):
    ((reason, message),) = refused(pod(container("train", {key: 1})))
    assert reason == "BrokenClass"
    assert message.startswith(
        'container "train" asks for class broken, which cannot be read: spec.selector is empty'
    )


def test_two_shares_in_one_container_are_refused():
    ((reason, message),) = refused(pod(container("train", {"share-2g": 1, "share-8g": 1})))
    assert reason == "ConflictingClasses"
    assert message.startswith('container "train" asks for share-2g and share-8g, which are both shares')


def test_two_shares_in_two_containers_are_fine():
    mutated(pod(container("a", {"share-2g": 1}), container("b", {"share-8g": 1})))


@pytest.mark.parametrize("key", ["resourceclass.io/fpga", "resourceclass.io/broken"])
def test_zero_of_a_class_that_cannot_be_served_is_no_request(key):
    zero = pod(container("c", {key: 0}))
    assert mutated(zero) is zero


# NVIDIA/k8s-device-plugin#61, NVIDIA/gpu-operator#284: zero made the pod a GPU pod, or gave it every device.
def test_a_pod_that_asks_for_zero_gets_its_names_and_nothing_else():
    became = mutated(pod(container("c", {K80: "0"}), schedulerName="default-scheduler"))
    assert became["spec"] == pod(container("c", {STORED_K80: "0"}), schedulerName="default-scheduler")["spec"]


# volcano-sh/volcano#822, skypilot-org/skypilot#2655: fractions became whole numbers, or zero.
@pytest.mark.parametrize("amount", ["0.5", "500m", "1.5", "1500m", "0.1m"])
@pytest.mark.parametrize("key", [K80, STORED_K80])
def test_a_fraction_is_refused_naming_the_container_and_the_key_as_typed(key, amount):
    message = (
        f"container \"trainer\": {key}: '{amount}' must be a whole number; "
        "a device cannot be asked for in fractions"
    )
    assert refused(pod(container("trainer", {key: amount}, {key: amount}))) == [("BadAmount", message)]


@pytest.mark.parametrize("amount", ["-1", "0x2", "", True, [], "one"])
def test_negatives_and_nonsense_are_refused(amount):
    ((reason, message),) = refused(pod(container("trainer", {K80: amount})))
    assert reason == "BadAmount"
    assert message.startswith(f'container "trainer": {K80}: ')


@pytest.mark.parametrize("amount", ["2000m", "2.", "+2", "2e0"])
def test_another_spelling_of_a_whole_number_is_stored_as_typed(amount):
    assert resources(mutated(pod(container("c", {K80: amount}))))["limits"] == {STORED_K80: amount}


# kubernetes/kubernetes PR#57170: over-commitment must not slip past the quota.
@pytest.mark.parametrize("key", [K80, STORED_K80])
@pytest.mark.parametrize(("limit", "said"), [(None, "limits for none"), ("2", "limits ask for 2")])
def test_requests_without_equal_limits_are_refused_by_the_key_as_typed(key, limit, said):
    limits = {} if limit is None else {key: limit}
    ((reason, message),) = refused(pod(container("c", limits, {key: "1"})))
    assert reason == "BadAmount"
    assert message.startswith(f'container "c": {key}: ')
    assert said in message


def test_equal_amounts_in_two_spellings_are_equal():
    mutated(pod(container("c", {K80: "2000m"}, {K80: 2})))


# argoproj/argo-workflows PR#16399: pod-level budgets were copied into containers.
def test_resources_of_the_pod_itself_stay_as_they_are():
    budget = {"limits": {"cpu": "2", "memory": "1Gi"}}
    assert mutated(pod(container("c", {K80: 1}), resources=budget))["spec"]["resources"] == budget


def test_a_bare_class_at_pod_level_is_refused_and_sent_to_a_container():
    ((reason, message),) = refused(pod(container("c"), resources={"limits": {K80: 1}}))
    assert reason == "InvalidObject"
    assert message.startswith(f"spec.resources asks for {K80}: ")
    assert "move it to the resources of the container" in message


def test_a_stored_class_at_pod_level_is_the_api_servers_to_refuse():
    misplaced = pod(container("c"), resources={"limits": {STORED_K80: 1}})
    assert mutated(misplaced) is misplaced


def test_all_faults_are_reported_at_once():
    wrong = pod(
        container("a", {K80: "0.5", "nvidia.tesla.k8": 1}),
        container("b", {"resourceclass.io/fpga": 1, "share-2g": 1, "share-8g": 1}),
        schedulerName="volcano",
    )
    reasons = [reason for reason, _ in refused(wrong)]
    assert sorted(reasons) == [
        "BadAmount",
        "ConflictingClasses",
        "ForeignScheduler",
        "UnknownClass",
        "UnknownClass",
    ]


def test_a_change_says_where_what_and_why():
    outcome = mutate_pod(pod(container("c", {K80: 0})), CLASSES, PodSettings())
    (change,) = outcome.changes
    assert change.place == "spec.containers[0].resources.limits"
    assert change.what == f"{K80} becomes {STORED_K80}"
    assert change.why


@pytest.mark.parametrize("spec", [None, 5, [], "x"])
def test_a_pod_without_a_spec_is_the_api_servers_to_refuse(spec):
    odd = {"kind": "Pod", "spec": spec}
    assert mutated(odd) is odd
