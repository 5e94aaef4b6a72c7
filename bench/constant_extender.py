"""The measure of the binder's cost: an extender that does nothing, on the binder's own server.

    python -m bench.constant_extender SETTINGS KUBECONFIG NODES

SETTINGS are those of the server, as JSON. Filter and prioritize are Flask handlers with constant answers: all
nodes (`node-0` to NODES), no score. Bind posts the Binding as the binder does; without it no pod is bound.
"""

import json
import sys
from functools import partial

import orjson

from webhook.serve.run import serve
from webhook.serve.settings import App, ServeSettings


def make_app(kubeconfig: str, nodes: int) -> App:
    """Make it, after the fork."""
    import flask

    from webhook.cluster.connection import Connection
    from webhook.cluster.pods import Pods

    app, pods = flask.Flask("constant", static_folder=None), Pods(Connection(kubeconfig))
    answers = {
        "/filter": orjson.dumps({"NodeNames": [f"node-{number}" for number in range(nodes)], "Error": ""}),
        "/prioritize": b"[]",
    }

    def constant() -> flask.Response:
        flask.request.get_data()
        return flask.Response(answers[flask.request.path], content_type="application/json")

    def bind() -> flask.Response:
        asked = orjson.loads(flask.request.get_data())
        metadata = {"namespace": asked["PodNamespace"], "name": asked["PodName"], "uid": asked["PodUID"]}
        target = {"apiVersion": "v1", "kind": "Node", "name": asked["Node"]}
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}
        pods.bind(asked["PodNamespace"], asked["PodName"], binding, 2.0)
        return flask.Response(b'{"Error":""}', content_type="application/json")

    for path in answers:
        app.add_url_rule(path, path, constant, methods=["POST"])
    app.add_url_rule("/bind", "/bind", bind, methods=["POST"])
    return App(app, list)


if __name__ == "__main__":
    settings = ServeSettings(**json.loads(sys.argv[1]))
    sys.exit(serve(partial(make_app, sys.argv[2], int(sys.argv[3])), settings))
