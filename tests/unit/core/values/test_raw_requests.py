"""What a pod asks of a vendor's resource."""

from __future__ import annotations

from webhook.core.values.raw_requests import raw_requests

GPU = "nvidia.com/gpu"


def asking(count: int, name: str = "c", **more: object) -> dict:
    return {"name": name, "resources": {"limits": {GPU: str(count), "cpu": "1"}}, **more}


def test_counts_what_runs_at_once_and_the_largest_init_container():
    spec = {
        "initContainers": [asking(1, "side", restartPolicy="Always"), asking(4, "init")],
        "containers": [asking(1, "a"), asking(2, "b")],
    }
    assert raw_requests(spec) == {GPU: 5}


def test_ignores_what_is_kubernetes_own_a_class_or_no_number():
    limits = {
        "cpu": "4",
        "hugepages-2Mi": "1Gi",
        "kubernetes.io/x": "1",
        "requests.kubernetes.io/x": "1",
        "resourceclass.io/k80": "1",
        "example.com/bad": "half",
    }
    assert raw_requests({"containers": [{"name": "c", "resources": {"limits": limits}}]}) == {}
