"""What we build on inside gunicorn is not a public interface: an upgrade that changes it is noticed here."""

import inspect

import pytest
from gunicorn.arbiter import Arbiter as GunicornArbiter
from gunicorn.glogging import Logger
from gunicorn.workers.gthread import ThreadWorker

from webhook.serve.application import QuietLogger
from webhook.serve.arbiter import Arbiter
from webhook.serve.polling import PollingWorker
from webhook.serve.worker import Worker

OVERRIDDEN = {
    PollingWorker: (
        ThreadWorker,
        ["accept", "enqueue_req", "finish_request", "handle", "murder_pending", "set_accept_enabled"],
    ),
    Worker: (ThreadWorker, ["load_wsgi", "notify", "run"]),
    Arbiter: (
        GunicornArbiter,
        ["handle_term", "init_signals", "manage_workers", "reap_workers", "reload", "wait_for_signals"],
    ),
    QuietLogger: (Logger, ["setup"]),
}


@pytest.mark.parametrize(
    ("ours", "theirs", "name"),
    [(ours, theirs, name) for ours, (theirs, names) in OVERRIDDEN.items() for name in names],
)
def test_what_we_override_has_the_signature_that_we_think_it_has(ours, theirs, name):
    mine, original = (list(inspect.signature(getattr(cls, name)).parameters) for cls in (ours, theirs))
    assert name in vars(ours)
    assert len(mine) == len(original)


@pytest.mark.parametrize(
    ("method", "uses"),
    [
        (
            ThreadWorker.run,
            ["notify", "murder_keepalived", "murder_pending", "_cap_keepalive", "set_accept_enabled"],
        ),
        (ThreadWorker.enqueue_req, ["handle", "finish_request", "method_queue"]),
        (ThreadWorker.murder_keepalived, ["keepalived_conns", "timeout", "sock", "nr_conns", "close"]),
        (GunicornArbiter.run, ["wait_for_signals", "manage_workers", "murder_workers"]),
        (GunicornArbiter.start, ["LISTENERS", "init_signals"]),
        (GunicornArbiter.handle_chld, ["reap_workers"]),
        (GunicornArbiter.handle_hup, ["reload"]),
        (GunicornArbiter.spawn_worker, ["post_fork", "WORKERS"]),
        (GunicornArbiter.reap_workers, ["child_exit", "WORKER_BOOT_ERROR"]),
    ],
)
def test_gunicorn_still_calls_what_we_build_on(method, uses):
    source = inspect.getsource(method)
    assert [name for name in uses if name not in source] == []
