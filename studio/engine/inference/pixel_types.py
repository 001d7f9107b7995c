"""Check that the pixels of a picture can be compared with those that a network was trained on."""

from __future__ import annotations

from pathlib import Path

from studio.engine.datasets import picture_values
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.pictures.formats import NPY, is_npy


def require_same_type(file: Path, recipe: DatasetRecipe) -> None:
    """Refuse a picture of another type than the training images.

    An 8 bit picture would look almost black to a network for 12 bits. Pictures of 16 bits become
    8 bits where a network was trained on these, as they do in an import; arrays do not.

    Args:
        file: The picture.
        recipe: Conversion of the training images.

    Raises:
        BadDataError: It has another type, or is no picture; the message is a short reason.
    """
    if not recipe.keeps_values and not _is_array(file):
        return
    received = picture_values.read_header(file, recipe.planes).dtype
    expected = picture_values.required_format(recipe).dtype
    if received != expected:
        raise BadDataError(
            "it has pixels of the type {received}; the network was trained on {expected}, and "
            "their brightness cannot be compared",
            received=received,
            expected=expected,
        )


def _is_array(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return is_npy(opened.read(len(NPY)))
    except OSError:
        return False  # decoding reports the error
