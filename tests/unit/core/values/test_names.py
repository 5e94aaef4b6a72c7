"""The names that all parts share."""

import pytest

from webhook.core.values import names

K80 = "nvidia.tesla.k80"


def test_a_class_gives_every_name_that_derives_from_it():
    assert names.stored_key(K80) == "resourceclass.io/nvidia.tesla.k80"
    assert names.quota_key(K80) == "requests.resourceclass.io/nvidia.tesla.k80"
    assert names.node_label(K80) == "class.resourceclass.io/nvidia.tesla.k80"


def test_a_container_gives_its_annotations():
    assert names.devices_annotation("train") == "devices.resourceclass.io/train"
    assert names.variable_annotation("ROCR_VISIBLE", "train") == "rocr-visible.devices.resourceclass.io/train"


@pytest.mark.parametrize("name", [K80, "t4", "nvidia.grid-p4-2q", "a" * 63])
def test_a_short_lower_case_subdomain_can_name_a_class(name):
    assert names.is_class_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "K80",
        "a_b",
        "a/b",
        "-a",
        "a.",
        "a" * 64,
        "cpu",
        "pods",
        "count",
        "requests.x",
        "limits.x",
        "hugepages-2Mi",
    ],
)
def test_other_texts_and_the_names_of_kubernetes_cannot(name):
    assert not names.is_class_name(name)


@pytest.mark.parametrize("key", [K80, "t4", "Foo"])
def test_a_key_without_a_slash_that_is_not_of_kubernetes_may_be_a_bare_class(key):
    assert names.is_bare_candidate(key)


@pytest.mark.parametrize("key", ["cpu", "memory", "hugepages-1Gi", "nvidia.com/gpu", "requests.cpu"])
def test_standard_and_qualified_keys_are_no_bare_class(key):
    assert not names.is_bare_candidate(key)


def test_stored_keys_are_read_back():
    assert names.class_of_stored_key(names.stored_key(K80)) == K80
    assert names.class_of_stored_key("nvidia.com/gpu") is None
    assert names.class_of_quota_key(names.quota_key(K80)) == K80
    assert names.class_of_quota_key(names.stored_key(K80)) is None


@pytest.mark.parametrize("prefix", ["", "requests.", "limits."])
@pytest.mark.parametrize("domain", ["", "resourceclass.io/"])
def test_every_spelling_in_a_quota_names_the_class(prefix, domain):
    assert names.class_of_any_quota_spelling(f"{prefix}{domain}{K80}") == K80


@pytest.mark.parametrize(
    "key", ["cpu", "requests.cpu", "limits.memory", "requests.nvidia.com/gpu", "count/pods", "pods"]
)
def test_other_quota_keys_name_no_class(key):
    assert names.class_of_any_quota_spelling(key) is None
