"""Make what repeats values.yaml: its JSON schema and the table of the README.

    python charts/generate.py            write both
    python charts/generate.py --check    exit 1 and name the file if one is out of date

In values.yaml each value has a comment above it, which becomes its description. A line `# @schema {...}`
there is merged into the value's schema. A map with keys is closed: a misspelt key is an error at install.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).parent / "resourceclass"
BEGIN, END = "<!-- values: begin -->", "<!-- values: end -->"

TYPES = {bool: "boolean", int: "integer", str: "string", list: "array", dict: "object"}

Json = dict[str, Any]


@dataclass(frozen=True)
class Value:
    """One value: where it stands, what it is by default, what its comment says."""

    path: tuple[str, ...]
    default: Any
    description: str
    constraint: Json

    @property
    def name(self) -> str:
        return ".".join(self.path)


def read_values(text: str) -> list[Value]:
    """Return the values of a values.yaml in its order; a map with keys counts by what is in it."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        sys.exit("values.yaml is not a map")
    return list(_walk(root, yaml.safe_load(text), (), text.splitlines()))


def _walk(node: yaml.MappingNode, data: Json, path: tuple[str, ...], lines: list[str]) -> Iterator[Value]:
    for key_node, value_node in node.value:
        key = key_node.value
        description, constraint = _comment(lines, key_node.start_mark.line)
        # A described map is one value, whose keys are the user's.
        if isinstance(data[key], dict) and data[key] and not description:
            yield from _walk(value_node, data[key], (*path, key), lines)
        elif description:
            yield Value((*path, key), data[key], description, constraint)
        else:
            sys.exit(f"values.yaml:{key_node.start_mark.line + 1}: {key} has no comment; say what it is for")


def _comment(lines: list[str], line: int) -> tuple[str, Json]:
    words: list[str] = []
    constraint: Json = {}
    while line > 0 and (text := lines[line - 1].strip()).startswith("#"):
        body = text.lstrip("# ")
        if body.startswith("@schema "):
            constraint = json.loads(body.removeprefix("@schema "))
        else:
            words.insert(0, body)
        line -= 1
    return " ".join(words), constraint


def schema(values: list[Value]) -> Json:
    """Return the JSON schema of the values."""
    # Helm hands `global` to every chart that is a dependency of another one.
    root: Json = {"$schema": "http://json-schema.org/draft-07/schema#"} | _closed(
        {"global": {"type": "object"}}
    )
    for value in values:
        place = root
        for part in value.path[:-1]:
            place = place["properties"].setdefault(part, _closed({}))
        own = {"type": TYPES[type(value.default)], "description": value.description, "default": value.default}
        place["properties"][value.path[-1]] = own | value.constraint
    return root


def _closed(properties: Json) -> Json:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def table(values: list[Value]) -> str:
    """Return the values as a Markdown table."""
    rows = [f"| `{v.name}` | `{json.dumps(v.default)}` | {v.description} |" for v in values]
    return "\n".join(["| Value | Default | What it is |", "| --- | --- | --- |", *rows])


def generated(chart: Path) -> dict[Path, str]:
    """Return what the generated files should hold."""
    values = read_values((chart / "values.yaml").read_text())
    readme = (chart / "README.md").read_text()
    block = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    return {
        chart / "values.schema.json": json.dumps(schema(values), indent=2) + "\n",
        chart / "README.md": block.sub(lambda _: f"{BEGIN}\n{table(values)}\n{END}", readme),
    }


def main(arguments: list[str]) -> int:
    """Write the files, or with --check compare them."""
    stale = {p: text for p, text in generated(CHART).items() if not p.exists() or p.read_text() != text}
    if arguments == ["--check"]:
        for path in stale:
            print(f"{path.name} is out of date; run: python charts/generate.py", file=sys.stderr)
        return 1 if stale else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for path, text in stale.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
