"""Whatever the webhook answers stands in the documentation, with what to do."""

from pathlib import Path

import pytest

from webhook.admission.app import UNSUPPORTED_MEDIA_TYPE
from webhook.core.outcome import Reason
from webhook.serve import limits

PAGE = (Path(__file__).parents[3] / "docs" / "troubleshooting.md").read_text("utf-8")
NO_VERDICT = [
    limits.OVERLOADED,
    limits.BODY_TOO_LARGE,
    limits.LENGTH_REQUIRED,
    limits.BODY_BROKEN_OFF,
    UNSUPPORTED_MEDIA_TYPE,
    (400, "bad_review"),
    (500, "internal_error"),
    (503, "not_ready"),
    (503, "cluster_unavailable"),
]


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_of_a_refusal_is_listed_with_the_place_that_explains_it(reason):
    assert f"| [{reason.value}](admission.md#{reason.value.lower()}) |" in PAGE


@pytest.mark.parametrize(("code", "reason"), NO_VERDICT)
def test_every_answer_without_a_verdict_is_listed(code, reason):
    assert f"{code} `{reason}`" in PAGE
