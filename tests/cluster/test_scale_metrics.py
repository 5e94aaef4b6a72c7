"""What /metrics of a replica says: the sum over its processes, and each review once."""

from __future__ import annotations

import json

import pytest

from tests.cluster.expect import asking
from tests.cluster.expect_quota import limit
from tests.cluster.reviews import Direct, pod_review
from tests.harness.api import Api
from tests.harness.cluster import pod
from tests.harness.product import REQUESTS, Product
from tests.harness.waiting import until
from tests.harness.webhook import Replica

pytestmark = pytest.mark.usefixtures("classes")

CREATES = 12
MOST_CALLS = 200


def processes(replica: Replica, uid: str) -> set[int]:
    """The ids of the processes that have logged an answer to reviews with this uid."""
    return {
        json.loads(line)["pid"] for line in replica.process.log.read_text().splitlines() if f'"{uid}"' in line
    }


def value(replica: Replica, **labels: str) -> float:
    text = replica.health("/metrics").text
    wanted = [f'{name}="{content}"' for name, content in labels.items()]
    lines = [line for line in text.splitlines() if line.startswith(f"{REQUESTS}{{")]
    return sum(float(line.rpartition(" ")[2]) for line in lines if all(each in line for each in wanted))


def test_a_scrape_has_the_sum_over_both_processes(product: Product, namespace: str) -> None:
    replica, other = product.webhook.replicas
    before, others = value(replica), value(other)
    calls = 0
    while len(processes(replica, namespace)) < 2 and calls < MOST_CALLS:
        # Each client is a new connection, and any process may take it.
        with Direct(f"https://127.0.0.1:{replica.port}", product.ca_file) as client:
            assert client.post("/mutate", pod_review(pod("p"), namespace, uid=namespace)).status == 200
        calls += 1

    assert len(processes(replica, namespace)) == 2, f"one process took all {calls} calls"
    assert value(replica) - before == calls
    assert value(other) == others


def test_each_creation_is_one_mutation_and_one_verdict(api: Api, product: Product, namespace: str) -> None:
    counted = {
        webhook: product.webhook.metric(
            REQUESTS, webhook=webhook, kind="Pod", operation="CREATE", dry_run="false"
        )
        for webhook in ("mutate", "validate")
    }
    for number in range(CREATES):
        api.create(asking(f"p{number}"), namespace).must()

    for webhook, before in counted.items():
        now = product.webhook.metric(
            REQUESTS, webhook=webhook, kind="Pod", operation="CREATE", dry_run="false"
        )
        assert now - before == CREATES, webhook


def test_a_refusal_is_counted_with_its_reason(api: Api, product: Product, namespace: str) -> None:
    limit(api, namespace, 0)
    labels = {"webhook": "validate", "allowed": "false", "reason": "QuotaExceeded", "dry_run": "true"}
    before = product.webhook.metric(REQUESTS, **labels)

    assert not api.create(asking("p"), namespace, dryRun="All").ok

    assert product.webhook.metric(REQUESTS, **labels) - before == 1


@pytest.mark.parametrize("kind", ["ResourceClass", "ResourceQuota", "Namespace", "Pod", "ExtendedResource"])
def test_the_age_of_every_cache_is_told(product: Product, kind: str) -> None:
    for replica in product.webhook.replicas:
        text = replica.health("/metrics").text
        (line,) = [
            each
            for each in text.splitlines()
            if each.startswith(f'resourceclass_cache_age_seconds{{kind="{kind}"')
        ]
        assert 0 <= float(line.rpartition(" ")[2]) < 180


def test_no_name_of_a_pod_or_user_becomes_a_label(api: Api, product: Product, namespace: str) -> None:
    api.create(asking("very-special"), namespace).must()

    for replica in product.webhook.replicas:
        text = replica.health("/metrics").text
        assert "very-special" not in text
        assert namespace not in text


def test_the_log_has_one_line_of_json_for_each_decision(api: Api, product: Product, namespace: str) -> None:
    api.create(asking("logged"), namespace).must()

    def lines() -> list[dict[str, object]]:
        text = "\n".join(replica.process.log.read_text() for replica in product.webhook.replicas)
        return [json.loads(line) for line in text.splitlines() if f'"{namespace}"' in line]

    until(lambda: len(lines()) == 2, "a line for each of the two calls")
    assert {each["webhook"] for each in lines()} == {"mutate", "validate"}
