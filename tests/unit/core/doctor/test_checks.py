"""All checks together: order, what is left out, what may pass."""

import pytest

from tests.unit.core.doctor.cluster import NODE, Cluster
from webhook.core.doctor.checks import CHECKS


def test_in_a_healthy_cluster_nothing_is_found_and_nothing_is_left_out(cluster):
    found = cluster.diagnosis()
    assert found.findings == ()
    assert found.left_out == ()
    assert found.checks == len(CHECKS)


@pytest.mark.parametrize("kind", sorted({kind for check in CHECKS for kind in check.needs}))
def test_what_could_not_be_read_leaves_out_just_the_checks_that_need_it(cluster, kind):
    cluster.objects[kind] = []
    cluster.unread = {kind: "not allowed"}
    found = cluster.diagnosis()
    assert {item.what for item in found.left_out} == {check.what for check in CHECKS if kind in check.needs}
    assert found.checks + len(found.left_out) == len(CHECKS)
    assert all(f"{kind} (not allowed)" in item.kinds for item in found.left_out)


def test_errors_come_before_warnings(cluster):
    cluster.of("Deployment")["status"]["readyReplicas"] = 1
    cluster.of("ResourceClass")["spec"]["selector"] = {}
    severities = [item.severity.value for item in cluster.diagnosis().findings]
    assert severities == sorted(severities)
    assert len(set(severities)) == 2


def test_what_may_pass_is_a_problem_only_when_it_is_still_there(cluster):
    cluster.of("Node")["status"]["allocatable"] = {}
    before = cluster.diagnosis()
    assert before.may_pass
    assert before.after(before) == before
    assert before.after(Cluster().diagnosis()).findings == ()


def test_what_cannot_pass_needs_no_second_look(cluster):
    cluster.of("ExtendedResource")["status"] = {"phase": "Unhealthy"}
    found = cluster.diagnosis()
    lasting = [item for item in found.findings if item.rule == "UnhealthyDevice"]
    assert lasting
    assert not any(item.may_pass for item in lasting)
    assert set(lasting) <= set(found.after(Cluster().diagnosis()).findings)
    assert f"ExtendedResource {NODE}-gpu-0" in {item.place for item in lasting}
