"""What the tests of certificates start from: a fixed time, an authority, a server under it."""

from datetime import UTC, datetime, timedelta

import pytest

from certs.issue import issue_ca, issue_leaf
from certs.model import CertificateSet, Pair

SERVICE = "resourceclass-webhook.resourceclass-system.svc"


@pytest.fixture
def now() -> datetime:
    return datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def ca(now: datetime) -> Pair:
    return issue_ca("Test CA", now, timedelta(days=3650))


@pytest.fixture
def leaf(ca: Pair, now: datetime) -> Pair:
    return issue_leaf(ca, [SERVICE], now, timedelta(days=365), ["127.0.0.1"])


@pytest.fixture
def certificates(ca: Pair, leaf: Pair) -> CertificateSet:
    return CertificateSet(ca.cert, ca.key, leaf.cert, leaf.key)
