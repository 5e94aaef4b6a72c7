"""How verdicts are written."""

from webhook.admission.played.verdict import Party, Verdict
from webhook.cli.check_text import Checked, as_text, as_yaml

POD = {"kind": "Pod", "metadata": {"name": "train", "namespace": "team-a"}, "spec": {"a": 1}}
CHANGED = {**POD, "spec": {"a": 2}}


def checked(document=POD, **fields):
    return Checked("x.yaml:1", Verdict(sent=POD, received=POD, document=document, **fields))


def refused(message="no"):
    return checked(code=403, reason="Forbidden", message=message, refused_by=Party.WEBHOOK)


def test_an_admitted_object_is_one_line():
    assert as_text([checked()], colour=False).splitlines()[0] == (
        "pod/train in team-a: admitted, unchanged (x.yaml:1)"
    )


def test_a_cluster_scoped_object_is_in_no_namespace():
    node = {"kind": "Node", "metadata": {"name": "n1"}}
    item = Checked("x.yaml:1", Verdict(sent=node, received=node, document=node))
    assert as_text([item], colour=False).startswith("node/n1: admitted")


def test_the_last_line_adds_up():
    assert (
        as_text([checked(), refused()], colour=False).splitlines()[-1] == "2 objects: 1 admitted, 1 refused"
    )


def test_no_line_of_prose_is_wider_than_the_terminal():
    lines = as_text([refused("word " * 100)], colour=False).splitlines()
    assert max(map(len, lines)) <= 100


def test_on_a_terminal_refusals_and_removed_lines_are_red():
    text = as_text([refused(), checked(CHANGED)], colour=True)
    assert "\033[31mpod/train in team-a: refused" in text
    assert "\033[31m    -  a: 1\033[0m" in text
    assert "\033[32m    +  a: 2\033[0m" in text


def test_yaml_repeats_what_occurs_twice():
    shared = {"x": 1}
    assert as_yaml({"a": shared, "b": shared}) == "a:\n  x: 1\nb:\n  x: 1\n"


def test_yaml_keeps_letters_outside_ascii():
    assert as_yaml({"owner": "Zoë"}) == "owner: Zoë\n"
