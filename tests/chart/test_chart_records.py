"""Only the binder and the agent write which devices a pod holds. Both webhooks are down here."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.samples import AGENT, BINDER, Json, container, pod_of
from tests.chart.templated import MAKE
from tests.harness.api import STRATEGIC_PATCH, Answer, Api
from tests.harness.cluster import fresh_namespace
from tests.harness.waiting import until

RECORD = "resourceclass.io/allocation"
RECORDS = [RECORD, "devices.resourceclass.io/main", "rocr-visible-devices.devices.resourceclass.io/main"]
OTHERS = ["resourceclass.io/note", "example.com/devices.resourceclass.io", "xdevices.resourceclass.io/main"]

SUBRESOURCES = ["", "status", "ephemeralcontainers", "resize"]
# Each subresource stores its own part of a pod; whether it takes annotations over too is the server's affair.
BODIES: dict[str, Json] = {
    "": {},
    "status": {"status": {"message": "some"}},
    "ephemeralcontainers": {"spec": {"ephemeralContainers": [container("debug")]}},
    "resize": {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]}},
}


@pytest.fixture
def recorded(installed: Api, namespace: str) -> Json:
    """A pod with a record and an annotation of a user's own."""
    annotations = dict.fromkeys([*RECORDS, "example.com/own"], "GPU-0")
    pod = pod_of(container(resources={"requests": {"cpu": "1"}}), annotations=annotations)
    return as_binder(installed).create(pod, namespace).must()


def as_binder(api: Api) -> Api:
    return api.impersonate(BINDER, "system:masters")


def annotate(api: Api, pod: Json, annotations: Json, subresource: str = "") -> Answer:
    """Patches annotations of a stored pod, through one of its subresources."""
    patch = {**BODIES[subresource], "metadata": {"annotations": annotations}}
    where: dict[str, Any] = {"subresource": subresource, "content_type": STRATEGIC_PATCH}
    return api.patch("Pod", pod["metadata"]["name"], patch, pod["metadata"]["namespace"], **where)


def assert_refused(answer: Answer, annotation: str) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden")
    assert f"annotation {annotation} records which devices a pod holds" in answer.message


@pytest.mark.parametrize("annotation", RECORDS)
def test_a_pod_made_with_a_record_is_refused(installed: Api, namespace: str, annotation: str) -> None:
    answer = installed.create(pod_of(container(), annotations={annotation: "GPU-0"}), namespace)

    assert_refused(answer, annotation)
    assert "remove it from the manifest" in answer.message


@pytest.mark.parametrize("annotation", OTHERS)
def test_other_annotations_are_free(installed: Api, namespace: str, annotation: str) -> None:
    installed.create(pod_of(container(), annotations={annotation: "x"}), namespace).must()


@pytest.mark.parametrize("user", [BINDER, AGENT])
def test_the_binder_and_the_agent_may_write_records(installed: Api, recorded: Json, user: str) -> None:
    annotate(installed.impersonate(user, "system:masters"), recorded, {RECORD: "GPU-1"}).must()


@pytest.mark.parametrize(
    "user",
    [
        "system:serviceaccount:resourceclass-system:resourceclass-webhook",
        "system:serviceaccount:default:resourceclass-binder",
        "system:kube-scheduler",
        "system:node:node-a",
    ],
)
def test_no_other_identity_may(installed: Api, recorded: Json, user: str) -> None:
    assert_refused(
        annotate(installed.impersonate(user, "system:masters"), recorded, {RECORD: "GPU-1"}), RECORD
    )


@pytest.mark.parametrize("annotation", RECORDS)
@pytest.mark.parametrize("subresource", SUBRESOURCES)
@pytest.mark.parametrize("value", ["GPU-1", None], ids=["changed", "removed"])
def test_a_record_that_is_there_stays_as_it_is(
    installed: Api, recorded: Json, subresource: str, annotation: str, value: str | None
) -> None:
    assert_refused_or_ignored(installed, recorded, {annotation: value}, subresource, annotation)


