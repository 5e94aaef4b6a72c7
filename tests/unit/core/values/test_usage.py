"""Who uses a class."""

import pytest

from webhook.core.values.usage import Usage, usage_of

LIMITS = {"resourceclass.io/p100": 1, "resourceclass.io/k80": 2}


def pod(phase=None, **metadata):
    return {
        "metadata": {"namespace": "team-a", "name": "train", **metadata},
        "spec": {"containers": [{"name": "c", "resources": {"limits": LIMITS}}]},
        "status": {"phase": phase},
    }


@pytest.mark.parametrize("phase", [None, "Pending", "Running", "Unknown"])
def test_an_unfinished_pod_uses_each_class_it_asks_for(phase):
    assert usage_of(pod(phase)) == (
        Usage("team-a", "train", "k80", 2),
        Usage("team-a", "train", "p100", 1),
    )


def test_a_terminating_pod_still_uses_what_it_has():
    assert len(usage_of(pod("Running", deletionTimestamp="2026-01-01T00:00:00Z"))) == 2


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_pod_uses_nothing(phase):
    assert usage_of(pod(phase)) == ()


@pytest.mark.parametrize("obj", [{}, {"metadata": None, "spec": None, "status": None}, {"status": 5}])
def test_an_object_of_wrong_types_uses_nothing(obj):
    assert usage_of(obj) == ()
