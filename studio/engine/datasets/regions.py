"""`masks.npy` and `boxes.npy`: the regions of a dataset, in the order of the rows of `images.h5`.

    masks  uint8    N x height x width   class of each pixel, or `IGNORE`
    boxes  float32  N x M x 6            see `tasks.boxes`; M is the most of an image

The header of NumPy says so; behind it the regions are a range of bytes that is written and mapped
as a column of `images.h5`. Images with fewer than M boxes have empty places behind them.
"""

from __future__ import annotations

import io
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from studio.engine.datasets.images import MappedColumn, RawRows
from studio.engine.datasets.schema import StoredColumn
from studio.engine.errors import BadDataError
from studio.engine.files import read_failure
from studio.engine.messages import as_message
from studio.engine.tasks.geometry import RegionRows
from studio.engine.tasks.task import Task

_LONGEST_HEADER = 4096
_SHAPE = re.compile(rb"'shape': \((\d+), (\d+), (\d+)\)")


@dataclass(frozen=True, slots=True)
class RegionFiles:
    """The files of the regions of datasets.

    Attributes:
        rows: What they hold.
    """

    rows: RegionRows

    @classmethod
    def of(cls, task: Task) -> Self | None:
        """Return the files of the datasets of a task; None if their images have no regions."""
        rows = task.geometry.rows
        return None if rows is None else cls(rows)

    @property
    def file_name(self) -> str:
        """Name of the file in the folder of the dataset."""
        return f"{self.rows.name}.npy"

    def shape(self, images: tuple[int, ...], places: int) -> tuple[int, int, int]:
        """Return the shape of the regions of a dataset.

        Args:
            images: Shape of the images: number, height, width and further axes.
            places: Objects of the image that has the most; 0 for any number.
        """
        count, height, width = images[:3]
        return (count, *self.rows.row_shape(height, width, places))

    def size(self, shape: tuple[int, int, int]) -> int:
        """Return the bytes of regions of a shape."""
        return math.prod(shape) * self.rows.dtype.itemsize

    def header(self, shape: tuple[int, int, int]) -> bytes:
        """Return the bytes in front of the regions.

        Args:
            shape: Shape of the column.
        """
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            file, {"descr": self.rows.dtype.str, "fortran_order": False, "shape": shape}
        )
        return file.getvalue()

    def column(self, path: Path, shape: tuple[int, int, int]) -> StoredColumn:
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
            raise ValueError(f"it does not hold the {self.rows.name} of each image of the dataset")
        column = StoredColumn(len(header), found, self.rows.dtype)
        if path.stat().st_size < column.end:
            raise ValueError(f"it is shorter than its {self.rows.name}")
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
                self.rows.unreadable,
                "Import the images again.",
                str(path),
                folder=folder,
                reason=as_message(reason),
            ) from error
