"""`resourceclass doctor`: from a folder and from an API server; what it says of what it may not read."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest

from certs.issue import issue_ca, issue_leaf
from tests.unit.cli.folder import K80, bound, device, node, quota, resource_class
from webhook.cli.doctor_reading import NOT_ALLOWED, DoctorReader
from webhook.cli.main import main
from webhook.cluster.api import ApiError
from webhook.core.doctor.checks import diagnose

NODE = "node-a"
SYSTEM = "resourceclass-system"


@pytest.fixture
def doctor(tmp_path, capsys):
    """Return a function that examines some objects: exit code and output."""

    def run(*objects, output="text"):
        (tmp_path / "all.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
        code = main(["doctor", "--manifests", str(tmp_path), "-o", output])
        return code, capsys.readouterr().out

    return run


HEALTHY = (resource_class(), device(NODE, "GPU-0"), node(NODE))


def test_where_nothing_is_wrong_it_says_how_much_was_looked_at_and_what_was_not(doctor):
    code, out = doctor(*HEALTHY)
    assert code == 0
    first, _, second, *rest = out.splitlines()
    assert first.startswith("no problem found by ")
    assert "could not be made" in first
    assert second == "Not checked:"
    assert any("without ConfigMap (the folder has none)" in line for line in rest)


def test_where_nothing_can_be_checked_it_does_not_say_that_all_is_well(doctor):
    code, out = doctor()
    assert code == 1
    assert out.startswith("nothing was checked: none of ")


def test_a_problem_is_told_with_its_place_and_its_remedy(doctor):
    code, out = doctor(*HEALTHY, bound("a", NODE, "GPU-0"), bound("b", NODE, "GPU-0"))
    assert code == 1
    assert out.startswith("1 error found by ")
    assert (
        f"\nERROR DoubleAllocation: device {NODE}/GPU-0\n"
        "  2 pods hold the whole device: team-a/a and team-a/b\n"
        "  -> delete the pods that came last until it fits;"
    ) in out


def test_json_has_the_same_in_a_stable_shape(doctor):
    code, out = doctor(*HEALTHY, bound("a", NODE, "GPU-7"), output="json")
    document = json.loads(out)
    assert code == 1
    assert set(document) == {"checks", "findings", "notChecked"}
    (found,) = document["findings"]
    assert set(found) == {"severity", "rule", "place", "problem", "remedy"}
    assert (found["severity"], found["rule"], found["place"]) == (
        "error",
        "GhostAllocation",
        f"device {NODE}/GPU-7",
    )
    assert {"check": "certificates", "lacks": document["notChecked"][-1]["lacks"]}.keys() == {
        "check",
        "lacks",
    }


def test_of_one_rule_a_few_places_are_shown_and_the_rest_counted(doctor):
    sick = [device(NODE, f"GPU-{number}", phase="Unhealthy") for number in range(1, 9)]
    _, out = doctor(*HEALTHY, *sick)
    assert out.count("WARNING UnhealthyDevice") == 5
    assert "UnhealthyDevice: 3 more, which -o json lists" in out
    assert out.startswith("8 warnings found by ")


def test_what_would_steer_a_terminal_is_not_printed(doctor):
    sick = device(NODE, "GPU-1")
    sick["status"] = {"phase": "Unhealthy", "message": "\x1b[2Jgone"}
    assert "\x1b" not in doctor(*HEALTHY, sick)[1]


def test_a_quota_of_a_dump_is_taken_as_it_is_stored_and_one_that_is_to_be_applied_as_it_will_be(doctor):
    wrong = quota(1, 0)
    wrong["spec"] = {"hard": {f"limits.resourceclass.io/{K80}": "1"}}
    assert doctor(*HEALTHY, wrong)[0] == 0
    wrong["metadata"]["uid"] = "1"
    assert "QuotaKeyNotEnforced" in doctor(*HEALTHY, wrong)[1]


def test_a_folder_that_is_not_there_is_bad_input(capsys):
    assert main(["doctor", "--manifests", "/nonexistent/x"]) == 2
    assert "there is no such folder" in capsys.readouterr().err


class Server:
    """Reads of objects by kind; `forbidden` kinds are answered with 403, a `status` with that."""

    def __init__(self, *objects, forbidden=(), status=403):
        self.objects, self.forbidden, self.status = objects, forbidden, status

    def all(self, resource, namespace=""):
        self._check(resource)
        found = (resource.keep(obj) for obj in self.objects if obj["kind"] == resource.kind)
        return [kept for kept in found if kept is not None]

    def one(self, resource, name, namespace=""):
        self._check(resource)
        own = (obj for obj in self.objects if obj["kind"] == resource.kind)
        return next((obj for obj in own if obj.get("metadata", {}).get("name", "") == name), None)

    def _check(self, resource):
        if resource.kind in self.forbidden:
            raise ApiError("no", self.status)


NOW = datetime(2026, 6, 1, tzinfo=UTC)


def read(*objects, **options):
    reader = DoctorReader(Server(*objects, **options), NOW.timestamp)
    facts = reader.read()
    return facts, reader.unread, diagnose(facts, reader.unread)


@pytest.mark.parametrize("kind", ["Node", "Pod", "Secret", "Lease", "Version", "CustomResourceDefinition"])
def test_a_kind_that_may_not_be_read_is_named_with_the_checks_that_need_it(kind):
    _, unread, diagnosis = read(*HEALTHY, *installed(), forbidden=[kind])
    assert unread == {kind: NOT_ALLOWED}
    assert all(any(kind in text for text in item.kinds) for item in diagnosis.left_out)
    assert diagnosis.left_out


def test_any_other_refusal_ends_the_command():
    with pytest.raises(ApiError):
        read(*HEALTHY, forbidden=["Node"], status=500)


AUTHORITY = issue_ca("test", NOW - timedelta(days=80), timedelta(days=900))
OTHER = issue_ca("other", NOW, timedelta(days=900))


def leaf(name="resourceclass-webhook", days=90, authority=AUTHORITY):
    since = NOW - timedelta(days=70 if authority is AUTHORITY else 0)
    return issue_leaf(authority, [f"{name}.{SYSTEM}.svc"], since, timedelta(days=days))


def installed(pair=None, bundle=AUTHORITY.cert, key=None, secret="webhook-tls"):
    """The webhook's Deployment and Secret, and one entry that calls it."""
    pair = pair or leaf(days=900)
    data = {"tls.crt": _base64(pair.cert), "tls.key": _base64(key or pair.key)}
    service = {"name": "resourceclass-webhook", "namespace": SYSTEM, "path": "/validate"}
    client = {"service": service, "caBundle": _base64(bundle)}
    volume = {"name": "tls", "secret": {"secretName": secret}}
    return (
        _named("Deployment", "resourceclass-webhook")
        | {"spec": {"template": {"spec": {"volumes": [volume]}}}},
        _named("Secret", "webhook-tls") | {"data": data},
        _named("ValidatingWebhookConfiguration", "resourceclass")
        | {"webhooks": [{"name": "pods.resourceclass.io", "clientConfig": client}]},
    )


