"""What a pod asks for against the quotas of its namespace."""

import pytest

from webhook.core.validate.quota import QuotaFinding, judge, limit_of
from webhook.core.values.quantity import parse_quantity

POD = {"spec": {"containers": [{"name": "c"}]}}
K80, P100 = "nvidia.tesla.k80", "nvidia.tesla.p100"
KEY = f"requests.resourceclass.io/{K80}"


def quota(name="q", hard="5", used="0", status_hard=None, class_name=K80, **spec):
    key = f"requests.resourceclass.io/{class_name}"
    return {
        "metadata": {"name": name},
        "spec": {"hard": {key: hard}, **spec},
        "status": {"hard": {key: hard if status_hard is None else status_hard}, "used": {key: used}},
    }


def finding(requested, used, limited, *, name="q", class_name=K80, ready=True):
    return QuotaFinding(name, class_name, requested, parse_quantity(used), parse_quantity(limited), ready)


@pytest.mark.parametrize(
    ("hard", "used", "requested", "fits"),
    [
        ("5", "0", 5, True),
        ("5", "0", 6, False),
        ("5", "4", 1, True),
        ("5", "5", 1, False),
        ("0", "0", 1, False),
        ("1k", "999", 1, True),
        ("1Ki", "1024", 1, False),
        ("5e0", "4", 1, True),
        ("1500m", "0", 1, True),
        ("1500m", "0", 2, False),
        ("5", "7", 1, False),
        ("5", "0", 10**30, False),
    ],
)
def test_a_request_fits_when_used_and_requested_stay_within_the_limit(hard, used, requested, fits):
    expected = () if fits else (finding(requested, used, hard),)
    assert judge(POD, {K80: requested}, [quota(hard=hard, used=used)]) == expected


def test_a_request_of_zero_is_never_charged_not_even_over_the_limit():
    assert judge(POD, {K80: 0}, [quota(hard="5", used="7")]) == ()


def test_a_class_that_no_quota_names_is_not_limited():
    assert judge(POD, {P100: 4}, [quota()]) == ()


def test_every_quota_is_judged_not_only_the_first():
    quotas = [quota("small", hard="2"), quota("big", hard="5"), quota("tiny", hard="1")]
    assert [found.quota for found in judge(POD, {K80: 3}, quotas)] == ["small", "tiny"]


def test_every_class_is_judged_not_only_the_first():
    quotas = [quota("q", hard="0"), quota("ban", hard="0", class_name=P100)]
    assert judge(POD, {K80: 1, P100: 1}, quotas) == (
        finding(1, "0", "0", name="ban", class_name=P100),
        finding(1, "0", "0", name="q"),
    )


def test_findings_come_by_quota_and_class_whatever_the_order_of_the_input():
    quotas = [quota("b", hard="0"), quota("a", hard="0")]
    assert [found.quota for found in judge(POD, {K80: 1}, quotas)] == ["a", "b"]


def test_a_quota_whose_scopes_do_not_cover_the_pod_does_not_limit_it():
    assert judge(POD, {K80: 9}, [quota(scopes=["Terminating"])]) == ()


@pytest.mark.parametrize(
    "status",
    [
        None,
        {},
        {"hard": {}, "used": {}},
        {"hard": {"pods": "5"}, "used": {"pods": "0", KEY: "0"}},
        {"hard": {KEY: "4"}, "used": {KEY: "0"}},
        {"hard": {KEY: "5"}, "used": {}},
        {"hard": {KEY: "5"}, "used": {KEY: "lots"}},
        {"hard": 5, "used": []},
    ],
)
def test_while_the_status_does_not_carry_the_limit_the_pod_has_to_wait(status):
    a_quota = {**quota(), "status": status}
    assert judge(POD, {K80: 1}, [a_quota]) == (finding(1, "0", "5", ready=False),)


def test_two_spellings_of_one_limit_in_spec_and_status_are_equal():
    assert judge(POD, {K80: 1}, [quota(hard="5", status_hard="5e0")]) == ()


def test_a_limit_that_has_just_left_the_spec_does_not_limit():
    a_quota = {**quota(), "spec": {"hard": {"pods": "5"}}}
    assert judge(POD, {K80: 9}, [a_quota]) == ()


@pytest.mark.parametrize("hard", ["plenty", None, {}])
def test_a_limit_that_cannot_be_read_does_not_limit(hard):
    assert judge(POD, {K80: 9}, [{"spec": {"hard": {KEY: hard}}}]) == ()


@pytest.mark.parametrize("spelling", [K80, f"resourceclass.io/{K80}", f"limits.resourceclass.io/{K80}"])
def test_only_the_spelling_that_the_api_server_enforces_limits(spelling):
    assert judge(POD, {K80: 9}, [{"spec": {"hard": {spelling: "1"}}}]) == ()


@pytest.mark.parametrize(
    ("used", "limited", "left"), [("1", "3", 2), ("3", "3", 0), ("7", "3", 0), ("0", "2500m", 2)]
)
def test_what_is_left_is_counted_in_whole_units(used, limited, left):
    assert finding(9, used, limited).left == left


def test_the_limit_of_a_class_that_a_quota_does_not_name_is_none():
    assert limit_of(quota(), P100) is None
