import struct
import subprocess
import sys
import time

import pytest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.parser import text_string_to_metric_families

from webhook.serve import metric_files, metrics
from webhook.serve.tls import Certificate


def write(directory, kind: str, pid: int, name: str, value: float, **labels: str) -> None:
    """What a process has counted."""
    file = MmapedDict(str(directory / f"{kind}_{pid}.db"))
    file.write_value(mmap_key(name, f"{name}_total", list(labels), list(labels.values()), "help"), value, 0.0)
    file.close()


def total(directory, name: str) -> float:
    families = text_string_to_metric_families(metric_files.exposition(directory).decode())
    return sum(
        sample.value for family in families for sample in family.samples if sample.name.startswith(name)
    )


def test_the_counts_of_all_processes_are_summed(tmp_path):
    write(tmp_path, "counter", 11, "calls", 2)
    write(tmp_path, "counter", 12, "calls", 3)
    assert total(tmp_path, "calls") == 5


def test_what_an_ended_process_has_counted_is_kept_in_one_file(tmp_path):
    for pid in (11, 12, 13):
        write(tmp_path, "counter", pid, "calls", 2)
        metric_files.retire(tmp_path, pid)
    assert total(tmp_path, "calls") == 6
    assert [path.name for path in tmp_path.iterdir()] == ["counter_0.db"]


def test_the_gauges_of_an_ended_process_are_forgotten(tmp_path):
    write(tmp_path, "gauge_livesum", 11, "open", 2)
    write(tmp_path, "gauge_livesum", 12, "open", 1)
    metric_files.retire(tmp_path, 11)
    assert total(tmp_path, "open") == 1


def test_a_process_that_has_counted_nothing_leaves_nothing(tmp_path):
    metric_files.retire(tmp_path, 11)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_is_left_alone(tmp_path):
    (tmp_path / "counter_11.db").write_bytes(struct.pack("iii", 64, 0, 1000) + bytes(64))
    metric_files.retire(tmp_path, 11)
    assert (tmp_path / "counter_11.db").exists()


def test_a_file_that_has_just_been_created_does_not_fail_the_scrape(tmp_path):
    write(tmp_path, "counter", 11, "calls", 2)
    (tmp_path / "counter_12.db").touch()
    assert total(tmp_path, "calls") == 2


def test_a_process_that_ended_while_it_created_a_file_is_retired(tmp_path):
    (tmp_path / "counter_11.db").touch()
    write(tmp_path, "histogram", 11, "seconds", 2)
    metric_files.retire(tmp_path, 11)
    assert (tmp_path / "histogram_0.db").exists()


def test_metrics_are_shared_although_the_library_was_imported_before(tmp_path):
    code = (
        "import prometheus_client, pathlib, sys\n"
        "from webhook.serve import metric_files, metrics\n"
        "metric_files.enable(pathlib.Path(sys.argv[1]))\n"
        "metrics.server_metrics().count_refused(413, 'body_too_large')\n"
        "print(metric_files.exposition(pathlib.Path(sys.argv[1])).decode())"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], check=True, capture_output=True, text=True)
    assert 'resourceclass_http_refused_total{code="413",reason="body_too_large"} 1.0' in done.stdout


NAMES = {
    "resourceclass_admission_requests": ("webhook", "operation", "kind", "allowed", "reason", "dry_run"),
    "resourceclass_admission_duration_seconds": (),
    "resourceclass_admission_in_flight": (),
    "resourceclass_cache_age_seconds": ("kind",),
    "resourceclass_cache_relists": ("kind",),
    "resourceclass_certificate_expiry_seconds": (),
}


def test_names_and_labels_are_those_of_the_interface():
    sets = (metrics.AdmissionMetrics(), metrics.CacheMetrics(), metrics.CertificateMetrics())
    made = {
        metric._name: metric._labelnames
        for one in sets
        for metric in vars(one).values()
        if hasattr(metric, "_name")
    }
    assert {name: made.get(name) for name in NAMES} == NAMES


def test_a_set_is_made_once_per_process():
    assert metrics.admission_metrics() is metrics.admission_metrics()


def test_the_expiry_is_the_time_that_is_left():
    certificate = Certificate("a", "b")
    certificate.expires_at = time.time() + 100
    made = metrics.CertificateMetrics()
    made.update(certificate)
    assert made.expiry_seconds._value.get() == pytest.approx(100, abs=1)


def test_an_error_of_the_certificate_is_counted_once():
    certificate = Certificate("a", "b")
    certificate.errors_total = 2
    made = metrics.CertificateMetrics()
    made.update(certificate)
    made.update(certificate)
    assert made.errors._value.get() == 2