def _named(kind, name):
    return {"kind": kind, "metadata": {"name": name, "namespace": SYSTEM}}


def _base64(text):
    return base64.b64encode(text).decode()


SECRET = f"Secret {SYSTEM}/webhook-tls"
BUNDLE = "caBundle of ValidatingWebhookConfiguration resourceclass, entry pods"


@pytest.mark.parametrize(
    ("objects", "severity", "place", "words"),
    [
        (installed(leaf(days=80)), "warning", SECRET, "10 days from now; renewal is due"),
        (installed(leaf(days=60)), "error", SECRET, "the certificate expired"),
        (installed(leaf("other", days=900)), "error", SECRET, "not valid for resourceclass-webhook."),
        (installed(key=OTHER.key), "error", SECRET, "the key does not belong to the certificate"),
        (installed(bundle=OTHER.cert), "error", BUNDLE, "no CA of the bundle has signed the certificate"),
        (installed(bundle=b"nonsense"), "error", BUNDLE, "bundle"),
        (installed(secret="absent"), "error", f"Secret {SYSTEM}/absent", "it is not there"),
        ((installed()[0], _named("Secret", "webhook-tls")), "error", SECRET, "certificate"),
    ],
)
def test_a_certificate_is_judged_as_the_api_server_does(objects, severity, place, words):
    found = [item for item in read(*HEALTHY, *objects)[2].findings if item.rule == "Certificate"]
    assert [(item.severity.value, item.place) for item in found] == [(severity, place)]
    assert words in found[0].problem


def test_a_good_certificate_is_no_problem():
    found = read(*HEALTHY, *installed())[2].findings
    assert [item for item in found if item.rule == "Certificate"] == []


def config_map(text):
    return _named("ConfigMap", "resourceclass-scheduler") | {"data": {"scheduler.yaml": text}}


@pytest.mark.parametrize(
    ("text", "count"), [("profiles:\n- schedulerName: x\n", 3), ("a: [", 0), ("", 0), ("- 1\n", 0)]
)
def test_the_configuration_of_the_scheduler_is_read_out_of_its_config_map(text, count):
    findings = read(*HEALTHY, config_map(text))[2].findings
    assert len([item for item in findings if item.rule == "SchedulerConfig"]) == count


def test_a_configuration_that_cannot_be_read_is_found_where_the_scheduler_is_installed():
    deployment = _named("Deployment", "resourceclass-scheduler")
    findings = read(*HEALTHY, deployment, config_map("a: ["))[2].findings
    assert "SchedulerConfig" in {item.rule for item in findings}
