"""The name of the class of a device model: `NVIDIA Tesla K80` is `nvidia.tesla.k80`.

    vendor . word-word-word        and "tesla", which is a family of models, as a part of its own

All spellings that values/model.py holds for one model give one name. A name keeps only what a DNS name may
hold, in lower case, so that two models can meet in one name: `told_apart` then gives the second another one.
"""

import hashlib
import re
from typing import Final

from webhook.core.values.model import normalise_model
from webhook.core.values.names import CLASS_NAME_MAX_LENGTH, is_class_name

FAMILY: Final = "tesla"
HASH_LENGTH: Final = 8  # hexadecimal digits: of 10,000 models, two share one with a probability of 1 %

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9.]+")
_DOTS: Final = re.compile(r"[-.]*\.[-.]*")


def class_name(vendor: str, model: str) -> str:
    """Return the name of the class of a model, which is_class_name holds valid whatever the texts are.

    A vendor that is not known is empty: the name is then that of the model alone.
    """
    family, *rest = _words(model) or [""]
    model_part = f"{family}{'.' if family == FAMILY else '-'}{'-'.join(rest)}"
    name = _tidy(".".join([_tidy(_slug(vendor)), model_part]))
    if not name or _is_lost(model):
        return told_apart(name or "device", vendor, model)
    if len(name) <= CLASS_NAME_MAX_LENGTH and not is_class_name(name):
        name = _tidy(f"device.{name}")  # it begins like one of Kubernetes' own
    return name if len(name) <= CLASS_NAME_MAX_LENGTH else told_apart(name, vendor, model)


def told_apart(name: str, vendor: str, model: str) -> str:
    """Return `name`, cut where it is too long, with a hash of the model that it is for."""
    text = f"{vendor}\0{normalise_model(model)}".encode("utf-8", "surrogatepass")
    ending = f"-{hashlib.sha256(text).hexdigest()[:HASH_LENGTH]}"
    found = _tidy(name[: CLASS_NAME_MAX_LENGTH - len(ending)]) + ending
    return found if is_class_name(found) else f"device{ending}"


def _words(model: str) -> list[str]:
    return [slug for word in normalise_model(model).split(" ") if (slug := _tidy(_slug(word)))]


def _slug(text: str) -> str:
    # A profile of MIG is written 1g.5gb+me by the driver and 1g.5gb.me in names of resources.
    return _NOT_IN_NAMES.sub("-", text.lower().replace("+", "."))


def _tidy(name: str) -> str:
    return _DOTS.sub(".", name).strip("-.")


def _is_lost(model: str) -> bool:
    """Whether letters or digits of the model cannot stand in a name."""
    return any(char.isalnum() and not char.isascii() for char in model)
