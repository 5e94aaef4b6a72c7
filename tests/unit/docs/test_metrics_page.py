"""The metrics that docs/configuration.md lists are those of the code."""

import re
from pathlib import Path

from webhook.serve import metrics

PAGE = (Path(__file__).parents[3] / "docs/configuration.md").read_text()
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
