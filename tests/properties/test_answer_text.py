"""Properties of the pieces of which answers are made."""

from hypothesis import given
from hypothesis import strategies as st

from webhook.core.text import list_of, shorten


@given(st.text(), st.integers(2, 80))
def test_a_shortened_text_fits_and_is_a_beginning_of_the_text(text, most):
    short = shorten(text, most)
    assert len(short) <= most
    assert short == text or text.startswith(short[:-1])


@given(st.lists(st.text(min_size=1, max_size=3)), st.integers(1, 4))
def test_a_list_of_names_accounts_for_every_name(names, most):
    text = list_of(names, most)
    shown = names if len(names) <= most else names[:most]
    assert all(name in text for name in shown)
    assert text.endswith(f"and {len(names) - most} more") or len(names) <= most
