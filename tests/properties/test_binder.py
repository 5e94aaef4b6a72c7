"""Whatever happens to binders, their watches, their Bindings and the Lease: no device is given twice."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.properties.binder_steps import Binders

# What fails is made smaller for up to five minutes; cut short, it would be called flaky instead of shown.
SMALLER_SECONDS = 400

TestBinders = pytest.mark.timeout(SMALLER_SECONDS)(Binders.TestCase)
TestBinders.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)
