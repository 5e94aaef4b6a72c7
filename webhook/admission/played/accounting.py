"""The API server's own ResourceQuota plugin, as far as classes go: the last word, and the server's text.

apiserver/pkg/admission/plugin/resourcequota/controller.go: it reads `status.hard`, and what is not there
limits nothing.
"""

from collections.abc import Sequence

from webhook.core.raw import as_mapping, at
from webhook.core.validate.quota import judge
from webhook.core.validate.quota_text import exceeded
from webhook.core.values.demand import demand
from webhook.core.values.names import Json
from webhook.core.values.pod_template import name_of


def over_quota(pod: Json, quotas: Sequence[Json]) -> str:
    """Return the text with which the plugin refuses a pod; empty when it fits."""
    units = demand(pod.get("spec")).units
    computed = [_as_enforced(quota) for quota in quotas]
    texts = [exceeded(finding) for finding in judge(pod, units, computed) if finding.ready]
    return f'pods "{name_of(pod)}" is forbidden: {", ".join(texts)}' if texts else ""


def _as_enforced(quota: Json) -> Json:
    return {**quota, "spec": {**as_mapping(quota.get("spec")), "hard": at(quota, "status", "hard")}}
