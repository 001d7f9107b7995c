"""The example in the folder of an export: an image as the model receives it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.datasets.picture_values import array_file

EXAMPLE: Final = "example.png"
EXAMPLE_ARRAY: Final = "example.npy"


def write_example(folder: Path, image: Pixels) -> str:
    """Write an image of a dataset: gray or color of 8 bits as a picture, others as an array.

    Args:
        folder: Folder of the export.
        image: Shape (height, width, channels), as the dataset stores it.

    Returns:
        The name of the file.
    """
    if image.dtype != np.uint8 or image.shape[2] not in {1, 3}:
        (folder / EXAMPLE_ARRAY).write_bytes(array_file(image))
        return EXAMPLE_ARRAY
    Image.fromarray(image[:, :, 0] if image.shape[2] == 1 else image).save(folder / EXAMPLE)
    return EXAMPLE
