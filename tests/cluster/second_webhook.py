"""Somebody else's mutating webhook, which adds a container to every pod of one namespace."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.cluster.expect import asking
from tests.harness.controlplane import ControlPlane
from tests.harness.waiting import until

Json = dict[str, Any]


@contextmanager
def injector(plane: ControlPlane, namespace: str, name: str, container: Json) -> Iterator[None]:
    """Adds the container in the namespace; the API server calls webhooks in the order of their names."""
    with _serving(plane, _appends(container)) as port:
        api = plane.api()
        api.create(_configuration(plane, namespace, name, port)).must()
        try:
            until(lambda: _injects(plane, namespace, container), f"{name} is in effect")
            yield
        finally:
            api.delete("MutatingWebhookConfiguration", name)


def _injects(plane: ControlPlane, namespace: str, container: Json) -> bool:
    # With a class: a pod that gets one only after our turn is refused.
    probe = plane.api().create(asking("probe"), namespace, dryRun="All")
    return probe.ok and container["name"] in [each["name"] for each in probe.body["spec"]["containers"]]


def _appends(container: Json) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
            response: Json = {"uid": request["uid"], "allowed": True}
            if container["name"] not in [each["name"] for each in request["object"]["spec"]["containers"]]:
                patch = [{"op": "add", "path": "/spec/containers/-", "value": container}]
                response |= {
                    "patchType": "JSONPatch",
                    "patch": base64.b64encode(json.dumps(patch).encode()).decode(),
                }
            review = {
                "apiVersion": "admission.k8s.io/v1",
                "kind": "AdmissionReview",
                "response": response,
            }
            body = json.dumps(review).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Keeps the test's output quiet."""

    return Handler


@contextmanager
def _serving(plane: ControlPlane, handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    certificate, key = plane.pki.serving("second-webhook")
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.socket = _context(certificate, key).wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def _configuration(plane: ControlPlane, namespace: str, name: str, port: int) -> Json:
    bundle = base64.b64encode(plane.pki.ca_file.read_bytes()).decode()
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}
    entry = {
        "name": f"{name}.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "reinvocationPolicy": "IfNeeded",
        "clientConfig": {"url": f"https://127.0.0.1:{port}/", "caBundle": bundle},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "rules": [rule],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [entry],
    }
