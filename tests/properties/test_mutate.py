"""Mutation of any JSON: always an answer, never an edit of the input, and nothing left for a second call."""

import copy
import json

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.core.mutate.isolate import mutate_isolated
from webhook.core.mutate.keys import candidate_names
from webhook.core.mutate.limit_range import mutate_limit_range
from webhook.core.mutate.pod import mutate_adoptable, mutate_pod
from webhook.core.mutate.pod_update import mutate_pod_update
from webhook.core.mutate.quota import mutate_quota
from webhook.core.mutate.template import mutate_template
from webhook.core.patch import diff
from webhook.core.settings import PodSettings
from webhook.core.values.classes import Classes
from webhook.core.values.pod_template import TEMPLATE_KINDS


def a_class(name, **spec):
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"model": name}}, **spec}}


CLASSES = Classes.of(
    [
        a_class("k80"),
        a_class("share", share={"memory": "2GiB"}),
        a_class("amd", pod={"deviceEnv": ["ROCR_VISIBLE_DEVICES"], "tolerations": [{"key": "amd"}]}),
        a_class("both", pod={"vendorResource": "nvidia.com/gpu"}),
        a_class("ib", delivery="DevicePlugin", pod={"runtimeClassName": "rdma"}),
        a_class("broken", selector=[]),
    ]
)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
NAMES = ("k80", "share", "amd", "both", "ib")
KEYS = [
    prefix + name
    for prefix in ("", "resourceclass.io/", "requests.resourceclass.io/", "limits.")
    for name in NAMES
] + ["nvidia.com/gpu"]
TEXT = st.text(max_size=4) | st.sampled_from(["a/b", "~", "~1", "\u00e9", "\U0001f680", ""])
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from([1.0, 0.5]) | TEXT
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
AMOUNTS = st.sampled_from([0, 1, 2, "1", "0", "2000m", "1e30"])
ODD_AMOUNTS = AMOUNTS | st.sampled_from(["0.5", -1, None, True, [], "x"])


def limits(keys, amounts):
    return st.dictionaries(st.sampled_from(keys), amounts, max_size=2)


def objects(required, **optional):
    """Maps with these fields, each of which may be missing."""
    return st.fixed_dictionaries(required, optional=optional)


