"""Reading an AdmissionReview."""

import orjson
import pytest

from webhook.core.errors import BadReview
from webhook.wire.review import MAX_DEPTH, parse

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "train-"}, "spec": {"unknown": 1}}


def review(**request):
    whole = {
        "uid": "u-1",
        "operation": "CREATE",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "namespace": "team-a",
        "userInfo": {"username": "jane", "groups": ["dev"]},
        "object": POD,
    } | request
    kept = {key: value for key, value in whole.items() if value is not ...}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": kept}


def encode(document):
    return orjson.dumps(document)


def test_a_review_is_read_into_plain_values():
    request = parse(encode(review()))
    assert (request.uid, request.operation, request.kind) == ("u-1", "CREATE", "Pod")
    assert request.namespace == "team-a"
    assert (request.user, request.groups) == ("jane", ("dev",))
    assert request.dry_run is False


def test_the_object_is_kept_as_it_was_sent():
    assert parse(encode(review())).object == POD


def test_a_dry_run_is_told_apart():
    assert parse(encode(review(dryRun=True))).dry_run is True


def test_the_kinds_group_is_kept():
    request = parse(encode(review(kind={"group": "apps", "version": "v1", "kind": "Deployment"})))
    assert request.group == "apps"


def test_a_delete_is_about_the_old_object():
    request = parse(encode(review(operation="DELETE", object=None, oldObject=POD)))
    assert request.object is None
    assert request.document == POD


def test_the_title_is_the_name_once_there_is_one():
    assert parse(encode(review(name="train-x7"))).title == "train-x7"


def test_the_title_is_the_generated_prefix_before():
    assert parse(encode(review())).title == "train-"


@pytest.mark.parametrize("metadata", [None, [], {"generateName": 5}])
def test_the_title_is_empty_where_nothing_names_the_object(metadata):
    assert parse(encode(review(object={"metadata": metadata}))).title == ""


def test_text_outside_ascii_survives():
    request = parse(encode(review(object={"metadata": {"annotations": {"owner": "Zoë 数据组 🚀"}}})))
    assert request.object["metadata"]["annotations"]["owner"] == "Zoë 数据组 🚀"


@pytest.mark.parametrize("groups", [None, "system:nodes", {"a": 1}])
def test_groups_of_another_shape_are_no_groups(groups):
    assert parse(encode(review(userInfo={"username": "x", "groups": groups}))).groups == ()


def test_a_review_without_user_has_no_groups():
    assert parse(encode(review(userInfo=...))).groups == ()


def test_only_texts_count_as_groups():
    assert parse(encode(review(userInfo={"groups": ["a", 5, None]}))).groups == ("a",)


def deep(levels):
    document = {}
    for _ in range(levels):
        document = {"a": document}
    return document


UNREADABLE = [
    (b"", "empty"),
    (b"{", "not JSON"),
    (b"\xff\xfe", "not JSON"),
    (b"[1]", "JSON object"),
    (b"{}", "apiVersion"),
    (encode(review() | {"apiVersion": "admission.k8s.io/v1beta1"}), "admissionReviewVersions"),
    (encode(review() | {"kind": "Pod"}), "AdmissionReview"),
    (encode(review() | {"request": None}), "request must be an object"),
    (encode(review(uid=...)), r"request\.uid"),
    (encode(review(uid="")), r"request\.uid"),
    (encode(review(uid=7)), r"request\.uid"),
    (encode(review(operation="PATCH")), "CONNECT, CREATE, DELETE, UPDATE"),
    (encode(review(operation=None)), r"request\.operation"),
    (encode(review(kind=None)), r"request\.kind must"),
    (encode(review(kind={"kind": None})), r"request\.kind\.kind"),
    (encode(review(object=None)), r"request\.object is missing"),
    (encode(review(operation="UPDATE", object=...)), r"request\.object is missing; UPDATE"),
    (encode(review(object=[])), r"request\.object must be an object"),
    (encode(review(oldObject="x")), r"request\.oldObject must be an object"),
]


@pytest.mark.parametrize(("body", "words"), UNREADABLE)
def test_what_is_no_review_is_refused_by_name(body, words):
    with pytest.raises(BadReview, match=words) as caught:
        parse(body)
    assert caught.value.code == 400


def test_a_review_that_is_nested_too_deep_is_refused():
    body = encode(review(object=...))[:-2] + b',"object":' + b'{"a":' * 300 + b"1" + b"}" * 300 + b"}}"
    with pytest.raises(BadReview, match=f"deeper than {MAX_DEPTH}"):
        parse(body)


def test_many_brackets_side_by_side_are_not_deep():
    assert parse(encode(review(object={"a": [{} for _ in range(MAX_DEPTH + 1)]}))).object is not None


def test_a_document_at_the_bound_is_read():
    assert parse(encode(review(object=deep(MAX_DEPTH - 4)))).object is not None


@pytest.mark.parametrize("name", ["a", "0", "team-a", "a" * 63, "", None, ...])
def test_what_can_be_the_name_of_a_namespace_is_read(name):
    assert parse(encode(review(namespace=name))).namespace == (name if isinstance(name, str) else "")


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "kube-system/pods", "a?b", "A", "a.b", "-a", "a-", "a" * 64, "a\n"]
)
def test_what_cannot_be_the_name_of_a_namespace_is_refused(name):
    """It would become part of a path, and the API server reads %2F there as a slash."""
    with pytest.raises(BadReview, match=r"request\.namespace is .* cannot be the name of a namespace"):
        parse(encode(review(namespace=name)))
