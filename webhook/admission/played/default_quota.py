"""The controller's part in admission: the quota of namespaces that say nothing of classes with a default."""

from webhook.admission.overlay import Overlay
from webhook.core.raw import at
from webhook.core.validate.default_quota import unsaid_default
from webhook.core.validate.facts import WorkloadFacts
from webhook.core.values.names import DEFAULT_QUOTA, Json, quota_key


def keep_default_quota(overlay: Overlay, namespace: str) -> None:
    """Put the defaults that no quota of a namespace says into its ResourceQuota `resourceclass-defaults`."""
    quotas, classes = overlay.quotas(namespace), overlay.classes()
    facts = WorkloadFacts(classes, namespace, overlay.namespace_labels(namespace), quotas)
    unsaid = {item.name: unsaid_default(item.name, facts) for item in classes.all()}
    missing = {quota_key(name): str(default) for name, default in unsaid.items() if default is not None}
    if missing:
        said = next((each for each in quotas if at(each, "metadata").get("name") == DEFAULT_QUOTA), {})
        overlay.put(_quota(namespace, {**at(said, "spec", "hard"), **missing}))


def _quota(namespace: str, hard: Json) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": DEFAULT_QUOTA, "namespace": namespace},
        "spec": {"hard": hard},
    }
