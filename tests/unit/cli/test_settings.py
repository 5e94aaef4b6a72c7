"""The settings of the parts: flags, file, problems, and the table that documents them."""

import argparse
from pathlib import Path

import pytest

from webhook.cli.options import BadSettings, options_of
from webhook.cli.settings.commands import CheckSettings
from webhook.cli.settings.reading import add_flags, load
from webhook.cli.settings.tables import PARTS, tables
from webhook.cli.settings.webhook import WebhookSettings

ROOT = Path(__file__).parents[3]


@pytest.fixture
def tls(tmp_path):
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).write_text("pem")
    return [f"--tls-cert={tmp_path}/tls.crt", f"--tls-key={tmp_path}/tls.key"]


def loaded(part, *argv):
    parser = argparse.ArgumentParser()
    add_flags(parser, part)
    return load(part, parser.parse_args(argv))


def problems(part, *argv):
    with pytest.raises(BadSettings) as caught:
        loaded(part, *argv)
    return caught.value.problems


def config(tmp_path, text):
    file = tmp_path / "config.yaml"
    file.write_text(text)
    return f"--config={file}"


def test_flags_are_read(tls):
    made = loaded(WebhookSettings, *tls, "--port", "9443", "--foreign-scheduler", "keep")
    assert (made.serve.port, made.pods.foreign_scheduler) == (9443, "keep")


def test_what_is_not_given_keeps_its_default(tls):
    assert loaded(WebhookSettings, *tls).serve.port == 8443


def test_the_file_takes_the_same_names(tls, tmp_path):
    made = loaded(WebhookSettings, *tls, config(tmp_path, "port: 9443\nforeign-scheduler: keep\n"))
    assert (made.serve.port, made.pods.foreign_scheduler) == (9443, "keep")


@pytest.mark.parametrize("key", ["foreign-scheduler", "foreignScheduler", "foreign_scheduler"])
def test_keys_of_the_file_may_be_spelt_as_yaml_files_are(tls, tmp_path, key):
    made = loaded(WebhookSettings, *tls, config(tmp_path, f"{key}: override\n"))
    assert made.pods.foreign_scheduler == "override"


def test_a_flag_wins_over_the_file(tls, tmp_path):
    assert loaded(WebhookSettings, *tls, "--port=1", config(tmp_path, "port: 2\n")).serve.port == 1


def test_an_empty_file_sets_nothing(tls, tmp_path):
    assert loaded(WebhookSettings, *tls, config(tmp_path, "# nothing\n")).serve.port == 8443


def test_the_environment_sets_nothing(tls, monkeypatch):
    monkeypatch.setenv("RESOURCECLASS_PORT", "9443")
    assert loaded(WebhookSettings, *tls).serve.port == 8443


def test_every_problem_is_told_at_once():
    found = problems(WebhookSettings, "--port=many", "--threads=0", "--manifests=/nowhere")
    assert found == [
        "--port must be a whole number, not 'many'",
        "--manifests /nowhere: there is no such folder",
        "--tls-cert is missing: the API server calls a webhook over TLS only",
        "--tls-key is missing: the API server calls a webhook over TLS only",
        "--threads is 0: must be at least 1",
    ]


def test_a_problem_of_the_file_names_the_file(tmp_path):
    found = problems(CheckSettings, config(tmp_path, "output: xml\n"))
    assert found == [f"{tmp_path}/config.yaml: output must be one of text, json, not 'xml'"]


def test_an_unknown_key_is_told_with_the_nearest_one(tmp_path):
    (found,) = problems(CheckSettings, config(tmp_path, "namespce: a\n"))
    assert found.endswith("namespce: no such option; did you mean namespace?")


def test_an_unknown_key_that_is_near_to_nothing_gets_no_advice(tmp_path):
    (found,) = problems(CheckSettings, config(tmp_path, "zzz: a\n"))
    assert found.endswith("zzz: no such option")


@pytest.mark.parametrize("text", ["- a\n", "a: 1\n---\nb: 2\n", "just text\n"])
def test_a_file_that_is_no_mapping_is_a_problem(tmp_path, text):
    (found,) = problems(CheckSettings, config(tmp_path, text))
    assert "one mapping" in found


def test_a_file_that_is_no_yaml_is_a_problem_with_its_line(tmp_path):
    (found,) = problems(CheckSettings, config(tmp_path, "a: 1\nb: [\n"))
    assert found.startswith(f"--config {tmp_path}/config.yaml:2: not readable as YAML: ")


def test_a_file_that_is_missing_is_a_problem():
    (found,) = problems(CheckSettings, "--config=/nowhere.yaml")
    assert found == "--config /nowhere.yaml: No such file or directory"


def test_a_file_that_is_no_text_is_a_problem(tmp_path):
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe")
    (found,) = problems(CheckSettings, f"--config={tmp_path}/config.yaml")
    assert found == f"--config {tmp_path}/config.yaml: not UTF-8 text"


def test_the_state_comes_from_one_place(tmp_path):
    (tmp_path / "kubeconfig").write_text("x")
    found = problems(CheckSettings, f"--manifests={tmp_path}", f"--kubeconfig={tmp_path}/kubeconfig")
    assert found == ["--kubeconfig and --manifests are both given; leave one out"]


def test_a_kubeconfig_that_is_missing_is_a_problem():
    assert problems(CheckSettings, "--kubeconfig=/nowhere") == [
        "--kubeconfig /nowhere: there is no such file"
    ]


def test_a_file_is_no_folder_of_manifests(tmp_path):
    (tmp_path / "README.md").write_text("x")
    assert problems(CheckSettings, f"--manifests={tmp_path}/README.md") == [
        f"--manifests {tmp_path}/README.md: is not a folder"
    ]


def test_half_a_pair_for_tls_is_one_problem(tls):
    assert problems(WebhookSettings, tls[0]) == [
        "--tls-key is missing: --tls-cert is given, and one is of no use without the other"
    ]


def test_help_says_what_must_be_given():
    parser = argparse.ArgumentParser()
    add_flags(parser, WebhookSettings)
    required = [action.dest for action in parser._actions if "Must be given" in action.help]
    assert required == list(WebhookSettings.required)


def test_help_calls_files_and_folders_so():
    parser = argparse.ArgumentParser()
    add_flags(parser, WebhookSettings)
    words = {action.dest: action.metavar for action in parser._actions}
    assert [words[name] for name in ("kubeconfig", "tls-cert", "tls-key")] == ["FILE"] * 3
    assert words["manifests"] == "DIR"


def test_short_flags_are_there_for_people():
    assert loaded(CheckSettings, "-n", "team-a", "-o", "json").namespace == "team-a"


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_every_option_says_what_it_does(part):
    assert [option.name for option in options_of(part) if not option.help] == []


def test_the_documented_tables_are_the_generated_ones():
    documented = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    assert tables() in documented, (
        "run: python -m webhook.cli.settings, and put it into docs/configuration.md"
    )
