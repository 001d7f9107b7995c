"""The shape of the images that a model takes, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.messages import message
from studio.engine.networks.heads.head import size_text

Shape = tuple[int | None, ...]
"""Sides of a tensor; None for any size."""
COLORS: Final = (1, 3)
"""Numbers of channels of images: gray and color."""
USUAL_SIDE: Final = 224
"""Default size of the images if a model does not define it."""


def single_image(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of the only input of a model, which has three sides.

    Args:
        shapes: Shapes of all inputs, without the batch.

    Raises:
        StudioError: There are several inputs, or the input is no image.
    """
    if len(shapes) != 1:
        raise StudioError(
            "The model has {count} inputs; only one image is supported.",
            "Build a model with one input.",
            "model",
            count=len(shapes),
        )
    (shape,) = shapes
    if len(shape) != 3:
        raise StudioError(
            "The model expects {shape}, which is not an image of height x width x channels.",
            "Choose a model that classifies images.",
            "model",
            shape=size_text(shape),
        )
    return shape


def require_colors(channels: int | None) -> int:
    """Return the number of channels of images, which must be gray or colored.

    Raises:
        StudioError: They have another number of channels.
    """
    if channels not in COLORS:
        raise StudioError(
            "The model expects images with {channels} channels; images have 1 (gray) or 3 "
            "(color).",
            "Choose a model of gray or color images.",
            "model",
            channels=channels or message("any number of"),
        )
    return int(channels)
