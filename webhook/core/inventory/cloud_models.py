"""The driver's names of the models that clouds call by short names, such as `nvidia-tesla-t4` or `a100`.

Only with the driver's name is a device of a label the same model as one that the driver of another node
has named. What the table does not hold is the vendor's word and the short name in capitals, which is what
NVIDIA's drivers say of most models since 2021 (`l40s`: `NVIDIA L40S`).

Sources: "About GPUs in GKE", "Amazon EC2 accelerated computing instances", and what nvidia-smi shows there.
"""

from typing import Final

_GIB: Final = 1 << 30

# By short name, without the words "nvidia" and "tesla".
_NAMES: Final[dict[str, str]] = {
    "k80": "Tesla K80",
    "m60": "Tesla M60",
    "p4": "Tesla P4",
    "p100": "Tesla P100-PCIE-16GB",
    "t4": "Tesla T4",
    "a100-40gb": "NVIDIA A100-SXM4-40GB",
    "a100-80gb": "NVIDIA A100-SXM4-80GB",
    "h100": "NVIDIA H100 80GB HBM3",
    "h100-80gb": "NVIDIA H100 80GB HBM3",
    "h100-mega-80gb": "NVIDIA H100 80GB HBM3",
    "h200-141gb": "NVIDIA H200",
    "rtx-pro-6000": "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    "v100-16gb": "Tesla V100-SXM2-16GB",
    "v100-32gb": "Tesla V100-SXM2-32GB",
}

# Models that come in two sizes: the largest memory of the smaller one, and the two.
_BY_MEMORY: Final[dict[str, tuple[int, str, str]]] = {
    "a100": (48 * _GIB, "a100-40gb", "a100-80gb"),
    "v100": (20 * _GIB, "v100-16gb", "v100-32gb"),
}


def driver_name(vendor: str, short: str, memory_bytes: int | None) -> str:
    """Return the driver's name of a model; of one in two sizes the smaller, where the memory is not known."""
    words = [word for word in short.lower().replace("_", "-").split("-") if word]
    name = "-".join(word for word in words if word not in (vendor.lower(), "tesla"))
    if vendor == "NVIDIA":
        if name in _BY_MEMORY:
            most, smaller, larger = _BY_MEMORY[name]
            name = larger if (memory_bytes or 0) > most else smaller
        if name in _NAMES:
            return _NAMES[name]
    return " ".join([vendor, *name.upper().split("-")]).strip()


def same_chip(short: str, other: str) -> bool:
    """Whether a short name may mean the model of another name: its first word with a digit is in both."""
    words = short.lower().replace("_", "-").replace(" ", "-").split("-")
    chip = next((word for word in words if any(char.isdigit() for char in word)), None)
    return chip is None or chip in other.lower().replace("_", "-").replace(" ", "-").split("-")
