"""What the engine says of objects that are about to be stored."""

import pytest

from tests.unit.admission.worlds import (
    K80,
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
from webhook.core.errors import ClusterUnavailable
from webhook.core.outcome import Reason
from webhook.core.settings import PodSettings


def engine(world):
    return Engine(world, PodSettings())


def stored(amount="1", **metadata):
    """Return a pod as mutation leaves it."""
    return engine(cluster(resource_class())).mutate(request(pod(amount=amount, **metadata))).object


def judged(world, document, **asked):
    return engine(world).validate(request(document, **asked))


def world(*objects, hard="5", labels=None):
    return cluster(resource_class(), namespace(**(labels or {})), quota(hard=hard), *objects)


def test_a_pod_within_its_quota_is_allowed():
    assert judged(world(hard="1"), stored()).allowed


def test_a_verdict_is_not_noted_under_a_key_that_mutation_uses():
    """Of two values for one key the API server keeps the first, and mutation comes first."""
    mutated = engine(world()).mutate(request(pod())).audit

    assert not mutated.keys() & judged(world(), stored()).audit.keys()


def test_the_audit_log_learns_what_a_pod_asks_for():
    assert judged(world(), stored("2")).audit == {"decision": "allowed", "classes": f"{K80}=2"}


def test_the_audit_log_is_not_filled_with_the_classes_that_a_pod_invents():
    invented = pod()
    keys = [f"resourceclass.io/none-{number:05}" for number in range(20_000)]
    invented["spec"]["containers"][0]["resources"] = {"limits": dict.fromkeys(keys, "1")}
    noted = judged(world(), invented).audit["classes"]
    assert noted.startswith("none-00000=1,none-00001=1,")
    assert noted.endswith("none-00015=1,19984 more")


def test_a_pod_over_its_quota_is_refused_with_the_words_that_controllers_know():
    outcome = judged(world(hard="0"), stored())
    key = f"requests.resourceclass.io/{K80}"
    assert f"exceeded quota: q, requested: {key}=1, used: {key}=0, limited: {key}=0" in outcome.message
    assert (outcome.code, outcome.audit["reason"]) == (403, "QuotaExceeded")


def test_a_refusal_says_who_uses_the_quota():
    outcome = judged(world(stored(), hard="1"), stored(name="second"))
    assert "train" in outcome.message


def test_a_pod_that_mutation_has_not_seen_is_refused():
    assert judged(world(), pod(key=STORED)).reason == Reason.NOT_FINAL


def test_a_node_name_by_hand_is_refused():
    by_hand = stored()
    by_hand["spec"]["nodeName"] = "node-a"
    assert judged(world(), by_hand).reason == Reason.NODE_NAME


def test_a_mirror_pod_passes_whatever_the_quota_says():
    mirror = pod(key=STORED, annotations={"kubernetes.io/config.mirror": "5f2c"})
    assert judged(world(hard="0"), mirror, groups=["system:nodes"]).allowed


def test_a_namespace_that_warns_admits_with_a_warning():
    outcome = judged(world(hard="0", labels={"enforce": "warn"}), stored())
    assert outcome.allowed
    assert "exceeded quota" in outcome.warnings[0]


def test_a_warning_in_place_of_a_refusal_is_noted_for_the_audit_log():
    audit = judged(world(hard="0", labels={"enforce": "warn"}), stored()).audit
    assert (audit["decision"], audit["not-enforced"]) == ("allowed", "QuotaExceeded")


def test_a_namespace_that_does_not_enforce_admits_in_silence():
    outcome = judged(world(hard="0", labels={"enforce": "off"}), stored())
    assert outcome.allowed
    assert outcome.warnings == ()


def test_no_mode_lets_a_pod_through_that_mutation_has_not_seen():
    assert not judged(world(labels={"enforce": "off"}), pod(key=STORED)).allowed


def limited(hard, used):
    status = {"hard": {f"requests.resourceclass.io/{K80}": hard}}
    status["used"] = {f"requests.resourceclass.io/{K80}": used}
    return cluster(resource_class(), namespace(), quota(hard=hard, status=status))


def test_a_quota_that_memory_thinks_full_is_read_before_anybody_is_refused():
    lagging = Lagging(seen=limited("5", used="5"), now=limited("5", used="4"))
    assert judged(lagging, stored()).allowed
    assert lagging.reads == ["quotas of team-a"]


def test_a_refusal_gives_the_numbers_that_were_just_read():
    lagging = Lagging(seen=limited("5", used="5"), now=limited("6", used="6"))
    assert f"used: requests.resourceclass.io/{K80}=6" in judged(lagging, stored()).message


def test_a_quota_with_room_in_memory_costs_no_read():
    lagging = Lagging(seen=limited("5", used="1"), now=None)
    assert judged(lagging, stored()).allowed


def test_a_refusal_costs_one_read():
    lagging = Lagging(seen=world(hard="0"), now=world(hard="0"))
    assert not judged(lagging, stored()).allowed
    assert lagging.reads == ["quotas of team-a"]


def test_a_class_that_no_quota_in_memory_limits_costs_one_read_even_when_it_is_refused():
    lagging = Lagging(seen=cluster(resource_class(), namespace()), now=world(hard="0"))
    assert not judged(lagging, stored()).allowed
    assert lagging.reads == ["quotas of team-a"]


def test_a_full_quota_that_cannot_be_read_neither_refuses_nor_admits():
    lagging = Lagging(seen=limited("5", used="5"), now=None)
    with pytest.raises(ClusterUnavailable):
        judged(lagging, stored())


def closed_to_all():
    return cluster(resource_class(namespaces={"matchLabels": {"team": "vision"}}), namespace())


def test_a_class_that_memory_is_in_doubt_of_is_read():
    lagging = Lagging(seen=cluster(resource_class(), namespace()), now=closed_to_all(), doubted=True)
    assert judged(lagging, stored()).reason == Reason.NAMESPACE_NOT_ALLOWED


def test_a_class_that_was_deleted_while_memory_was_in_doubt_is_unknown():
    lagging = Lagging(seen=cluster(resource_class(), namespace()), now=cluster(namespace()), doubted=True)
    assert judged(lagging, stored()).reason == Reason.UNKNOWN_CLASS


def test_a_class_that_memory_is_sure_of_costs_no_read():
    lagging = Lagging(seen=limited("5", used="1"), now=closed_to_all())
    assert judged(lagging, stored()).allowed
    assert lagging.reads == []


def test_a_quota_made_a_moment_ago_counts():
    lagging = Lagging(seen=cluster(resource_class(), namespace()), now=limited("0", used="0"))
    assert judged(lagging, stored()).reason == Reason.QUOTA_EXCEEDED


def test_a_new_quota_without_status_lets_nothing_through():
    new = cluster(resource_class(), namespace(), quota(hard="5", status={"hard": {}, "used": {}}))
    lagging = Lagging(seen=cluster(resource_class(), namespace()), now=new)
    assert judged(lagging, stored()).reason == Reason.QUOTA_NOT_READY


def test_a_pod_that_asks_for_nothing_costs_no_read():
    lagging = Lagging(seen=cluster(namespace()), now=None)
    assert judged(lagging, pod(key=None)).allowed


def test_a_workload_that_cannot_fit_is_warned_of():
    outcome = judged(world(hard="1"), deployment(key=STORED, replicas=3))
    assert outcome.allowed
    assert "quota q" in outcome.warnings[0]


def test_a_workload_that_cannot_fit_is_refused_where_the_namespace_says_so():
    strict = world(hard="1", labels={"enforce_workloads": "deny"})
    assert judged(strict, deployment(key=STORED, replicas=3)).reason == Reason.WORKLOAD_CANNOT_RUN


def test_a_workload_is_not_refused_on_an_old_quota():
    def strict(hard):
        return world(hard=hard, labels={"enforce_workloads": "deny"})

    lagging = Lagging(seen=strict("1"), now=strict("3"))
    assert judged(lagging, deployment(key=STORED, replicas=3)).allowed


def test_a_class_that_cannot_work_is_refused():
    outcome = judged(cluster(), resource_class(selector={}))
    assert outcome.reason == Reason.INVALID_OBJECT


def test_a_good_class_is_allowed():
    assert judged(cluster(), resource_class()).allowed


def test_deleting_a_class_in_use_warns_and_names_the_pods():
    outcome = judged(world(stored()), resource_class(), operation="DELETE")
    assert outcome.allowed
    assert "team-a/train" in outcome.warnings[0]


def test_deleting_a_class_that_nobody_uses_is_silent():
    assert judged(world(), resource_class(), operation="DELETE").warnings == ()


def test_changing_the_share_of_a_class_in_use_warns():
    changed = resource_class(share={"memory": "1GiB"})
    outcome = judged(world(stored()), changed, operation="UPDATE", old=resource_class())
    assert "train" in outcome.warnings[0]


def test_kinds_without_a_rule_pass():
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x"}}
    outcome = judged(world(), service)
    assert outcome.allowed
    assert outcome.audit == {}


def test_a_dry_run_is_judged_like_any_other():
    assert not judged(world(hard="0"), stored(), dry_run=True).allowed


def with_toleration():
    return resource_class(pod={"tolerations": [{"key": "gpu", "operator": "Exists"}]})


def test_a_pod_written_for_a_class_whose_change_this_process_has_not_seen_is_allowed():
    lagging = Lagging(seen=cluster(with_toleration(), quota(hard="5")), now=world())
    assert judged(lagging, stored()).allowed
    assert lagging.reads == [f"class {K80}"]


def test_a_pod_that_is_not_as_the_class_of_this_moment_wants_it_is_refused():
    lagging = Lagging(seen=world(), now=cluster(with_toleration()))
    moved = stored()
    moved["spec"] = {**moved["spec"], "schedulerName": "default-scheduler"}
    assert judged(lagging, moved).reason == Reason.NOT_FINAL
