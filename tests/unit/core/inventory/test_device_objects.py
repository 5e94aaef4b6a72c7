"""Names of device objects."""

import re

import pytest

from webhook.core.inventory.device_objects import device_name


@pytest.mark.parametrize(
    ("node", "device_id", "name"),
    [
        ("node-a", "GPU-7F3C", "node-a-gpu-7f3c"),
        ("ip-10-0-0-1.eu", "0", "ip-10-0-0-1.eu-0"),
        ("n", "mig-1g.5gb-0", "n-mig-1g.5gb-0"),
    ],
)
def test_a_device_is_named_after_its_node_and_its_id(node, device_id, name):
    assert device_name(node, device_id) == name


@pytest.mark.parametrize(
    ("node", "device_id"), [("n" * 253, "0"), ("n", "0:1"), ("n", "a..b"), ("", ""), ("é", "_" * 300)]
)
def test_what_is_no_name_is_cut_and_gets_a_hash_of_its_own(node, device_id):
    name = device_name(node, device_id)
    assert len(name) <= 253
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", name)
    assert name != device_name(node, device_id + "1")
