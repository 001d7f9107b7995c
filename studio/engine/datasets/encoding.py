"""Encoding of images in datasets: raw pixels, or the bytes of a PNG or a JPEG file."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import BytePixels, Pixels
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.picture_files import PARSER_ERRORS
from studio.engine.pixel_format import PixelType

_KINDS = ("PNG", "JPEG")
_MODES = {1: "L", 3: "RGB"}
# Tables made for the image take a third off a JPEG of 32 x 32 and hardly anything off a large one.
# The whole file must then fit into Pillow's buffer of 64 KB: noise of full quality is 1.1 times
# as large as its pixels.
_LARGEST_OPTIMIZED = 48 * 2**10
_PNG_HEADER = 24
"""Bytes of a PNG file up to its height."""


def require_encodable(recipe: DatasetRecipe) -> None:
    """Refuse an encoding that would lose what the pixels of a recipe are.

    Raises:
        StudioError: PNG or JPEG cannot store them.
    """
    pixels = recipe.pixel_format
    allowed = {"raw": True, "png": pixels.dtype != "float32", "jpeg": pixels.dtype == "uint8"}
    if allowed[recipe.encoding] and (recipe.encoding == "raw" or pixels.channels in _MODES):
        return
    raise StudioError(
        message(
            "{encoding} cannot store images of {channels} channels of the type {dtype}.",
            one="{encoding} cannot store images of one channel of the type {dtype}.",
            count=pixels.channels,
            encoding=recipe.encoding.upper(),
            channels=pixels.channels,
            dtype=pixels.dtype,
        ),
        "Choose raw pixels, or 8 bits and gray or color.",
        "encoding",
    )


def encode(pixels: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Encode an image as a dataset stores it.

    Args:
        pixels: H x W x C; of 1 or 3 channels for files, see `require_encodable`.
        recipe: Says how.

    Returns:
        The pixels themselves, or the bytes of a file, shape (length,).
    """
    if recipe.encoding == "raw":
        return pixels
    if pixels.dtype == np.uint16:
        return deep_png(pixels)
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    buffer = BytesIO()
    if recipe.encoding == "png":
        # As small as Pillow's own choice within a tenth, and three times as fast to write.
        image.save(buffer, "PNG", compress_type=zlib.Z_RLE)
    else:
        # Color in full resolution: at these sizes half of it would be seen.
        small = pixels.size <= _LARGEST_OPTIMIZED
        image.save(buffer, "JPEG", quality=recipe.jpeg_quality, subsampling=0, optimize=small)
    return np.frombuffer(buffer.getvalue(), np.uint8)


def deep_png(pixels: Pixels) -> BytePixels:
    """Return a PNG file of 16 bits; Pillow writes none in color."""
    import cv2  # noqa: PLC0415 - takes 100 ms, and few datasets need it

    options = [cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_RLE]
    _, data = cv2.imencode(".png", np.ascontiguousarray(pixels[..., ::-1]), options)
    return data.astype(np.uint8, copy=False)


def _decoded_deep(data: Pixels, shape: tuple[int, int, int]) -> Pixels:
    """Return the pixels of a file that `deep_png` made.

    Raises:
        BadDataError: The bytes are damaged, or another image.
    """
    import cv2  # noqa: PLC0415 - as above

    start = data[:_PNG_HEADER].tobytes()
    sides = int.from_bytes(start[20:24]), int.from_bytes(start[16:20])
    # Asked before anything is decoded: damaged numbers may promise a huge picture.
    found = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if sides == shape[:2] else None
    if found is None or found.dtype != np.uint16 or found.size != np.prod(shape):
        raise BadDataError("its data is damaged or truncated")
    pixels: Pixels = found.reshape(shape)[..., ::-1].astype(np.uint16, copy=False)
    return pixels


def decode(data: Pixels, shape: tuple[int, int, int], dtype: PixelType = "uint8") -> Pixels:
    """Return the pixels of an image that `encode` made bytes of.

    Args:
        data: The bytes of the file, uint8.
        shape: Height, width and channels that it must have.
        dtype: NumPy's name of the type that it must have.

    Returns:
        H x W x C.

    Raises:
        BadDataError: The bytes are damaged; the message is a short reason.
    """
    if dtype == "uint16":
        return _decoded_deep(data, shape)
    height, width, channels = shape
    try:
        with Image.open(BytesIO(data.data), formats=_KINDS) as image:
            # Asked before anything is decoded: damaged numbers may promise a huge picture.
            if image.size != (width, height) or image.mode != _MODES[channels]:
                raise BadDataError(
                    "it is {width}x{height} {mode}, not {expected_width}x{expected_height} "
                    "{expected_mode}",
                    width=image.width,
                    height=image.height,
                    mode=image.mode,
                    expected_width=width,
                    expected_height=height,
                    expected_mode=_MODES[channels],
                )
            return np.asarray(image).reshape(shape)
    except (*PARSER_ERRORS, Image.DecompressionBombError) as error:
        raise BadDataError("its data is damaged or truncated") from error


def stored_and_seen(pixels: Pixels, recipe: DatasetRecipe) -> tuple[NDArray[Any], NDArray[Any]]:
    """Encode an image; return the stored form and the pixels that are read back from it.

    Args:
        pixels: Shape (height, width, channels).
        recipe: Its encoding.
    """
    stored = encode(pixels, recipe)
    if recipe.encoding != "jpeg":
        return stored, pixels
    height, width, channels = pixels.shape
    return stored, decode(stored, (height, width, channels))
