"""The chart in a control plane, with nobody behind its webhooks: what is sent to one is refused."""

from __future__ import annotations

from functools import partial

from tests.chart.samples import Json, class_pod, container, pod_of
from tests.harness import chart
from tests.harness.api import Answer, Api
from tests.harness.waiting import until


def install(api: Api, objects: list[Json], closed_port: int, before_webhooks: Json) -> None:
    """Stores the rendered objects with both webhooks at a port where nobody listens.

    The object that the tests need of a kind that is sent to a webhook is made just before.
    """
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": chart.NAMESPACE}}).must()
    chart.apply(api, [o for o in objects if o["kind"] not in chart.CONFIGURATIONS])
    api.create(before_webhooks).must()
    pointed = chart.with_url(objects, f"https://127.0.0.1:{closed_port}")
    chart.apply(api, [o for o in pointed if o["kind"] in chart.CONFIGURATIONS])
    _wait_effective(api)


def _wait_effective(api: Api) -> None:
    """The API server learns of configurations and policies by watches of its own."""
    skipping = {"resourceclass.io/webhook": "ignore"}
    probes: dict[str, tuple[Json, int]] = {
        "the mutating webhook": (class_pod(), 500),
        "the validating webhook": (class_pod(labels=skipping), 500),
        "the policy": (pod_of(container(), annotations={"resourceclass.io/allocation": "{}"}), 403),
    }
    for what, (probe, code) in probes.items():
        until(partial(_answers, api, probe, code), f"{what} takes effect")


def _answers(api: Api, probe: Json, code: int) -> bool:
    return api.create(probe, "default", dryRun="All").code == code


def called(answer: Answer) -> str | None:
    """The entry and path of the webhook that the API server tried to reach, such as `pods/mutate`."""
    if answer.code != 500 or "failed calling webhook" not in answer.message:
        return None
    name = answer.message.split('failed calling webhook "')[1].split('"')[0]
    path = answer.message.split("https://127.0.0.1:")[1].split("?")[0].split("/", 1)[1]
    return f"{name.removesuffix('.resourceclass.io')}/{path}"
