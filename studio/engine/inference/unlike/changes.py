"""Changes of an image that make it more like the training images."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import writing
from studio.engine.inference.unlike.differences import Change

if TYPE_CHECKING:
    from PIL import Image

    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.sources import Picture

CHANGES: Final[dict[Change, str]] = {
    "invert": "swap light and dark of the images before the prediction",
    "crop": "cut the images to the shape of the training images, around their center",
}


def changed(picture: Picture, change: Change, model: ModelSource, path: Path) -> Picture:
    """Write a changed copy of an image.

    Args:
        picture: The image.
        change: What to do with it.
        model: The model that predicts it.
        path: File to write; PNG.

    Returns:
        The copy under the name of the original; its `problem` is set if it cannot be read.

    Raises:
        StudioError: The file cannot be written, the model has no shape to cut to, or it was not
            trained on 8 bit images.
    """
    # The window starts without them.
    from PIL import ImageOps  # noqa: PLC0415

    from studio.engine.datasets.decode import load_flat  # noqa: PLC0415

    if model.recipe is None:
        raise _unknown(model)
    if model.recipe.keeps_values:
        raise StudioError(
            "Images cannot be changed for {model}: it was trained on {format}.",
            "Change the images with another program.",
            "change",
            model=model.name,
            format=model.recipe.pixel_format.text,
        )
    try:
        flat = load_flat(picture.path, model.recipe)
    except BadDataError as error:
        return replace(picture, problem=error.message)
    copy = ImageOps.invert(flat) if change == "invert" else _cut(flat, model)
    with writing(path, "to"):
        copy.save(path, "PNG", compress_level=1)
    return replace(picture, path=path, frame=picture.name)


def _cut(image: Image.Image, model: ModelSource) -> Image.Image:
    """Cut the middle out of an image, as wide or tall as training images are at most."""
    usual = None if model.reference is None else model.reference.aspect
    if usual is None:
        raise _unknown(model)
    width, height = image.size
    aspect = min(max(width / height, usual.low), usual.high)
    wide, high = min(width, round(height * aspect)), min(height, round(width / aspect))
    left, top = (width - max(1, wide)) // 2, (height - max(1, high)) // 2
    return image.crop((left, top, left + max(1, wide), top + max(1, high)))


def _unknown(model: ModelSource) -> StudioError:
    return StudioError(
        "The shape of the training images of {model} is unknown.",
        "Change the images with another program.",
        "change",
        model=model.name,
    )
