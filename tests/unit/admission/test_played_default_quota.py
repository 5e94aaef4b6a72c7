"""The played API server gives namespaces the default quotas of classes, as the controller does."""

from tests.unit.admission.worlds import QUOTA_KEY, cluster, namespace, pod, quota, resource_class
from webhook.admission.engine import Engine
from webhook.admission.overlay import Overlay
from webhook.admission.played.local import LocalWebhook
from webhook.admission.played.server import PlayedApiServer
from webhook.core.settings import PodSettings

WITH_DEFAULT = resource_class(quota={"default": 1})
T4 = resource_class("t4", quota={"default": 3})
DEFAULTS = "resourceclass-defaults"


def over(*objects, **options):
    overlay = Overlay(cluster(*objects))
    return PlayedApiServer(LocalWebhook(Engine(overlay, PodSettings())), overlay, **options)


def test_a_pod_within_the_default_is_admitted_and_one_beyond_it_is_not():
    server = over(WITH_DEFAULT, namespace())
    assert server.create(pod("first")).admitted
    assert f"exceeded quota: {DEFAULTS}, requested: {QUOTA_KEY}=1" in server.create(pod("second")).message


def test_a_class_that_comes_later_joins_the_others():
    server = over(WITH_DEFAULT, namespace())
    server.create(pod("first"))
    server.create(T4)
    assert server.create(pod("third", key="t4", amount="3")).admitted
    assert "limited: requests.resourceclass.io/t4=3" in server.create(pod("fourth", key="t4")).message
    assert f"limited: {QUOTA_KEY}=1" in server.create(pod("second")).message


def test_a_quota_of_the_namespace_goes_before_the_default():
    server = over(WITH_DEFAULT, namespace(), quota(hard="2"))
    assert server.create(pod("first")).admitted
    assert server.create(pod("second")).admitted
    assert "exceeded quota: q," in server.create(pod("third")).message


def test_where_a_real_controller_should_have_been_its_quota_is_missed():
    message = over(WITH_DEFAULT, namespace(), with_controller=False).create(pod()).message
    assert message.startswith("the default quota of class nvidia.tesla.k80 (1 per namespace) is not in place")
