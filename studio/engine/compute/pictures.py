"""Reads the picture of a question as the model sees it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.decode import describe, load_image, placement
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError


def fitted(image: str, recipe: DatasetRecipe) -> NDArray[np.uint8]:
    """A picture in the size and colors of a model, shape (height, width, channels).

    Raises:
        BadDataError: It cannot be read.
    """
    try:
        return load_image(Path(image), recipe)
    except BadDataError as error:
        raise BadDataError(
            f"The picture {image} cannot be read: {error.message}.",
            "Choose another picture.",
            "image",
        ) from error


def covered(image: str, recipe: DatasetRecipe) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of what a model sees, as fractions of the upright picture.

    Raises:
        BadDataError: It cannot be read.
    """
    width, height, _ = describe(Path(image))
    place = placement((width, height), (recipe.width, recipe.height), recipe.resize)
    left, right = _axis(place.box[0::2], place.content[0], place.corner[0], recipe.width)
    top, bottom = _axis(place.box[1::2], place.content[1], place.corner[1], recipe.height)
    return left / width, top / height, right / width, bottom / height


def _axis(box: tuple[float, ...], content: int, corner: int, whole: int) -> tuple[float, float]:
    """Where the edges of the result are, in pixels of the original."""
    scale = (box[1] - box[0]) / content
    start = box[0] - corner * scale
    return start, start + whole * scale
