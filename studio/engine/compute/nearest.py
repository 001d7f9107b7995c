"""Answers which training images are most like a picture, in the eyes of a model."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from studio.engine.arrays import Features, Rows
from studio.engine.baselines.cache import FeatureCache, FeatureTable
from studio.engine.compute.features import (
    BATCH,
    EXTRA,
    PART_IMAGES,
    ModelFeatures,
    answers_in,
    require_fit,
)
from studio.engine.compute.forward import Outliner
from studio.engine.compute.models import RecentlyUsed, score
from studio.engine.compute.warm_models import WarmModel, WarmModels, fitted
from studio.engine.datasets.display import display_of
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.inference.requests import Neighbor, NeighborsReply, NeighborsRequest, as_png
from studio.engine.workspace import read_limits

SLICE_SECONDS = 0.5
"""Longest time for which features are computed for one request: others wait no longer."""
MAX_CACHED = 2
"""Models with their datasets that stay open."""
_CHUNK = 8192


class NeighborFinder:
    """Finds the nearest training images.

    Args:
        models: Cache of loaded models.
        outliner: Finds the input of a model's head.
    """

    def __init__(self, models: WarmModels, outliner: Outliner) -> None:
        self._models = models
        self._outliner = outliner
        self._open = RecentlyUsed[_Training](MAX_CACHED)

    def answer(self, request: NeighborsRequest) -> NeighborsReply:
        """Continue with the features of the training images, and compare those that are known.

        Raises:
            BadDataError: The model, the picture or the dataset cannot be opened.
            StudioError: They do not fit together, or there is no training image.
            DiskFullError: There is no space left to keep the features.
        """
        began = time.perf_counter()
        loaded = self._models.get(request.model)
        training = self._training(request, loaded)
        training.go_on(SLICE_SECONDS)
        asked = score(training.features.network, fitted(request.image, loaded.recipe)[None])[0]
        found = training.nearest(asked[:-EXTRA], request.count, loaded.classes)
        return NeighborsReply(
            neighbors=found,
            done=training.done,
            total=training.total,
            milliseconds=(time.perf_counter() - began) * 1000,
        )

    def _training(self, request: NeighborsRequest, loaded: WarmModel) -> _Training:
        folder, file = Path(request.dataset), Path(request.model.file)
        version = current_version(folder) if request.version is None else request.version
        changed = file.stat().st_mtime_ns
        key = (request.model.model_dump_json(), changed, str(folder), version, request.cache)

        def opened() -> _Training:
            store = Store.open(folder, version)
            require_fit(loaded, store)
            features = ModelFeatures(loaded, self._outliner.of(loaded).features)
            stored = Path(request.cache)
            cache = FeatureCache(stored, read_limits(stored.parents[1]).feature_bytes)
            return _Training(cache, features, store, file, request.model.name)

        return self._open.get(key, opened)


class _Training:
    """The features of all training images of a dataset, computed bit by bit and kept on disk.

    A part is written when it has `PART_IMAGES`, or all: what an interruption can lose.
    """

    def __init__(
        self, cache: FeatureCache, features: ModelFeatures, store: Store, file: Path, label: str
    ) -> None:
        self.features = features
        self._cache = cache
        self._store = store
        self._key = features.key(store.path.parent.name, store, file, label)
        self._rows = store.rows("train")
        if not len(self._rows):
            raise StudioError(
                "The dataset has no training images to compare with.",
                "Choose another dataset, or another version of this one.",
                "dataset",
            )
        self._pending: list[tuple[Rows, Features]] = []
        self._missing = cache.open(self._key).missing(self._rows)
        if len(self._missing):
            cache.make_room(self._key, len(self._missing))

    @property
    def total(self) -> int:
        """Training images."""
        return len(self._rows)

    @property
    def done(self) -> int:
        """Of how many the features are known."""
        return self.total - len(self._missing)

    def go_on(self, seconds: float) -> None:
        """Compute more features for about this long, at least one batch."""
        until = time.perf_counter() + seconds
        while len(self._missing):
            rows, self._missing = self._missing[:BATCH], self._missing[BATCH:]
            # Always the same size: a batch of another size would be compiled again.
            padded = np.resize(rows, BATCH)
            values = score(self.features.network, self._store.images[padded])[: len(rows)]
            self._pending.append((rows, values))
            is_full = sum(len(each) for each, _ in self._pending) >= PART_IMAGES
            if is_full or not len(self._missing):
                self._save()
            if time.perf_counter() > until:
                break

    def _save(self) -> None:
        rows, values = (np.concatenate(each) for each in zip(*self._pending, strict=True))
        self._cache.add(self._key, rows, values)
        self._pending = []

    def nearest(self, asked: Features, count: int, classes: list[str]) -> tuple[Neighbor, ...]:
        """Return the nearest of the images whose features are known, the nearest first."""
        distances = np.full(len(self._store.images), np.inf, np.float32)
        unit = asked / max(float(np.linalg.norm(asked)), 1e-12)
        # Opened for this question only: what stays open cannot be removed on Windows. The cache
        # may have been cleared since the last one.
        table = self._cache.open(self._key)
        known = np.concatenate([table.rows, *(rows for rows, _ in self._pending)])
        self._missing = np.setdiff1d(self._rows, known)
        for rows, values in [*table.parts(), *self._pending]:
            for start in range(0, len(rows), _CHUNK):
                part = np.ascontiguousarray(values[start : start + _CHUNK, :-EXTRA])
                lengths = np.sqrt(np.einsum("ij,ij->i", part, part))
                alike = part @ unit / np.maximum(lengths, 1e-12)
                distances[rows[start : start + _CHUNK]] = np.maximum(1 - alike, 0)
        among = self._rows[np.isfinite(distances[self._rows])]
        order = np.argsort(distances[among], kind="stable")[:count]
        return tuple(
            self._neighbor(row, float(distances[row]), self._values(table, row), classes)
            for row in among[order].tolist()
        )

    def _neighbor(
        self, row: int, distance: float, values: Features, classes: list[str]
    ) -> Neighbor:
        predictions, _ = answers_in(values)
        kind = self._store.task.targets
        return Neighbor(
            row=row,
            path=self._store.paths[row],
            label=self._store.annotation(row),
            prediction=kind.class_names(classes, predictions[:, None])[0],
            distance=distance,
            picture=as_png(display_of(self._store).to_rgb(self._store.images[row])),
        )

    def _values(self, table: FeatureTable, row: int) -> Features:
        for rows, values in self._pending:
            if row in rows:
                found: Features = values[rows == row]
                return found
        return table[np.array([row])]
