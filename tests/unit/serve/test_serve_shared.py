import os

from webhook.serve.shared import SLOT_BYTES, Flag, StatusPage


def in_a_child(action) -> None:
    pid = os.fork()
    if pid == 0:
        action()
        os._exit(0)
    os.waitpid(pid, 0)


def test_a_page_says_nothing_before_the_first_word():
    assert StatusPage().read() is None


def test_the_parent_reads_what_its_child_has_written():
    page = StatusPage()
    in_a_child(lambda: page.write(["cache of quotas", "certificate"]))
    assert page.read().missing == ("cache of quotas", "certificate")


def test_a_later_word_replaces_an_earlier_longer_one():
    page = StatusPage()
    page.write(["a" * 1000])
    page.write([])
    assert page.read().missing == ()


def test_a_word_has_an_age():
    page = StatusPage()
    page.write([])
    assert 0.0 <= page.read().age_seconds() < 5.0


def test_what_does_not_fit_is_cut():
    page = StatusPage()
    page.write([f"sentence {number} " + "x" * 100 for number in range(100)])
    missing = page.read().missing
    assert missing[0].startswith("sentence 0 ")
    assert missing[-1] == "…"
    assert 20 < len(missing) < 100


def test_one_sentence_longer_than_the_page_is_cut():
    page = StatusPage()
    page.write(["é" * SLOT_BYTES])
    assert page.read().missing[0].startswith("éé")


def test_a_page_written_by_half_gives_the_last_whole_word():
    page = StatusPage()
    page.write(["whole"])
    before = page.read()
    page._memory[20] ^= 0xFF
    assert page.read() == before


def test_a_flag_raised_by_the_parent_is_seen_by_a_child():
    flag, seen = Flag(), Flag()
    flag.raise_()
    in_a_child(lambda: seen.raise_() if flag else None)
    assert seen


def test_a_flag_starts_lowered():
    assert not Flag()
