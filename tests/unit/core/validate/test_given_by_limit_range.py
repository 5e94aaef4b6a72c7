"""Which containers ask for a class only because a LimitRange gave it to them."""

import pytest

from webhook.core.validate.limit_range import given_by_limit_range

K80 = "resourceclass.io/nvidia.tesla.k80"


def pod(note):
    return {"metadata": {"annotations": {"kubernetes.io/limit-ranger": note}}}


def test_the_containers_are_read_from_the_note_of_the_limit_ranger():
    note = (
        f"LimitRanger plugin set: cpu, {K80} request for container a; cpu, {K80} limit for container a; "
        f"{K80} limit for init container setup; memory limit for container b"
    )
    assert given_by_limit_range(pod(note), "nvidia.tesla.k80") == ("a", "setup")


def test_a_class_whose_name_merely_begins_alike_is_another_class():
    assert (
        given_by_limit_range(
            pod(f"LimitRanger plugin set: {K80}-x limit for container a"), "nvidia.tesla.k80"
        )
        == ()
    )


@pytest.mark.parametrize(
    "note", ["", "set by hand", "LimitRanger plugin set: ", f"{K80} limit for container a", 5, None]
)
def test_a_note_that_cannot_be_read_names_no_container(note):
    assert given_by_limit_range(pod(note), "nvidia.tesla.k80") == ()


def test_a_pod_without_annotations_names_no_container():
    assert given_by_limit_range({"metadata": None}, "nvidia.tesla.k80") == ()
