"""All checks: what each needs to have been read, and its rule. What was not read is said."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from webhook.core.doctor.allocations import damaged_records, ghost_allocations
from webhook.core.doctor.certificates import certificates
from webhook.core.doctor.class_devices import class_devices, unreadable_classes
from webhook.core.doctor.class_names import class_names
from webhook.core.doctor.class_quotas import class_quotas
from webhook.core.doctor.consumers import consumers
from webhook.core.doctor.default_quotas import default_quotas
from webhook.core.doctor.definitions import definitions
from webhook.core.doctor.double_allocations import double_allocations
from webhook.core.doctor.facts import BINDING, DEFINITION, MUTATING, POLICY, VALIDATING, Facts
from webhook.core.doctor.finding import Finding, Severity
from webhook.core.doctor.flapping import flapping
from webhook.core.doctor.lost_devices import lost_devices
from webhook.core.doctor.node_capacity import node_capacity
from webhook.core.doctor.node_conditions import node_conditions
from webhook.core.doctor.node_labels import node_labels
from webhook.core.doctor.quota_keys import quota_keys
from webhook.core.doctor.quota_status import quota_status
from webhook.core.doctor.records_policy import records_policy
from webhook.core.doctor.running import leaders, running
from webhook.core.doctor.scheduler_config import scheduler_config
from webhook.core.doctor.sick_devices import sick_devices
from webhook.core.doctor.unchecked_pods import unchecked_pods
from webhook.core.doctor.versions import product_versions, scheduler_version, server_version
from webhook.core.doctor.webhook_calls import webhook_calls, webhook_endpoints
from webhook.core.doctor.webhook_missing import webhook_missing
from webhook.core.doctor.webhook_reach import webhook_reach


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `needs` are kinds; `may_pass` says that it may see the moment between two writes."""

    what: str
    needs: tuple[str, ...]
    rule: Callable[[Facts], Iterable[Finding]]
    may_pass: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A check that was not made, and the kinds that it lacks, each with why it was not read."""

    what: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, the worst first, and what was not looked at."""

    findings: tuple[Finding, ...]
    left_out: tuple[LeftOut, ...]
    checks: int
    """How many checks were made."""

    @property
    def may_pass(self) -> bool:
        """Whether it is worth another look."""
        return any(finding.may_pass for finding in self.findings)

    def after(self, earlier: "Diagnosis") -> "Diagnosis":
        """Return this diagnosis without what may pass and was not there earlier."""
        known = {(finding.rule, finding.place) for finding in earlier.findings}
        stays = (item for item in self.findings if not item.may_pass or (item.rule, item.place) in known)
        return replace(self, findings=tuple(stays))


_NODE, _DEVICE, _POD, _CLASS = "Node", "ExtendedResource", "Pod", "ResourceClass"
_QUOTA, _NAMESPACE, _DEPLOYMENT = "ResourceQuota", "Namespace", "Deployment"

CHECKS: Final[tuple[Check, ...]] = (
    Check("the CustomResourceDefinitions", (DEFINITION,), definitions),
    Check("what the webhook configurations have", (MUTATING, VALIDATING), webhook_missing),
    Check("what the webhook configurations match", (MUTATING, VALIDATING), webhook_reach),
    Check("how the API server calls the webhook", (MUTATING, VALIDATING), webhook_calls),
    Check(
        "who is behind the Service", (MUTATING, VALIDATING, "EndpointSlice"), webhook_endpoints, may_pass=True
    ),
    Check("certificates", (_DEPLOYMENT, "Secret", MUTATING, VALIDATING), certificates),
    Check("the policy for records", (POLICY, BINDING), records_policy),
    Check("whether all parts run", (_DEPLOYMENT, "Lease"), running, may_pass=True),
    Check("Leases", (_DEPLOYMENT, "Lease"), leaders, may_pass=True),
    Check("the scheduler's configuration", ("ConfigMap", _DEPLOYMENT), scheduler_config),
    Check("the version of Kubernetes", ("Version",), server_version),
    Check("the version of kube-scheduler", ("Version", _DEPLOYMENT), scheduler_version),
    Check("the versions of the parts", (_DEPLOYMENT,), product_versions),
    Check("classes that cannot be read", (_CLASS,), unreadable_classes),
    Check("devices of classes", (_CLASS, _DEVICE), class_devices),
    Check("names of classes", (_CLASS,), class_names),
    Check("keys of quotas", (_QUOTA, _CLASS), quota_keys),
    Check("the status of quotas", (_QUOTA,), quota_status, may_pass=True),
    Check("default quotas", (_NAMESPACE, _QUOTA, _CLASS), default_quotas, may_pass=True),
    Check("quotas that can be evaded", (_CLASS, _DEVICE, _QUOTA, _NAMESPACE), class_quotas),
    Check("pods that admission leaves out", (VALIDATING, _NAMESPACE, _POD), unchecked_pods),
    Check("labels of nodes", (_NODE, _DEVICE), node_labels),
    Check("conditions of nodes", (_NODE,), node_conditions),
    Check("labels that change", (_NODE, _DEVICE), flapping),
    Check(
        "capacity of nodes", (_NODE, _DEVICE, _POD, _CLASS, _NAMESPACE), node_capacity, may_pass=True
    ),
    Check("health of devices", (_DEVICE,), sick_devices),
    Check("devices without a node", (_NODE, _DEVICE), lost_devices, may_pass=True),
    Check("records without a device", (_POD, _DEVICE), ghost_allocations, may_pass=True),
    Check("damaged records", (_POD,), damaged_records),
    Check("devices held twice", (_POD, _DEVICE), double_allocations),
    Check("statuses that name pods", (_POD, _DEVICE), consumers, may_pass=True),
)  # fmt: skip


def diagnose(facts: Facts, unread: Mapping[str, str]) -> Diagnosis:
    """Make every check whose kinds were read. `unread` says of each other kind why it was not."""
    findings: list[Finding] = []
    left_out: list[LeftOut] = []
    for check in CHECKS:
        missing = tuple(f"{kind} ({unread[kind]})" for kind in check.needs if kind in unread)
        if missing:
            left_out.append(LeftOut(check.what, missing))
            continue
        findings += (replace(item, may_pass=check.may_pass) for item in check.rule(facts))
    return Diagnosis(tuple(sorted(findings, key=_order)), tuple(left_out), len(CHECKS) - len(left_out))


def _order(finding: Finding) -> tuple[int, str, str, str]:
    return list(Severity).index(finding.severity), finding.rule, finding.place, finding.problem
