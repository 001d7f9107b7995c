"""`masks.npy`: the masks of a dataset, in the order of the rows of `images.h5`.

uint8, shape (N, height, width): the class of each pixel, or `IGNORE`. The header of NumPy says so;
behind it the masks are a range of bytes that is written and mapped as a column of `images.h5`.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from studio.engine.datasets.images import MappedColumn, RawImages
from studio.engine.datasets.schema import Column
from studio.engine.errors import BadDataError
from studio.engine.files import read_failure
from studio.engine.messages import as_message, message

MASKS_NAME = "masks.npy"
_LONGEST_HEADER = 4096


def header(shape: tuple[int, int, int]) -> bytes:
    """Return the bytes in front of masks of a shape (N, height, width)."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "|u1", "fortran_order": False, "shape": shape}
    )
    return file.getvalue()


def mask_column(path: Path, shape: tuple[int, int, int]) -> Column:
    """Return where the masks lie in a file.

    Args:
        path: The file.
        shape: Required shape, (N, H, W).

    Raises:
        ValueError: The file holds something else, or is cut off.
        OSError: It cannot be read.
    """
    expected = header(shape)
    found = Column(len(expected), shape, np.dtype(np.uint8))
    with path.open("rb") as file:
        if file.read(min(len(expected), _LONGEST_HEADER)) != expected:
            raise ValueError("it does not hold a mask for each image of the dataset")
    if path.stat().st_size < found.end:
        raise ValueError("it is shorter than its masks")
    return found


def open_masks(folder: Path, shape: tuple[int, int, int]) -> RawImages:
    """Open the masks of a dataset.

    Args:
        folder: The folder of the dataset.
        shape: Required shape, (N, H, W).

    Raises:
        BadDataError: They are missing, damaged or those of another dataset.
    """
    path = folder / MASKS_NAME
    try:
        return RawImages(MappedColumn(path, mask_column(path, shape)))
    except (OSError, ValueError) as error:
        reason = str(error) if isinstance(error, ValueError) else read_failure(error)
        raise BadDataError(
            message(
                "The masks of the dataset in {folder} cannot be read: {reason}.",
                folder=folder,
                reason=as_message(reason),
            ),
            "Import the images again.",
            str(path),
        ) from error
