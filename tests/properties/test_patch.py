"""The differ makes what jsonpatch, the reference implementation in Python, applies to the same document."""

import copy
import json

import jsonpatch
from hypothesis import given
from hypothesis import strategies as st

from webhook.core.patch import diff, same

KEYS = st.sampled_from(["a", "b", "a/b", "~", "~1", "", "é", "0", "-"]) | st.text(max_size=4)
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 0.5]) | st.text(max_size=3)
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


def text(document):
    return json.dumps(document, sort_keys=True)


@st.composite
def edited(draw):
    """Two documents that are alike: lists with elements put in, taken out or changed."""
    before = draw(st.lists(DOCUMENTS, max_size=6))
    after = list(before)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(after)))
        after[place : place + draw(st.integers(0, 1))] = draw(st.lists(DOCUMENTS, max_size=2))
    return {"k/~": before}, {"k/~": after}


@given(DOCUMENTS, DOCUMENTS)
def test_applying_the_difference_of_any_two_documents_gives_the_second(before, after):
    assert text(jsonpatch.apply_patch(before, diff(before, after))) == text(after)


@given(edited())
def test_applying_the_difference_of_edited_lists_gives_the_edited_ones(pair):
    before, after = pair
    assert text(jsonpatch.apply_patch(before, diff(before, after))) == text(after)


@given(DOCUMENTS)
def test_a_document_differs_from_its_copy_in_nothing(document):
    assert diff(document, copy.deepcopy(document)) == []


@given(DOCUMENTS, DOCUMENTS)
def test_two_documents_differ_exactly_when_their_texts_do(before, after):
    assert same(before, after) == (text(before) == text(after))
    assert bool(diff(before, after)) == (text(before) != text(after))


@given(DOCUMENTS, DOCUMENTS)
def test_neither_document_is_edited(before, after):
    copies = text(before), text(after)
    diff(before, after)
    assert (text(before), text(after)) == copies


@given(DOCUMENTS, DOCUMENTS)
def test_only_add_remove_and_replace_are_used(before, after):
    assert {operation["op"] for operation in diff(before, after)} <= {"add", "remove", "replace"}
