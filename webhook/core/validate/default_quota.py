"""Refuses a class whose default quota is not in the namespace yet: `spec.quota.default` of the ResourceClass.

The controller keeps one ResourceQuota with the defaults in every namespace, ahead of use. Where it has not
come yet, in a namespace that was made a moment ago, nothing would limit the class, and a pod that passed then
would count against nobody's limit. Reads the classes that the pod asks for and `spec.hard` of the quotas.
"""

from collections.abc import Iterator, Mapping

from webhook.core.outcome import Fault, Reason
from webhook.core.validate.devices import is_open_to
from webhook.core.validate.facts import PodFacts, WorkloadFacts
from webhook.core.validate.quota import limit_of
from webhook.core.values.names import quota_key


def default_quota(units: Mapping[str, int], facts: PodFacts) -> Iterator[Fault]:
    """Yield a fault for every class of `units` that has a default which no quota of the namespace says."""
    for name in sorted(units):
        default = unsaid_default(name, facts)
        if default is not None:
            yield Fault(Reason.DEFAULT_QUOTA_MISSING, _text(name, default, units[name], facts.namespace))


def unsaid_default(name: str, facts: WorkloadFacts) -> int | None:
    """Return the default of a class that the namespace may use and no quota there names; else None.

    A quota that names the class takes the place of the default, whatever its scopes.
    """
    found = facts.classes.get(name)
    if found is None or found.quota_default is None or not is_open_to(found, facts.namespace_labels):
        return None
    named = any(limit_of(quota, name) is not None for quota in facts.quotas)
    return None if named else found.quota_default


def _text(name: str, default: int, units: int, namespace: str) -> str:
    # "exceeded quota" stands here because workflow engines try again only after a refusal with these words.
    return (
        f"the default quota of class {name} ({default} per namespace) is not in place in namespace "
        f"{namespace} yet, so nobody can say whether a request of {units} has exceeded quota; the controller "
        "makes it within seconds: retry; if it stays so, ask an administrator whether resourceclass "
        f"controller runs, or for a ResourceQuota with {quota_key(name)}"
    )
