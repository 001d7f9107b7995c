"""Cache of computed features on disk, memory-mapped.

One folder per kind of feature: `about.json` describes the kind, and each `part-….npy` has the
features of some rows of the dataset. A part is complete or missing; a reader that needs more rows
adds a part, so nothing is computed twice and an interruption loses little. The least recently used
folders are removed when the limit is reached. Pixels of a dataset never change, so its features
are valid for all versions.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from studio.engine.arrays import Features, Rows
from studio.engine.datasets.store import Store
from studio.engine.documents import DAMAGED
from studio.engine.errors import StudioError
from studio.engine.files import remove_folder, replacing, require_space, write_atomically
from studio.engine.workspace import read_limits

LIMIT_BYTES = 4 * 2**30
ABOUT_NAME = "about.json"


class FeatureKey(BaseModel):
    """Everything that determines the features of an image.

    Attributes:
        dataset: Id of the dataset.
        images: Identity of the file of pixels: size, time of writing, time of import.
        network: Digest of the network from the pixels to the features.
        weights: Digest of its weights.
        shape: Shape of the features of one image.
        label: The network as displayed; not part of the identity.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    dataset: str
    images: str
    network: str
    weights: str
    shape: tuple[int, ...]
    label: str = ""

    @property
    def digest(self) -> str:
        """Name of the folder."""
        return digest_of(self.model_dump_json(exclude={"label"}))


def digest_of(*parts: str | bytes) -> str:
    """Return the hash of a content, 32 hexadecimal digits."""
    whole = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little") + data)
    return whole.hexdigest()


def identity_of(store: Store) -> str:
    """Return the identity of the file of pixels that a store reads."""
    status = store.path.stat()
    return json.dumps([status.st_size, status.st_mtime_ns, store.created])


@dataclass(frozen=True, slots=True)
class CachedFeatures:
    """One kind of cached feature.

    Attributes:
        key: Key of the features.
        images: Number of images.
        size_bytes: Size on disk in bytes.
        used: Time of last use.
    """

    key: FeatureKey
    images: int
    size_bytes: int
    used: datetime


class FeatureTable:
    """Features by row of the dataset, memory-mapped; `table[rows]` is a new array."""

    def __init__(self, shape: tuple[int, ...], parts: list[NDArray[np.void]]) -> None:
        self.shape = shape
        self._parts = parts
        rows = [np.asarray(part["row"], np.int64) for part in parts]
        every = np.concatenate([np.empty(0, np.int64), *rows])
        owner = np.repeat(np.arange(len(parts)), [len(each) for each in rows])
        rows_ = np.concatenate([np.empty(0, np.int64), *(np.arange(len(each)) for each in rows)])
        self._rows, first = np.unique(every, return_index=True)
        self._owner, self._row = owner[first], rows_[first]

    @property
    def rows(self) -> Rows:
        """The stored rows, ascending."""
        return self._rows

    def missing(self, rows: Rows) -> Rows:
        """Return the missing ones of some rows, ascending, without duplicates."""
        return np.setdiff1d(rows, self._rows)

    def parts(self) -> Iterator[tuple[Rows, Features]]:
        """Return the stored arrays without a copy: rows, and their features, n x D."""
        for part in self._parts:
            yield np.asarray(part["row"], np.int64), part["values"]

    def __getitem__(self, rows: Rows) -> Features:
        """Return the features of some rows, in their order, float32, n x shape.

        Raises:
            KeyError: A row is missing.
        """
        at = np.searchsorted(self._rows, rows)
        if len(rows) and (at.max() >= len(self._rows) or (self._rows[at] != rows).any()):
            raise KeyError("features of some rows were not computed")
        result = np.empty((len(rows), math.prod(self.shape)), np.float32)
        for number, part in enumerate(self._parts):
            here = np.flatnonzero(self._owner[at] == number)
            if len(here):
                result[here] = part["values"][self._row[at[here]]]
        return result.reshape(len(rows), *self.shape)


