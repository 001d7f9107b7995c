"""The small files beside a dataset: what it holds, and what was left out.

Lists, headers and the command line read these and never open the HDF5 file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, TypeAdapter, ValidationError

from studio.engine.datasets.sources.base import Skipped
from studio.engine.errors import BadDataError
from studio.engine.files import write_atomically
from studio.engine.messages import to_json
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks import DEFAULT_TASK

SUMMARY_NAME = "summary.json"
SKIPPED_NAME = "skipped.json"

_SKIPPED = TypeAdapter(list[Skipped])


class DatasetSummary(BaseModel, frozen=True):
    """A dataset in a few lines. Depends on the images and the recipe alone, not on its name.

    Attributes:
        task: Task that networks learn on the images.
        width: Width of every image, in pixels.
        height: Height of every image, in pixels.
        channels: Number of channels.
        pixels: Number format of the images; None for gray or color of 8 bits.
        classes: Names of the classes, labels or quantities that networks answer with.
        count: Images of `train`, `val` and `test`.
        class_counts: Images of each split by class, in the order of `classes`. With targets an
            image counts for each of its labels, or for every quantity.
        skipped: Files that were left out.
        mean_color: Mean of each channel over all images, as networks receive it: 0 to 255.
        units: Units of the quantities, in the order of `classes`; empty if there are none.
        colors: Colors of the classes of masks as "#rrggbb", in the order of `classes`; empty where
            there are none.
        facts: Figures of the regions of images that recommendations depend on, see
            `Geometry.facts`.
        source_splits: The splits, `val` or `test`, that the source defined; the other images were
            assigned at random.
    """

    version: Literal[1] = 1
    task: str = DEFAULT_TASK.name
    width: int
    height: int
    channels: int
    pixels: PixelFormat | None = None
    classes: list[str]
    count: dict[str, int]
    class_counts: dict[str, list[int]]
    skipped: int
    mean_color: list[float]
    units: list[str] = []
    colors: list[str] = []
    facts: dict[str, float] = {}
    source_splits: list[Literal["val", "test"]] = []

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels of every image."""
        return self.height, self.width, self.channels

    @property
    def pixel_format(self) -> PixelFormat:
        """Number format of the images."""
        return self.pixels or PixelFormat.bytes_of(self.channels)

    @property
    def total(self) -> int:
        """All images."""
        return sum(self.count.values())


def write_summary(folder: Path, summary: DatasetSummary) -> None:
    """Write `summary.json`.

    Args:
        folder: Folder of the dataset.
        summary: The content.

    Raises:
        DiskFullError: No space was left.
    """
    write_atomically(folder / SUMMARY_NAME, summary.model_dump_json(indent=1) + "\n")


def read_summary(folder: Path) -> DatasetSummary:
    """Read `summary.json`.

    Raises:
        BadDataError: It is missing or damaged.
    """
    path = folder / SUMMARY_NAME
    try:
        return DatasetSummary.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise BadDataError(
            "The summary of the dataset in {folder} cannot be read.",
            "The import was not finished, or its folder was changed; import the images again.",
            str(path),
            folder=folder,
        ) from error


def write_skipped(folder: Path, skipped: Sequence[Skipped]) -> None:
    """Write `skipped.json`.

    Args:
        folder: Folder of the dataset.
        skipped: The content.

    Raises:
        DiskFullError: No space was left.
    """
    rows = [
        {"path": entry.path, "reason": to_json(entry.reason)}
        | ({} if entry.line is None else {"line": entry.line})
        | ({"is_annotation": True} if entry.is_annotation else {})
        | ({"is_partial": True} if entry.is_partial else {})
        | ({"objects": entry.objects} if entry.objects else {})
        for entry in skipped
    ]
    text = json.dumps(rows, indent=1, ensure_ascii=False)
    write_atomically(folder / SKIPPED_NAME, text + "\n")


def read_skipped(folder: Path) -> list[Skipped]:
    """Return the files that the import left out, with their reasons; none when it has not run.

    Raises:
        BadDataError: The list is damaged.
    """
    path = folder / SKIPPED_NAME
    try:
        return _SKIPPED.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValidationError) as error:
        raise BadDataError(
            "The list of files left out in {folder} cannot be read.",
            "The dataset itself can still be used.",
            str(path),
            folder=folder,
        ) from error
