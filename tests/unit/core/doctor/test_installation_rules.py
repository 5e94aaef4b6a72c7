"""What can be wrong with the installation: one thing broken in a healthy cluster, one problem found."""

import pytest

from tests.unit.core.doctor.cluster import SYSTEM, deployment
from webhook.core.doctor.facts import (
    BINDING,
    DEFINITION,
    MUTATING,
    POLICY,
    SCHEDULER_CONFIG,
    VALIDATING,
    Certificate,
)
from webhook.core.explain.scene import Lease

ENTRY = f"{MUTATING} resourceclass, entry "
JUDGE = f"{VALIDATING} resourceclass, entry "


def breaking(kind, name, **fields):
    return lambda cluster: cluster.entry(kind, name).update(fields)


def removing(kind):
    return lambda cluster: cluster.objects[kind].clear()


def everywhere(cluster):
    cluster.entry(MUTATING, "pods").pop("namespaceSelector")


def wrong_path(cluster):
    cluster.entry(MUTATING, "adopt")["clientConfig"]["service"]["path"] = "/mutate"


def no_bundle(cluster):
    cluster.entry(VALIDATING, "pods")["clientConfig"]["caBundle"] = ""


def no_entry(cluster):
    cluster.of(MUTATING)["webhooks"].remove(cluster.entry(MUTATING, "cronjobs"))


def lacking_a_kind(cluster):
    cluster.entry(MUTATING, "templates")["rules"].pop(0)


def creations_alone(cluster):
    cluster.entry(MUTATING, "pods")["rules"][0]["operations"] = ["CREATE"]


def nobody_ready(cluster):
    cluster.of("EndpointSlice")["endpoints"][0]["conditions"]["ready"] = False


def audited_alone(cluster):
    cluster.of(BINDING)["spec"]["validationActions"] = ["Audit"]


def bound_in_part(cluster):
    cluster.of(BINDING)["spec"]["matchResources"] = {"namespaceSelector": {}}


def policy_ignores(cluster):
    cluster.of(POLICY)["spec"]["failurePolicy"] = "Ignore"


def field_missing(cluster):
    schema = cluster.of(DEFINITION)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del schema["properties"]["status"]["properties"]["used"]


def not_served(cluster):
    cluster.of(DEFINITION)["spec"]["versions"][0]["served"] = False


def ready(number, count):
    return lambda cluster: cluster.of("Deployment", number).update(
        status={"readyReplicas": count} if count else {}
    )


def without_deployment(number, *, lease_too):
    def change(cluster):
        name = cluster.objects["Deployment"].pop(number)["metadata"]["name"]
        if lease_too:
            cluster.leases = [item for item in cluster.leases if not item.place.endswith(name)]

    return change


def leases(*items):
    return lambda cluster: setattr(cluster, "leases", list(items))


def image(number, container, text):
    def change(cluster):
        containers = cluster.of("Deployment", number)["spec"]["template"]["spec"]["containers"]
        next(item for item in containers if item["name"] == container)["image"] = text

    return change


def server(text):
    return lambda cluster: cluster.of("Version").update(gitVersion=text)


def configured(**fields):
    return lambda cluster: cluster.of(SCHEDULER_CONFIG).update(fields)


def extender(**fields):
    return lambda cluster: cluster.of(SCHEDULER_CONFIG)["extenders"][0].update(fields)


def certificate(*problems, warnings=()):
    return lambda cluster: cluster.certificates.append(Certificate("Secret a/b", problems, warnings))


CONTROLLER = Lease(f"{SYSTEM}/resourceclass-controller", "c", 1.0, 15)
SCHEDULER = f"{SYSTEM}/resourceclass-scheduler"
NO_LEADER = "NoLeader", "Lease resourceclass-scheduler"
CONFIG_MAP = "ConfigMap resourceclass-scheduler"

