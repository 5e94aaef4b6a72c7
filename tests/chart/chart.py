"""The chart as helm renders it, and its installation into a control plane with no webhook behind it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.harness.api import Answer, Api
from tests.harness.waiting import until

Json = dict[str, Any]

CHART = Path(__file__).parents[2] / "charts" / "resourceclass"
RELEASE_NAMESPACE = "resourceclass-system"
CA = "-----BEGIN CERTIFICATE-----\nbWFkZSBmb3IgYSB0ZXN0\n-----END CERTIFICATE-----\n"
REQUIRED = {"tls.secretName": "some-secret", "webhook.caBundle": CA}
BINDER = f"system:serviceaccount:{RELEASE_NAMESPACE}:resourceclass-binder"
AGENT = f"system:serviceaccount:{RELEASE_NAMESPACE}:resourceclass-agent"

MUTATING = "MutatingWebhookConfiguration"
VALIDATING = "ValidatingWebhookConfiguration"

K80 = "nvidia.tesla.k80"
STORED_K80 = f"resourceclass.io/{K80}"


class RenderError(Exception):
    """helm refused to render; the text is what it printed."""


@dataclass(frozen=True)
class Helm:
    """`helm template` of the chart."""

    binary: Path
    home: Path

    def text(self, values: Mapping[str, Any] | None = None, namespace: str = RELEASE_NAMESPACE) -> str:
        """Values are the whole set, dotted; without them, the required ones."""
        given = self.home / "values.yaml"
        given.write_text(yaml.safe_dump(_nested(REQUIRED if values is None else values)))
        command = [
            self.binary,
            "template",
            "resourceclass",
            CHART,
            "--namespace",
            namespace,
            "--values",
            given,
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=60, env={"HOME": str(self.home)}
        )
        if done.returncode != 0:
            raise RenderError(done.stderr)
        return done.stdout

    def objects(self, values: Mapping[str, Any] | None = None, **more: Any) -> list[Json]:
        """The rendered objects; `values` are added to the required ones."""
        return [
            each for each in yaml.safe_load_all(self.text({**REQUIRED, **(values or {})}, **more)) if each
        ]


def _nested(dotted: Mapping[str, Any]) -> Json:
    root: Json = {}
    for name, value in dotted.items():
        *parents, last = name.split(".")
        place = root
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return root


def only(objects: list[Json], kind: str, name: str | None = None) -> Json:
    """The one object of a kind (and name)."""
    found = [o for o in objects if o["kind"] == kind and name in (None, o["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} objects of kind {kind} named {name}"
    return found[0]


def entry(configuration: Json, what: str) -> Json:
    """The entry `<what>.resourceclass.io` of a webhook configuration."""
    return next(each for each in configuration["webhooks"] if each["name"] == f"{what}.resourceclass.io")


def entries(objects: list[Json]) -> list[Json]:
    """The entries of both webhook configurations."""
    return [hook for kind in (MUTATING, VALIDATING) for hook in only(objects, kind)["webhooks"]]


def install(api: Api, objects: list[Json], closed_port: int, before_webhooks: list[Json]) -> None:
    """Stores the rendered objects with both webhooks at a port where nobody listens.

    What ResourceClasses the tests need is made just before, for afterwards every one is sent to the webhook.
    """
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": RELEASE_NAMESPACE}}).must()
    webhooks = [o for o in objects if o["kind"] in (MUTATING, VALIDATING)]
    for each in objects:
        if each not in webhooks:
            api.apply(each, "helm").must()
    for each in before_webhooks:
        until(lambda obj=each: _create(api, obj), f"{each['kind']} is served")
    for each in webhooks:
        for hook in each["webhooks"]:
            path = hook["clientConfig"].pop("service")["path"]
            hook["clientConfig"] = {"url": f"https://127.0.0.1:{closed_port}{path}"}
        api.apply(each, "helm").must()
    _wait_effective(api)


def _create(api: Api, obj: Json) -> bool:
    try:
        return api.create(obj).ok
    except LookupError:
        return False


def _wait_effective(api: Api) -> None:
    """The API server learns of configurations and policies by watches of its own."""
    skipping = {"resourceclass.io/webhook": "ignore"}
    probes = {
        "the mutating webhook": (class_pod(), 500),
        "the validating webhook": (class_pod(labels=skipping), 500),
        "the policy": (pod_of(container(), annotations={"resourceclass.io/allocation": "{}"}), 403),
    }
    for what, (probe, code) in probes.items():
        until(
            lambda p=probe, c=code: api.create(p, "default", dryRun="All").code == c, f"{what} takes effect"
        )


def called(answer: Answer) -> str | None:
    """The entry and path of the webhook that the API server tried to reach, such as `pods/mutate`."""
    if answer.code != 500 or "failed calling webhook" not in answer.message:
        return None
    name = answer.message.split('failed calling webhook "')[1].split('"')[0]
    path = answer.message.split("https://127.0.0.1:")[1].split("?")[0].split("/", 1)[1]
    return f"{name.removesuffix('.resourceclass.io')}/{path}"


def container(name: str = "main", **fields: Any) -> Json:
    return {"name": name, "image": "example.com/none:1", **fields}


def asking(key: str, amount: str = "1", name: str = "main", part: str = "limits") -> Json:
    """A container that asks for a resource."""
    return container(name, resources={part: {key: amount}})


def pod_of(
    *containers: Json, labels: Json | None = None, annotations: Json | None = None, **spec: Any
) -> Json:
    """A pod with a generated name; spec adds fields of the pod's spec."""
    metadata = {"generateName": "pod-", "labels": labels or {}, "annotations": annotations or {}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": list(containers), **spec},
    }


def class_pod(**more: Any) -> Json:
    """A pod that asks for a class, as mutation would store its resources."""
    return pod_of(asking(STORED_K80), **more)
