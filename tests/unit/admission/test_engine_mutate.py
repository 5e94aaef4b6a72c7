"""What the engine makes of the objects that are written."""

import copy

import pytest

from tests.unit.admission.worlds import (
    K80,
    QUOTA_KEY,
    STORED,
    Lagging,
    cluster,
    deployment,
    namespace,
    pod,
    quota,
    request,
    resource_class,
)
from webhook.admission.engine import Engine
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.core.outcome import Reason
from webhook.core.settings import PodSettings


def engine(world=None, **settings):
    return Engine(world or cluster(resource_class(), namespace()), PodSettings(**settings))


def limits(document):
    return document["spec"]["containers"][0]["resources"]["limits"]


def test_a_pod_with_the_bare_name_is_rewritten():
    outcome = engine().mutate(request(pod()))
    assert limits(outcome.object) == {STORED: "1"}
    assert outcome.object["spec"]["schedulerName"] == "resourceclass-scheduler"


def test_a_pod_that_was_rewritten_is_not_touched_again():
    once = engine().mutate(request(pod())).object
    assert engine().mutate(request(once)).object is once


def test_a_change_is_noted_for_the_audit_log():
    assert engine().mutate(request(pod())).audit == {"mutation": "changed"}


def test_where_nothing_changes_nothing_is_noted():
    assert engine().mutate(request(pod(key=None))).audit == {}


def test_a_refusal_is_noted_with_its_reason():
    outcome = engine().mutate(request(pod(amount="0.5")))
    assert not outcome.allowed
    assert outcome.audit == {"decision": "refused", "reason": "BadAmount"}


def test_an_updated_pod_gets_names_and_nothing_else():
    before = pod()
    before["spec"]["schedulerName"] = "default-scheduler"
    outcome = engine().mutate(request(before, "UPDATE", old=before))
    assert limits(outcome.object) == {STORED: "1"}
    assert outcome.object["spec"]["schedulerName"] == "default-scheduler"


def test_the_template_of_a_workload_gets_names_and_nothing_else():
    outcome = engine().mutate(request(deployment()))
    template = outcome.object["spec"]["template"]
    assert limits(template) == {STORED: "1"}
    assert "schedulerName" not in template["spec"]


def test_a_quota_gets_the_key_that_is_enforced():
    bare = quota(hard="5")
    bare["spec"]["hard"] = {K80: "5"}
    assert engine().mutate(request(bare)).object["spec"]["hard"] == {QUOTA_KEY: "5"}


def test_a_limit_range_is_renamed():
    limit_range = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "cap", "namespace": "team-a"},
        "spec": {"limits": [{"type": "Container", "max": {K80: "2"}}]},
    }
    outcome = engine().mutate(request(limit_range))
    assert outcome.object["spec"]["limits"][0]["max"] == {STORED: "2"}


@pytest.mark.parametrize(
    ("api_version", "kind"), [("v1", "Service"), ("resourceclass.io/v1alpha1", "ResourceClass")]
)
def test_kinds_without_a_rule_pass_untouched(api_version, kind):
    document = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}
    assert engine().mutate(request(document)).object is document


def test_a_deleted_object_passes():
    assert engine().mutate(request(deployment(), "DELETE")).allowed


def test_a_mirror_pod_passes_untouched():
    mirror = pod(annotations={"kubernetes.io/config.mirror": "5f2c"})
    outcome = engine().mutate(request(mirror, groups=["system:nodes"]))
    assert outcome.allowed
    assert outcome.object is mirror


def test_a_mirror_annotation_by_a_user_changes_nothing():
    outcome = engine().mutate(request(pod(annotations={"kubernetes.io/config.mirror": "5f2c"})))
    assert limits(outcome.object) == {STORED: "1"}


def test_the_sent_object_is_never_edited():
    sent = pod()
    kept = copy.deepcopy(sent)
    engine().mutate(request(sent))
    assert sent == kept


def test_the_settings_reach_the_rules():
    other = pod()
    other["spec"]["schedulerName"] = "volcano"
    assert engine().mutate(request(other)).reason == Reason.FOREIGN_SCHEDULER
    assert engine(foreign_scheduler="override").mutate(request(other)).allowed


def test_a_class_that_the_watch_has_not_seen_yet_is_read():
    world = Lagging(seen=cluster(), now=cluster(resource_class()))
    assert limits(engine(world).mutate(request(pod())).object) == {STORED: "1"}
    assert world.reads == [f"class {K80}"]


def test_a_known_class_is_not_read_again():
    world = Lagging(seen=cluster(resource_class()), now=None)
    assert engine(world).mutate(request(pod())).allowed


def test_nobody_is_refused_for_an_unknown_class_while_nothing_can_be_read():
    world = Lagging(seen=cluster(), now=None)
    with pytest.raises(ClusterUnavailable):
        engine(world).mutate(request(pod()))


def test_an_object_with_very_many_unknown_names_costs_few_reads():
    world = Lagging(seen=cluster(), now=cluster())
    many = pod()
    many["spec"]["containers"][0]["resources"]["limits"] = {f"class-{i:03}": "1" for i in range(100)}
    engine(world).mutate(request(many))
    assert len(world.reads) == 8


def test_no_read_begins_after_the_callers_time():
    def too_late():
        raise ClusterUnavailable("no time left")

    world = Lagging(seen=cluster(), now=cluster(resource_class()))
    with pytest.raises(ClusterUnavailable, match="no time left"):
        engine(world).mutate(request(pod()), in_time=too_late)
    assert world.reads == []


def test_before_the_caches_are_filled_nothing_is_answered():
    world = Lagging(seen=cluster(), now=None, missing=("ResourceClass: not listed yet",))
    with pytest.raises(NotReady, match="ResourceClass: not listed yet"):
        engine(world).mutate(request(pod()))
