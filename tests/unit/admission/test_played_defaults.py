"""What the played API server fills in before a webhook sees an object."""

import copy

from tests.unit.admission.worlds import STORED, deployment, pod
from webhook.admission.played.defaults import with_defaults


def limit_range(**maps):
    return {"kind": "LimitRange", "spec": {"limits": [{"type": "Container"} | maps]}}


TWO_EACH = limit_range(default={STORED: "2"}, defaultRequest={STORED: "2"})


def resources(document):
    return document["spec"]["containers"][0]["resources"]


def test_limits_become_requests():
    assert resources(with_defaults(pod(key=STORED), []))["requests"] == {STORED: "1"}


def test_requests_that_are_there_stay():
    asked = pod(key=STORED, amount="2")
    resources(asked)["requests"] = {STORED: "1"}
    assert resources(with_defaults(asked, []))["requests"] == {STORED: "1"}


def test_explicit_nulls_are_read_as_absent():
    asked = pod(key=STORED)
    resources(asked)["requests"] = None
    assert resources(with_defaults(asked, []))["requests"] == {STORED: "1"}


def test_templates_keep_their_limits_alone():
    template = with_defaults(deployment(), [])["spec"]["template"]
    assert "requests" not in resources(template)


def test_the_object_that_was_sent_is_not_edited():
    sent = pod(key=STORED)
    kept = copy.deepcopy(sent)
    with_defaults(sent, [limit_range(default={"cpu": "1"})])
    assert sent == kept


def test_a_limit_range_gives_what_a_container_does_not_say():
    filled = with_defaults(pod(key=None), [TWO_EACH])
    assert resources(filled) == {"limits": {STORED: "2"}, "requests": {STORED: "2"}}


def test_what_a_limit_range_gave_is_noted_as_the_server_notes_it():
    filled = with_defaults(pod(key=None), [TWO_EACH])
    assert filled["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == (
        f"LimitRanger plugin set: {STORED} request for container c; {STORED} limit for container c"
    )


def test_a_container_that_says_it_itself_is_left_alone():
    filled = with_defaults(
        pod(key=STORED), [limit_range(default={STORED: "2"}, defaultRequest={STORED: "2"})]
    )
    assert resources(filled)["limits"] == {STORED: "1"}
    assert "annotations" not in filled["metadata"]


def test_limits_of_pods_as_a_whole_give_nothing():
    other = {"kind": "LimitRange", "spec": {"limits": [{"type": "Pod", "default": {STORED: "2"}}]}}
    assert resources(with_defaults(pod(key=None), [other])) == {"limits": {}}


def test_the_maximum_of_a_limit_range_becomes_its_default():
    filled = with_defaults(limit_range(max={STORED: "2"}, min={"cpu": "1"}), [])
    (item,) = filled["spec"]["limits"]
    assert item["default"] == {STORED: "2"}
    assert item["defaultRequest"] == {STORED: "2", "cpu": "1"}
