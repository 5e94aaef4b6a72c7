"""Names of classes are valid for any text, and a plan of classes leaves nothing to plan."""

from hypothesis import given
from hypothesis import strategies as st

from webhook.core.inventory.class_name import class_name, told_apart
from webhook.core.inventory.class_objects import ClassPlan, plan_classes
from webhook.core.values.classes import Classes
from webhook.core.values.model import normalise_model
from webhook.core.values.names import is_class_name

WORDS = ["NVIDIA", "Tesla", "tesla", "A10", "a10", "(X)", "1g.5gb+me", "é", "数", "-", ".", "count", "x" * 40]
MODELS = st.one_of(st.text(max_size=90), st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join))
VENDORS = st.one_of(st.sampled_from(["NVIDIA", "", "requests"]), st.text(max_size=70))


@given(VENDORS, MODELS)
def test_every_model_has_a_valid_name(vendor, model):
    name = class_name(vendor, model)
    assert is_class_name(name), name
    assert is_class_name(told_apart(name, vendor, model))


@given(VENDORS, MODELS, st.sampled_from([" ", "_", "-", "  "]))
def test_the_name_does_not_depend_on_separators(vendor, model, separator):
    words = normalise_model(model)
    other = "NVIDIA " + words if words else ""
    assert class_name(vendor, other.replace(" ", separator)) == class_name(vendor, other)


@given(st.lists(st.tuples(st.sampled_from(["NVIDIA", "nvidia", ""]), MODELS), max_size=6), st.randoms())
def test_every_model_is_selected_by_a_class_and_a_second_plan_is_empty(models, random):
    kinds = [{"vendor": vendor, "model": model} for vendor, model in models]
    made = plan_classes(kinds, [])
    assert not made.warnings
    classes = Classes.of(made.create)
    named = [kind for kind in kinds if normalise_model(kind["model"])]
    assert not classes.broken
    assert len(classes.readable) == len({(kind["vendor"], normalise_model(kind["model"])) for kind in named})
    for kind in named:
        assert any(item.selector.matches(kind) for item in classes.all())
    random.shuffle(kinds)
    assert plan_classes(kinds, made.create) == ClassPlan()
