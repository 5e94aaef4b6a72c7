"""Which objects a list or a watch is of: those of a collection, and by a field selector some of them."""

from collections.abc import Callable
from typing import NamedTuple

from webhook.cluster.embedded.paths import Target
from webhook.cluster.identity import ObjectId
from webhook.core.raw import as_text, value_at
from webhook.core.values.names import Json


class Selection(NamedTuple):
    """A part of what there is."""

    target: Target
    is_selected: Callable[[Json], bool]

    def shown(self, key: ObjectId, obj: Json | None) -> Json | None:
        """Return the object if it belongs to this part, else None."""
        is_in = obj is not None and self.target.holds(key) and self.is_selected(obj)
        return obj if is_in else None


def selected_by(selector: str) -> Callable[[Json], bool]:
    """Return what tells whether an object is selected by `metadata.name=a,status.phase!=Failed`.

    A field that is absent is empty, as Kubernetes has it.
    """
    terms = [_term(text) for text in selector.split(",") if text]

    def is_selected(obj: Json) -> bool:
        return all((as_text(value_at(obj, path)) == value) is wanted for path, value, wanted in terms)

    return is_selected


def _term(text: str) -> tuple[list[str], str, bool]:
    field, _, value = text.partition("=")
    return field.removesuffix("!").split("."), value.removeprefix("="), not field.endswith("!")
