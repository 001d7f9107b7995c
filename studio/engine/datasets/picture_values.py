"""Pixels of pictures with their own values: 16 bits, fractions, any number of channels.

Pictures of 8 bits, gray or color, are decoded by Pillow alone, see `decode`. All others go
through here: read without loss, converted to the channels of the recipe, and resized channel by
channel.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.datasets.plane_choices import FIRST, uses_all
from studio.engine.datasets.planes import chosen_info, chosen_pixels, missing_pixels
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.pictures import open_picture
from studio.engine.pictures.formats import FORMATS, HEAD
from studio.engine.pictures.info import (
    PartOfPicture,
    PictureFile,
    PictureInfo,
    WindowedPicture,
)
from studio.engine.pixel_format import PixelFormat
from studio.engine.tasks.placement import Placement, Tile, placement

if TYPE_CHECKING:
    from studio.engine.arrays import Floats

_File = TypeVar("_File", bound=BinaryIO | Path)
_SAMPLED_TILES = 64
"""Tiles of a large picture whose range of values is read, about."""
_LUMA = np.array([0.299, 0.587, 0.114], np.float64)


class PixelFacts(NamedTuple):
    """Number format of the pixels of a picture.

    Attributes:
        dtype: NumPy's name of their type.
        channels: Number of channels.
        low: Smallest value: of 8 bits the smallest possible one.
        high: Largest value: of 8 bits the largest possible one.
        has_frames: True if the file has several planes, of which one is decoded.
    """

    dtype: str
    channels: int
    low: float
    high: float
    has_frames: bool = False


def needs_reader(file: BinaryIO | Path, planes: str = FIRST) -> bool:
    """Return True for a picture that Pillow does not read whole.

    Args:
        file: Encoded bytes, seekable; or a file's path.
        planes: Choice of planes.
    """
    start = _start_of(file)
    return planes != FIRST or any(each.accepts(start) for each in FORMATS)


def array_file(pixels: NDArray[np.generic]) -> bytes:
    """Return an image as the bytes of an NPY file with one plane, which are never ambiguous.

    Args:
        pixels: Shape (height, width) or (height, width, channels).
    """
    file = BytesIO()
    plane = np.ascontiguousarray(pixels).reshape(1, 1, *pixels.shape[:2], -1)
    npy.write_array(file, plane, allow_pickle=False)
    return file.getvalue()


def opened(file: BinaryIO | Path) -> contextlib.AbstractContextManager[PictureFile]:
    """Open a picture of any format at its beginning.

    Args:
        file: Encoded bytes, seekable; or a file's path.
    """
    return open_picture(_rewound(file))


def read_header(file: BinaryIO | Path, planes: str = FIRST) -> PictureInfo:
    """Read the properties of a picture without decoding it.

    Args:
        file: Encoded bytes, seekable; or a file's path.
        planes: Choice of planes.

    Raises:
        BadDataError: It is no picture; the message is a short reason.
    """
    with opened(file) as picture:
        return chosen_info(picture.info, planes)


def read_values(
    file: BinaryIO | Path, planes: str = FIRST, plane: int | None = None
) -> tuple[PictureInfo, Pixels]:
    """Decode a picture, upright, with its values as they are.

    Args:
        file: See `read_header`.
        planes: Choice of planes.
        plane: Number of the plane from 0, where each is an image.

    Returns:
        Its properties, and its pixels, shape (height, width, channels).

    Raises:
        BadDataError: It cannot be used; the message is a short reason.
    """
    with opened(file) as picture:
        info = chosen_info(picture.info, planes)
        return info, chosen_pixels(picture, planes, plane)


class ReadValues(NamedTuple):
    """A decoded picture.

    Attributes:
        info: Its properties.
        pixels: Its pixels, shape (height, width, channels).
        missing: Pixels without a value, shape (height, width); None if all have one.
    """

    info: PictureInfo
    pixels: Pixels
    missing: NDArray[np.bool_] | None

    def notes(self, *, is_masked: bool) -> list[Text]:
        """Return sentences about contents that are not used.

        Args:
            is_masked: True if pixels without a value are ignored in a mask.
        """
        found = list(self.info.notes)
        if self.missing is not None:
            found.append(missing_note(int(self.missing.sum()), is_masked=is_masked))
        return found


def missing_note(count: int, *, is_masked: bool) -> Text:
    """Return the sentence about pixels without a value.

    Args:
        count: Number of pixels.
        is_masked: True if they are ignored in a mask.
    """
    if is_masked:
        return message(
            "{count:,} pixels without data count neither in training nor in metrics",
            one="one pixel without data counts neither in training nor in metrics",
            count=count,
        )
    return message(
        "{count:,} pixels without data became dark",
        one="one pixel without data became dark",
        count=count,
    )


def read_all(picture: PictureFile, planes: str = FIRST, plane: int | None = None) -> ReadValues:
    """Decode an open picture as `read_values` does, and say which pixels have no value.

    Args:
        picture: The picture.
        planes: Choice of planes.
        plane: Number of the plane from 0, where each plane is an image.

    Raises:
        BadDataError: It cannot be used; the message is a short reason.
    """
    info = chosen_info(picture.info, planes)
    pixels = chosen_pixels(picture, planes, plane)
    return ReadValues(info, pixels, missing_pixels(picture, planes, plane))


def decoding_bytes(info: PictureInfo) -> int:
    """Estimate the memory for decoding a picture: its pixels, and two copies in 64 bits."""
    return info.width * info.height * info.channels * (np.dtype(info.dtype).itemsize + 16)


def _start_of(file: BinaryIO | Path) -> bytes:
    if isinstance(file, Path):
        try:
            with file.open("rb") as handle:
                return handle.read(HEAD)
        except OSError:
            return b""  # the caller opens it again, and says what is wrong
    file.seek(0)
    start = file.read(HEAD)
    file.seek(0)
    return start


def _rewound(file: _File) -> _File:
    if not isinstance(file, Path):
        file.seek(0)
    return file


def facts_of(header: PictureInfo, values: Pixels, planes: str = FIRST) -> PixelFacts:
    """Return the number format of a picture.

    Args:
        header: Its properties.
        values: Its pixels.
        planes: Choice of planes.
    """
    low, high = 0.0, 255.0
    if header.dtype != "uint8":
        finite = values[np.isfinite(values)] if header.dtype == "float32" else values
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    has_more = header.planes > 1 and not uses_all(planes)
    return PixelFacts(header.file_dtype, header.channels, low, high, has_more)


def facts_of_parts(
    picture: WindowedPicture, tiles: Sequence[Tile], planes: str, plane: int | None
) -> PixelFacts:
    """Return the number format of a picture that is read tile by tile.

    The range is that of its 8 bits, or of its tiles, of which every `n`-th is read.

    Args:
        picture: The picture.
        tiles: Tiles that cover it.
        planes: Choice of planes.
        plane: Number of the plane from 0, where each plane is an image.
    """
    every = max(1, len(tiles) // _SAMPLED_TILES) if picture.info.dtype != "uint8" else len(tiles)
    found = []
    for tile in tiles[::every]:
        part = PartOfPicture(picture, inside(tile, picture.info.size))
        header = chosen_info(part.info, planes)
        found.append(facts_of(header, chosen_pixels(part, planes, plane), planes))
    low, high = min(each.low for each in found), max(each.high for each in found)
    return found[0]._replace(low=low, high=high)


def inside(tile: Tile, full: tuple[int, int]) -> Tile:
    """Return the part of a tile that lies inside of a picture.

    Args:
        tile: The tile, whose corner is inside.
        full: Width and height of the picture.
    """
    left, top, width, height = tile
    return left, top, min(width, full[0] - left), min(height, full[1] - top)


def with_channels(header: PictureInfo, values: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Return the pixels of a picture with the channels that a recipe asks for, all finite.

    Args:
        header: Properties of the picture.
        values: Its pixels, shape (height, width, channels).
        recipe: Color, background and number format.

    Raises:
        BadDataError: It has another type or other channels; the message is a short reason.
    """
    if not has_type_of(header, recipe):
        raise BadDataError(
            "it has pixels of the type {received}; the dataset has {expected}, and their "
            "brightness cannot be compared",
            received=header.dtype,
            expected=required_format(recipe).dtype,
        )
    return _finite(converted(header, values, recipe), required_format(recipe))


