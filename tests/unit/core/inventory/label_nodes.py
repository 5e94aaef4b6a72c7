"""Nodes as real clusters label them, one per source."""

K8S = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "zone": "a"}

GFD_T4 = {
    "feature.node.kubernetes.io/pci-10de.present": "true",
    "nvidia.com/cuda.driver-version.full": "570.86.15",
    "nvidia.com/cuda.driver-version.major": "570",
    "nvidia.com/cuda.runtime-version.full": "12.8",
    "nvidia.com/gfd.timestamp": "1736943000",
    "nvidia.com/gpu.compute.major": "7",
    "nvidia.com/gpu.compute.minor": "5",
    "nvidia.com/gpu.count": "2",
    "nvidia.com/gpu.family": "turing",
    "nvidia.com/gpu.machine": "Standard-PC-Q35",
    "nvidia.com/gpu.memory": "15360",
    "nvidia.com/gpu.mode": "compute",
    "nvidia.com/gpu.product": "Tesla-T4",
    "nvidia.com/gpu.replicas": "1",
    "nvidia.com/gpu.sharing-strategy": "none",
    "nvidia.com/mig.capable": "false",
    "nvidia.com/mps.capable": "false",
    "nvidia.com/vgpu.present": "false",
}
GFD_SHARED = GFD_T4 | {
    "nvidia.com/gpu.product": "Tesla-T4-SHARED",
    "nvidia.com/gpu.replicas": "4",
    "nvidia.com/gpu.sharing-strategy": "time-slicing",
}
GFD_MIG_SINGLE = GFD_T4 | {
    "nvidia.com/gpu.count": "14",
    "nvidia.com/gpu.family": "ampere",
    "nvidia.com/gpu.memory": "4864",
    "nvidia.com/gpu.multiprocessors": "14",
    "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb",
    "nvidia.com/gpu.slices.ci": "1",
    "nvidia.com/gpu.slices.gi": "1",
    "nvidia.com/mig.capable": "true",
    "nvidia.com/mig.strategy": "single",
}
GFD_MIG_MIXED = GFD_T4 | {
    "nvidia.com/gpu.count": "1",
    "nvidia.com/gpu.memory": "40960",
    "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB",
    "nvidia.com/gpu.replicas": "0",
    "nvidia.com/mig-1g.5gb.count": "2",
    "nvidia.com/mig-1g.5gb.memory": "4864",
    "nvidia.com/mig-1g.5gb.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb",
    "nvidia.com/mig-1g.5gb.replicas": "1",
    "nvidia.com/mig-3g.20gb.count": "1",
    "nvidia.com/mig-3g.20gb.memory": "19968",
    "nvidia.com/mig-3g.20gb.product": "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb",
    "nvidia.com/mig.capable": "true",
    "nvidia.com/mig.strategy": "mixed",
}
ALIYUN_VGPU = {
    "aliyun.accelerator/nvidia_name": "GRID-P4-2Q",
    "aliyun.accelerator/nvidia_mem": "2048MiB",
    "aliyun.accelerator/nvidia_count": "1",
}
ALIYUN_P4 = {
    "aliyun.accelerator/nvidia_name": "Tesla-P4",
    "aliyun.accelerator/nvidia_mem": "7611MiB",
    "aliyun.accelerator/nvidia_count": "2",
}
GKE_T4 = {
    "cloud.google.com/gke-accelerator": "nvidia-tesla-t4",
    "cloud.google.com/gke-accelerator-count": "2",
    "cloud.google.com/gke-nodepool": "gpu",
}
EKS_AUTO_A100 = {
    "eks.amazonaws.com/compute-type": "auto",
    "eks.amazonaws.com/instance-gpu-count": "8",
    "eks.amazonaws.com/instance-gpu-manufacturer": "nvidia",
    "eks.amazonaws.com/instance-gpu-memory": "81920",
    "eks.amazonaws.com/instance-gpu-name": "a100",
}
KARPENTER_L4 = {
    "karpenter.k8s.aws/instance-family": "g6",
    "karpenter.k8s.aws/instance-gpu-count": "1",
    "karpenter.k8s.aws/instance-gpu-manufacturer": "nvidia",
    "karpenter.k8s.aws/instance-gpu-memory": "22888",
    "karpenter.k8s.aws/instance-gpu-name": "l4",
    "karpenter.sh/nodepool": "gpu",
}
EKS_V100 = {"k8s.amazonaws.com/accelerator": "nvidia-tesla-v100"}
AKS = {"kubernetes.azure.com/accelerator": "nvidia", "accelerator": "nvidia"}


def a_node(*labels, name="n1", uid="uid-1", **resources):
    """A node with these sets of labels; resources are of capacity, `gpu` for nvidia.com/gpu."""
    amounts = {{"gpu": "nvidia.com/gpu"}.get(key, key): str(value) for key, value in resources.items()}
    merged = dict(K8S)
    for item in labels:
        merged |= item
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": uid, "labels": merged},
        "status": {"capacity": {"cpu": "8", **amounts}, "allocatable": {"cpu": "8", **amounts}},
    }
