"""Properties of validation: it answers for anything, edits nothing, and agrees with the API server."""

import copy

from hypothesis import given
from hypothesis import strategies as st

from webhook.core.mutate.pod import mutate_pod
from webhook.core.outcome import Outcome, Reason
from webhook.core.settings import PodSettings
from webhook.core.validate.enforce import enforce
from webhook.core.validate.facts import PodFacts, WorkloadFacts
from webhook.core.validate.pod import validate_ephemeral, validate_pod
from webhook.core.validate.quota import judge
from webhook.core.validate.resource_class import validate_class, validate_class_delete
from webhook.core.validate.workload import validate_workload
from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind
from webhook.core.values.quantity import NANOS
from webhook.core.values.usage import Usage

NAMES = ("k80", "k80.2g", "any")
SELECTOR = {"matchLabels": {"model": "K80"}}
ANY_MODEL = {"matchExpressions": [{"key": "model", "operator": "Exists"}]}


def a_class(name, selector=SELECTOR, **spec):
    return {"metadata": {"name": name}, "spec": {"selector": selector, **spec}}


CLASSES = Classes.of(
    [
        a_class("k80", namespaces={"matchLabels": {"a": "b"}}),
        a_class("k80.2g", share={"memory": "2GiB"}),
        a_class("any", ANY_MODEL),
    ]
)
KINDS = (DeviceKind({"model": "K80", "memory": "11441"}, 2),)
SETTINGS = PodSettings()

NONSENSE = st.sampled_from(
    [None, True, 0, -1, 1.5, "", "x", "ü/~1", [], {}, [None], {"a": None}, [[]], {"": {}}]
)


def places(node, path=()):
    """Yield the path of everything inside a document."""
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, value in inside:
        yield (*path, step)
        yield from places(value, (*path, step))


def put(node, path, value):
    if not path:
        return value
    copied = dict(node) if isinstance(node, dict) else list(node)
    copied[path[0]] = put(node[path[0]], path[1:], value)
    return copied


@st.composite
def mangled(draw, sound):
    """Draw a sound document and put nonsense into up to three places of it."""
    document = draw(sound)
    for _ in range(draw(st.integers(0, 3))):
        known = list(places(document))
        if known:
            document = put(document, draw(st.sampled_from(known)), draw(NONSENSE))
    return document


def choice(*values):
    return st.sampled_from(values)


AMOUNTS = choice("1", "2", "0", "3", "1e0", "2k", 1, "1.5", "-1", "x")
OTHER_KEYS = st.lists(choice("k80.2g", "any", "gone"), max_size=2)
LIMIT_RANGER = (
    "LimitRanger plugin set: resourceclass.io/k80 request for container a; cpu limit for container b"
)
TERM = {"namespaces": ["a"], "topologyKey": "x"}
AFFINITY = {
    "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]},
    "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": TERM}]},
}


@st.composite
def containers(draw, names):
    made = []
    for name in names:
        keys = ["k80", *draw(OTHER_KEYS)]
        limits = {"resourceclass.io/" + key: draw(AMOUNTS) for key in keys}
        resources = {"limits": limits, "requests": {**limits, "cpu": "1"}}
        made.append({"name": name, "resources": resources, "restartPolicy": draw(choice("Always", None))})
    return made


POD_SPECS = st.fixed_dictionaries(
    {"containers": containers("ab")},
    optional={
        "initContainers": containers("c"),
        "nodeName": choice("", "node-a"),
        "activeDeadlineSeconds": choice(0, 5),
        "priorityClassName": choice("high", "low"),
        "affinity": st.just(AFFINITY),
        "resources": choice({}, {"limits": {"cpu": "1"}}),
    },
)
PODS = st.fixed_dictionaries(
    {
        "metadata": choice(
            {"labels": {"resourceclass.io/webhook": "ignore"}},
            {"annotations": {"kubernetes.io/limit-ranger": LIMIT_RANGER}},
        ),
        "spec": POD_SPECS,
        "status": choice({}, {"qosClass": "BestEffort"}),
    }
)
HIGH_ALONE = {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}
NO_PRIORITY = {"scopeName": "PriorityClass", "operator": "DoesNotExist"}
SCOPES = choice(
    {},
    {"scopes": ["NotTerminating"]},
    {"scopes": ["BestEffort", "CrossNamespacePodAffinity"]},
    {"scopeSelector": {"matchExpressions": [HIGH_ALONE]}},
    {"scopeSelector": {"matchExpressions": [NO_PRIORITY]}},
)


@st.composite
def quotas(draw):
    made = []
    for name in draw(choice("", "q", "qr")):
        hard = {"requests.resourceclass.io/" + key: draw(AMOUNTS) for key in ("k80", "any")}
        used = dict.fromkeys(hard, draw(AMOUNTS))
        status = draw(choice({"hard": hard, "used": used}, {"hard": {}, "used": used}, None))
        made.append({"metadata": {"name": name}, "spec": {"hard": hard, **draw(SCOPES)}, "status": status})
    return made


