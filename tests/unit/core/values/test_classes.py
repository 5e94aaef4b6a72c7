"""All classes of a cluster at one moment."""

import pytest

from webhook.core.values.classes import MAX_COMPARED, Classes

SELECTOR = {"matchLabels": {"model": "x"}}


def a_class(name, selector=SELECTOR):
    return {"metadata": {"name": name}, "spec": {"selector": selector}}


CLASSES = Classes.of([a_class("nvidia.tesla.k80"), a_class("bad", {}), a_class("t4")])


def test_a_readable_class_is_found_by_name():
    assert CLASSES.get("t4").name == "t4"
    assert CLASSES.get("t5") is None
    assert "t4" in CLASSES
    assert CLASSES.names == ("nvidia.tesla.k80", "t4")
    assert [item.name for item in CLASSES.all()] == ["nvidia.tesla.k80", "t4"]


def test_a_broken_class_exists_but_is_in_the_set_only_by_its_problems():
    assert CLASSES.exists("bad")
    assert "bad" not in CLASSES
    assert CLASSES.get("bad") is None
    assert CLASSES.broken["bad"][0].startswith("spec.selector is empty")


@pytest.mark.parametrize(
    "obj", [{}, {"metadata": None}, {"metadata": {"name": 5}}, {"metadata": {"name": ""}}]
)
def test_an_object_without_a_name_is_passed_over(obj):
    assert Classes.of([obj]).names == ()


def test_one_more_class_makes_a_new_set():
    more = CLASSES.with_object(a_class("p100"))
    assert "p100" in more
    assert "p100" not in CLASSES


def test_a_class_can_be_left_out():
    assert CLASSES.exists("bad")
    assert not CLASSES.without("bad").exists("bad")
    assert CLASSES.without("bad").names == CLASSES.names
    assert CLASSES.without("t4").without("none").names == tuple(n for n in CLASSES.names if n != "t4")


def test_a_class_that_is_mended_or_broken_replaces_what_was_known():
    mended = CLASSES.with_object(a_class("bad"))
    assert "bad" in mended
    assert "bad" not in mended.broken
    broken = CLASSES.with_object(a_class("t4", {}))
    assert "t4" in broken.broken
    assert "t4" not in broken


def test_the_last_of_several_objects_of_one_name_counts():
    assert Classes.of([a_class("x", {}), a_class("x")]).broken == {}
    assert Classes.of([a_class("x"), a_class("x", {})]).names == ()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("NVIDIA.Tesla.K80", "nvidia.tesla.k80"),
        ("nvidia-tesla_k80", "nvidia.tesla.k80"),
        ("nvidia.tesla.k8", "nvidia.tesla.k80"),
        ("nvidia.telsa.k80", "nvidia.tesla.k80"),
        ("nvida.tesla.k8", "nvidia.tesla.k80"),
        ("nvidia.tesla.k80", "nvidia.tesla.k80"),
        ("t5", "t4"),
        ("bat", "bad"),
        ("gpu", None),
        ("nvidia.tesla.p100", None),
        ("t", "t4"),
        ("", None),
        ("x" * 81, None),
    ],
)
def test_a_slip_of_the_pen_finds_the_class_that_was_meant(typed, meant):
    assert CLASSES.closest(typed) == meant


def test_slips_are_found_among_names_that_are_classes_and_names_that_are_like_none():
    assert CLASSES.slips(["t4", "gpu", "nvidia.tesla.k8", "t5"]) == {
        "nvidia.tesla.k8": "nvidia.tesla.k80",
        "t5": "t4",
    }


def test_no_more_unknown_names_are_compared_than_anybody_mistypes():
    unlike = [f"unlike-{number}" for number in range(MAX_COMPARED - 1)]
    assert CLASSES.slips([*unlike, *unlike, "t5"]) == {"t5": "t4"}
    assert CLASSES.slips([*unlike, "another", "t5"]) == {}
