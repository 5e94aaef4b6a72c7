"""A server of the product around a small application: ``python -m tests.concurrency.server_main``.

Arguments: the settings as JSON, and a directory. The application is not ready while a file ``not-ready`` is
in it, and cannot start while a file ``broken`` is.
"""

import json
import os
import sys
import time
from datetime import UTC
from pathlib import Path

from webhook.serve.limits import deadline
from webhook.serve.run import serve
from webhook.serve.settings import App, ServeSettings


def make_app(directory: Path) -> App:
    if (directory / "broken").exists():
        raise RuntimeError("broken")

    def application(environ, start_response):
        from webhook.serve.metrics import admission_metrics

        path = environ["PATH_INFO"]
        if path == "/fault":
            raise RuntimeError("a fault of the application")
        if path.startswith("/slow/"):
            time.sleep(float(path.removeprefix("/slow/")))
        labels = {
            "webhook": "w",
            "operation": "CREATE",
            "kind": "Pod",
            "allowed": "true",
            "reason": "",
            "dry_run": "false",
        }
        admission_metrics().requests.labels(**labels).inc()
        body = environ["wsgi.input"].read()
        said = {
            "pid": os.getpid(),
            "length": len(body),
            "scheme": environ["wsgi.url_scheme"],
            "remaining": deadline(environ).remaining(),
        }
        data = json.dumps(said).encode()
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(data)))])
        return [data]

    def ready() -> list[str]:
        return ["cache of resourceclasses"] if (directory / "not-ready").exists() else []

    return App(application, ready)


def not_after(pem: bytes) -> float:
    from cryptography import x509

    return x509.load_pem_x509_certificate(pem).not_valid_after_utc.astimezone(UTC).timestamp()


if __name__ == "__main__":
    place = Path(sys.argv[2])
    sys.exit(serve(lambda: make_app(place), ServeSettings(**json.loads(sys.argv[1])), not_after=not_after))
