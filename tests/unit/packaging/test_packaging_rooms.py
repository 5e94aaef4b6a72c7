"""What the import contracts in setup.cfg cannot say: the rules import nothing but the standard library."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RULES = sorted((ROOT / "webhook/core").rglob("*.py"))


@pytest.mark.parametrize("path", RULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_rule_imports_the_standard_library_and_other_rules_alone(path: Path):
    imported = _imports(ast.parse(path.read_text()))

    foreign = {name for name in imported if name.split(".")[0] not in sys.stdlib_module_names}
    assert [name for name in sorted(foreign) if not name.startswith("webhook.core")] == []


def _imports(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names
