"""What the rules of mutation write down on the way."""

import time

from webhook.core.mutate.draft import Draft
from webhook.core.outcome import Fault, Reason

BAD = Reason.BAD_AMOUNT


def test_a_fault_that_is_found_twice_is_told_once_and_in_the_order_of_finding():
    draft = Draft({})
    for message in ("b", "a", "b"):
        draft.fault(BAD, message)
    assert draft.outcome().faults == (Fault(BAD, "b"), Fault(BAD, "a"))


def test_a_warning_that_is_given_twice_is_told_once_and_in_the_order_of_giving():
    draft = Draft({})
    for text in ("b", "a", "b"):
        draft.warn(text)
    assert draft.outcome().warnings == ("b", "a")


def test_tens_of_thousands_of_faults_are_written_down_in_little_time():
    """Each was compared with all before it: 20,000 took 20 s of a process that others wait for."""
    draft = Draft({})
    begun = time.process_time()
    for number in range(20_000):
        draft.fault(BAD, f"container {number}")
    assert len(draft.outcome().faults) == 20_000
    assert time.process_time() - begun < 3


def test_a_refusal_does_not_tell_what_would_have_been_changed():
    draft = Draft({})
    draft.put(("spec",), {}, "spec", "why")
    draft.warn("spec was stored")
    draft.fault(BAD, "no")
    assert draft.outcome().warnings == ()
    assert draft.outcome().object is draft.original