USAGES = st.none() | st.lists(
    st.builds(Usage, st.just("team-a"), choice("p", "pod-1"), choice(*NAMES), st.integers(1, 9)), max_size=3
)
LABELS = st.dictionaries(
    choice("resourceclass.io/enforce", "resourceclass.io/enforce-workloads", "a"),
    choice("deny", "warn", "off", "b", ""),
)
COUNT = st.integers(0, 5)
SURGING = {"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 0}}
TEMPLATES = st.fixed_dictionaries({"spec": POD_SPECS})
JOBS = st.fixed_dictionaries({"template": TEMPLATES, "parallelism": COUNT, "completions": COUNT})
WORKLOADS = st.fixed_dictionaries(
    {
        "kind": choice("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "PodTemplate"),
        "metadata": choice(
            {"name": "w"}, {"generateName": "w-"}, {"ownerReferences": [{"controller": True}]}
        ),
        "spec": st.fixed_dictionaries(
            {
                "template": TEMPLATES,
                "replicas": COUNT,
                "parallelism": COUNT,
                "jobTemplate": st.fixed_dictionaries({"spec": JOBS}),
                "strategy": choice({}, {"type": "Recreate"}, SURGING),
            }
        ),
    }
)
CLASS_OBJECTS = choice(
    a_class("k80"),
    a_class("k80", [SELECTOR, ANY_MODEL], share={"memory": "2GiB"}, quota={"default": 2}),
    a_class("k80", namespaces={"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}),
    a_class("k80", delivery="DevicePlugin", pod={"tolerations": [{"key": "a"}], "deviceEnv": ["A"]}),
)


def is_an_answer(outcome):
    sentences = [*outcome.warnings, *(fault.message for fault in outcome.faults)]
    return isinstance(outcome, Outcome) and all(sentence.strip() == sentence != "" for sentence in sentences)


@given(mangled(PODS), mangled(quotas()), USAGES, LABELS, st.booleans())
def test_any_pod_and_any_quotas_get_an_answer_and_stay_as_they_are(
    pod, some_quotas, usage, some_labels, isolated
):
    facts = PodFacts(CLASSES, "team-a", some_labels, some_quotas, KINDS, usage)
    before = copy.deepcopy((pod, some_quotas))
    outcome = enforce(validate_pod(pod, facts, SETTINGS, isolated=isolated), some_labels)
    assert is_an_answer(outcome)
    assert outcome.object is pod
    assert (pod, some_quotas) == before


@given(mangled(PODS), mangled(PODS))
def test_any_update_of_ephemeral_containers_gets_an_answer(pod, old):
    assert is_an_answer(validate_ephemeral(pod, old, CLASSES))


@given(mangled(WORKLOADS), st.none() | WORKLOADS, mangled(quotas()), LABELS)
def test_any_workload_gets_an_answer_in_warnings_that_the_api_server_shows(
    workload, old, some_quotas, some_labels
):
    outcome = validate_workload(
        workload, old, WorkloadFacts(CLASSES, "team-a", some_labels, some_quotas, KINDS)
    )
    assert is_an_answer(outcome)
    assert all(len(warning) <= 256 for warning in outcome.warnings)


@given(mangled(CLASS_OBJECTS), st.none() | mangled(CLASS_OBJECTS), USAGES)
def test_any_class_gets_an_answer(obj, old, usage):
    assert is_an_answer(validate_class(obj, old, usage or ()))
    assert validate_class_delete(obj, usage or ()).allowed


@given(mangled(PODS))
def test_what_mutation_makes_of_a_pod_is_never_refused_as_not_final(pod):
    made = mutate_pod(pod, CLASSES, SETTINGS).object
    faults = validate_pod(made, PodFacts(CLASSES, "team-a"), SETTINGS).faults
    assert Reason.NOT_FINAL not in {fault.reason for fault in faults}


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_synced_quota_refuses_exactly_what_the_api_server_would(limit, used, requested):
    key = "requests.resourceclass.io/k80"
    quota = {
        "spec": {"hard": {key: str(limit)}},
        "status": {"hard": {key: str(limit)}, "used": {key: str(used)}},
    }
    refused = bool(judge({}, {"k80": requested}, [quota]))
    assert refused is (requested > 0 and used + requested > limit)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9))
def test_what_is_said_to_be_left_would_fit(limit, used, requested):
    key = "requests.resourceclass.io/k80"
    quota = {"spec": {"hard": {key: limit}}, "status": {"hard": {key: limit}, "used": {key: used}}}
    for finding in judge({}, {"k80": requested}, [quota]):
        assert finding.used.nanos == used * NANOS
        assert judge({}, {"k80": finding.left}, [quota]) == ()
        assert judge({}, {"k80": finding.left + 1}, [quota]) != ()
