"""Whatever doctor finds stands in the documentation, with what to do."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import webhook.core.doctor as room

PAGE = (Path(__file__).parents[4] / "docs" / "troubleshooting.md").read_text("utf-8")
_SAID = re.compile(r"(?:error|warning|say)\(\s*([A-Z_]+),")


def rules():
    for item in pkgutil.iter_modules(room.__path__):
        module = importlib.import_module(f"{room.__name__}.{item.name}")
        for name in _SAID.findall(Path(module.__file__).read_text("utf-8")):
            yield getattr(module, name)
    yield "NodeDevicesNotReady"  # chosen between two words
    yield "SharedWithVendorPlugin"


@pytest.mark.parametrize("rule", sorted(set(rules())))
def test_every_rule_is_listed(rule):
    assert f"| `{rule}` |" in PAGE
