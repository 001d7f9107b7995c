"""Names of the types of arrays that many modules share. One name has one element type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8 | np.uint16 | np.float32]
"""Pixels of one or several images as they are stored, shape (..., height, width, channels)."""
BytePixels = NDArray[np.uint8]
"""Pixels of one or several images of 8 bits, shape (..., height, width, channels)."""
PixelClasses = NDArray[np.uint8]
"""Class of each pixel, or `IGNORE`, shape (height, width)."""
Rows = NDArray[np.int64]
"""Numbers of rows of a dataset or a table, shape (n,)."""
Labels = NDArray[np.integer[Any]]
"""Class of each of some images, shape (n,)."""
Features = NDArray[np.float32]
"""Features of images, shape (n, features)."""
ScoreRows = NDArray[np.float32]
"""Scores of classes, shape (n, classes)."""
Integers = NDArray[np.int64]
"""Whole numbers of any shape."""
Floats = NDArray[np.float64]
"""Numbers of any shape."""
