"""What the end of a command means to whoever called it; docs/configuration.md has the table."""

from typing import Final

YES: Final = 0
"""Done, admitted, nothing is wrong."""
NO: Final = 1
"""Refused, or a problem was found."""
BAD_INPUT: Final = 2
"""What was given cannot be used; the error says where. argparse ends with the same for bad usage."""
UNREACHABLE: Final = 3
"""The cluster did not answer."""
INTERRUPTED: Final = 130
"""As shells count a process that SIGINT ended."""
