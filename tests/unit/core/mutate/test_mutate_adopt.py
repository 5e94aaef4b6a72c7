"""Plain pods of namespaces that adopt."""

import pytest

from tests.unit.core.mutate.objects import (
    CLASSES,
    K80,
    STORED_K80,
    STORED_P100,
    VOID,
    container,
    env,
    from_annotation,
    gt,
    pod,
    terms,
)
from webhook.core.mutate.pod import mutate_adoptable, mutate_pod
from webhook.core.settings import PodSettings

GPU = "nvidia.com/gpu"
WHY = f"in this namespace whoever asks for {GPU} asks for class {K80}: label resourceclass.io/adopt"
ASK = "ask an administrator to correct the label or the class"


def outcome(obj, adopter=K80, **settings):
    return mutate_adoptable(obj, CLASSES, PodSettings(**settings), adopter)


def adopted(obj, adopter=K80, **settings):
    became = outcome(obj, adopter, **settings)
    assert became.faults == ()
    return became.object


def faults(obj, adopter=K80):
    refused = outcome(obj, adopter)
    assert refused.object is obj
    return [(fault.reason.value, fault.message) for fault in refused.faults]


def gpus(amount=1, name="train", **more):
    return container(name, {GPU: amount}, {GPU: amount}, **more)


def resources(became, index=0, kind="containers"):
    return became["spec"][kind][index]["resources"]


def test_who_asks_for_the_vendors_resource_asks_for_the_class_as_well():
    wanted = {GPU: 2, STORED_K80: 2}
    assert resources(adopted(pod(gpus(2)))) == {"limits": wanted, "requests": wanted}


def test_an_adopted_pod_gets_everything_that_a_class_pod_gets():
    became = adopted(pod(gpus(2), container("web")))
    assert became["spec"]["schedulerName"] == "resourceclass-scheduler"
    assert terms(became) == [{"matchExpressions": [gt(f"class.resourceclass.io/{K80}", 1)]}]
    source = "devices.resourceclass.io/train"
    assert env(became)[0] == from_annotation("NVIDIA_VISIBLE_DEVICES", source)
    assert env(became, 1) == [VOID]


def test_an_adopted_pod_is_as_if_it_had_named_the_class_itself():
    limits = {GPU: 1, STORED_K80: 1}
    asked = pod(container("train", limits, limits), container("web"))
    assert adopted(pod(gpus(), container("web"))) == mutate_pod(asked, CLASSES, PodSettings()).object


@pytest.mark.parametrize("more", [{}, {"restartPolicy": "Always"}])
def test_init_containers_and_sidecars_are_adopted(more):
    became = adopted(pod(container("web"), initContainers=[gpus(3, **more)]))
    assert resources(became, kind="initContainers")["limits"] == {GPU: 3, STORED_K80: 3}
    assert "resources" not in became["spec"]["containers"][0]


def test_a_class_adopts_by_the_resource_that_it_names():
    assert resources(adopted(pod(container("c", {"amd.com/gpu": 1})), "mi300"))["limits"] == {
        "amd.com/gpu": 1,
        "resourceclass.io/mi300": 1,
    }
    other = pod(gpus())
    assert adopted(other, "mi300") is other


@pytest.mark.parametrize(
    "obj",
    [
        pod(container("c")),
        pod(container("c", {"cpu": "1"})),
        pod(container("c", {"rdma/hca": 1})),
        pod(gpus(0)),
        pod(gpus("0")),
        pod(gpus(None)),
        {"kind": "Pod", "spec": None},
        {"kind": "Pod", "spec": {"containers": 5}},
    ],
)
def test_a_pod_that_asks_for_none_of_it_is_left_as_it_is(obj):
    assert adopted(obj) is obj


