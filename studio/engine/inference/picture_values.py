"""Pictures as values of Python programs: arrays, Pillow images and the bytes of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from studio.engine.errors import StudioError
from studio.engine.files import user_path
from studio.engine.inference.sources import Picture, find_pictures
from studio.engine.pixel_format import MAX_CHANNELS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    PictureValue: TypeAlias = str | os.PathLike[str] | bytes | NDArray[np.generic] | Image.Image
    """Path of a picture or folder, bytes of an image file, pixels, or a Pillow image."""


def pictures_of(values: object, folder: Path) -> list[Picture]:
    """Return the pictures that a value of a program means.

    Args:
        values: A picture, several of them, or an array of shape (n, height, width, channels).
        folder: Folder for the files of those that are not in files.

    Raises:
        StudioError: A value is no picture, or a path does not exist.
    """
    found: list[Picture] = []
    for number, value in enumerate(_each(values)):
        if isinstance(value, str | os.PathLike):
            found += find_pictures([str(user_path(os.fspath(value)))])
            continue
        path = folder / f"{number}.picture"
        write_picture(value, path, number)
        found.append(Picture(path, frame=f"image {number}"))
    return found


def _each(values: object) -> Iterator[object]:
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 4:
        yield from values  # type: ignore[misc]  # arrays of any library can be iterated
    elif _is_picture(values) or not isinstance(values, Iterable) or isinstance(values, dict):
        yield values
    else:
        yield from values


def _is_picture(value: object) -> bool:
    is_pixels = hasattr(value, "__array__") or hasattr(value, "__array_interface__")
    return is_pixels or isinstance(value, str | bytes | bytearray | os.PathLike)


def write_picture(value: object, path: Path, number: int) -> None:
    """Write the bytes of an image file, pixels or a Pillow image into a file.

    Args:
        value: The image.
        path: The file; its suffix does not matter.
        number: Number of the image, for messages.

    Raises:
        StudioError: It is no image.
    """
    from PIL import Image  # noqa: PLC0415 - `import studio` does without it

    if isinstance(value, bytes | bytearray):
        path.write_bytes(value)
    elif isinstance(value, Image.Image):
        mode = value.mode if value.mode in ("L", "RGB", "RGBA") else "RGB"
        value.convert(mode).save(path, "PNG", compress_level=1)
    elif hasattr(value, "__array__"):
        _write_pixels(_pixels(value, number), path)
    else:
        raise StudioError(
            "An image must be a path, an array of pixels, a Pillow image or the bytes of an "
            "image file; received {kind}.",
            "Use predict_all for several images." if isinstance(value, list | tuple) else "",
            "pictures",
            kind=type(value).__name__,
        )


def _write_pixels(pixels: NDArray[np.generic], path: Path) -> None:
    """Write 8 bit gray and color as PNG, and all other pixels as an array."""
    from PIL import Image  # noqa: PLC0415 - `import studio` does without it

    from studio.engine.datasets.picture_values import array_file  # noqa: PLC0415 - as before

    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if pixels.dtype.name != "uint8" or channels not in (1, 3, 4):
        path.write_bytes(array_file(pixels))
        return
    image = Image.fromarray(pixels.squeeze(2) if pixels.shape[2:] == (1,) else pixels)
    image.save(path, "PNG", compress_level=1)


def _pixels(value: Any, number: int) -> NDArray[np.generic]:  # noqa: ANN401 - arrays of any library
    import numpy as np  # noqa: PLC0415 - `import studio` does without it

    array = np.asarray(value)
    if array.dtype.kind not in "uif":
        raise StudioError(
            "Pixels must be numbers; image {number} has the type {kind}.",
            "Pass pixels as they are in the files that the model was trained on.",
            "pictures",
            number=number,
            kind=array.dtype,
        )
    is_image = array.ndim == 2 or (array.ndim == 3 and array.shape[2] <= MAX_CHANNELS)
    # No image of many channels is four pixels high: its channels come first.
    is_transposed = array.ndim == 3 and array.shape[0] <= 4 < min(array.shape[1:])
    if not is_image or is_transposed or not array.size:
        raise StudioError(
            "An array must have the shape (height, width) or (height, width, channels) with "
            "at most {limit} channels; image {number} has {shape}.",
            "Move the channels to the end; a batch of gray images is pixels[..., None].",
            "pictures",
            number=number,
            shape=array.shape,
            limit=MAX_CHANNELS,
        )
    return np.ascontiguousarray(array)
