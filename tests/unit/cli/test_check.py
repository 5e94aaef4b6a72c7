"""`resourceclass check`: verdicts on manifests, without a cluster."""

import io
import json
from pathlib import Path

import pytest

from webhook.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "examples"
CLASS = """
apiVersion: resourceclass.io/v1alpha1
kind: ResourceClass
metadata: {name: nvidia.tesla.k80}
spec: {selector: {matchLabels: {model: NVIDIA Tesla K80}}}
"""
QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: team-a}
spec: {hard: {requests.resourceclass.io/nvidia.tesla.k80: "1"}}
"""


def pod(name="train", amount="1", namespace="team-a", key="nvidia.tesla.k80"):
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{containers: [{{name: c, image: i, resources: {{limits: {{{key}: {amount}}}}}}}]}}
"""


@pytest.fixture
def check(tmp_path, capsys):
    """Return a function that checks a stream and returns exit code, output and errors."""

    def run(*documents, arguments=()):
        file = tmp_path / "stream.yaml"
        file.write_text("---".join(documents), "utf-8")
        code = main(["check", "-f", str(file), *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def results(output):
    return json.loads(output)["results"]


def test_the_examples_are_admitted_as_they_stand(capsys):
    assert main(["check", "-f", str(EXAMPLES)]) == 0
    assert "6 objects: 6 admitted, 0 refused" in capsys.readouterr().out


def test_a_class_in_the_stream_serves_the_pod_in_it(check):
    code, out, _ = check(CLASS, pod())
    assert code == 0
    assert "pod/train in team-a: admitted, changed" in out


def test_the_order_of_the_stream_does_not_matter_for_what_others_need(check):
    assert check(pod(), CLASS)[0] == 0


def test_verdicts_come_in_the_order_of_the_stream(check):
    _, out, _ = check(pod(), CLASS, arguments=["-o", "json"])
    assert [result["kind"] for result in results(out)] == ["Pod", "ResourceClass"]


def test_pods_use_up_the_quota_for_those_after_them(check):
    code, out, _ = check(CLASS, QUOTA, pod("a"), pod("b"))
    assert code == 1
    assert "pod/a in team-a: admitted" in out
    assert "pod/b in team-a: refused by the webhook, 403 Forbidden" in out


def test_a_refusal_says_why(check):
    _, out, _ = check(CLASS, QUOTA, pod(amount="2"))
    assert "exceeded quota: q" in " ".join(out.split())


def test_what_would_change_is_shown_as_a_diff_with_the_reasons(check):
    _, out, _ = check(CLASS, pod())
    assert "    -        nvidia.tesla.k80: 1" in out
    assert "    +        resourceclass.io/nvidia.tesla.k80: 1" in out
    assert "  - resourceclass-scheduler: " in out


def test_warnings_are_shown(check):
    bare = QUOTA.replace("requests.resourceclass.io/", "")
    _, out, _ = check(CLASS, bare)
    assert "  warning: ResourceQuota q:" in out


def test_the_place_of_each_object_is_shown(check, tmp_path):
    _, out, _ = check(CLASS, pod())
    assert f"({tmp_path}/stream.yaml:7)" in out


def test_a_folder_stands_in_for_the_cluster(check, tmp_path):
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster" / "class.yaml").write_text(CLASS)
    assert check(pod(), arguments=["--manifests", f"{tmp_path}/cluster"])[0] == 0


def test_a_pod_of_the_folder_is_not_counted_twice(check, tmp_path):
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster" / "all.yaml").write_text(f"{CLASS}---{QUOTA}---{pod()}")
    assert check(pod(), arguments=["--manifests", f"{tmp_path}/cluster"])[0] == 0


def test_a_limit_range_of_the_folder_counts(check, tmp_path):
    (tmp_path / "cluster").mkdir()
    limit_range = """
apiVersion: v1
kind: LimitRange
metadata: {name: cap, namespace: team-a}
spec: {limits: [{type: Container, default: {resourceclass.io/nvidia.tesla.k80: "2"},
  defaultRequest: {resourceclass.io/nvidia.tesla.k80: "2"}}]}
"""
    (tmp_path / "cluster" / "all.yaml").write_text(f"{CLASS}---{QUOTA}---{limit_range}")
    plain = pod(key="cpu")
    assert check(plain, arguments=["--manifests", f"{tmp_path}/cluster"])[0] == 1


def test_the_namespace_is_for_objects_that_name_none(check):
    nameless = CLASS, pod().replace(", namespace: team-a", "")
    assert "pod/train in lab: admitted" in check(*nameless, arguments=["-n", "lab"])[1]


def test_the_setting_for_foreign_schedulers_counts(check):
    foreign = pod().replace("spec: {", "spec: {schedulerName: volcano, ")
    assert check(CLASS, foreign)[0] == 1
    assert check(CLASS, foreign, arguments=["--foreign-scheduler", "keep"])[0] == 0


def test_a_refusal_where_no_class_is_known_ends_with_how_to_make_some_known(check):
    assert check(pod())[1].endswith(
        "\nno class is known: name a cluster with --kubeconfig or a folder with --manifests\n"
    )


@pytest.mark.parametrize("documents", [(CLASS, QUOTA, pod(amount="2")), (pod(key="cpu"),)])
def test_otherwise_nothing_is_said_about_unknown_classes(check, documents):
    assert "no class is known" not in check(*documents)[1]


def test_a_refusal_by_a_folder_without_classes_names_the_folder(check, tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    code, out, _ = check(pod(), arguments=["--manifests", f"{folder}"])
    assert code == 1
    assert out.endswith(f"\nno class is known: there is none in --manifests {folder}\n")


def test_a_refusal_by_a_folder_with_classes_says_nothing_of_unknown_classes(check, tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    (folder / "class.yaml").write_text(CLASS)
    code, out, _ = check(pod(key="nvidia.tesla.k8"), arguments=["--manifests", f"{folder}"])
    assert (code, "no class is known" in out) == (1, False)


def test_json_is_one_document_with_everything_in_it(check):
    code, out, _ = check(CLASS, QUOTA, pod("a"), pod("b"), arguments=["-o", "json"])
    assert code == 1
    admitted, refused = results(out)[2:]
    assert (admitted["name"], admitted["admitted"], admitted["code"]) == ("a", True, 201)
    assert admitted["patch"]
    assert {"place", "what", "why"} == set(admitted["changes"][0])
    assert (refused["refusedBy"], refused["reason"], refused["patch"]) == ("webhook", "Forbidden", [])
    assert "exceeded quota: q" in refused["message"]


def test_a_stream_may_come_from_standard_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((CLASS + "---" + pod()).encode())))
    assert main(["check", "-f", "-"]) == 0
    assert "(standard input:7)" in capsys.readouterr().out


def test_several_files_see_each_other(tmp_path, capsys):
    (tmp_path / "a.yaml").write_text(CLASS)
    (tmp_path / "b.yaml").write_text(pod())
    assert main(["check", "-f", f"{tmp_path}/a.yaml", "-f", f"{tmp_path}/b.yaml"]) == 0
    assert "2 objects" in capsys.readouterr().out


def test_a_file_that_is_missing_is_bad_input(capsys):
    assert main(["check", "-f", "/nowhere.yaml"]) == 2
    assert capsys.readouterr().err == "resourceclass check: /nowhere.yaml: No such file or directory\n"


def test_a_file_that_cannot_be_read_is_bad_input_with_its_line(check):
    code, _, err = check("a: [\n")
    assert code == 2
    assert "stream.yaml:" in err


def test_an_empty_file_is_bad_input(check):
    assert check("# nothing")[0] == 2


def test_an_object_without_name_is_bad_input_with_its_place(check, tmp_path):
    code, _, err = check(CLASS, "apiVersion: v1\nkind: Pod\nmetadata: {}\n")
    assert code == 2
    assert err.startswith(f"resourceclass check: {tmp_path}/stream.yaml:7: ")


def test_a_cluster_that_does_not_answer_is_exit_code_3(check, tmp_path):
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "c",
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
                "users": [{"name": "u", "user": {}}],
            }
        )
    )
    code, _, err = check(pod(), arguments=["--kubeconfig", str(kubeconfig)])
    assert code == 3
    assert "127.0.0.1:1" in err


def test_without_a_terminal_there_are_no_colours(check):
    assert "\033" not in check(CLASS, pod())[1]
