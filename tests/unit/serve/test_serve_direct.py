"""An application whose entries are answered beside Flask, and Flask for the rest."""

from __future__ import annotations

from werkzeug.test import Client

from webhook.serve.direct import DirectApp, json_reply, text_reply


def client() -> Client:
    entries = {
        "/echo": lambda environ: json_reply(environ["wsgi.input"].read()),
        "/later": lambda environ: text_reply(503, "not yet", (("Retry-After", "1"),)),
    }
    return DirectApp("test", entries).test_client()


def test_an_entry_answers_with_its_document():
    answer = client().post("/echo", data=b'{"a":1}')
    assert (answer.status, answer.content_type, answer.data) == ("200 OK", "application/json", b'{"a":1}')
    assert answer.headers["Content-Length"] == "7"


def test_an_entry_answers_with_a_line_and_headers_of_its_own():
    answer = client().post("/later")
    assert (answer.status, answer.text) == ("503 Service Unavailable", "not yet\n")
    assert answer.headers["Retry-After"] == "1"


def test_what_is_no_unicode_is_written_all_the_same():
    assert text_reply(400, "\udc80").body == b"\\udc80\n"


def test_another_method_is_told_which_one_is_right():
    answer = client().get("/echo")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert answer.text.count("\n") == 1


def test_an_unknown_path_is_answered_in_one_line():
    answer = client().post("/other")
    assert (answer.status_code, answer.text.count("\n")) == (404, 1)
