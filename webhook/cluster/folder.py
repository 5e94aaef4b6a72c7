"""The ports of admission over a folder of manifests: a cluster for `check`, for the demo and for tests.

Files are read again when they change. What is written here stays in memory, on top of the files, so a folder
can be played with and is never touched. A manifest that is edited or removed counts as it is then, without
what was written on top of it.
"""

import copy
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Final

from webhook.cluster.files import Signature, read_folder, signature_of
from webhook.cluster.identity import ObjectId, identify, with_namespace
from webhook.cluster.view import View
from webhook.core.errors import BadInput
from webhook.core.raw import at
from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind
from webhook.core.values.names import Json
from webhook.core.values.usage import Usage

# A walk through a folder of 100 manifests takes 1.4 ms: much for every question, nothing twice a second.
LOOK_SECONDS: Final = 0.5

_log = logging.getLogger(__name__)


class AlreadyExists(BadInput):
    """An object of that kind and name is there already."""


class NotFound(BadInput):
    """There is no object of that kind and name."""


class FolderCluster:
    """A cluster made of manifests; safe for many threads. Objects that it returns must not be changed."""

    def __init__(self, folder: Path | str | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Read a folder, or begin empty with None. Raises BadInput with everything that is wrong in it."""
        self._folder = Path(folder) if folder is not None else None
        self._clock = clock
        self._lock = RLock()
        self._files: Mapping[ObjectId, Json] = {}
        self._written: dict[ObjectId, Json | None] = {}
        self._names = 0
        self._signature: Signature = ()
        self._looked_at = clock()
        self._view: View | None = None
        if self._folder is not None:
            self._read(self._folder, signature_of(self._folder))

    def not_ready(self) -> Sequence[str]:
        """Return nothing: the folder was read before this object existed."""
        return []

    def classes(self) -> Classes:
        """Return all classes."""
        return self.view().classes

    def classes_in_doubt(self) -> bool:
        """Never: files are read again when they change."""
        return False

    def fresh_class(self, name: str) -> Json | None:
        """Return one ResourceClass; None if there is none."""
        return self.view().class_object(name)

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the labels of a namespace; empty if no manifest describes it."""
        return self.view().namespace_labels(name)

    def fresh_namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the same: files are read again when they change."""
        return self.namespace_labels(name)

    def quotas(self, namespace: str) -> Sequence[Json]:
        """Return the quotas of a namespace as the webhook would store them, with what the pods here use."""
        return self.view().quotas(namespace)

    def fresh_quotas(self, namespace: str) -> Sequence[Json]:
        """Return the same: nothing here is ever old."""
        return self.view().quotas(namespace)

    def usage(self, class_name: str, namespace: str | None = None) -> Sequence[Usage]:
        """Return the unfinished pods that ask for a class."""
        return [
            usage
            for usage in self.view().usage
            if usage.class_name == class_name and namespace in (None, usage.namespace)
        ]

    def device_kinds(self) -> Sequence[DeviceKind]:
        """Return the kinds of device with their counts."""
        return self.view().device_kinds

    def objects(self) -> Sequence[Json]:
        """Return all objects, those of unknown kinds too."""
        return list(self.view().objects.values())

    def stored(self, group: str, kind: str, namespace: str = "") -> Sequence[Json]:
        """Return the objects of a kind as they would be stored: renamed, and quotas with their status."""
        return self.view().stored(group, kind, namespace)

    def get(self, obj: Json) -> Json | None:
        """Return what is stored under the kind, namespace and name of `obj`; None if nothing is."""
        return self.view().objects.get(identify(obj))

    def create(self, obj: Json) -> Json:
        """Store a new object in memory and return it as stored, with namespace and generated name.

        Raises AlreadyExists.
        """
        with self._lock:
            stored = with_namespace(copy.deepcopy(self._named(obj)))
            key = identify(stored)
            if key in self.view().objects:
                raise AlreadyExists(f"{key} already exists")
            return self._write(key, stored)

    def update(self, obj: Json) -> Json:
        """Replace an object in memory and return it as stored. Raises NotFound."""
        with self._lock:
            stored = with_namespace(copy.deepcopy(obj))
            return self._write(self._existing(stored), stored)

    def delete(self, obj: Json) -> None:
        """Remove the object of this kind, namespace and name from memory. Raises NotFound."""
        with self._lock:
            self._written[self._existing(obj)] = None
            self._view = None

    def _existing(self, obj: Json) -> ObjectId:
        key = identify(obj)
        if key not in self.view().objects:
            raise NotFound(f"{key} not found")
        return key

    def _write(self, key: ObjectId, stored: Json) -> Json:
        self._written[key] = stored
        self._view = None
        return stored

    def _named(self, obj: Json) -> Json:
        """Return the object with a name from its generateName; numbered, so that runs can be compared."""
        metadata = at(obj, "metadata")
        prefix = metadata.get("generateName")
        if metadata.get("name") or not isinstance(prefix, str):
            return obj
        self._names += 1
        return {**obj, "metadata": {**metadata, "name": f"{prefix}{self._names:05}"}}

    def view(self) -> View:
        """Return all objects of this moment; the same one until something has changed."""
        with self._lock:
            self._look_again()
            if self._view is None:
                layered = {**self._files, **self._written}
                objects = {key: obj for key, obj in layered.items() if obj is not None}
                self._view = View(objects, frozenset(self._written.keys() - self._files.keys()))
            return self._view

    def _look_again(self) -> None:
        """Read the folder again if it has changed; while it cannot be read, what was read last stands."""
        if self._folder is None or self._clock() - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = self._clock()
        try:
            signature = signature_of(self._folder)
            if signature != self._signature:
                self._signature = signature
                self._read(self._folder, signature)
        except BadInput as error:
            _log.error("the folder of manifests stays as it was read last: %s", error)

    def _read(self, folder: Path, signature: Signature) -> None:
        files = {key: with_namespace(document.obj) for key, document in read_folder(folder).items()}
        for key in files.keys() | self._files.keys():
            if files.get(key) != self._files.get(key):
                self._written.pop(key, None)
        self._files = files
        self._signature = signature
        self._view = None
