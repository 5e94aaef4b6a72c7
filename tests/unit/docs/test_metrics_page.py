"""The metrics and alerts of docs/observability.md speak of what the code exposes."""

import re
from pathlib import Path

import yaml

from webhook.core.outcome import Reason
from webhook.serve import metrics

PAGE = (Path(__file__).parents[3] / "docs/observability.md").read_text()
SETS = [value for name, value in vars(metrics).items() if name.endswith("Metrics")]


def exposed(metric):
    """Return the name under which a metric is scraped, with the labels that its series carry."""
    (family,) = metric.describe()
    name = family.name + ("_total" if family.type == "counter" else "")
    labels = ",".join(metric._labelnames)
    return f"{name}{{{labels}}}" if labels else name


def test_the_page_lists_every_metric_with_its_labels_and_no_other():
    made = [value for make in SETS for value in vars(make()).values() if hasattr(value, "describe")]
    listed = re.findall(r"^\| `(resourceclass_[^`]+)` \|", PAGE, re.MULTILINE)

    assert sorted(listed) == sorted(map(exposed, made))


def alerts():
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (group,) = yaml.safe_load(block)["groups"]
    return {rule["alert"]: rule["expr"] for rule in group["rules"]}


def test_alerts_ask_for_metrics_that_exist():
    made = {value for make in SETS for value in vars(make()).values() if hasattr(value, "describe")}
    known = {re.split("{", exposed(metric))[0] for metric in made}
    asked = {name for expr in alerts().values() for name in re.findall(r"\bresourceclass_\w+", expr)}

    assert asked
    assert {name.removesuffix("_bucket") for name in asked} <= known


def test_alerts_ask_for_reasons_that_exist():
    asked = {name for expr in alerts().values() for name in re.findall(r'reason="(\w+)"', expr)}

    assert asked
    assert asked <= {reason.value for reason in Reason}
