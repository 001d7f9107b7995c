"""Reads insights and pictures of a run. Everything here is called in background threads."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from studio.engine.errors import StudioError
from studio.engine.jobs.events import InsightKept
from studio.ui.pages.train.augmentation_work import to_image

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.training.insights import Insight, LayerNorm


class RunPictures:
    """The images that a run learned from, in the version that it learned from.

    Opened when first asked, by whichever thread asks.

    Args:
        folder: Of the dataset; None where that was deleted.
        version: Of the dataset.
    """

    def __init__(self, folder: Path | None, version: int) -> None:
        self._folder = folder
        self._version = version
        self._guard = threading.Lock()
        self._store: Store | None = None

    def names(self, classes: int) -> list[str]:
        """The names of so many classes; their numbers where the dataset cannot be read."""
        try:
            names = self._opened().classes
        except StudioError:
            names = []
        return names if len(names) == classes else [str(index) for index in range(classes)]

    def load(self, key: Hashable) -> QImage:
        """One picture by its row, as `ImageGrid` asks for it; null where it is gone."""
        if not isinstance(key, int):
            raise TypeError(f"a row is a whole number; received {key!r}")
        try:
            images = self._opened().images
        except StudioError:
            return QImage()
        return to_image(images[key]) if key < len(images) else QImage()

    def _opened(self) -> Store:
        from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

        with self._guard:
            if self._store is None:
                if self._folder is None:
                    raise StudioError("The dataset of the run was deleted.")
                self._store = Store.open(self._folder, self._version)
            return self._store


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a run.

    Attributes:
        insight: What was kept of it.
        names: Of the classes.
        pictures: Where its rows are.
    """

    insight: Insight
    names: list[str]
    pictures: RunPictures


def moments_left(folder: Path, told: Sequence[InsightKept]) -> list[InsightKept]:
    """Of the insights that a journal tells of those whose files are there, each step once."""
    from studio.engine.training.insight_files import kept_steps  # noqa: PLC0415 - NumPy

    there = set(kept_steps(folder))
    newest = {each.step: each for each in told if each.step in there}
    return [newest[step] for step in sorted(newest)]


def read_snapshot(folder: Path, moment: InsightKept, pictures: RunPictures) -> Snapshot:
    """Read one moment.

    Raises:
        BadDataError: Its file is damaged, or was removed meanwhile.
    """
    from studio.engine.training.insight_files import (  # noqa: PLC0415 - NumPy
        insight_path,
        read_insight,
    )

    insight = read_insight(insight_path(folder, moment.step))
    return Snapshot(insight, pictures.names(insight.classes), pictures)


def read_all_norms(folder: Path, steps: Sequence[int]) -> dict[int, tuple[LayerNorm, ...]]:
    """The norms of several steps; those whose files cannot be read are left out."""
    from studio.engine.training.insight_files import insight_path, read_norms  # noqa: PLC0415

    found = {}
    for step in steps:
        try:
            found[step] = read_norms(insight_path(folder, step))
        except StudioError:
            continue
    return found
