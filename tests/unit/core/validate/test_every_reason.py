"""Every reason for a refusal has an object that is refused for it, and a mended one that passes."""

import pytest

from tests.unit.core.reasons import EVERY
from webhook.core.outcome import Reason


def test_no_reason_is_missing_here():
    assert set(EVERY) == set(Reason)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_an_object_that_is_refused_for_it_alone(reason):
    refused, _ = EVERY[reason]
    assert {fault.reason for fault in refused().faults} == {reason}


@pytest.mark.parametrize("reason", list(Reason))
def test_the_mended_object_passes(reason):
    _, mended = EVERY[reason]
    assert mended().allowed