@pytest.mark.parametrize("subresource", SUBRESOURCES)
def test_a_record_is_not_added_later(installed: Api, namespace: str, subresource: str) -> None:
    pod = installed.create(pod_of(container(resources={"requests": {"cpu": "1"}})), namespace).must()

    assert_refused_or_ignored(installed, pod, {RECORD: "GPU-0"}, subresource, RECORD)


def assert_refused_or_ignored(
    api: Api, pod: Json, annotations: Json, subresource: str, annotation: str
) -> None:
    """The server may also drop the annotations before admission sees them: then nothing was written."""
    answer = annotate(api, pod, annotations, subresource)
    if subresource in ("", "status"):
        assert_refused(answer, annotation)
    elif answer.ok:
        assert answer.body["metadata"].get("annotations") == pod["metadata"].get("annotations")
    else:
        assert_refused(answer, annotation)


@pytest.mark.parametrize("subresource", SUBRESOURCES)
def test_changes_that_leave_the_record_alone_pass(installed: Api, recorded: Json, subresource: str) -> None:
    annotate(installed, recorded, {"example.com/own": "changed"}, subresource).must()


def test_a_pod_replaced_from_a_manifest_without_its_record_is_refused(installed: Api, recorded: Json) -> None:
    recorded["metadata"]["annotations"] = None

    answer = installed.update(recorded)

    assert answer.code == 403
    assert all(record in answer.message for record in RECORDS)
    assert "leave it as it is" in answer.message


@pytest.mark.parametrize("path", ["pods/{name}/binding", "bindings"])
@pytest.mark.parametrize("user", [None, "system:kube-scheduler"])
def test_a_binding_does_not_smuggle_a_record_in(
    installed: Api, namespace: str, path: str, user: str | None
) -> None:
    api = installed.impersonate(user, "system:masters") if user else installed

    assert_refused(bind(api, namespace, path, {RECORD: "GPU-0"}), RECORD)


@pytest.mark.parametrize("path", ["pods/{name}/binding", "bindings"])
def test_the_binder_binds_with_a_record(installed: Api, namespace: str, path: str) -> None:
    bind(as_binder(installed), namespace, path, {RECORD: "GPU-0"}).must()


def test_a_binding_without_a_record_passes(installed: Api, namespace: str) -> None:
    bind(installed, namespace, "pods/{name}/binding", {}).must()


def bind(api: Api, namespace: str, path: str, annotations: Json) -> Answer:
    """Binds a new pod to a node by one of the two ways that the API has."""
    name = api.create(pod_of(container()), namespace).must()["metadata"]["name"]
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "annotations": annotations},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "node-a"},
    }
    return api.request("POST", f"/api/v1/namespaces/{namespace}/{path.format(name=name)}", binding)


def test_a_record_in_a_template_makes_no_pods(installed: Api, namespace: str) -> None:
    workload = MAKE["ReplicaSet"]([container()])
    workload["spec"]["template"]["metadata"]["annotations"] = {RECORD: "GPU-0"}
    installed.create(workload, namespace).must()

    def reported() -> bool:
        status = installed.get("ReplicaSet", "some", namespace).must()["status"]
        return any(f"annotation {RECORD} records" in c["message"] for c in status.get("conditions", []))

    until(reported, "the ReplicaSet reports the refusal")
    assert installed.items("Pod", namespace) == []


@pytest.mark.parametrize(
    "labels", [{"resourceclass.io/webhook": "ignore"}, {"resourceclass.io/enforce": "off"}]
)
def test_no_label_of_a_namespace_opts_out(installed: Api, labels: Json) -> None:
    with fresh_namespace(installed, labels) as namespace:
        answer = installed.create(pod_of(container(), annotations={RECORD: "GPU-0"}), namespace)

    assert_refused(answer, RECORD)


@pytest.mark.parametrize("namespace_of_system", ["kube-system", "resourceclass-system"])
def test_no_namespace_is_exempt(installed: Api, namespace_of_system: str) -> None:
    pod = pod_of(container(), annotations={RECORD: "x"}, labels={"resourceclass.io/webhook": "ignore"})

    assert_refused(installed.create(pod, namespace_of_system), RECORD)
