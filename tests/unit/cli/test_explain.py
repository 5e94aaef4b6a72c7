"""`resourceclass explain`: how an answer reads as a whole."""

from __future__ import annotations

from tests.unit.cli.folder import GIB, bound, device, node, pod, quota, resource_class, unschedulable

CLASS = resource_class()
FREE = (CLASS, node("node-a"), device("node-a", "GPU-0"))
TAKEN = (*FREE, bound("other", "node-a", "GPU-0"))


def test_a_pod_whose_class_is_in_use_reads_like_this(explain):
    said = "0/2 nodes are available: 2 nvidia.tesla.k80 needs 1 device: 1 in use."
    code, out = explain(
        *TAKEN,
        device("node-b", "GPU-1", phase="Unhealthy"),
        node("node-b"),
        quota(4, used=2),
        pod(status=unschedulable(said)),
    )
    assert code == 1
    assert out == (
        "no node can serve pod team-a/train now: of 2 devices of nvidia.tesla.k80 1 in use, 1 unhealthy, "
        "none free\n"
        "\n"
        "CLASS              ASKED   FREE   DEVICES   IN USE   UNHEALTHY   TOO SMALL   QUOTA LEFT\n"
        "nvidia.tesla.k80   1       0      2         1        1           0           2\n"
        "nvidia.tesla.k80 is held by team-a/other\n"
        "\n"
        "closest is node-a (of 2 nodes with devices of its classes): nvidia.tesla.k80 needs 1 device: "
        "1 in use\n"
        "\n"
        "resourceclass-scheduler said of pod/train: Unschedulable: 0/2 nodes are available: 2 "
        "nvidia.tesla.k80 needs 1\n"
        "  device: 1 in use.\n"
        "\n"
        "- wait until one of the pods that hold devices ends: team-a/other\n"
        "- mend 1 unhealthy device: kubectl get er -o wide\n"
    )


def test_a_pod_with_its_device_reads_like_this(explain):
    share = resource_class("half", share={"memory": "4GiB"})
    more = {"class_name": "half", "memory_bytes": 4 * GIB}
    code, out = explain(
        *FREE, share, bound("train", "node-a", "GPU-0", **more), bound("beside", "node-a", "GPU-0", **more)
    )
    assert code == 0
    assert out == (
        "pod team-a/train has 4 GiB of device GPU-0 (half, container main) on node-a\n"
        "\n"
        "CONTAINER   CLASS   DEVICE           BECAUSE           SHARED WITH\n"
        "main        half    4 GiB of GPU-0   model=Tesla K80   team-a/beside\n"
    )


def test_texts_of_others_do_not_steer_the_terminal(explain):
    said = "no\x1b[2J room\r\nhere"
    _, out = explain(*FREE, pod(status=unschedulable(said)))
    assert "no [2J room here" in " ".join(out.split())
    assert "\x1b" not in out


def test_properties_of_a_device_do_not_steer_the_terminal(explain):
    model = "K\x1b[8m80"
    _, out = explain(
        resource_class(model=model), device("node-a", "GPU-0", model), bound("train", "node-a", "GPU-0")
    )
    assert "model=K [8m80" in out
