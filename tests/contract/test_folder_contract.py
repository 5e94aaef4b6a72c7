"""The contract of all clusters, over a folder: written to in memory, and changed by its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.ports import ClusterContract
from webhook.cluster.folder import LOOK_SECONDS, FolderCluster
from webhook.cluster.identity import identify

Json = dict[str, Any]


class MemoryWorld:
    """Objects are written to the cluster, as the demo does."""

    def __init__(self) -> None:
        self.cluster = FolderCluster()

    def namespace(self, name: str) -> str:
        return name

    def put(self, obj: Json) -> None:
        write = self.cluster.create if self.cluster.get(obj) is None else self.cluster.update
        write(obj)

    def remove(self, obj: Json) -> None:
        self.cluster.delete(obj)


class FilesWorld:
    """Objects are files of the folder; every change is followed by a look at it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._now = 0.0
        self.cluster = FolderCluster(folder, clock=lambda: self._now)

    def namespace(self, name: str) -> str:
        return name

    def put(self, obj: Json) -> None:
        self._path(obj).write_text(json.dumps(obj))
        self._now += LOOK_SECONDS

    def remove(self, obj: Json) -> None:
        self._path(obj).unlink()
        self._now += LOOK_SECONDS

    def _path(self, obj: Json) -> Path:
        return self._folder / f"{'-'.join(identify(obj))}.json"


class TestMemory(ClusterContract):
    @pytest.fixture
    def world(self) -> MemoryWorld:
        return MemoryWorld()


class TestFiles(ClusterContract):
    @pytest.fixture
    def world(self, tmp_path: Path) -> FilesWorld:
        return FilesWorld(tmp_path)
