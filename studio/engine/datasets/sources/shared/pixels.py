"""Pixels of an array as the bytes of a picture file, so that every image is read one way."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.errors import BadDataError
from studio.engine.messages import message


def picture(pixels: NDArray[np.generic]) -> bytes:
    """Return an image as a lossless file: PGM or PPM, which are fast, or PNG for transparency.

    Args:
        pixels: uint8 or uint16, H x W or H x W x C with 1 (gray), 2 (gray and alpha), 3 or 4
            (with alpha) channels. 16 bits keep their scale in gray and are rounded in color.

    Raises:
        BadDataError: It has another shape.
    """
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.dtype == np.uint16 and pixels.ndim == 3:
        pixels = np.rint(pixels.astype(np.float32) / 257).astype(np.uint8)
    if pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3):
        return _portable(pixels)
    if pixels.ndim == 3 and pixels.shape[2] in {2, 4}:
        buffer = BytesIO()
        Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, "PNG", compress_level=1)
        return buffer.getvalue()
    raise BadDataError(message("images of shape {shape} are not supported", shape=pixels.shape))


def _portable(pixels: NDArray[Any]) -> bytes:
    kind = "P5" if pixels.ndim == 2 else "P6"
    largest = np.iinfo(pixels.dtype).max
    header = f"{kind} {pixels.shape[1]} {pixels.shape[0]} {largest}\n".encode()
    return header + pixels.astype(pixels.dtype.newbyteorder(">"), copy=False).tobytes()
