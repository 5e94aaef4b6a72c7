"""Posts AdmissionReviews straight to the webhook, as the API server or a proxy before it would."""

from __future__ import annotations

import base64
import json
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx

Json = dict[str, Any]


@dataclass(frozen=True)
class Posted:
    """An HTTP answer of the webhook; `response` is that of the review in it."""

    status: int
    text: str

    @property
    def response(self) -> Json:
        assert self.status == 200, f"{self.status}: {self.text}"
        response: Json = json.loads(self.text)["response"]
        return response

    @property
    def patch(self) -> list[Json]:
        """The operations of the patch; empty without one."""
        encoded = self.response.get("patch")
        return [] if encoded is None else json.loads(base64.b64decode(encoded))


class Direct:
    """A client of the webhook's own port."""

    def __init__(self, url: str, ca_file: Path) -> None:
        context = ssl.create_default_context(cafile=str(ca_file))
        self._client = httpx.Client(base_url=url, verify=context, timeout=10, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def post(self, path: str, review: Json) -> Posted:
        """Posts the review as UTF-8, without a charset in the Content-Type."""
        body = json.dumps(review, ensure_ascii=False).encode()
        answer = self._client.post(path, content=body, headers={"Content-Type": "application/json"})
        return Posted(answer.status_code, answer.content.decode())


def pod_review(pod: Json, namespace: str, uid: str = "u-1", **request: Any) -> Json:
    """The review of the creation of a pod."""
    base = {
        "uid": uid,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "requestKind": {"group": "", "version": "v1", "kind": "Pod"},
        "requestResource": {"group": "", "version": "v1", "resource": "pods"},
        "name": pod["metadata"].get("name", ""),
        "namespace": namespace,
        "operation": "CREATE",
        "userInfo": {"username": "jane", "groups": ["system:authenticated"]},
        "object": pod,
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {**base, **request}}
