"""A healthy cluster for each test."""

import pytest

from tests.unit.core.doctor.cluster import Cluster


@pytest.fixture
def cluster():
    return Cluster()
