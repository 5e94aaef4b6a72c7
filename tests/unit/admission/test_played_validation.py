"""What the played API server refuses of names and amounts, in the server's words."""

import pytest

from tests.unit.admission.worlds import K80, STORED, deployment, pod, quota
from webhook.admission.played.validation import invalid


def with_resources(**resources):
    made = pod(key=None)
    made["spec"]["containers"][0]["resources"] = resources
    return made


def amounts(limit, request=None):
    return with_resources(limits={STORED: limit}, requests={STORED: limit if request is None else request})


def test_stored_names_and_whole_amounts_are_valid():
    assert invalid(amounts("2")) == ""


def test_equal_amounts_in_other_spellings_are_equal():
    assert invalid(amounts("2000m", "2")) == ""


def test_one_fault_stands_alone():
    assert invalid(pod()) == (
        f'Pod "train" is invalid: spec.containers[0].resources.limits[{K80}]: Invalid value: "{K80}": '
        "must be a standard resource type or fully qualified"
    )


def test_several_faults_stand_in_brackets():
    text = invalid(with_resources(limits={"a": "1", "b": "1"}))
    assert text.startswith('Pod "train" is invalid: [spec.containers[0]')


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (amounts("0.5"), "must be an integer"),
        (amounts("-1"), "must be greater than or equal to 0"),
        (amounts("many"), "quantities must match"),
        (amounts("2", "1"), f"must be equal to {STORED} limit of 2"),
        (with_resources(requests={STORED: "1"}), "Limit must be set for non overcommitable resources"),
        (deployment(), f"spec.template.spec.containers[0].resources.limits[{K80}]"),
    ],
)
def test_faults_are_told_as_the_server_tells_them(document, words):
    assert words in invalid(document)


def test_a_bare_name_in_a_quota_is_no_standard_resource():
    bare = quota(hard="1")
    bare["spec"]["hard"] = {K80: "1", "cpu": "1"}
    assert invalid(bare).endswith(
        f'spec.hard[{K80}]: Invalid value: "{K80}": must be a standard resource for quota'
    )


def test_a_bare_name_in_a_limit_range_is_named_with_its_map():
    limit_range = {
        "kind": "LimitRange",
        "metadata": {"name": "cap"},
        "spec": {"limits": [{"default": {"cpu": "1"}}, {"max": {K80: "2"}}]},
    }
    assert f"spec.limits[1].max[{K80}]" in invalid(limit_range)


def test_kinds_without_amounts_are_valid():
    assert invalid({"kind": "Service", "metadata": {"name": "x"}}) == ""


def test_amounts_of_other_resources_are_taken_as_right():
    assert (
        invalid(with_resources(limits={"cpu": "0.5"}, requests={"cpu": "0.1", "nvidia.com/gpu": "1"})) == ""
    )