BROKEN = [
    (removing(MUTATING), "WebhookMissing", MUTATING),
    (removing(VALIDATING), "WebhookMissing", VALIDATING),
    (no_entry, "WebhookMissing", MUTATING),
    (lacking_a_kind, "WebhookIncomplete", f"{ENTRY}templates"),
    (creations_alone, "WebhookIncomplete", f"{ENTRY}pods"),
    (breaking(VALIDATING, "pods", failurePolicy="Ignore"), "WebhookIgnoresFailure", f"{JUDGE}pods"),
    (breaking(MUTATING, "pods", matchConditions=[]), "WebhookTooWide", f"{ENTRY}pods"),
    (everywhere, "WebhookTooWide", f"{ENTRY}pods"),
    (breaking(MUTATING, "isolate", timeoutSeconds=30), "WebhookTooPatient", f"{ENTRY}isolate"),
    (wrong_path, "WebhookUnreachable", f"{ENTRY}adopt"),
    (no_bundle, "WebhookUnreachable", f"{JUDGE}pods"),
    (nobody_ready, "WebhookWithoutEndpoints", f"Service {SYSTEM}/resourceclass-webhook"),
    (removing("EndpointSlice"), "WebhookWithoutEndpoints", f"Service {SYSTEM}/resourceclass-webhook"),
    (certificate("expired"), "Certificate", "Secret a/b"),
    (certificate(warnings=("ends soon",)), "Certificate", "Secret a/b"),
    (removing(POLICY), "RecordsUnprotected", f"{POLICY} records.resourceclass.io"),
    (policy_ignores, "RecordsUnprotected", f"{POLICY} records.resourceclass.io"),
    (removing(BINDING), "RecordsUnprotected", f"{BINDING} records.resourceclass.io"),
    (audited_alone, "RecordsUnprotected", f"{BINDING} records.resourceclass.io"),
    (bound_in_part, "RecordsUnprotected", f"{BINDING} records.resourceclass.io"),
    (field_missing, "DefinitionOutdated", f"{DEFINITION} resourceclasses.resourceclass.io"),
    (not_served, "DefinitionOutdated", f"{DEFINITION} resourceclasses.resourceclass.io"),
    (ready(0, 0), "NotRunning", f"Deployment {SYSTEM}/resourceclass-webhook"),
    (ready(1, 1), "FewReplicas", f"Deployment {SYSTEM}/resourceclass-controller"),
    (without_deployment(0, lease_too=False), "NotRunning", "Deployment resourceclass-webhook"),
    (without_deployment(2, lease_too=True), "NotRunning", "Deployment resourceclass-scheduler"),
    (leases(CONTROLLER), *NO_LEADER),
    (leases(CONTROLLER, Lease(SCHEDULER, "", 1.0, 15)), *NO_LEADER),
    (leases(CONTROLLER, Lease(SCHEDULER, "s", 99.0, 15)), *NO_LEADER),
    (server("v1.29.9"), "ServerTooOld", "API server"),
    (server("v1.38.0-rc.1+x"), "SchedulerSkew", f"Deployment {SCHEDULER}"),
    (image(2, "scheduler", "r.example:5000/k:v1.37.0"), "SchedulerSkew", f"Deployment {SCHEDULER}"),
    (image(2, "binder", "example.com/rc:2"), "MixedVersions", "Deployments of ResourceClass"),
    (removing(SCHEDULER_CONFIG), "SchedulerConfig", CONFIG_MAP),
    (configured(profiles=[]), "SchedulerConfig", CONFIG_MAP),
    (configured(extenders=[]), "SchedulerConfig", CONFIG_MAP),
    (configured(percentageOfNodesToScore=0), "SchedulerConfig", CONFIG_MAP),
    (extender(ignorable=True), "SchedulerConfig", CONFIG_MAP),
    (extender(nodeCacheCapable=False), "SchedulerConfig", CONFIG_MAP),
    (extender(preemptVerb=""), "SchedulerConfig", CONFIG_MAP),
]  # fmt: skip


@pytest.mark.parametrize(("change", "rule", "place"), BROKEN)
def test_one_thing_that_is_broken_is_found_with_its_place(cluster, change, rule, place):
    change(cluster)
    found = cluster.found()
    assert (rule, place) in found
    assert {item[0] for item in found} <= {rule, "ServerTooOld", "SchedulerSkew"}


def by_url(cluster):
    for entry in cluster.of(MUTATING)["webhooks"]:
        client = entry["clientConfig"]
        client["url"] = f"https://webhook.example.com{client.pop('service')['path']}?timeout=3"


def with_stars(cluster):
    rule = {"apiGroups": ["*"], "resources": ["*"], "operations": ["*"]}
    cluster.entry(MUTATING, "pods")["rules"] = [rule]


def with_entries_of_others(cluster):
    others = ({"name": name, "failurePolicy": "Ignore"} for name in ("a.example.com", "new.resourceclass.io"))
    cluster.of(MUTATING)["webhooks"].extend(others)


def beside_another_deployment(cluster):
    cluster.objects["Deployment"].append(deployment("another", web="example.com/web:9"))


def as_a_manifest(cluster):
    del cluster.of("Deployment")["status"]


DIFFERENT = [
    by_url,
    with_stars,
    with_entries_of_others,
    beside_another_deployment,
    as_a_manifest,
    without_deployment(2, lease_too=False),
    image(2, "scheduler", "example.com/kube-scheduler:v1.35.9"),
    image(2, "scheduler", "example.com/kube-scheduler@sha256:1234"),
]


@pytest.mark.parametrize("change", DIFFERENT)
def test_what_is_merely_different_is_no_problem(cluster, change):
    change(cluster)
    assert cluster.found() == []


def test_without_the_definition_the_kind_is_named(cluster):
    cluster.objects[DEFINITION].pop(0)
    assert cluster.found() == [("DefinitionMissing", f"{DEFINITION} resourceclasses.resourceclass.io")]
