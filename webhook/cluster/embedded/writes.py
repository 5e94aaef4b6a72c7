"""The writes of an embedded API server, with the conflicts that a real one would find."""

import uuid
from collections.abc import Callable

from webhook.cluster.api import ApiError
from webhook.cluster.embedded.binding import bound
from webhook.cluster.embedded.merging import merged
from webhook.cluster.embedded.paths import Target
from webhook.cluster.embedded.state import State
from webhook.cluster.events import time_text
from webhook.cluster.folder import AlreadyExists
from webhook.core.patch import same
from webhook.core.raw import as_text, at
from webhook.core.values.names import GROUP, Json

SUCCESS: Json = {"apiVersion": "v1", "kind": "Status", "status": "Success"}
# What names the object that is meant; it is compared, and never written.
_GUARDS = ("uid", "resourceVersion")


class Writes:
    """Each is one step; it raises ApiError with the status that a real API server would answer."""

    def __init__(self, state: State, wall: Callable[[], float]) -> None:
        self._state = state
        self._wall = wall

    def existing(self, target: Target) -> Json:
        """Return an object as it is shown."""
        found = self._state.get(target.key)
        if found is None:
            raise ApiError(f"{target.key} not found in the folder of manifests", 404)
        return found

    def create(self, target: Target, document: Json) -> Json:
        """Store a new object."""
        made = {"uid": str(uuid.uuid4()), "creationTimestamp": time_text(self._wall())}
        place = {"namespace": target.namespace} if target.namespace else {}
        obj = {**document, "metadata": {**at(document, "metadata"), **place, **made}}
        if target.group == GROUP:
            obj.pop("status", None)  # it is a subresource of our kinds
        with self._state.changed:
            try:
                stored = self._state.folder.create(obj)
            except AlreadyExists as error:
                raise ApiError(str(error), 409) from error
            return self._shown(target._replace(name=stored["metadata"]["name"]))

    def replace(self, target: Target, document: Json) -> Json:
        """Put an object into the place of the stored one, if that is still the one that it was made from."""
        with self._state.changed:
            present = self.existing(target)
            _compare(target, present, at(document, "metadata"))
            return self._store(target, document)

    def patch(self, target: Target, document: Json, *, strategic: bool) -> Json:
        """Merge changes into an object, if it is the one that they name. What changes nothing is no write."""
        changes = {**document, "metadata": _without_guards(at(document, "metadata"))}
        with self._state.changed:
            present = self.existing(target)
            _compare_patch(target, present, at(document, "metadata"))
            # Not into what is shown: of a quota that holds its computed status, which is none of the object.
            before = self._state.folder.get(present) or present
            after = _within(target, before, merged(before, changes, strategic=strategic))
            return present if same(before, after) else self._store(target, after)

    def delete(self, target: Target, options: Json) -> Json:
        """Remove an object, if it is the one that the preconditions name; a pod is gone at once."""
        with self._state.changed:
            present = self.existing(target)
            _compare(target, present, at(options, "preconditions"))
            self._state.folder.delete(present)
            self._state.look()
        return SUCCESS

    def bind(self, target: Target, binding: Json) -> Json:
        """Bind a pod to a node, and merge the annotations of the Binding into it, in one step."""
        with self._state.changed:
            present = self.existing(target)
            _compare(target, present, {"uid": at(binding, "metadata").get("uid")})
            before = self._state.folder.get(present) or present
            if at(before, "spec").get("nodeName") or at(before, "metadata").get("deletionTimestamp"):
                raise ApiError(f"{target.key} is bound already, or is being deleted", 409)
            self._store(target, bound(before, binding, time_text(self._wall())))
        return SUCCESS

    def _store(self, target: Target, obj: Json) -> Json:
        # The state remembers the uid, and counts the versions.
        self._state.folder.update({**obj, "metadata": _without_guards(at(obj, "metadata"))})
        return self._shown(target)

    def _shown(self, target: Target) -> Json:
        self._state.look()
        return self.existing(target)


def _without_guards(metadata: Json) -> Json:
    return {key: value for key, value in metadata.items() if key not in _GUARDS}


def _compare(target: Target, present: Json, named: Json, status: int = 409) -> None:
    """Raise an ApiError where the object is not the one that is named."""
    for field in _GUARDS:
        wanted, found = as_text(named.get(field)), at(present, "metadata").get(field)
        if wanted and wanted != found:
            raise ApiError(f"{target.key}: its {field} is {found}, not {wanted}", status)


def _compare_patch(target: Target, present: Json, named: Json) -> None:
    """To a patch the uid is a field that never changes; of our kinds, nothing is heeded beside a status."""
    if target.group != GROUP or target.subresource != "status":
        _compare(target, present, named, 422)


def _within(target: Target, before: Json, after: Json) -> Json:
    """Return what a patch may change: a status by its own path alone, and there nothing else of our kinds."""
    if target.subresource == "status":
        unchanged = {key: value for key, value in before.items() if key != "status"}
        metadata = {} if target.group == GROUP else {"metadata": after["metadata"]}
        return {**unchanged, **metadata, "status": after.get("status", {})}
    kept = {"status": before["status"]} if "status" in before else {}
    return {key: value for key, value in after.items() if key != "status"} | kept
