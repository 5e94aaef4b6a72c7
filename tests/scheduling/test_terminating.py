"""A pod that is being deleted: its quota and its device end at different times."""

from __future__ import annotations

from tests.harness.api import Api, Json
from tests.harness.cluster import pod, quota, quota_synced
from tests.harness.devices import device_nodes, k80
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import holds, until
from tests.scheduling.expect import K80, asking, bound, device, end, place, waiting

GRACE_SECONDS = 2


def slow() -> Json:
    made = asking("slow", terminationGracePeriodSeconds=GRACE_SECONDS)
    made["metadata"]["finalizers"] = ["example.com/hold"]
    return made


# kubernetes/kubernetes PR#46542, #113292: a lost node blocked its team for ever, or its card was given on.
def test_the_quota_of_a_lost_pod_is_free_before_its_device(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    api.create(quota("q", {f"requests.resourceclass.io/{K80}": "1"}), namespace).must()
    quota_synced(api, namespace, "q")

    with device_nodes(api, {"node-a": [k80()]}):
        held = device(place(api, namespace, slow()))
        api.delete("Pod", "slow", namespace).must()
        early = api.create(asking("next"), namespace)
        assert (early.code, "exceeded quota: q" in early.message) == (403, True)

        def admitted() -> bool:
            # One more grace period has to pass, and then Kubernetes counts again when any pod ends.
            api.create(pod("other"), namespace).must()
            end(api, namespace, "other")
            return api.create(asking("next"), namespace).ok

        until(admitted, "the quota is free", 10 * GRACE_SECONDS)
        waiting(api, namespace, "next")
        scheduler.binder.kill()
        scheduler.binder.start().wait_ready()
        holds(lambda: "nodeName" not in api.get("Pod", "next", namespace).must()["spec"], "next waits", 3)

        end(api, namespace, "slow")
        api.patch("Pod", "slow", {"metadata": {"finalizers": None}}, namespace).must()
        assert device(bound(api, namespace, "next")) == held
