"""The nodes that could serve a pod.

Reads and changes: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution. Each class of
the pod becomes an expression `class.resourceclass.io/<class> Gt <units - 1>` on the node label that says
how many units the node, empty, could serve.

Terms are ORed, so the expressions go into every term that can match; an empty term matches nothing and
must stay empty, else it would begin to match. A term is made only where there is none.
"""

from typing import Any, Final

from webhook.core.mutate.asked import Asked
from webhook.core.mutate.draft import Draft, with_value
from webhook.core.values import names
from webhook.core.values.names import Json

_AFFINITY: Final = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
_TERMS: Final = ("spec", *_AFFINITY, "nodeSelectorTerms")
_WHY: Final = "only nodes that could serve the pod are considered"

# The scheduler reads the operand of Gt as an int64 and gives up on a larger number.
_MAX_OPERAND: Final = (1 << 63) - 1


def require_nodes(draft: Draft, wanted: Asked) -> None:
    """Let the pod go only to nodes that, empty, could serve it."""
    least = _least_units(wanted)
    node: Any = draft.object.get("spec")
    for step in _AFFINITY:
        node = node.get(step)
        if node is None:
            _put(draft, [_term_of(least)], least)
            return
        if not isinstance(node, dict):
            return  # the API server's to refuse
    terms = node.get("nodeSelectorTerms")
    if terms is None or terms == []:
        _put(draft, [_term_of(least)], least)
    elif isinstance(terms, list):
        new_terms = [_with_expressions(term, least) for term in terms]
        if any(new is not old for new, old in zip(new_terms, terms, strict=True)):
            _put(draft, new_terms, least)


def _put(draft: Draft, terms: list[Any], least: dict[str, int]) -> None:
    what = ", ".join(f"{label} is at least {units}" for label, units in least.items())
    draft.put(_TERMS, terms, what, _WHY)


def _least_units(wanted: Asked) -> dict[str, int]:
    """Return node label to the units that a node must be able to serve.

    Shares of one device serve one container each, so for them the largest container counts.
    """
    demand = wanted.demand
    return {
        names.node_label(name): min(
            (demand.largest if item.is_share else demand.units)[name], _MAX_OPERAND + 1
        )
        for name, item in wanted.classes.items()
    }


def _expression(label: str, units: int) -> Json:
    return {"key": label, "operator": "Gt", "values": [str(units - 1)]}


def _term_of(least: dict[str, int]) -> Json:
    return {"matchExpressions": [_expression(label, units) for label, units in least.items()]}


def _with_expressions(term: Any, least: dict[str, int]) -> Any:
    """Return a term with the expressions; the term itself where it has them or can match nothing."""
    if not isinstance(term, dict) or not (term.get("matchExpressions") or term.get("matchFields")):
        return term
    expressions = term.get("matchExpressions") or []
    if not isinstance(expressions, list):
        return term
    new = expressions
    for label, units in least.items():
        new = _with_expression(new, label, units)
    return term if new is expressions else with_value(term, ("matchExpressions",), new)


def _with_expression(expressions: list[Any], label: str, units: int) -> list[Any]:
    """Add one expression, or raise the operand of one that is already there on the same label."""
    operands = {index: _operand(item, label) for index, item in enumerate(expressions)}
    known = {index: operand for index, operand in operands.items() if operand is not None}
    if any(operand >= units - 1 for operand in known.values()):
        return expressions
    if known:
        replaced: list[Any] = with_value(expressions, (min(known),), _expression(label, units))
        return replaced
    return [*expressions, _expression(label, units)]


def _operand(expression: Any, label: str) -> int | None:
    """Return the number after Gt of an expression on `label`; None for any other."""
    if not isinstance(expression, dict) or (expression.get("key"), expression.get("operator")) != (
        label,
        "Gt",
    ):
        return None
    values = expression.get("values")
    text = values[0] if isinstance(values, list) and len(values) == 1 else None
    return (
        int(text) if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 20 else None
    )