class FeatureCache:
    """All features cached in one folder.

    Args:
        root: The folder, created when needed.
        limit: Maximum size in bytes.
    """

    def __init__(self, root: Path, limit: int = LIMIT_BYTES) -> None:
        self.root = root
        self.limit = limit

    @classmethod
    def of(cls, workspace_root: Path) -> FeatureCache:
        """Return the cache of a workspace with the size of its limits.

        Raises:
            StudioError: The limits cannot be read.
        """
        limit = read_limits(workspace_root).feature_bytes
        return cls(workspace_root / "cache" / "features", limit)

    def open(self, key: FeatureKey) -> FeatureTable:
        """Open the cached features of a key; damaged parts count as missing."""
        folder = self.root / key.digest
        if (folder / ABOUT_NAME).exists():
            with contextlib.suppress(OSError):
                os.utime(folder / ABOUT_NAME)
        return self._table(key)

    def make_room(self, key: FeatureKey, rows: int) -> None:
        """Remove the least recently used features until the new rows fit under the limit.

        Args:
            key: The features that are about to be stored; never removed.
            rows: Number of rows to store.

        Raises:
            StudioError: The rows would not fit even alone.
            DiskFullError: The disk has less space left.
        """
        needed = rows * _type(math.prod(key.shape)).itemsize
        own = _size(self.root / key.digest)
        if needed + own > self.limit:
            raise StudioError(
                "The features of {rows:,} images need {needed:,.0f} MB; the cache is limited "
                "to {limit:,.0f} MB.",
                "Use smaller images, or a network with fewer features.",
                rows=rows,
                needed=needed / 2**20,
                limit=self.limit / 2**20,
            )
        others = [each for each in self.entries() if each.key.digest != key.digest]
        others.sort(key=lambda each: each.used)
        stored_bytes = sum(each.size_bytes for each in others)
        while others and stored_bytes + own + needed > self.limit:
            oldest = others.pop(0)
            stored_bytes -= oldest.size_bytes
            self.remove(oldest.key)
        self.root.mkdir(parents=True, exist_ok=True)
        require_space(self.root, needed, "Caching the features")

    def add(self, key: FeatureKey, rows: Rows, features: Features) -> None:
        """Store the features of some rows atomically.

        Args:
            key: Extractor and images that the features belong to.
            rows: Row of the dataset for each vector, int64, shape (N,).
            features: Feature vectors, float32, shape (N, D).

        Raises:
            DiskFullError: No space was left; nothing was stored.
        """
        folder = self.root / key.digest
        about = folder / ABOUT_NAME
        if not about.exists():
            write_atomically(about, key.model_dump_json(indent=1) + "\n")
        part = np.empty(len(rows), _type(math.prod(key.shape)))
        part["row"], part["values"] = rows, features.reshape(len(rows), -1)
        with replacing(folder / f"part-{secrets.token_hex(6)}.npy") as partial:
            np.save(partial, part, allow_pickle=False)

    def entries(self) -> list[CachedFeatures]:
        """List the cached features, the most recently used first."""
        found = []
        for about in self.root.glob(f"*/{ABOUT_NAME}"):
            try:
                key = FeatureKey.model_validate_json(about.read_bytes())
                used = datetime.fromtimestamp(about.stat().st_mtime, UTC)
            except (OSError, ValidationError):
                continue  # being removed, or damaged: `clear` takes it along
            if about.parent.name == key.digest:
                images = len(self._table(key).rows)
                found.append(CachedFeatures(key, images, _size(about.parent), used))
        return sorted(found, key=lambda each: each.used, reverse=True)

    def remove(self, key: FeatureKey) -> None:
        """Remove the features of a key; open readers are not affected."""
        remove_folder(self.root / key.digest, ignore_errors=True)

    def clear(self) -> int:
        """Remove everything; return the number of bytes freed."""
        size = sum(_size(folder) for folder in self.root.glob("*"))
        remove_folder(self.root, ignore_errors=True)
        return size

    def _table(self, key: FeatureKey) -> FeatureTable:
        width = math.prod(key.shape)
        paths = sorted((self.root / key.digest).glob("part-*.npy"))
        mapped = [_mapped(path, width) for path in paths]
        return FeatureTable(key.shape, [part for part in mapped if part is not None])


def _type(width: int) -> np.dtype[np.void]:
    return np.dtype([("row", "<i8"), ("values", "<f4", (width,))])


def _mapped(path: Path, width: int) -> NDArray[np.void] | None:
    try:
        part: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGED:
        return None
    return part if part.dtype == _type(width) and part.ndim == 1 else None


def _size(folder: Path) -> int:
    with contextlib.suppress(OSError):
        return sum(path.stat().st_size for path in folder.iterdir())
    return 0