def converted(header: PictureInfo, values: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Return the pixels of a picture as `with_channels` does; missing values stay missing.

    Args:
        header: See `with_channels`.
        values: See `with_channels`.
        recipe: See `with_channels`.

    Raises:
        BadDataError: See `with_channels`.
    """
    pixels = required_format(recipe)
    if recipe.color == "all":
        if header.channels != pixels.channels:
            raise BadDataError(
                message(
                    "it has {channels} channels; the dataset has {expected}",
                    one="it has one channel; the dataset has {expected}",
                    count=header.channels,
                    channels=header.channels,
                    expected=pixels.channels,
                )
            )
        return values
    colors = require_colors(header)
    if header.has_alpha:
        values = _on_background(values, pixels, recipe)
    if recipe.color == "rgb":
        return _three_equal(values) if colors == 1 else values
    return values if colors == 1 else _like((values @ _LUMA)[..., None], values.dtype)


def _three_equal(gray: Pixels) -> Pixels:
    """Return a gray picture as three channels that share its memory; see `_resized`."""
    return np.broadcast_to(gray, (*gray.shape[:2], 3))


def has_type_of(header: PictureInfo, recipe: DatasetRecipe) -> bool:
    """Return True for a picture of the type that a recipe reads, or reduced to 8 bits as it asks.

    Args:
        header: Properties of the picture.
        recipe: Bit depth and number format.
    """
    is_reduced = recipe.bit_depth == "8" and header.dtype == "uint8"
    return is_reduced or header.dtype == required_format(recipe).dtype


def require_colors(header: PictureInfo) -> int:
    """Return the number of channels of a picture without its opacity: 1 for gray, 3 for color.

    Raises:
        BadDataError: It is neither gray nor color; the message is a short reason.
    """
    colors = header.channels - header.has_alpha
    if colors not in {1, 3}:
        raise BadDataError(
            "it has {channels} channels, which are neither gray nor color; import all channels",
            channels=header.channels,
        )
    return colors


def required_format(recipe: DatasetRecipe) -> PixelFormat:
    """Return the number format of the pixels that are read.

    Raises:
        ValueError: The recipe was not resolved.
    """
    return recipe.pixel_format if recipe.pixels is None else recipe.pixels


def _finite(values: Pixels, pixels: PixelFormat) -> Pixels:
    """Replace values that are not finite by the ends of the range of their channel."""
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return values
    low, high = _range_of(values, pixels)
    known = np.where(np.isposinf(values), high, np.where(np.isfinite(values), values, low))
    return known.astype(np.float32)


def _range_of(values: Pixels, pixels: PixelFormat) -> tuple[Floats, Floats]:
    """Return the lowest and highest value of each channel; with `per_image` of the image."""
    low, high = np.array(pixels.low, np.float64), np.array(pixels.high, np.float64)
    if values.dtype == np.uint8 and pixels.dtype != "uint8":  # it was reduced already
        return np.zeros(1), np.full(1, _largest(values.dtype))
    if not pixels.per_image:
        return low, high
    known = np.isfinite(values)
    lowest = np.where(known, values, np.inf).min(axis=(0, 1))
    highest = np.where(known, values, -np.inf).max(axis=(0, 1))
    return (
        np.where(np.isfinite(lowest), lowest, low),
        np.where(np.isfinite(highest), highest, high),
    )


def _on_background(values: Pixels, pixels: PixelFormat, recipe: DatasetRecipe) -> Pixels:
    """Put a picture with an opacity as its last channel on the background."""
    full = 1.0 if values.dtype.kind == "f" else _largest(values.dtype)
    opacity = values[..., -1:].astype(np.float64) / full
    colors = values[..., :-1]
    behind = _background(recipe, pixels, colors)
    if colors.shape[2] != len(behind):
        behind = behind.mean(keepdims=True)
    return _like(colors * opacity + behind * (1 - opacity), values.dtype)


def _background(recipe: DatasetRecipe, pixels: PixelFormat, values: Pixels) -> Floats:
    """Return the value of each channel of the background: that part of the range."""
    color = np.array(recipe.background_rgb, np.float64)
    parts = color if pixels.is_rgb else np.full(pixels.channels, color @ _LUMA)
    low, high = _range_of(values, pixels)
    behind: Floats = low + parts / 255 * (high - low)
    return behind


def _like(values: NDArray[np.floating[Any]], dtype: np.dtype[Any]) -> Pixels:
    """Return numbers as a type of pixels: rounded and clipped where it has no fractions."""
    if dtype.kind == "f":
        return values.astype(np.float32)
    rounded: Pixels = np.clip(np.rint(values), 0, _largest(dtype)).astype(dtype)
    return rounded


def _largest(dtype: np.dtype[Any]) -> float:
    """Return the largest value of a type of whole numbers."""
    return float(np.iinfo(dtype).max)


def cut(values: Pixels, tile: Tile, recipe: DatasetRecipe) -> Pixels:
    """Cut out a part of a picture; what lies outside is background.

    Args:
        values: Its pixels, shape (height, width, channels).
        tile: The part.
        recipe: Background and number format.
    """
    left, top, width, height = tile
    inside = values[top : top + height, left : left + width]
    if inside.shape[:2] == (height, width):
        return inside
    canvas = _canvas((height, width), recipe, inside)
    canvas[: inside.shape[0], : inside.shape[1]] = inside
    return canvas


def _canvas(sides: tuple[int, int], recipe: DatasetRecipe, content: Pixels) -> Pixels:
    behind = _like(_background(recipe, required_format(recipe), content), content.dtype)
    return np.tile(behind, (*sides, 1))


def fitted(values: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Bring a picture to the size and the number format of a recipe.

    Args:
        values: Its pixels, with the channels of the recipe.
        recipe: Size, way of resizing, border and number format.
    """
    size = recipe.width, recipe.height
    place = placement((values.shape[1], values.shape[0]), size, recipe.resize)
    content = _resized(values, place)
    if place.content != size:
        content = _bordered(content, place, recipe)
    return np.ascontiguousarray(_stored(content, recipe))


def _resized(values: Pixels, place: Placement) -> Pixels:
    """Resize each channel by Pillow alone: identical on every machine."""
    if values.shape[2] == 3 and values.strides[2] == 0:  # equal channels: once is enough
        return _three_equal(_resized(values[..., :1], place))
    whole = (0.0, 0.0, float(values.shape[1]), float(values.shape[0]))
    if place.box == whole and place.content == (values.shape[1], values.shape[0]):
        return values
    channels = [
        np.asarray(
            Image.fromarray(np.ascontiguousarray(values[..., channel], np.float32)).resize(
                place.content, Image.Resampling.BILINEAR, box=place.box
            )
        )
        for channel in range(values.shape[2])
    ]
    return _like(np.stack(channels, axis=-1), values.dtype)


def _bordered(content: Pixels, place: Placement, recipe: DatasetRecipe) -> Pixels:
    left, top = place.corner
    height, width = content.shape[:2]
    if recipe.border == "reflect":
        below, right = recipe.height - top - height, recipe.width - left - width
        return np.pad(content, ((top, below), (left, right), (0, 0)), mode="symmetric")
    canvas = _canvas((recipe.height, recipe.width), recipe, content)
    canvas[top : top + height, left : left + width] = content
    return canvas


def _stored(values: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Return pixels in the number format that is stored: as they are, or reduced to 8 bits."""
    if recipe.bit_depth == "source" or values.dtype == np.uint8:
        return values
    return _like(required_format(recipe).network_values(values), np.dtype(np.uint8))
