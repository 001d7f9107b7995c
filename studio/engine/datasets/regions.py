"""`masks.npy` and `boxes.npy`: the regions of a dataset, in the order of the rows of `images.h5`.

    masks  uint8    N x height x width   class of each pixel, or `IGNORE`
    boxes  float32  N x M x 6            see `tasks.boxes`; M is the most of an image

The header of NumPy says so; behind it the regions are a range of bytes that is written and mapped
as a column of `images.h5`. Images with fewer than M boxes have empty places behind them.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.images import MappedColumn, RawRows
from studio.engine.datasets.schema import Column
from studio.engine.errors import BadDataError
from studio.engine.files import read_failure
from studio.engine.messages import as_message
from studio.engine.tasks import boxes as box_rows
from studio.engine.tasks.annotations import Regions
from studio.engine.tasks.task import Task

_LONGEST_HEADER = 4096
_SHAPE = re.compile(rb"'shape': \((\d+), (\d+), (\d+)\)")


@dataclass(frozen=True, slots=True)
class RegionKind:
    """Masks or boxes as the column of a dataset.

    Attributes:
        name: Name of the column.
        dtype: Type of a value in the file.
    """

    name: str
    dtype: np.dtype[Any]

    @property
    def file_name(self) -> str:
        """Name of the file in the folder of the dataset."""
        return f"{self.name}.npy"

    def header(self, shape: tuple[int, int, int]) -> bytes:
        """Return the bytes in front of the regions.

        Args:
            shape: Shape of the column.
        """
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            file, {"descr": self.dtype.str, "fortran_order": False, "shape": shape}
        )
        return file.getvalue()

    def column(self, path: Path, shape: tuple[int, int, int]) -> Column:
        """Return the location of the regions in a file.

        Args:
            path: The file.
            shape: Required shape; 0 is any number.

        Raises:
            ValueError: The file holds something else, or is cut off.
            OSError: It cannot be read.
        """
        with path.open("rb") as file:
            start = file.read(_LONGEST_HEADER)
        said = _SHAPE.search(start)
        found = (int(said[1]), int(said[2]), int(said[3])) if said else (0, 0, 0)
        fits = all(want in {0, has} for want, has in zip(shape, found, strict=True))
        header = self.header(found)
        if not fits or not start.startswith(header):
            raise ValueError(f"it does not hold the {self.name} of each image of the dataset")
        column = Column(len(header), found, self.dtype)
        if path.stat().st_size < column.end:
            raise ValueError(f"it is shorter than its {self.name}")
        return column

    def open(self, folder: Path, shape: tuple[int, int, int]) -> RawRows[Any]:
        """Open the regions of a dataset.

        Args:
            folder: The folder of the dataset.
            shape: Required shape; 0 is any number.

        Raises:
            BadDataError: They are missing, damaged or those of another dataset.
        """
        path = folder / self.file_name
        try:
            return RawRows(MappedColumn(path, self.column(path, shape)))
        except (OSError, ValueError) as error:
            reason = str(error) if isinstance(error, ValueError) else read_failure(error)
            raise BadDataError(
                "The boxes of the dataset in {folder} cannot be read: {reason}."
                if self.name == "boxes"
                else "The masks of the dataset in {folder} cannot be read: {reason}.",
                "Import the images again.",
                str(path),
                folder=folder,
                reason=as_message(reason),
            ) from error


MASKS: Final = RegionKind("masks", np.dtype(np.uint8))
BOXES: Final = RegionKind("boxes", np.dtype("<f4"))


def region_kind(task: Task) -> RegionKind | None:
    """Return the regions that the images of a task have; None for none."""
    if task.has_masks:
        return MASKS
    return BOXES if task.has_boxes else None


def row_shape(kind: RegionKind, height: int, width: int, most_boxes: int) -> tuple[int, int]:
    """Return the shape of the regions of an image.

    Args:
        kind: Masks or boxes.
        height: Height of the images in pixels.
        width: Width of the images in pixels.
        most_boxes: Boxes of the image that has the most; 0 for any number, in `RegionKind.column`.
    """
    return (most_boxes, box_rows.VALUES) if kind is BOXES else (height, width)


def as_row(kind: RegionKind, regions: Regions, shape: tuple[int, ...]) -> Regions:
    """Return regions as they are stored; of boxes with empty places behind them.

    Args:
        kind: Masks or boxes.
        regions: Those of an image.
        shape: Shape of a row of the column.

    Raises:
        ValueError: They are of another type or shape, or more than there are places for.
    """
    fits = regions.shape == shape
    if kind is BOXES:
        fits = regions.ndim == 2 and regions.shape[1:] == shape[1:] and len(regions) <= shape[0]
    if not fits or regions.dtype != kind.dtype:
        raise ValueError(f"{kind.name} are {kind.dtype} {shape}, not {regions.shape}")
    return box_rows.padded(regions, shape[0]) if kind is BOXES else regions


def without_padding(kind: RegionKind, row: Regions) -> Regions:
    """Return the regions of an image as they were before `as_row`.

    Args:
        kind: Masks or boxes.
        row: A row of the column.
    """
    return row[row[:, box_rows.CLASS] >= 0] if kind is BOXES else row


def no_regions(kind: RegionKind, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the row of an image that is not in the dataset.

    Args:
        kind: Masks or boxes.
        shape: Shape of a row of the column.
    """
    found: NDArray[Any] = np.zeros(shape, kind.dtype)
    if kind is BOXES:
        found[:, box_rows.CLASS] = box_rows.NO_BOX
    return found
