"""The measure of the webhook's cost: a Flask handler with a constant answer, on the webhook's own server.

    python -m bench.constant SETTINGS

SETTINGS are those of the server, as JSON. TLS, worker and reading the body are the same; this handler is
called by Flask.
"""

import json
import sys

from webhook.serve.run import serve
from webhook.serve.settings import App, ServeSettings

ANSWER = json.dumps(
    {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {"uid": "0", "allowed": True},
    }
).encode()


def make_app() -> App:
    """Make it, after the fork."""
    import flask

    app = flask.Flask("constant", static_folder=None)

    def constant() -> flask.Response:
        flask.request.get_data()
        return flask.Response(ANSWER, content_type="application/json")

    for path in ("/mutate", "/validate"):
        app.add_url_rule(path, path, constant, methods=["POST"])
    return App(app, list)


if __name__ == "__main__":
    sys.exit(serve(make_app, ServeSettings(**json.loads(sys.argv[1]))))
