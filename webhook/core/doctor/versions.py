"""Versions that do not fit each other: Kubernetes, kube-scheduler, and the parts of the product.

Reads: the version of the API server, and the images of our Deployments. How old each may be is said under
"Version Skew Policy" in the Kubernetes documentation.
"""

import re
from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts, title
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.doctor.parts import PARTS, SCHEDULER_CONTAINER, SCHEDULER_DEPLOYMENT
from webhook.core.raw import as_list, as_mapping, as_text, at, name_of
from webhook.core.text import list_of
from webhook.core.values.names import Json

TOO_OLD: Final = "ServerTooOld"
SKEW: Final = "SchedulerSkew"
MIXED: Final = "MixedVersions"

# kubeVersion of the chart: matchConditions and ValidatingAdmissionPolicy are stable from here on.
MIN_MINOR: Final = 30
_VERSION: Final = re.compile(r"v?1\.(\d+)\b")
_TAG: Final = re.compile(r":v?1\.(\d+)\b[^/]*$")


def server_version(facts: Facts) -> Iterator[Finding]:
    """Find an API server that is too old."""
    minor = _server_minor(facts)
    if minor is not None and minor < MIN_MINOR:
        text = f"Kubernetes 1.{minor} is older than 1.{MIN_MINOR}: conditions and policy may not be in force"
        yield error(TOO_OLD, "API server", text, f"upgrade Kubernetes to 1.{MIN_MINOR} or later")


def scheduler_version(facts: Facts) -> Iterator[Finding]:
    """Find a kube-scheduler that is newer than the API server, or older by more than one minor."""
    server, deployment = _server_minor(facts), facts.named("Deployment", SCHEDULER_DEPLOYMENT)
    image = dict(_images(deployment)).get(SCHEDULER_CONTAINER, "") if deployment else ""
    tag = _TAG.search(image)
    if deployment is None or server is None or tag is None or 0 <= server - int(tag[1]) <= 1:
        return
    text = f"its kube-scheduler is {image}, and the API server is 1.{server}: "
    text += "it must not be newer" if int(tag[1]) > server else "it may be older by one minor at most"
    remedy = f"set scheduler.image of the chart to kube-scheduler 1.{server}"
    yield warning(SKEW, title("Deployment", deployment), text, remedy)


def product_versions(facts: Facts) -> Iterator[Finding]:
    """Find parts of the product that run different images."""
    found: dict[str, list[str]] = {}
    for deployment in facts.of("Deployment"):
        if name_of(deployment) not in PARTS:
            continue
        for container, image in _images(deployment):
            if container != SCHEDULER_CONTAINER:
                found.setdefault(image, []).append(container)
    if len(found) > 1:
        listed = "; ".join(f"{image}: {list_of(sorted(names))}" for image, names in sorted(found.items()))
        remedy = "run all parts from one image: helm upgrade, and see whether a rollout hangs"
        yield warning(MIXED, "Deployments of ResourceClass", f"their images differ: {listed}", remedy)


def _images(deployment: Json) -> Iterator[tuple[str, str]]:
    """Yield the containers of a Deployment with their images."""
    spec = at(deployment, "spec", "template", "spec")
    for container in map(as_mapping, as_list(spec.get("containers"))):
        yield as_text(container.get("name")), as_text(container.get("image"))


def _server_minor(facts: Facts) -> int | None:
    text = next((as_text(item.get("gitVersion")) for item in facts.of("Version")), "")
    match = _VERSION.match(text)
    return int(match[1]) if match else None
