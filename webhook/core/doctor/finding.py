"""What a rule says: how bad it is, where it is, what is wrong, and what to do."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad; the words are stable, and in the order in which they are shown."""

    ERROR = "error"  # pods are stopped, unchecked or with a wrong device now
    WARNING = "warning"  # it will be so, or something is not as it seems


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem. `rule` is a word for programs, and the word to look for in docs/troubleshooting.md."""

    severity: Severity
    rule: str
    place: str
    problem: str
    remedy: str
    may_pass: bool = False
    """Whether it may be the moment between two writes: only what is there twice is a problem."""


def error(rule: str, place: str, problem: str, remedy: str) -> Finding:
    """Return a problem of now."""
    return Finding(Severity.ERROR, rule, place, problem, remedy)


def warning(rule: str, place: str, problem: str, remedy: str) -> Finding:
    """Return a problem to come."""
    return Finding(Severity.WARNING, rule, place, problem, remedy)
