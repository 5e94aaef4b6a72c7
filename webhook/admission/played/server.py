"""A create request through the played API server, step by step."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import jsonpatch

from webhook.admission.overlay import Overlay
from webhook.admission.played import entries
from webhook.admission.played.accounting import over_quota
from webhook.admission.played.default_quota import keep_default_quota
from webhook.admission.played.defaults import with_defaults
from webhook.admission.played.forgery import forged, refusal
from webhook.admission.played.validation import invalid
from webhook.admission.played.verdict import Answer, Party, Verdict, Webhook
from webhook.cluster.identity import identify, with_namespace
from webhook.core.raw import at
from webhook.core.values.names import Json
from webhook.wire.review import API_VERSION, KIND

# What stands for a name that the API server would draw at random after the webhooks have answered.
GENERATED_SUFFIX: Final = "00001"


class PlayedApiServer:
    """Creates objects in an overlay. For one thread.

    It plays the controller as well, unless there is a real one (`with_controller` is False then).
    """

    def __init__(
        self,
        webhook: Webhook,
        overlay: Overlay,
        user: str = "kubernetes-admin",
        *,
        with_controller: bool = True,
    ) -> None:
        self._webhook = webhook
        self._overlay = overlay
        self._user = user
        self._with_controller = with_controller

    def create(self, sent: Json, namespace: str = "default") -> Verdict:
        """Create an object, in `namespace` where it is namespaced and names none.

        It takes the place of one of the same name, as if that had been deleted first. Raises BadInput when
        it has no name, ClusterUnavailable or NotReady as the webhook does.
        """
        named = _named(with_namespace(sent, namespace))
        if self._with_controller and named["kind"] == "Pod":
            keep_default_quota(self._overlay, identify(named).namespace)
        limit_ranges = self._overlay.of_kind("LimitRange", identify(named).namespace)
        received = with_defaults(named, limit_ranges)
        verdict = Verdict(sent=sent, received=received, document=received)
        with self._overlay.replacing(named):
            for step in (self._mutate, self._check, self._apply_policy, self._validate, self._charge):
                verdict = step(verdict)
                if not verdict.admitted:
                    return verdict
        self._overlay.put(verdict.document)
        return verdict

    def _mutate(self, verdict: Verdict) -> Verdict:
        where = self._where(verdict)
        for path in entries.mutating(verdict.document, *where):
            answer = self._webhook.review(path, review_of(verdict.document, self._user))
            verdict = _taken(verdict, answer)
            if not verdict.admitted:
                return verdict
            # jsonpatch is not what computed the patch: a patch that does not apply shows up here.
            changed = jsonpatch.apply_patch(verdict.document, list(answer.patch))
            verdict = replace(verdict, document=changed)
        return verdict

    def _check(self, verdict: Verdict) -> Verdict:
        return _refused(verdict, Party.SERVER, 422, "Invalid", invalid(verdict.document))

    def _apply_policy(self, verdict: Verdict) -> Verdict:
        annotation = forged(verdict.document) if verdict.document.get("kind") == "Pod" else ""
        return _refused(verdict, Party.POLICY, 403, "Forbidden", annotation and refusal(annotation))

    def _validate(self, verdict: Verdict) -> Verdict:
        for path in entries.validating(verdict.document, *self._where(verdict)):
            verdict = _taken(verdict, self._webhook.review(path, review_of(verdict.document, self._user)))
        return verdict

    def _charge(self, verdict: Verdict) -> Verdict:
        if verdict.document.get("kind") != "Pod":
            return verdict
        quotas = self._overlay.quotas(identify(verdict.document).namespace)
        return _refused(verdict, Party.SERVER, 403, "Forbidden", over_quota(verdict.document, quotas))

    def _where(self, verdict: Verdict) -> tuple[str, Any]:
        namespace = identify(verdict.document).namespace
        return namespace, self._overlay.namespace_labels(namespace)


def review_of(document: Json, user: str) -> Json:
    """Return the AdmissionReview in which the API server asks about an object that `user` creates."""
    key = identify(document)
    version = str(document["apiVersion"]).rpartition("/")[2]
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "request": {
            "uid": str(uuid.uuid4()),
            "kind": {"group": key.group, "version": version, "kind": key.kind},
            "namespace": key.namespace,
            "name": key.name,
            "operation": "CREATE",
            "userInfo": {"username": user, "groups": ["system:authenticated"]},
            "object": document,
            "oldObject": None,
            "dryRun": False,
        },
    }


def _named(document: Json) -> Json:
    metadata = at(document, "metadata")
    prefix = metadata.get("generateName")
    if metadata.get("name") or not isinstance(prefix, str):
        return document
    return {**document, "metadata": {**metadata, "name": f"{prefix}{GENERATED_SUFFIX}"}}


def _taken(verdict: Verdict, answer: Answer) -> Verdict:
    """Return the verdict with what a webhook said."""
    verdict = replace(
        verdict,
        warnings=_merged(verdict.warnings, answer.warnings),
        changes=(*verdict.changes, *answer.changes),
    )
    if answer.allowed:
        return verdict
    return _refused(verdict, Party.WEBHOOK, answer.code, answer.reason, answer.message)


def _refused(verdict: Verdict, party: Party, code: int, reason: str, message: str) -> Verdict:
    """Return a refusal if there is a message, else the verdict as it was."""
    if not message:
        return verdict
    return replace(verdict, refused_by=party, code=code, reason=reason, message=message)


def _merged(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
