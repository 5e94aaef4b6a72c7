"""The API server's own ResourceQuota plugin, as far as classes go: the last word, and the server's text.

apiserver/pkg/admission/plugin/resourcequota/controller.go: it reads `status.hard`, and what is not there
limits nothing.
"""

from collections.abc import Sequence

from webhook.core.raw import as_mapping, at
from webhook.core.validate.quota import judge
from webhook.core.values.demand import demand
from webhook.core.values.names import Json


def over_quota(pod: Json, quotas: Sequence[Json]) -> str:
    """Return the text with which the plugin refuses a pod; empty when it fits."""
    units = demand(pod.get("spec")).units
    computed = [_as_enforced(quota) for quota in quotas]
    texts = [
        f"exceeded quota: {found.quota}, requested: {found.key}={found.requested}, "
        f"used: {found.key}={found.used}, limited: {found.key}={found.limited}"
        for found in judge(pod, units, computed)
        if found.ready
    ]
    name = at(pod, "metadata").get("name") or at(pod, "metadata").get("generateName", "")
    return f'pods "{name}" is forbidden: {", ".join(texts)}' if texts else ""


def _as_enforced(quota: Json) -> Json:
    return {**quota, "spec": {**as_mapping(quota.get("spec")), "hard": at(quota, "status", "hard")}}
