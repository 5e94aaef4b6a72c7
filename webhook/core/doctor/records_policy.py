"""The policy that protects the records of devices: whether it is there, in force, and refuses.

Reads: ValidatingAdmissionPolicies and their bindings.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import BINDING, POLICY, Facts
from webhook.core.doctor.finding import Finding, error
from webhook.core.raw import as_list, at

UNPROTECTED: Final = "RecordsUnprotected"
NAME: Final = "records.resourceclass.io"
_EFFECT: Final = "anybody who may write pods can write which devices a pod holds"
_REMEDY: Final = "helm upgrade writes policy and binding as the chart has them"


def records_policy(facts: Facts) -> Iterator[Finding]:
    """Find why records can be forged."""
    policy = facts.named(POLICY, NAME)
    if policy is None:
        yield error(UNPROTECTED, f"{POLICY} {NAME}", f"it is missing: {_EFFECT}", _REMEDY)
        return
    if at(policy, "spec").get("failurePolicy", "Fail") != "Fail":
        text = f"its failurePolicy is not Fail: where it cannot be evaluated, {_EFFECT}"
        yield error(UNPROTECTED, f"{POLICY} {NAME}", text, _REMEDY)
    bindings = [at(item, "spec") for item in facts.of(BINDING) if at(item, "spec").get("policyName") == NAME]
    denying = [spec for spec in bindings if "Deny" in as_list(spec.get("validationActions"))]
    if not denying:
        text = f"no binding makes the policy refuse: {_EFFECT}"
        yield error(UNPROTECTED, f"{BINDING} {NAME}", text, _REMEDY)
    elif all(spec.get("matchResources") for spec in denying):
        text = f"the policy is bound to a part of the cluster only (matchResources): elsewhere {_EFFECT}"
        yield error(UNPROTECTED, f"{BINDING} {NAME}", text, _REMEDY)
