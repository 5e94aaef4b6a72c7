"""Pods of all shapes that touch a rule: valid in everything that is not ours to judge."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.cluster.expect import K80, P100, SCHEDULER, key
from tests.harness.cluster import IMAGE

Json = dict[str, Any]

SHARE = "agree.share"
CLOSED = "agree.closed"

_CLASSES = st.sampled_from([K80, K80, P100, SHARE, CLOSED, "no.such.class"])
_KEYS = st.one_of(_CLASSES, _CLASSES.map(key), st.sampled_from(["cpu", "nvidia.com/gpu", "nvidia.tesla.k8"]))
_AMOUNTS = st.sampled_from(["0", "1", "1", "1", "2", "2000m", "1e0", "1k"])
_BAD_AMOUNTS = st.sampled_from(["1500m", "500m", "-1"])  # as the server writes them, and messages repeat them
_VARIABLES = st.lists(
    st.sampled_from(
        [
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
            {"name": "RESOURCECLASS_MEMORY_BYTES", "value": "1"},
            {"name": "OTHER", "value": "$(NVIDIA_VISIBLE_DEVICES)"},
            {"name": "ANOTHER", "value": "é🚀"},
        ]
    ),
    max_size=2,
    unique_by=lambda variable: variable["name"],
)
_EXPRESSION = {"key": "zone", "operator": "In", "values": ["a", "b"]}
_OUR_EXPRESSIONS = [
    {"key": f"class.resourceclass.io/{K80}", "operator": "Gt", "values": [value]} for value in ("0", "9")
]
_FIELD = {"key": "metadata.name", "operator": "In", "values": ["node-a"]}
_TERMS = st.fixed_dictionaries(
    {},
    optional={
        "matchExpressions": st.lists(
            st.sampled_from([_EXPRESSION, *_OUR_EXPRESSIONS]), min_size=1, max_size=2
        ),
        "matchFields": st.just([_FIELD]),
    },
)
_AFFINITIES = st.lists(_TERMS, min_size=1, max_size=3).map(
    lambda terms: {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    }
)


@st.composite
def pods(draw: st.DrawFn) -> Json:
    """A pod of one to three containers and up to two init containers."""
    spec: Json = {"containers": _named(draw(st.lists(_containers(), min_size=1, max_size=3)), "c")}
    init = _named(draw(st.lists(_containers(may_stay=True), max_size=2)), "i")
    if init:
        spec["initContainers"] = init
    spec |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "affinity": _AFFINITIES,
                "schedulerName": _mostly(st.sampled_from(["default-scheduler", SCHEDULER]), "volcano"),
                "nodeName": _seldom("node-a"),
            },
        )
    )
    spec = {name: value for name, value in spec.items() if value is not None}
    metadata = {"name": "generated", **draw(_METADATA)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _containers(*, may_stay: bool = False) -> st.SearchStrategy[Json]:
    policies = {"restartPolicy": st.just("Always")} if may_stay else {}
    return st.fixed_dictionaries(
        {"image": st.just(IMAGE)}, optional={"resources": _resources(), "env": _VARIABLES, **policies}
    )


@st.composite
def _resources(draw: st.DrawFn) -> Json:
    amounts = st.one_of(*[_AMOUNTS] * 8, _BAD_AMOUNTS)
    limits = draw(st.dictionaries(_KEYS, amounts, max_size=2))
    for name in ("cpu", "nvidia.com/gpu"):  # what is not ours is always right
        if name in limits:
            limits[name] = "1"
    found: Json = {"limits": limits} if limits else {}
    if draw(st.integers(0, 7)) == 0:  # what is asked for twice, or only as a request
        found["requests"] = draw(st.dictionaries(_CLASSES.map(key), _AMOUNTS, min_size=1, max_size=1))
    return found


def _named(containers: list[Json], prefix: str) -> list[Json]:
    return [{"name": f"{prefix}{number}", **container} for number, container in enumerate(containers)]


def _seldom(value: Any) -> st.SearchStrategy[Any]:
    return st.integers(0, 7).map(lambda number: value if number == 0 else None)


def _mostly(usual: st.SearchStrategy[Any], odd: Any) -> st.SearchStrategy[Any]:
    return st.one_of(usual, usual, usual, st.just(odd))


_METADATA = st.one_of(
    *[st.just({"annotations": {"note": "a~b/c"}})] * 6,
    st.just({"labels": {"resourceclass.io/webhook": "ignore"}}),
    st.just({"annotations": {"resourceclass.io/allocation": "{}"}}),
    st.just({"annotations": {"devices.resourceclass.io/c0": "GPU-0"}}),
)
