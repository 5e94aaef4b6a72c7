"""Models are equal when only separators or a leading vendor word differ."""

import pytest

from webhook.core.values.model import normalise_model


# The spellings are those of kubernetes/website PR#4086 and NVIDIA/k8s-device-plugin#514.
@pytest.mark.parametrize(
    "spelling",
    ["NVIDIA Tesla K80", "Tesla K80", "Tesla-K80", "Tesla_K80", "NVIDIA-Tesla-K80", " NVIDIA  Tesla K80 "],
)
def test_every_spelling_of_one_model_is_the_same(spelling):
    assert normalise_model(spelling) == normalise_model("NVIDIA Tesla K80")


# The pairs are those of Project-HAMi/HAMi-core#137 and Project-HAMi/HAMi PR#295.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("NVIDIA H20", "NVIDIA H200"),
        ("NVIDIA A10", "NVIDIA A100"),
        ("NVIDIA A10", "NVIDIA A10G"),
        ("Tesla K80", "tesla k80"),
        ("Tesla K80", "TeslaK80"),
        ("AMD Instinct MI100", "MI100"),
        ("Quadro NVIDIA", "Quadro"),
        ("NVIDIA Tesla K80", "NVIDIA Tesla K80 \u2013 Ti"),
    ],
)
def test_nothing_else_is_fuzzy(one, other):
    assert normalise_model(one) != normalise_model(other)


def test_a_vendor_alone_is_still_a_name():
    assert normalise_model("NVIDIA") == "NVIDIA"


def test_brackets_stay():
    assert normalise_model("NVIDIA TITAN X (Pascal)") == "TITAN X (Pascal)"
