"""The metrics of the product, one set per process, summed over all processes when they are scraped.

``prometheus_client`` is imported on first use. Where a server runs (:mod:`webhook.serve.metric_files`) every
process writes its own files on memory; elsewhere, in tests and offline commands, values live in the process.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client import Counter, Gauge, Histogram

    from webhook.serve.tls import Certificate

PREFIX = "resourceclass"
DURATION_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Seconds: a review takes milliseconds, and 5 seconds is the longest timeout that we set."""


class ServerMetrics:
    """What every server counts."""

    def __init__(self) -> None:
        self.refused: Counter = _counter(
            "http_refused_total",
            "Requests answered outside the application, by status and reason",
            "code",
            "reason",
        )

    def count_refused(self, code: int, reason: str) -> None:
        """One request that the application never saw."""
        self.refused.labels(code=str(code), reason=reason).inc()


class CertificateMetrics:
    """What a server with TLS says of its certificate."""

    def __init__(self) -> None:
        self.expiry_seconds: Gauge = _gauge(
            "certificate_expiry_seconds",
            "Seconds until the certificate in use expires, negative after",
            "livemin",
        )
        self.errors: Counter = _counter(
            "certificate_errors_total", "States of the certificate files that could not be used"
        )
        self._errors_counted = 0

    def update(self, certificate: Certificate) -> None:
        """Bring the values up to now."""
        if certificate.expires_at is not None:
            self.expiry_seconds.set(certificate.expires_at - time.time())
        self.errors.inc(certificate.errors_total - self._errors_counted)
        self._errors_counted = certificate.errors_total


class CacheMetrics:
    """What every process that watches the API server counts, by kind."""

    def __init__(self) -> None:
        self.age_seconds: Gauge = _gauge(
            "cache_age_seconds",
            "Seconds since the API server last confirmed the cache of a kind",
            "livemax",
            "kind",
        )
        self.relists: Counter = _counter(
            "cache_relists_total", "Complete lists of a kind, the first one included", "kind"
        )


class AdmissionMetrics:
    """What the webhook counts."""

    def __init__(self) -> None:
        self.requests: Counter = _counter(
            "admission_requests_total",
            "Admission reviews by verdict",
            *("webhook", "operation", "kind", "allowed", "reason", "dry_run"),
        )
        self.duration_seconds: Histogram = _histogram(
            "admission_duration_seconds", "Time from the arrival of a review to its verdict"
        )
        self.in_flight: Gauge = _gauge("admission_in_flight", "Reviews being worked on", "livesum")


class EventMetrics:
    """What a process that writes Events counts."""

    def __init__(self) -> None:
        self.events: Counter = _counter(
            "events_total",
            "Kubernetes events about refusals: written, failed, or dropped unwritten",
            "result",
        )

    def count(self, result: str) -> None:
        """One write, or one refusal for which there was no room."""
        self.events.labels(result=result).inc()


class ExtenderMetrics:
    """What the binder counts."""

    def __init__(self) -> None:
        self.requests: Counter = _counter(
            "extender_requests_total", "Calls of the scheduler's extender by result", "verb", "result"
        )
        self.duration_seconds: Histogram = _histogram(
            "extender_duration_seconds", "Time from the arrival of a call to its answer", "verb"
        )
        self.binds: Counter = _counter("binds_total", "Pods asked to be bound, by what came of it", "result")


class DoubleMetrics:
    """What the binder and the controller both look for."""

    def __init__(self) -> None:
        self.double_allocations: Gauge = _gauge(
            "double_allocations", "Devices that pods hold beyond what they can serve", "livemax"
        )


class ControllerMetrics:
    """What the controller counts."""

    def __init__(self) -> None:
        self.devices: Gauge = _gauge("devices", "Devices of a class by state", "livemax", "class", "state")
        self.leading: Gauge = _gauge("controller_leading", "Whether this replica writes: 1, or 0", "livemax")
        self.queue_depth: Gauge = _gauge(
            "controller_queue_depth", "Objects that wait for a worker", "livemax"
        )
        self.work: Counter = _counter(
            "controller_work_total", "Objects looked at, by what came of it", "kind", "result"
        )

    def worked(self, kind: str, result: str) -> None:
        """Count one piece of work."""
        self.work.labels(kind=kind, result=result).inc()


@cache
def server_metrics() -> ServerMetrics:
    """The set of this process; made on first use, which has to be after the fork."""
    return ServerMetrics()


@cache
def certificate_metrics() -> CertificateMetrics:
    """The set of this process; made on first use, which has to be after the fork."""
    return CertificateMetrics()


@cache
def cache_metrics() -> CacheMetrics:
    """The set of this process; made on first use, which has to be after the fork."""
    return CacheMetrics()


@cache
def admission_metrics() -> AdmissionMetrics:
    """The set of this process; made on first use, which has to be after the fork."""
    return AdmissionMetrics()


@cache
def extender_metrics() -> ExtenderMetrics:
    """The set of this process; made on first use, which has to be after the fork."""
    return ExtenderMetrics()


@cache
def double_metrics() -> DoubleMetrics:
    """The set of this process; made on first use, which has to be after the fork."""
    return DoubleMetrics()


@cache
def controller_metrics() -> ControllerMetrics:
    """The set of this process; made on first use."""
    return ControllerMetrics()


@cache
def event_metrics() -> EventMetrics:
    """The set of this process; made on first use, which has to be after the fork."""
    return EventMetrics()


# registry=None: a registry exposes the metrics of its own process; ours are read from the files of all.


def _counter(name: str, text: str, *labels: str) -> Counter:
    from prometheus_client import Counter

    return Counter(name, text, labels, namespace=PREFIX, registry=None)


def _gauge(name: str, text: str, over_processes: str, *labels: str) -> Gauge:
    """``over_processes``: how the values of the living processes become one."""
    from prometheus_client import Gauge

    return Gauge(name, text, labels, namespace=PREFIX, registry=None, multiprocess_mode=over_processes)  # type: ignore[arg-type]


def _histogram(name: str, text: str, *labels: str) -> Histogram:
    from prometheus_client import Histogram

    return Histogram(name, text, labels, namespace=PREFIX, registry=None, buckets=DURATION_BUCKETS)
