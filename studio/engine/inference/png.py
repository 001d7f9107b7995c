"""Small pictures as text, so that they can travel in an answer."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def as_png(pixels: NDArray[np.uint8]) -> str:
    """Base64 of a PNG file.

    Args:
        pixels: Shape (height, width), or (height, width, channels) with 1 or 3 channels.
    """
    from PIL import Image  # noqa: PLC0415 - the window starts without it

    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    file = io.BytesIO()
    # Written to be read once: little is gained by a smaller file.
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    return base64.b64encode(file.getvalue()).decode("ascii")


def png_bytes(text: str) -> bytes:
    """The file that `as_png` made a text of."""
    return base64.b64decode(text)