def pods(amounts, odd, keys=KEYS):
    """Pods that ask for classes; `odd` is what may stand in the place of anything."""
    entries = objects(
        {"name": st.sampled_from(["NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "A"])}, value=TEXT
    )
    resources = objects({"limits": limits(keys, amounts) | odd}, requests=odd)
    containers = objects(
        {"name": st.sampled_from(["a", "b"]) | odd},
        resources=resources | odd,
        env=st.lists(entries | odd, max_size=3) | odd,
        restartPolicy=st.just("Always"),
    )
    bounds = objects(
        {
            "key": st.sampled_from(["class.resourceclass.io/k80", "zone"]),
            "operator": st.sampled_from(["Gt", "In"]),
        },
        values=st.lists(st.sampled_from(["0", "1", "9", "x"]), max_size=2) | odd,
    )
    terms = objects(
        {}, matchExpressions=st.lists(bounds | odd, max_size=2) | odd, matchFields=st.just([{}]) | odd
    )
    required = objects({}, nodeSelectorTerms=st.lists(terms | odd, max_size=2) | odd)
    node = objects({}, requiredDuringSchedulingIgnoredDuringExecution=required | odd)
    spec = objects(
        {"containers": st.lists(containers | odd, max_size=3) | odd},
        initContainers=st.lists(containers | odd, max_size=2) | odd,
        affinity=objects({}, nodeAffinity=node | odd) | odd,
        tolerations=st.just([{"key": "amd", "operator": "Equal"}]) | odd,
        schedulerName=st.sampled_from(["default-scheduler", "", None, "resourceclass-scheduler", "volcano"])
        | odd,
        runtimeClassName=st.sampled_from([None, "rdma", "kata"]) | odd,
        resources=resources | odd,
    )
    return objects({"spec": spec | odd}, kind=st.just("Pod"), metadata=odd)


ANY_POD = pods(ODD_AMOUNTS, JSON)
GOOD_POD = pods(
    AMOUNTS, st.none(), keys=[key for key in KEYS if not key.startswith(("requests.", "limits."))]
)
SETTINGS = st.builds(PodSettings, st.sampled_from(["refuse", "keep", "override"]))


def text(document):
    return json.dumps(document, sort_keys=True)


def check(obj, rule):
    """Call a rule and hold its answer to what must be true of every answer."""
    before = text(obj)
    outcome = rule(obj)
    assert text(obj) == before, "the input was edited"
    if outcome.faults:
        assert outcome.object is obj
        assert all(fault.message for fault in outcome.faults)
        return
    patched = jsonpatch.apply_patch(obj, diff(obj, outcome.object))
    assert text(patched) == text(outcome.object)
    assert bool(outcome.changes) or outcome.object is obj
    again = rule(patched)
    assert again.faults == ()
    assert diff(patched, again.object) == []


@pytest.mark.parametrize("isolated", [False, True])
@given(pod=ANY_POD | st.dictionaries(TEXT, JSON), settings=SETTINGS)
def test_any_pod_gets_an_answer_that_stands(isolated, pod, settings):
    check(pod, lambda obj: mutate_pod(obj, CLASSES, settings, isolated=isolated))


ADOPTERS = st.sampled_from(["k80", "share", "both", "broken", "ib", "none"])


@given(pod=ANY_POD | GOOD_POD, settings=SETTINGS, adopter=ADOPTERS)
def test_any_pod_of_a_namespace_that_adopts_gets_an_answer_that_stands(pod, settings, adopter):
    check(pod, lambda obj: mutate_adoptable(obj, CLASSES, settings, adopter))


@given(pod=GOOD_POD, adopter=ADOPTERS)
def test_what_was_adopted_is_a_class_pod_like_any_other(pod, adopter):
    outcome = mutate_adoptable(pod, CLASSES, PodSettings("keep"), adopter)
    if outcome.allowed:
        assert mutate_pod(outcome.object, CLASSES, PodSettings("keep")).object is outcome.object


@pytest.mark.parametrize("isolated", [False, True])
@given(pod=GOOD_POD, settings=SETTINGS)
def test_a_sound_pod_gets_an_answer_that_stands(isolated, pod, settings):
    check(pod, lambda obj: mutate_pod(obj, CLASSES, settings, isolated=isolated))


@given(pod=ANY_POD, old=st.none() | ANY_POD)
def test_any_pod_of_an_isolated_namespace_gets_an_answer_that_stands(pod, old):
    check(pod, lambda obj: mutate_isolated(obj, CLASSES, old))


@given(pod=GOOD_POD)
def test_the_two_entries_of_an_isolated_namespace_agree_on_a_pod(pod):
    outcome = mutate_pod(pod, CLASSES, PodSettings("keep"), isolated=True)
    if outcome.allowed:
        assert mutate_isolated(outcome.object, CLASSES).object is outcome.object


METADATA = objects(
    {},
    annotations=objects({}, **{LAST_APPLIED: ANY_POD.map(json.dumps) | JSON}) | JSON,
    managedFields=JSON,
    ownerReferences=JSON,
)


@given(pod=ANY_POD, old=ANY_POD, new_metadata=METADATA, old_metadata=METADATA)
def test_any_update_of_a_pod_gets_an_answer_that_stands(pod, old, new_metadata, old_metadata):
    old = {**old, "metadata": old_metadata}
    check({**pod, "metadata": new_metadata}, lambda obj: mutate_pod_update(obj, old, CLASSES))


@given(pod=ANY_POD, old=st.none() | ANY_POD, metadata=METADATA, kind=st.sampled_from(TEMPLATE_KINDS))
def test_any_workload_gets_an_answer_that_stands(pod, old, metadata, kind):
    def workload(template):
        spec = {"template": template}
        if kind == "CronJob":
            spec = {"jobTemplate": {"spec": spec}}
        made = {"kind": kind, "metadata": metadata, "spec": spec, "template": template}
        # No part stands twice in a decoded document; in one that shares parts, applying a patch changes both.
        return json.loads(json.dumps(made))

    before = None if old is None else workload(old)
    check(workload(pod), lambda obj: mutate_template(obj, before, CLASSES))


HARD = limits(KEYS, ODD_AMOUNTS) | JSON


@given(hard=HARD, old=st.none() | HARD, metadata=METADATA)
def test_any_quota_gets_an_answer_that_stands(hard, old, metadata):
    before = None if old is None else {"spec": {"hard": old}}
    check({"metadata": metadata, "spec": {"hard": hard}}, lambda obj: mutate_quota(obj, before, CLASSES))


ITEMS = st.lists(
    objects({"type": st.sampled_from(["Pod", "Container", "x"])}, max=HARD, default=HARD) | JSON, max_size=3
)


@given(items=ITEMS | JSON, old=st.none() | ITEMS)
def test_any_limit_range_gets_an_answer_that_stands(items, old):
    before = None if old is None else {"spec": {"limits": old}}
    check({"spec": {"limits": items}}, lambda obj: mutate_limit_range(obj, before, CLASSES))


@given(pod=GOOD_POD)
def test_an_admitted_pod_keeps_what_no_rule_sets(pod):
    outcome = mutate_pod(copy.deepcopy(pod), CLASSES, PodSettings("override"))
    ours = {"containers", "initContainers", "affinity", "schedulerName", "tolerations", "runtimeClassName"}
    for key in set(outcome.object["spec"] or {}) - ours:
        assert outcome.object["spec"][key] == pod["spec"][key]


@given(
    obj=ANY_POD | st.dictionaries(TEXT, JSON),
    kind=st.sampled_from(["Pod", "Job", "ResourceQuota", "LimitRange", "x"]),
)
def test_any_object_has_candidate_names_that_could_be_classes(obj, kind):
    assert all(name == name.lower() and 0 < len(name) <= 63 for name in candidate_names(obj, kind))
