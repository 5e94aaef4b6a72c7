"""How the chart runs the webhook."""

from __future__ import annotations

import hashlib
import json

import pytest
import yaml

from tests.chart.rendering import Helm, only
from tests.chart.samples import WEBHOOK, Json
from webhook.cli.options import options_of
from webhook.cli.settings.webhook import WebhookSettings
from webhook.serve.settings import ServeSettings


def pod_spec(objects: list[Json]) -> Json:
    spec: Json = only(objects, "Deployment", WEBHOOK)["spec"]["template"]["spec"]
    return spec


def container_of(objects: list[Json]) -> Json:
    (container,) = pod_spec(objects)["containers"]
    return dict(container)


def test_the_pods_satisfy_the_restricted_standard(objects: list[Json]) -> None:
    pod, container = pod_spec(objects)["securityContext"], container_of(objects)["securityContext"]

    assert (pod["runAsNonRoot"], pod["seccompProfile"]) == (True, {"type": "RuntimeDefault"})
    assert container == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_an_upgrade_never_has_fewer_replicas_than_asked_for(objects: list[Json]) -> None:
    spec = only(objects, "Deployment", WEBHOOK)["spec"]

    assert spec["replicas"] == 2
    assert spec["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}


def test_our_own_pods_are_exempt_by_label_too(objects: list[Json]) -> None:
    labels = only(objects, "Deployment", WEBHOOK)["spec"]["template"]["metadata"]["labels"]

    assert labels["resourceclass.io/webhook"] == "ignore"


def test_labels_of_the_user_cannot_replace_ours(helm: Helm) -> None:
    with_theirs = helm.objects({"webhook.podLabels": {"team": "a"}})
    labels = only(with_theirs, "Deployment", WEBHOOK)["spec"]["template"]["metadata"]["labels"]

    assert (labels["team"], labels["app.kubernetes.io/component"]) == ("a", "webhook")


def test_a_disruption_budget_comes_with_the_second_replica(helm: Helm) -> None:
    budgets = {
        replicas: [
            o
            for o in helm.objects({"webhook.replicas": replicas})
            if o["kind"] == "PodDisruptionBudget" and o["metadata"]["name"] == WEBHOOK
        ]
        for replicas in (1, 2)
    }

    assert budgets[1] == []
    assert budgets[2][0]["spec"]["maxUnavailable"] == 1


def test_what_the_command_is_told_is_what_the_pod_has(objects: list[Json]) -> None:
    container = container_of(objects)
    ports = {p["name"]: p["containerPort"] for p in container["ports"]}
    mounts = [m["mountPath"] for m in container["volumeMounts"]]

    assert container["args"][0] == "webhook"
    assert f"--port={ports['https']}" in container["args"]
    assert f"--health-port={ports['health']}" in container["args"]
    assert [f"--tls-{what}={mounts[0]}/tls.{end}" for what, end in (("cert", "crt"), ("key", "key"))] == [
        a for a in container["args"] if a.startswith("--tls")
    ]


def test_every_flag_is_one_that_the_command_has(objects: list[Json]) -> None:
    given = {argument.removeprefix("--").split("=")[0] for argument in container_of(objects)["args"][1:]}

    assert given <= {option.name for option in options_of(WebhookSettings)}


def test_a_replica_has_the_time_to_drain_and_to_finish(objects: list[Json]) -> None:
    settings = ServeSettings()

    grace = pod_spec(objects)["terminationGracePeriodSeconds"]

    assert grace > settings.drain_seconds + settings.graceful_seconds


def test_settings_reach_the_command_and_a_change_restarts_it(helm: Helm) -> None:
    settings = {"log-level": "debug"}
    rendered = helm.objects({"webhook.config": settings})
    annotations = only(rendered, "Deployment", WEBHOOK)["spec"]["template"]["metadata"]["annotations"]

    assert yaml.safe_load(only(rendered, "ConfigMap")["data"]["config.yaml"]) == settings
    assert "--config=/etc/resourceclass/config/config.yaml" in container_of(rendered)["args"]
    assert (
        annotations["checksum/config"]
        == hashlib.sha256(json.dumps(settings, separators=(",", ":")).encode()).hexdigest()
    )


def test_without_settings_there_is_no_file_of_settings(objects: list[Json]) -> None:
    assert not any(o["kind"] == "ConfigMap" for o in objects)
    assert not any("--config" in argument for argument in container_of(objects)["args"])


@pytest.mark.parametrize(
    ("values", "image"),
    [
        ({}, "resourceclass:0.1.0"),
        ({"image.tag": "1.2.3"}, "resourceclass:1.2.3"),
        ({"image.tag": "1.2.3", "image.digest": f"sha256:{'a' * 64}"}, f"resourceclass@sha256:{'a' * 64}"),
    ],
)
def test_the_image_is_the_one_asked_for(helm: Helm, values: Json, image: str) -> None:
    assert container_of(helm.objects(values))["image"] == image
