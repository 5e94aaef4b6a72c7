"""Whatever a review holds, the webhook answers with a verdict; and what it makes of sound pods is final."""

import base64

import jsonpatch
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.admission.engine import Engine
from webhook.admission.overlay import Overlay
from webhook.admission.played.local import LocalWebhook
from webhook.admission.played.server import PlayedApiServer
from webhook.admission.played.verdict import Party
from webhook.cluster.folder import FolderCluster
from webhook.core.settings import PodSettings
from webhook.wire.answer import answer
from webhook.wire.review import parse

CLASSES = {
    "k80": {},
    "share": {"share": {"memory": "2GiB"}},
    "amd": {"pod": {"deviceEnv": ["ROCR_VISIBLE_DEVICES"], "tolerations": [{"key": "amd"}]}},
    "ib": {"delivery": "DevicePlugin", "pod": {"runtimeClassName": "rdma"}},
    "closed": {"namespaces": {"matchLabels": {"team": "ml"}}},
}
KEYS = [prefix + name for prefix in ("", "resourceclass.io/") for name in (*CLASSES, "k8O", "cpu", "fpga")]


def folder():
    cluster = FolderCluster(None)
    for name, spec in CLASSES.items():
        selector = {"selector": {"matchLabels": {"model": name}}}
        cluster.create(
            {
                "apiVersion": "resourceclass.io/v1alpha1",
                "kind": "ResourceClass",
                "metadata": {"name": name},
                "spec": selector | spec,
            }
        )
    hard = {"requests.resourceclass.io/k80": "2"}
    cluster.create(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q", "namespace": "team-a"},
            "spec": {"hard": hard},
        }
    )
    return cluster


CLUSTER = folder()
ENGINE = Engine(CLUSTER, PodSettings())

TEXT = st.text(max_size=5) | st.sampled_from(["a/b", "~1", "\u00e9", "\U0001f680", *KEYS])
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | TEXT
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)
ODD = st.none() | JSON
AMOUNTS = st.sampled_from([0, 1, "1", "2", "2000m", "0.5", "-1", "1e3", "x", None]) | ODD


def odd(**fields):
    """Maps whose fields may be right, missing, null or of any other type."""
    return st.fixed_dictionaries({}, optional={key: value | ODD for key, value in fields.items()})


RESOURCES = odd(
    limits=st.dictionaries(st.sampled_from(KEYS), AMOUNTS, max_size=3),
    requests=st.dictionaries(st.sampled_from(KEYS), AMOUNTS, max_size=3),
)
ENV = st.lists(odd(name=st.sampled_from(["NVIDIA_VISIBLE_DEVICES", "A"]), value=TEXT), max_size=2)
CONTAINER = odd(name=TEXT, resources=RESOURCES, env=ENV, restartPolicy=st.just("Always"))
AFFINITY = odd(nodeAffinity=odd(requiredDuringSchedulingIgnoredDuringExecution=odd(nodeSelectorTerms=ODD)))
POD_SPEC = odd(
    containers=st.lists(CONTAINER, max_size=3),
    initContainers=st.lists(CONTAINER, max_size=2),
    ephemeralContainers=st.lists(CONTAINER, max_size=2),
    affinity=AFFINITY,
    schedulerName=TEXT,
    tolerations=ODD,
    nodeName=TEXT,
)
METADATA = odd(name=TEXT, annotations=st.dictionaries(TEXT, TEXT, max_size=2), managedFields=ODD, labels=ODD)
POD = odd(metadata=METADATA, spec=POD_SPEC)
TEMPLATE = odd(spec=POD_SPEC, metadata=METADATA)
JOB_TEMPLATE = odd(spec=odd(template=TEMPLATE))
WORKLOAD = odd(metadata=METADATA, spec=odd(template=TEMPLATE, replicas=ODD, jobTemplate=JOB_TEMPLATE))
AMOUNT_MAP = st.dictionaries(st.sampled_from(KEYS), AMOUNTS, max_size=3)
QUOTA = odd(metadata=METADATA, spec=odd(hard=AMOUNT_MAP))
LIMITS = st.lists(odd(max=AMOUNT_MAP, default=AMOUNT_MAP), max_size=2)
LIMIT_RANGE = odd(metadata=METADATA, spec=odd(limits=LIMITS))
CLASS = odd(metadata=METADATA, spec=odd(selector=ODD, share=ODD, pod=ODD, namespaces=ODD, quota=ODD))

