"""Any JSON may be given to the readers of values: it is read or refused with a sentence, never a crash."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.device import device_kinds
from webhook.core.values.model import normalise_model
from webhook.core.values.resource_class import BadClass, parse_resource_class
from webhook.core.values.selector import BadSelector, parse_selector
from webhook.core.values.spelling import closest
from webhook.core.values.usage import usage_of

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
WORDS = st.sampled_from(
    ["matchLabels", "matchExpressions", "key", "operator", "values", "memory", "model", "In", "Gt", "10GiB"]
)
JSON = st.recursive(
    SCALARS | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4)
)
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Ge", "Lt", "Le", "near"]
EXPRESSIONS = st.fixed_dictionaries(
    {"key": st.sampled_from(["memory", "model", "vendor", ""]), "operator": st.sampled_from(OPERATORS)},
    optional={"values": st.lists(st.sampled_from(["10GiB", "80GB", "A100", "7", "ten"]), max_size=2) | JSON},
)
TERMS = st.fixed_dictionaries(
    {}, optional={"matchExpressions": st.lists(EXPRESSIONS, max_size=3), "matchLabels": JSON}
)
PROPERTIES = st.dictionaries(
    st.sampled_from(["memory", "model", "vendor"]),
    st.sampled_from(["11441", "80 GB", "n/a", "NVIDIA A100", "7"]),
)
SPECS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ["selector", "share", "placement", "quota", "namespaces", "pod", "delivery"], JSON | TERMS
    ),
)


@given(JSON | TERMS | st.lists(TERMS | JSON, max_size=3), PROPERTIES)
def test_a_selector_is_readable_or_names_its_problems(raw, properties):
    try:
        selector = parse_selector(raw)
    except BadSelector as error:
        assert error.problems  # noqa: PT017
    else:
        assert isinstance(selector.matches(properties), bool)
        assert all(isinstance(text, str) for text in selector.unreadable(properties))


@given(st.fixed_dictionaries({}, optional={"metadata": JSON, "spec": SPECS | JSON}))
def test_a_class_is_readable_or_names_its_problems(obj):
    with contextlib.suppress(BadClass):
        assert parse_resource_class(obj).name
    assert set(Classes.of([obj]).names).isdisjoint(Classes.of([obj]).broken)


@given(st.dictionaries(st.sampled_from(["metadata", "spec", "status"]), JSON))
def test_any_object_has_a_usage_a_demand_and_a_kind(obj):
    assert usage_of(obj) == ()
    assert not demand(obj.get("spec"))
    assert device_kinds([obj]) == ()


@given(st.text(max_size=12))
def test_models_are_equal_whatever_separates_their_words(text):
    spaced, dashed = text.replace("-", "_").replace("_", "  "), text.replace(" ", "-").replace("_", "-")
    assert normalise_model(spaced) == normalise_model(dashed)


@given(st.from_regex(r"[-_ ]*[KT][-_ K8(]*", fullmatch=True), st.sampled_from(["NVIDIA ", "NVIDIA-", "AMD_"]))
def test_a_vendor_word_in_front_of_a_model_makes_no_difference(model, vendor):
    assert normalise_model(vendor + model) == normalise_model(model)


@given(st.text("abc.1", min_size=1, max_size=12), st.lists(st.text("abc.1", max_size=12), max_size=5))
def test_a_name_is_closest_to_itself(name, others):
    assert closest(name, [*others, name]) is not None
    assert closest(name, [name]) == name


UNITS = st.integers(0, 4)
STEPS = st.lists(st.tuples(UNITS, st.booleans()), max_size=5)


@given(STEPS, st.lists(UNITS, max_size=4))
def test_demand_is_the_largest_moment_when_the_pod_is_played_through(init, main):
    def container(units, **more):
        return {"name": "c", "resources": {"limits": {"resourceclass.io/k80": units}}, **more}

    running, moments = 0, [0]
    for units, stays in init:
        moments.append(running + units)
        running += units if stays else 0
    moments.append(running + sum(main))
    spec = {
        "initContainers": [
            container(units, **({"restartPolicy": "Always"} if stays else {})) for units, stays in init
        ],
        "containers": [container(units) for units in main],
    }
    assert demand(spec).units.get("k80", 0) == max(moments)
