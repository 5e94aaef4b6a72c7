"""Kubernetes' LabelSelector, as spec.namespaces of a class uses it.

The rules are those of k8s.io/apimachinery, pkg/apis/meta/v1/helpers.go and pkg/labels/selector.go: all
requirements must hold, NotIn holds where the label is absent, and an empty selector selects everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


@dataclass(frozen=True, slots=True)
class LabelRequirement:
    """One requirement: matchLabels are read as In with one value."""

    key: str
    operator: str
    values: tuple[str, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels meets the requirement."""
        present = self.key in labels
        if self.operator == "Exists":
            return present
        if self.operator == "DoesNotExist":
            return not present
        return (present and labels[self.key] in self.values) == (self.operator == "In")

    def __str__(self) -> str:
        if self.operator == "Exists":
            return self.key
        if self.operator == "DoesNotExist":
            return f"!{self.key}"
        if self.operator == "In" and len(self.values) == 1:
            return f"{self.key}={self.values[0]}"
        return f"{self.key} {'in' if self.operator == 'In' else 'notin'} ({','.join(self.values)})"


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A readable label selector; `str` of it is the form that `kubectl get -l` takes."""

    requirements: tuple[LabelRequirement, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        return ",".join(str(requirement) for requirement in self.requirements)


def read_label_selector(raw: Any, path: str, problems: list[str]) -> LabelSelector:
    """Read a label selector; what is wrong with it is added to `problems`, named by `path`."""
    if not isinstance(raw, dict):
        problems.append(f"{path} must be a label selector with matchLabels or matchExpressions")
        return LabelSelector(())
    labels, expressions = raw.get("matchLabels") or {}, raw.get("matchExpressions") or []
    found: list[LabelRequirement] = []
    if isinstance(labels, dict):
        found += _labels(labels, f"{path}.matchLabels", problems)
    else:
        problems.append(f"{path}.matchLabels must be a map of label to value")
    if isinstance(expressions, list):
        for index, item in enumerate(expressions):
            found += _expression(item, f"{path}.matchExpressions[{index}]", problems)
    else:
        problems.append(f"{path}.matchExpressions must be a list")
    return LabelSelector(tuple(found))


def _labels(labels: Mapping[str, Any], path: str, problems: list[str]) -> list[LabelRequirement]:
    problems.extend(
        f"{path}[{key}] must be a text; put it in quotes"
        for key, value in labels.items()
        if not isinstance(value, str)
    )
    return [LabelRequirement(k, "In", (v,)) for k, v in labels.items() if isinstance(v, str)]


def _expression(raw: Any, path: str, problems: list[str]) -> list[LabelRequirement]:
    item = raw if isinstance(raw, dict) else {}
    key, operator, values = item.get("key"), item.get("operator"), item.get("values") or []
    if not isinstance(key, str) or not key:
        problems.append(f"{path}.key must name a label")
    elif operator not in _OPERATORS:
        problems.append(f"{path}.operator is {operator!r}; it must be one of {', '.join(_OPERATORS)}")
    elif not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        problems.append(f"{path}.values must be a list of texts")
    elif bool(values) != (operator in ("In", "NotIn")):
        needs = "needs at least one value" if not values else "takes no values"
        problems.append(f"{path}.values: {operator} {needs}")
    else:
        return [LabelRequirement(key, operator, tuple(values))]
    return []