SUBJECTS = {
    "pods": ("", "Pod", "", POD),
    "ephemeral containers": ("", "Pod", "ephemeralcontainers", POD),
    "deployments": ("apps", "Deployment", "", WORKLOAD),
    "jobs": ("batch", "Job", "", WORKLOAD),
    "cronjobs": ("batch", "CronJob", "", WORKLOAD),
    "quotas": ("", "ResourceQuota", "", QUOTA),
    "limit ranges": ("", "LimitRange", "", LIMIT_RANGE),
    "classes": ("resourceclass.io", "ResourceClass", "", CLASS),
    "anything": ("", "Pod", "", st.dictionaries(TEXT, JSON, max_size=4)),
}


def body(subject, operation, document, old):
    group, kind, sub_resource, _ = SUBJECTS[subject]
    request = {
        "uid": "u-1",
        "operation": operation,
        "kind": {"group": group, "version": "v1", "kind": kind},
        "subResource": sub_resource,
        "namespace": "team-a",
        "object": document,
        "oldObject": old,
    }
    return orjson.dumps(
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request},
        option=orjson.OPT_NON_STR_KEYS,
    )


def response(raw, *, mutate, isolated):
    request = parse(raw)
    decide = ENGINE.mutate if mutate else ENGINE.validate
    outcome = decide(request, isolated=isolated)
    return orjson.loads(answer(request, outcome, patch=mutate))["response"]


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("isolated", [False, True])
@given(data=st.data())
def test_whatever_is_written_gets_a_verdict_and_a_patch_that_applies(subject, isolated, data):
    documents = SUBJECTS[subject][-1]
    document = data.draw(documents)
    operation = data.draw(st.sampled_from(["CREATE", "UPDATE"]))
    old = data.draw(st.none() | documents) if operation == "UPDATE" else None
    raw = body(subject, operation, document, old)
    found = response(raw, mutate=True, isolated=isolated)
    if "patch" in found:
        jsonpatch.apply_patch(document, orjson.loads(base64.b64decode(found["patch"])))
    assert found["allowed"] or found["status"]["code"] in {403, 422}


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("isolated", [False, True])
@given(data=st.data())
def test_whatever_is_stored_gets_a_verdict(subject, isolated, data):
    documents = SUBJECTS[subject][-1]
    operation = data.draw(st.sampled_from(["CREATE", "UPDATE", "DELETE"]))
    document = data.draw(documents)
    new, old = (None, document) if operation == "DELETE" else (document, data.draw(st.none() | documents))
    found = response(body(subject, operation, new, old), mutate=False, isolated=isolated)
    assert found["allowed"] or found["status"]["message"]


def sound_container(name):
    amounts = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["0", "1", "2"]), max_size=2)
    return st.fixed_dictionaries(
        {
            "name": st.just(name),
            "image": st.just("i"),
            "resources": st.fixed_dictionaries({"limits": amounts}),
        }
    )


SOUND_PODS = st.fixed_dictionaries(
    {"containers": st.tuples(sound_container("a"), sound_container("b")).map(list)},
    optional={"initContainers": st.tuples(sound_container("prep")).map(list)},
)


@given(spec=SOUND_PODS)
def test_what_mutation_makes_of_a_sound_pod_is_final(spec):
    overlay = Overlay(CLUSTER)
    webhook = LocalWebhook(Engine(overlay, PodSettings()))
    document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "team-a"},
        "spec": spec,
    }
    verdict = PlayedApiServer(webhook, overlay).create(document)
    assert "is not as ResourceClass writes it" not in verdict.message
    # The server is left with what no rule may judge: names of no class. Every quota was judged before.
    assert (verdict.refused_by, verdict.code) != (Party.SERVER, 403)
