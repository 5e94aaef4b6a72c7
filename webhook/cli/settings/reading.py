"""The settings of a part, read from flags and a configuration file.

Flags win over the file. There are no environment variables: that prefix belongs to containers that got a
device. Every problem is reported at once, and before a port opens.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from webhook.cli.options import BadSettings, Option, build, options_of
from webhook.cli.parser import hint
from webhook.cluster.yaml_json import read_stream
from webhook.core.errors import BadInput

SHORT_FLAGS: Final[Mapping[str, str]] = {"namespace": "-n", "output": "-o"}


class Judged(Protocol):
    """Settings that know what is wrong with them."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, by the names of the fields."""


T = TypeVar("T", bound=Judged)


def add_flags(parser: argparse.ArgumentParser, settings: type) -> None:
    """Give `parser` a flag for every option of a settings class, and --config."""
    parser.add_argument("--config", metavar="FILE", help="YAML file, same names as the flags; a flag wins")
    required = getattr(settings, "required", ())
    for option in options_of(settings):
        text = option.help.replace("``", "`").replace("%", "%%")
        if option.name in required:
            text += " Must be given, here or in the file of --config."
        # Values stay text here: argparse would stop at the first bad one.
        parser.add_argument(
            *filter(None, (SHORT_FLAGS.get(option.name), f"--{option.name}")),
            dest=option.name,
            default=argparse.SUPPRESS,
            metavar=option.word,
            help=text,
        )


def load(settings: type[T], arguments: argparse.Namespace) -> T:
    """Return the settings that flags and file give together.

    Raises BadSettings with every problem of both.
    """
    options = {option.name: option for option in options_of(settings)}
    problems: list[str] = []
    values: dict[str, Any] = {}
    flags = {name: value for name, value in vars(arguments).items() if name in options}
    for place, given in ((arguments.config, _file(arguments.config, problems)), ("", flags)):
        _read(options, given, place, values, problems)
    # A value that cannot be read leaves the default in its place, so that the rest can still be judged.
    loaded = build(settings, values)
    problems += _kebab(loaded.problems(), options)
    if problems:
        raise BadSettings(problems)
    return loaded


def _file(path: str | None, problems: list[str]) -> Mapping[str, Any]:
    if path is None:
        return {}
    try:
        documents = [piece.value for piece in read_stream(Path(path).read_text("utf-8"), path)]
    except OSError as error:
        problems.append(f"--config {path}: {error.strerror}")
        return {}
    except UnicodeDecodeError:
        problems.append(f"--config {path}: not UTF-8 text")
        return {}
    except BadInput as error:
        problems.append(f"--config {error}")  # which begins with the path
        return {}
    content = documents[0] if documents else {}
    if len(documents) > 1 or not isinstance(content, dict):
        problems.append(f"--config {path}: must hold one mapping of option names to values")
        return {}
    return {_option_name(str(key)): value for key, value in content.items()}


def _option_name(key: str) -> str:
    """Return a key as a flag spells it: `foreignScheduler` and `foreign_scheduler` as `foreign-scheduler`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", key).replace("_", "-").lower()


def _read(
    options: Mapping[str, Option],
    given: Mapping[str, Any],
    place: str,
    values: dict[str, Any],
    problems: list[str],
) -> None:
    for name, value in given.items():
        where = f"{place}: {name}" if place else f"--{name}"
        if name not in options:
            problems.append(f"{where}: no such option{hint(name, options)}")
            continue
        try:
            values[name] = options[name].read(value)
        except ValueError as error:
            problems.append(f"{where} {error}")


def _kebab(problems: Iterable[str], options: Iterable[str]) -> Iterator[str]:
    """Return problems that name fields as ones that name options."""
    fields = {name.replace("-", "_"): f"--{name}" for name in options}
    pattern = re.compile(rf"(?<![\w-])({'|'.join(sorted(fields, key=len, reverse=True))})(?![\w-])")
    for problem in problems:
        yield pattern.sub(lambda match: fields[match[1]], problem)
