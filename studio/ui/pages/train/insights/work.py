"""Reads insights and pictures of a run. Everything here is called in background threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError
from studio.engine.training.history import InsightKept
from studio.ui.shared.dataset_pictures import DatasetPictures

if TYPE_CHECKING:
    from studio.engine.training.insights import Insight, LayerNorm


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a run.

    Attributes:
        insight: What was kept of it.
        names: Of the classes, labels or quantities.
        units: Of the quantities.
        pictures: Where its rows are.
    """

    insight: Insight
    names: list[str]
    units: list[str]
    pictures: DatasetPictures


def moments_left(folder: Path, told: Sequence[InsightKept]) -> list[InsightKept]:
    """Of the insights that a journal tells of those whose files are there, each step once."""
    from studio.engine.training.insight_files import kept_steps  # noqa: PLC0415 - NumPy

    there = set(kept_steps(folder))
    newest = {each.step: each for each in told if each.step in there}
    return [newest[step] for step in sorted(newest)]


def read_snapshot(folder: Path, moment: InsightKept, pictures: DatasetPictures) -> Snapshot:
    """Read one moment.

    Raises:
        BadDataError: Its file is damaged, or was removed meanwhile.
    """
    from studio.engine.training.insight_files import (  # noqa: PLC0415 - NumPy
        insight_path,
        read_insight,
    )

    insight = read_insight(insight_path(folder, moment.step))
    count = insight.classes
    return Snapshot(insight, pictures.names(count), pictures.units(count), pictures)


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
