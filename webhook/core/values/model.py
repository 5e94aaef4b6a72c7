"""Names of device models, compared as one vendor's many spellings of them need.

One device is ``NVIDIA Tesla K80`` to its driver, ``Tesla-K80`` in one node label and ``NVIDIA-Tesla-K80``
in another. Such names are equal; nothing else is fuzzy, neither case nor parts of names: H20 is not H200.
"""

import re
from typing import Final

VENDOR_WORDS: Final = frozenset(
    {"NVIDIA", "AMD", "Intel", "Intel(R)", "Huawei", "Xilinx", "Mellanox", "Cambricon", "Hygon", "Iluvatar"}
)

_SEPARATORS: Final = re.compile(r"[ _-]+")


def normalise_model(text: str) -> str:
    """Return the form in which two spellings of one model are the same text."""
    words = [word for word in _SEPARATORS.split(text) if word]
    if len(words) > 1 and words[0] in VENDOR_WORDS:
        del words[0]
    return " ".join(words)
