"""Names of classes that are easily taken for each other.

Reads: the names of classes. Models differ in a letter or digit (a10 and a100, v100 and p100), so only what is
beside such parts is compared: `nvidia.tesla-k80` and `nvidia.telsa.k80` are close to `nvidia.tesla.k80`.
"""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, warning
from webhook.core.values.spelling import closest

CLOSE: Final = "CloseClassNames"
_SEPARATORS: Final = re.compile(r"[-.]")
_DIGIT: Final = re.compile(r"\d")


def class_names(facts: Facts) -> Iterator[Finding]:
    """Find pairs of names that differ in a slip of the pen."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name in sorted({*facts.classes.readable, *facts.classes.broken}):
        parts = _SEPARATORS.split(name)
        models = tuple(part for part in parts if _DIGIT.search(part))
        words = ".".join(part for part in parts if not _DIGIT.search(part))
        groups.setdefault(models, []).append((name, words))
    for members in groups.values():
        for (one, words), (other, more) in combinations(members, 2):
            if words == more or (words and more and closest(words, [more])):
                text = f"its name is easily taken for {other}"
                remedy = "if both are meant to be, say in a description which is which; else delete one"
                yield warning(CLOSE, f"ResourceClass {one}", text, remedy)
