import json
import logging
import os
import subprocess
import sys

import pytest

from webhook.serve.logging import (
    MOST_REMEMBERED,
    REPEAT_SECONDS,
    DescriptorHandler,
    Repeated,
    event,
)


@pytest.fixture
def log():
    """A logger, and a function that gives the lines written so far."""
    reader, writer = os.pipe()
    logger = logging.Logger("a.logger")  # noqa: LOG001 - gone with the test
    logger.addHandler(DescriptorHandler(writer))
    logger.lines = lambda: os.read(reader, 65536).decode().splitlines()
    yield logger
    os.close(reader)
    os.close(writer)


def test_an_event_is_one_line_of_json_with_its_fields(log):
    event(log, logging.INFO, "denied", quota="q", used=2)
    (line,) = log.lines()
    said = json.loads(line)
    assert said.pop("time").endswith("Z")
    assert said == {
        "level": "info",
        "logger": "a.logger",
        "message": "denied",
        "pid": os.getpid(),
        "quota": "q",
        "used": 2,
    }


def test_the_time_is_utc_with_milliseconds(log):
    record = log.makeRecord("a", logging.INFO, "f", 1, "m", (), None)
    record.created, record.msecs = 0.25, 250.0
    log.handle(record)
    assert json.loads(log.lines()[0])["time"] == "1970-01-01T00:00:00.250Z"


def test_a_message_with_line_breaks_stays_one_line(log):
    log.warning("one\ntwo %s", "\r\nthree")
    (line,) = log.lines()
    assert json.loads(line)["message"] == "one\ntwo \r\nthree"


def test_a_traceback_stays_in_its_line(log):
    try:
        int("wrong")
    except ValueError:
        log.exception("failed")
    (line,) = log.lines()
    assert json.loads(line)["traceback"].endswith(
        "ValueError: invalid literal for int() with base 10: 'wrong'"
    )


def test_every_character_is_written_as_it_is(log):
    log.info("Zoë 数据组 🚀")
    assert "Zoë 数据组 🚀" in log.lines()[0]


def test_half_a_character_is_still_json(log):
    log.info("broken \udc80")
    assert json.loads(log.lines()[0])["message"] == "broken \udc80"


def test_a_field_that_json_does_not_know_is_written_as_text(log):
    event(log, logging.INFO, "m", what={1})
    assert json.loads(log.lines()[0])["what"] == "{1}"


def test_a_log_that_nobody_reads_any_more_stops_nothing():
    logger = logging.Logger("b")  # noqa: LOG001 - gone with the test
    reader, writer = os.pipe()
    logger.addHandler(DescriptorHandler(writer))
    os.close(reader)
    logger.info("into the void")
    os.close(writer)


def test_the_locale_of_the_container_changes_nothing():
    text = "Zoë 数据组"
    code = f"import logging, webhook.serve.logging as l; l.setup(); logging.warning({text!a})"
    environ = os.environ | {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environ)
    assert json.loads(done.stderr)["message"] == text


def test_what_is_below_the_level_is_not_written():
    code = "import logging, webhook.serve.logging as l; l.setup('warning'); logging.info('quiet')"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert done.stderr == b""


def test_what_repeats_is_said_once(log):
    repeated = Repeated(log)
    for number in range(3):
        repeated.warn("no descriptor is left", OSError(f"cause {number}"))
    repeated.warn("something else", OSError("cause"))
    said = [(line["message"], line["error"]) for line in map(json.loads, log.lines())]
    assert said == [("no descriptor is left", "cause 0"), ("something else", "cause")]


def test_messages_that_each_name_another_object_are_not_remembered_for_ever():
    now = [0.0]
    repeated = Repeated(logging.Logger("nobody.listens", logging.ERROR), lambda: now[0])  # noqa: LOG001
    for number in range(MOST_REMEMBERED):
        repeated.warn(f"node {number} could not be brought up to date")
    now[0] += REPEAT_SECONDS
    repeated.warn("one more")
    assert len(repeated) == 1
