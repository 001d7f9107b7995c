"""Colors of heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
"""Red, green and blue from 0 to 1 in equal steps. By van der Walt and Smith for Matplotlib (2015,
CC0): perceptually uniform, and readable for color-blind people and in gray."""
UNSEEN: Final = (128, 128, 128)
"""Color of pixels without a number."""


def heat_table() -> NDArray[np.uint8]:
    """Return the colors of 256 levels, shape (256, 3)."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    indices = np.linspace(0, len(VIRIDIS) - 1, 256)
    parts = [np.interp(indices, range(len(VIRIDIS)), each) for each in zip(*VIRIDIS, strict=True)]
    table: NDArray[np.uint8] = np.rint(np.stack(parts, axis=-1)).astype(np.uint8)
    return table


def colored(values: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint8]:
    """Return numbers in colors, shape (height, width, 3).

    Args:
        values: Shape (height, width); NaN where there is no number.
        low: Number in the first color.
        high: Number in the last color.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    span = max(high - low, float(np.finfo(np.float32).tiny))
    levels = np.clip((np.nan_to_num(values, nan=low) - low) / span, 0, 1)
    pixels: NDArray[np.uint8] = heat_table()[np.rint(levels * 255).astype(np.uint8)]
    pixels[np.isnan(values)] = UNSEEN
    return pixels
