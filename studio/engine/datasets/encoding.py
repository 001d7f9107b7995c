"""Encoding of images in datasets: raw pixels, or the bytes of a PNG or a JPEG file."""

from __future__ import annotations

import zlib
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.picture_files import PARSER_ERRORS

_KINDS = ("PNG", "JPEG")
_MODES = {1: "L", 3: "RGB"}
# Tables made for the image take a third off a JPEG of 32 x 32 and hardly anything off a large one.
# The whole file must then fit into Pillow's buffer of 64 KB: noise of full quality is 1.1 times
# as large as its pixels.
_LARGEST_OPTIMIZED = 48 * 2**10


def encode(pixels: NDArray[np.uint8], recipe: DatasetRecipe) -> NDArray[np.uint8]:
    """Encode an image as a dataset stores it.

    Args:
        pixels: H x W x C, of 1 or 3 channels.
        recipe: Says how.

    Returns:
        The pixels themselves, or the bytes of a file, shape (length,).
    """
    if recipe.encoding == "raw":
        return pixels
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


def decode(data: NDArray[np.uint8], shape: tuple[int, int, int]) -> NDArray[np.uint8]:
    """Return the pixels of an image that `encode` made bytes of.

    Args:
        data: The bytes of the file.
        shape: Height, width and channels that it must have.

    Returns:
        H x W x C.

    Raises:
        BadDataError: The bytes are damaged; the message is a short reason.
    """
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


def stored_and_seen(
    pixels: NDArray[np.uint8], recipe: DatasetRecipe
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
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
