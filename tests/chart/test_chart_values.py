"""values.yaml is the single source of the chart, and the chart agrees with the code. No cluster, no helm."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.harness.chart import CHART
from webhook.core.values import names

GENERATE = CHART.parent / "generate.py"
TEMPLATES = sorted((CHART / "templates").iterdir())
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())


def values_of_the_schema() -> list[str]:
    """The dotted names of all values, as the generated schema lists them."""
    found: list[str] = []

    def walk(schema: dict[str, object], path: str) -> None:
        properties = schema.get("properties")
        if not isinstance(properties, dict) or schema.get("additionalProperties") is not False:
            found.append(path)
            return
        for name, child in properties.items():
            walk(child, f"{path}.{name}" if path else name)

    walk(SCHEMA, "")
    return [name for name in found if name != "global"]


def uses() -> set[str]:
    """The dotted names of all values that the templates read."""
    text = "\n".join(path.read_text() for path in TEMPLATES)
    return set(re.findall(r"\.Values\.([A-Za-z.]+[A-Za-z])", text))


def cel_list(name: str) -> list[str]:
    text = (CHART / "templates" / "_cel.tpl").read_text().replace("{{/**/ -}}", "")
    found = re.search(rf'define "resourceclass.cel.{name}" -}}}}(.*?){{{{- end', text, re.DOTALL)
    assert found is not None
    listed: list[str] = json.loads(found[1])
    return listed


def test_the_schema_and_the_table_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, GENERATE, "--check"], capture_output=True, text=True, check=False, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", values_of_the_schema())
def test_every_value_is_used(name: str) -> None:
    assert name in uses()


def test_every_value_that_is_used_exists() -> None:
    assert uses() - set(values_of_the_schema()) == set()


def test_the_names_that_no_class_can_have_are_those_of_the_code() -> None:
    assert set(cel_list("standardNames")) == names.STANDARD_NAMES
    assert tuple(cel_list("standardPrefixes")) == names.STANDARD_PREFIXES


@pytest.mark.parametrize(
    "name",
    [
        names.GROUP,
        names.VERSION,
        names.STORED_PREFIX,
        names.QUOTA_PREFIX,
        names.RECORD_ANNOTATION,
        names.DEVICES_DOMAIN,
        names.WEBHOOK_LABEL,
        names.ISOLATE_LABEL,
        names.LAST_APPLIED_ANNOTATION,
        names.DEVICES_VARIABLE,
        names.MEMORY_VARIABLE,
    ],
)
def test_the_chart_uses_the_names_of_the_code(name: str) -> None:
    assert any(name in path.read_text() for path in TEMPLATES)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_ends_with_a_newline_and_has_no_trailing_space(path: Path) -> None:
    text = path.read_text()

    assert text.endswith("\n")
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_the_chart_has_the_version_of_the_package() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    package = re.search(r"^version = (\S+)$", (CHART.parents[1] / "setup.cfg").read_text(), re.MULTILINE)

    assert package is not None
    assert chart["appVersion"] == package[1]
