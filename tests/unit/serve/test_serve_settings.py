import dataclasses
import subprocess
import sys

import pytest

from webhook.serve.settings import App, ServeSettings


def test_the_defaults_have_no_problem():
    assert ServeSettings().problems() == []


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"port": 70000}, "port is 70000: must be between 0 and 65535"),
        ({"health_port": -1}, "health_port is -1: must be between 0 and 65535"),
        (
            {"tls_cert": "a"},
            "tls_key is missing: tls_cert is given, and one is of no use without the other",
        ),
        (
            {"tls_key": "a"},
            "tls_cert is missing: tls_key is given, and one is of no use without the other",
        ),
        ({"workers": 0}, "workers is 0: must be at least 1"),
        ({"threads": 0}, "threads is 0: must be at least 1"),
        ({"max_connections": 8}, "max_connections is 8: must be more than threads (8)"),
        ({"drain_seconds": -1.0}, "drain_seconds is -1.0: must be at least 0"),
        ({"log_level": "loud"}, "log_level is 'loud': must be one of debug, info, warning, error, critical"),
    ],
)
def test_a_setting_out_of_range_is_named_with_its_range(changed, problem):
    assert ServeSettings(**changed).problems() == [problem]


def test_all_problems_are_named_at_once():
    assert len(ServeSettings(port=-1, workers=0, log_level="loud").problems()) == 3


def test_every_number_has_its_bounds_checked():
    numbers = [field.name for field in dataclasses.fields(ServeSettings) if field.type in ("int", "float")]
    assert [name for name in numbers if not ServeSettings(**{name: -1}).problems()] == []


def test_an_application_needs_no_more_than_its_wsgi_side_and_its_readiness():
    app = App(lambda *_: [], list)
    assert (app.tick(), app.close()) == (None, None)


def test_the_import_of_the_room_is_light():
    heavy = "flask werkzeug kubernetes cryptography gunicorn prometheus_client"
    code = (
        "import sys, webhook.serve.run, webhook.serve.limits, webhook.serve.metrics, webhook.serve.tls\n"
        f"print([name for name in {heavy.split()} if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed == "[]\n"
