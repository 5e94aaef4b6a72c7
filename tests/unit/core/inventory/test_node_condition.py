"""The condition of a node."""

from webhook.core.inventory.node_condition import NodeVerdict, first_verdict, node_condition

KNOWN = NodeVerdict(True, "DevicesKnown", "2 devices")
MIXED = NodeVerdict(False, "MixedDevices", "run the node agent there")
READY = {"type": "Ready", "status": "True"}


def with_condition(**fields):
    condition = {
        "type": "ResourceClassReady",
        "status": "True",
        "reason": "DevicesKnown",
        "message": "2 devices",
        "lastTransitionTime": "2024-01-01T00:00:00Z",
        **fields,
    }
    return {"status": {"conditions": [READY, condition]}}


def written(node, verdict):
    (condition,) = node_condition(node, verdict, "2024-06-01T00:00:00Z")["status"]["conditions"]
    return condition


def test_a_node_without_devices_gets_no_condition():
    assert node_condition({"status": {"conditions": [READY]}}, None, "now") is None


def test_a_first_condition_says_since_when():
    assert written({}, MIXED) == {
        "type": "ResourceClassReady",
        "status": "False",
        "reason": "MixedDevices",
        "message": "run the node agent there",
        "lastTransitionTime": "2024-06-01T00:00:00Z",
    }


def test_a_condition_that_says_so_already_is_not_written_again():
    assert node_condition(with_condition(lastHeartbeatTime="x"), KNOWN, "now") is None


def test_the_time_of_the_transition_stays_while_the_status_does():
    assert written(with_condition(message="1 device"), KNOWN)["lastTransitionTime"] == "2024-01-01T00:00:00Z"
    assert written(with_condition(), MIXED)["lastTransitionTime"] == "2024-06-01T00:00:00Z"


def test_a_condition_goes_with_the_devices():
    assert written(with_condition(), None) == {"type": "ResourceClassReady", "$patch": "delete"}


def test_the_first_complaint_is_said_before_what_is_well():
    other = NodeVerdict(False, "Other", "")
    assert first_verdict(KNOWN, None, MIXED, other) is MIXED
    assert first_verdict(None, KNOWN) is KNOWN
    assert first_verdict(None) is None
