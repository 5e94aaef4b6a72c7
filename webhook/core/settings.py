"""What an administrator may choose about the rules."""

from dataclasses import dataclass
from typing import Literal

ForeignScheduler = Literal["refuse", "keep", "override"]


@dataclass(frozen=True, slots=True)
class PodSettings:
    """Choices about pods that ask for a class."""

    foreign_scheduler: ForeignScheduler = "refuse"
    """What happens to a pod that names another scheduler: refuse it, keep its scheduler, or override it."""
