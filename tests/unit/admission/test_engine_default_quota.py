"""What the engine says of pods whose class has a default quota that their namespace has not got yet."""

from tests.unit.admission.worlds import Lagging, cluster, namespace, pod, quota, request, resource_class
from webhook.admission.engine import Engine
from webhook.core.outcome import Reason
from webhook.core.settings import PodSettings

WITH_DEFAULT = resource_class(quota={"default": 2})


def validated(world):
    engine = Engine(world, PodSettings())
    return engine.validate(request(engine.mutate(request(pod())).object))


def test_a_pod_is_refused_until_the_default_is_in_place():
    assert validated(cluster(WITH_DEFAULT, namespace())).reason == Reason.DEFAULT_QUOTA_MISSING
    assert validated(cluster(WITH_DEFAULT, namespace(), quota("resourceclass-defaults", hard="2"))).allowed


def test_a_default_that_memory_has_not_seen_yet_counts():
    seen = cluster(WITH_DEFAULT, namespace())
    now = cluster(WITH_DEFAULT, namespace(), quota("resourceclass-defaults", hard="2"))
    world = Lagging(seen, now)
    assert validated(world).allowed
    assert world.reads == ["quotas of team-a"]


def test_a_class_that_lost_its_default_a_moment_ago_is_read_before_a_pod_is_refused():
    world = Lagging(cluster(WITH_DEFAULT, namespace()), cluster(resource_class(), namespace()))
    assert validated(world).allowed


def test_the_mode_of_the_namespace_bends_it_as_it_bends_a_quota():
    warned = validated(cluster(WITH_DEFAULT, namespace(enforce="warn")))
    assert warned.allowed
    assert warned.warnings[0].startswith("not enforced (resourceclass.io/enforce: warn): the default quota")
    assert validated(cluster(WITH_DEFAULT, namespace(enforce="off"))).warnings == ()
