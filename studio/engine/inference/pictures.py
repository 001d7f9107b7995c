"""Pictures of figures: PNG files as text, and the colors of heat maps."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from studio.engine.inference.questions import ExplainAnswer

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


# Colors of a heat map, and the map laid over its picture.

VIRIDIS = (
    (68, 1, 84),
    (72, 40, 120),
    (62, 74, 137),
    (49, 104, 142),
    (38, 130, 142),
    (31, 158, 137),
    (53, 183, 121),
    (110, 206, 88),
    (181, 222, 43),
    (253, 231, 37),
)
"""From 0 to 1 in equal steps, red, green and blue. By van der Walt and Smith for Matplotlib (2015,
CC0): lightness grows evenly, so that it is read with any color vision, and in gray."""
LEAST_SIDE = 256
"""Pixels of the shorter side of an overlay at least."""


def heat_table() -> NDArray[np.uint8]:
    """The colors of 256 levels, shape (256, 3)."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    places = np.linspace(0, len(VIRIDIS) - 1, 256)
    parts = [np.interp(places, range(len(VIRIDIS)), each) for each in zip(*VIRIDIS, strict=True)]
    table: NDArray[np.uint8] = np.rint(np.stack(parts, axis=-1)).astype(np.uint8)
    return table


def overlay(answer: ExplainAnswer, opacity: float = 0.6) -> bytes:
    """A PNG file of the picture as the model saw it under its heat map.

    Args:
        answer: What was found out.
        opacity: Of the strongest places, 0 to 1; where nothing counts the picture stays as it is.
    """
    import numpy as np  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    picture = Image.open(io.BytesIO(png_bytes(answer.picture))).convert("RGB")
    factor = max(1.0, LEAST_SIDE / min(picture.size))
    size = round(picture.width * factor), round(picture.height * factor)
    enlarged = picture.resize(size, Image.Resampling.NEAREST if factor > 1 else None)
    values = Image.fromarray(answer.heat.values()).resize(size, Image.Resampling.BICUBIC)
    heat = np.clip(np.asarray(values), 0, 1)
    share = (opacity * np.sqrt(heat))[..., None]
    colors = heat_table()[np.rint(heat * 255).astype(np.uint8)]
    mixed = np.asarray(enlarged) * (1 - share) + colors * share
    file = io.BytesIO()
    Image.fromarray(np.rint(mixed).astype(np.uint8)).save(file, "PNG")
    return file.getvalue()