def test_a_pod_that_asks_for_a_class_is_served_as_anywhere():
    asked = pod(container("c", {"nvidia.tesla.p100": 1}), gpus())
    became = adopted(asked)
    assert became == mutate_pod(asked, CLASSES, PodSettings()).object
    assert resources(became)["limits"] == {STORED_P100: 1}
    assert resources(became, 1)["limits"] == {GPU: 1}


def test_a_request_for_no_unit_of_a_class_keeps_nobody_from_being_adopted():
    # A LimitRange with `default: 0` writes such requests into every container.
    limits = {GPU: 1, STORED_K80: "0", STORED_P100: "0"}
    assert resources(adopted(pod(container("c", limits, limits))))["limits"] == {
        GPU: 1,
        STORED_K80: 1,
        STORED_P100: "0",
    }


def test_a_second_call_changes_nothing():
    first = adopted(pod(gpus(), container("web")))
    assert adopted(first) is first


def test_a_device_variable_by_hand_is_dropped_with_a_warning():
    by_hand = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}
    assert outcome(pod(gpus(env=[by_hand]))).warnings == (
        'container "train": NVIDIA_VISIBLE_DEVICES was set by hand and is dropped; the webhook sets it',
    )


def test_the_changes_say_why():
    assert outcome(pod(gpus())).changes[0].why == WHY


@pytest.mark.parametrize(
    ("obj", "reason", "message"),
    [
        (
            pod(gpus("0.5")),
            "BadAmount",
            (
                f"container \"train\": {GPU}: '0.5' must be a whole number; a device cannot be asked for "
                "in fractions"
            ),
        ),
        (
            pod(container("train", None, {GPU: 1})),
            "BadAmount",
            f'container "train": {GPU}: requests ask for 1 and limits for none; set limits alone',
        ),
        (
            pod(gpus(), schedulerName="volcano"),
            "ForeignScheduler",
            (
                'spec.schedulerName is "volcano": a pod that asks for a class is placed by '
                "resourceclass-scheduler; leave schedulerName out"
            ),
        ),
    ],
)
def test_what_a_class_pod_is_refused_for_is_said_with_the_reason_why_it_is_one(obj, reason, message):
    assert faults(obj) == [(reason, f"{message} ({WHY})")]


def test_a_pod_that_asks_for_a_class_is_refused_without_that_reason():
    ((_, message),) = faults(pod(container("c", {K80: "0.5"}), gpus(0)))
    assert WHY not in message


@pytest.mark.parametrize(
    ("adopter", "why"),
    [
        ("nvidia.tesla.k8", f"which does not exist (did you mean {K80}?)"),
        ("other", "which does not exist"),
        ("", "which does not exist"),
        ("broken", "which cannot be read: spec.selector is empty and would match every device"),
    ],
)
def test_a_class_that_is_not_there_refuses_whoever_asks_for_a_vendors_device(adopter, why):
    for key in (GPU, "amd.com/gpu"):
        ((reason, message),) = faults(pod(container("c", {key: 1})), adopter)
        assert reason == "CannotAdopt"
        assert message.startswith(
            f'the namespace adopts pods that ask for devices as class "{adopter}" '
            f"(label resourceclass.io/adopt), {why}"
        )
        assert message.endswith(ASK)


def test_a_class_that_is_not_there_is_no_matter_of_pods_without_devices():
    plain = pod(container("c", {"cpu": 1}))
    assert adopted(plain, "other") is plain


@pytest.mark.parametrize(
    ("adopter", "why"),
    [("share-2g", "its units are shares of a device"), ("ib", "the kubelet mounts its devices")],
)
def test_a_class_that_a_device_plugin_cannot_count_adopts_nobody(adopter, why):
    ((reason, message),) = faults(pod(gpus()), adopter)
    assert (reason, why in message) == ("CannotAdopt", True)
    assert f"as class {adopter} (label resourceclass.io/adopt)" in message


def test_such_a_class_is_no_matter_of_pods_with_other_devices():
    other = pod(container("c", {"rdma/hca": 1}))
    assert adopted(other, "share-2g") is other
