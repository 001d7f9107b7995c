"""Pixels of pictures with their own values: 16 bits, fractions, any number of channels.

Pictures of 8 bits, gray or color, are decoded by Pillow alone, see `decode`. All others go
through here: read without loss, converted to the channels of the recipe, and resized channel by
channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.picture_files import (
    LARGEST_PIXELS,
    frame_of,
    opened_picture,
    orientation_of,
    upright,
)
from studio.engine.pixel_format import MAX_CHANNELS, PixelFormat, PixelType
from studio.engine.tasks.placement import Placement, Tile, placement

if TYPE_CHECKING:
    from studio.engine.arrays import Floats

_NPY_START = b"\x93NUMPY"
_NPY_HEADER = 4096
_PNG_START = b"\x89PNG\r\n\x1a\n"
_PNG_DEPTH, _PNG_COLOR = 24, 25
"""Positions of the bits of a value and of the kind of color in a PNG file."""
_PNG_COLORS = {2: 3, 4: 2, 6: 4}
"""Channels of the kinds of color that have more than gray."""
_TYPES: dict[str, PixelType] = {"uint8": "uint8", "uint16": "uint16"}
"""Types of whole numbers that are kept; others become fractions."""
_LUMA = np.array([0.299, 0.587, 0.114], np.float64)
_LARGEST_PICTURE = 2**31
"""Bytes of the pixels of a picture at most."""


class PixelFacts(NamedTuple):
    """Number format of the pixels of a picture.

    Attributes:
        dtype: NumPy's name of their type.
        channels: Number of channels.
        low: Smallest value: of 8 bits the smallest possible one.
        high: Largest value: of 8 bits the largest possible one.
        has_frames: True if the file has several frames or pages, of which the first is decoded.
    """

    dtype: str
    channels: int
    low: float
    high: float
    has_frames: bool = False


@dataclass(frozen=True, slots=True)
class PictureHeader:
    """Properties of a picture before it is decoded.

    Attributes:
        size: Width and height in pixels, as shown.
        dtype: Type of its pixels as they are read.
        channels: Number of channels, with the opacity.
        has_alpha: True if the last channel is the opacity.
        has_frames: True if the file has several frames or pages.
    """

    size: tuple[int, int]
    dtype: PixelType
    channels: int
    has_alpha: bool = False
    has_frames: bool = False

    @property
    def decoding_bytes(self) -> int:
        """Estimate of the memory for decoding: the pixels, and two copies in 64 bits."""
        width, height = self.size
        return width * height * self.channels * (np.dtype(self.dtype).itemsize + 16)


def is_array(file: BinaryIO | Path) -> bool:
    """Return True for the bytes of an NPY file."""
    return _start_of(file).startswith(_NPY_START)


def array_file(pixels: NDArray[np.generic]) -> bytes:
    """Return an image as the bytes of an NPY file.

    Args:
        pixels: Shape (height, width) or (height, width, channels).
    """
    file = BytesIO()
    npy.write_array(file, np.ascontiguousarray(pixels), allow_pickle=False)
    return file.getvalue()


def read_header(file: BinaryIO | Path) -> PictureHeader:
    """Read the properties of a picture without decoding it.

    Args:
        file: Encoded bytes, seekable; or a file's path.

    Raises:
        BadDataError: It is no picture; the message is a short reason.
    """
    start = _start_of(file)
    if start.startswith(_NPY_START):
        shape, dtype = _array_header(start)
        return PictureHeader((shape[1], shape[0]), dtype, shape[2])
    with opened_picture(file) as image:
        return _header_of(image, start, frame_of(image).shown)


def read_values(file: BinaryIO | Path) -> tuple[PictureHeader, Pixels]:
    """Decode the first plane of a picture, upright, with its values as they are.

    Args:
        file: See `read_header`.

    Returns:
        Its properties, and its pixels, shape (height, width, channels).

    Raises:
        BadDataError: It cannot be used; the message is a short reason.
    """
    start = _start_of(file)
    if start.startswith(_NPY_START):
        return _read_array(file, start)
    with opened_picture(file) as image:
        turn = orientation_of(image)
        header = _header_of(image, start, image.size)
        if header.dtype == "uint16" and header.channels > 1:
            values = _turned(_deep_png(file), turn)
        else:
            image.load()
            whole = upright(image)
            if whole.mode not in {"L", "LA", "RGB", "RGBA"} and header.dtype == "uint8":
                whole = whole.convert("RGBA" if whole.has_transparency_data else "RGB")
            values = np.asarray(whole)
        values = values[..., None] if values.ndim == 2 else values
        size = values.shape[1], values.shape[0]
        found = PictureHeader(
            size, header.dtype, values.shape[2], header.has_alpha, header.has_frames
        )
        return found, values.astype(header.dtype, copy=False)


def _start_of(file: BinaryIO | Path) -> bytes:
    if isinstance(file, Path):
        try:
            with file.open("rb") as handle:
                return handle.read(_NPY_HEADER)
        except OSError:
            return b""  # the caller opens it again, and says what is wrong
    file.seek(0)
    start = file.read(_NPY_HEADER)
    file.seek(0)
    return start


def _header_of(image: Image.Image, start: bytes, size: tuple[int, int]) -> PictureHeader:
    # The other pictures of an MPO are previews of the first one.
    has_frames = image.format != "MPO" and bool(getattr(image, "is_animated", False))
    deep = _deep_png_channels(start)
    if deep:
        return PictureHeader(size, "uint16", deep, deep in {2, 4}, has_frames)
    is_short = image.mode.startswith("I;16") or (image.mode == "I" and image.format != "TIFF")
    if is_short:
        return PictureHeader(size, "uint16", 1, has_frames=has_frames)
    if image.mode in {"I", "F"}:
        return PictureHeader(size, "float32", 1, has_frames=has_frames)
    has_alpha = image.has_transparency_data
    colors = 1 if image.mode in {"1", "L", "LA"} else 3
    return PictureHeader(size, "uint8", colors + has_alpha, has_alpha, has_frames)


def _deep_png_channels(start: bytes) -> int:
    """Return the channels of a PNG file of 16 bits with color or opacity; 0 for other files."""
    if not start.startswith(_PNG_START) or len(start) <= _PNG_COLOR or start[_PNG_DEPTH] != 16:
        return 0
    return _PNG_COLORS.get(start[_PNG_COLOR], 0)


def _deep_png(file: BinaryIO | Path) -> Pixels:
    """Decode a PNG file of 16 bits, whose size was checked; Pillow would drop 8 of them."""
    import cv2  # noqa: PLC0415 - takes 100 ms, and only such files need it

    if isinstance(file, Path):
        data = file.read_bytes()
    else:
        file.seek(0)
        data = file.read()
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if found is None or found.dtype != np.uint16:
        raise BadDataError("the image is damaged or truncated")
    values: Pixels = found.reshape(*found.shape[:2], -1).astype(np.uint16, copy=False)
    return values[..., [2, 1, 0, *range(3, values.shape[2])]] if values.shape[2] >= 3 else values


_TURNS = {
    2: (0, True),
    3: (2, False),
    4: (2, True),
    5: (1, True),
    6: (3, False),
    7: (3, True),
    8: (1, False),
}


def _turned(values: Pixels, orientation: int) -> Pixels:
    quarters, is_mirrored = _TURNS.get(orientation, (0, False))
    flipped = values[:, ::-1] if is_mirrored else values
    return np.rot90(flipped, quarters)


def _array_header(start: bytes) -> tuple[tuple[int, int, int], PixelType]:
    """Return the shape, with channels, and the type of an NPY file that `array_file` made."""
    try:
        file = BytesIO(start)
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, dtype = read(file)
    except (ValueError, TypeError, SyntaxError, EOFError) as error:
        raise BadDataError("the header of the array is damaged") from error
    full = (*shape, 1) if len(shape) == 2 else shape
    if len(full) != 3 or min(full) < 1 or full[2] > MAX_CHANNELS:
        raise BadDataError("images of shape {shape} are not supported", shape=shape)
    if dtype.kind not in "buif" or dtype.itemsize > 8 or is_fortran:
        raise BadDataError("values of type {dtype} are not pixels", dtype=dtype)
    if full[0] * full[1] > LARGEST_PIXELS or dtype.itemsize * np.prod(full) > _LARGEST_PICTURE:
        raise BadDataError("more than {limit} million pixels", limit=LARGEST_PIXELS // 10**6)
    return full, _TYPES.get(dtype.name, "float32")


def _read_array(file: BinaryIO | Path, start: bytes) -> tuple[PictureHeader, Pixels]:
    shape, dtype = _array_header(start)
    try:
        if isinstance(file, Path):
            with file.open("rb") as handle:
                values = npy.read_array(handle, allow_pickle=False)
        else:
            values = npy.read_array(file, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise BadDataError("the array is damaged or truncated") from error
    header = PictureHeader((shape[1], shape[0]), dtype, shape[2])
    return header, values.reshape(shape).astype(dtype, copy=False)


def facts_of(header: PictureHeader, values: Pixels) -> PixelFacts:
    """Return the number format of a picture.

    Args:
        header: Its properties.
        values: Its pixels.
    """
    low, high = 0.0, 255.0
    if header.dtype != "uint8":
        finite = values[np.isfinite(values)] if header.dtype == "float32" else values
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    return PixelFacts(header.dtype, header.channels, low, high, header.has_frames)


def with_channels(header: PictureHeader, values: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Return the pixels of a picture with the channels that a recipe asks for.

    Args:
        header: Properties of the picture.
        values: Its pixels, shape (height, width, channels).
        recipe: Color, background and number format.

    Raises:
        BadDataError: It has other channels, or values that the type of the dataset cannot hold.
    """
    pixels = required_format(recipe)
    values = _finite(values, pixels)
    if recipe.color == "all":
        if header.channels != pixels.channels:
            raise BadDataError(
                "it has {channels} channels; the dataset has {expected}",
                channels=header.channels,
                expected=pixels.channels,
            )
        return values
    colors = header.channels - header.has_alpha
    if colors not in {1, 3}:
        raise BadDataError(
            "it has {channels} channels, which are neither gray nor color; import all channels",
            channels=header.channels,
        )
    if header.has_alpha:
        values = _on_background(values, pixels, recipe)
    if recipe.color == "rgb":
        return np.repeat(values, 3, axis=2) if colors == 1 else values
    return values if colors == 1 else _like((values @ _LUMA)[..., None], values.dtype)


def required_format(recipe: DatasetRecipe) -> PixelFormat:
    """Return the number format of the pixels that are read.

    Raises:
        ValueError: The recipe was not resolved.
    """
    return recipe.pixel_format if recipe.pixels is None else recipe.pixels


def _finite(values: Pixels, pixels: PixelFormat) -> Pixels:
    """Replace values that are not finite by the ends of the range."""
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return values
    low, high = min(pixels.low), max(pixels.high)
    return np.nan_to_num(values, nan=low, posinf=high, neginf=low)


def _on_background(values: Pixels, pixels: PixelFormat, recipe: DatasetRecipe) -> Pixels:
    """Put a picture with an opacity as its last channel on the background."""
    full = 1.0 if values.dtype.kind == "f" else _largest(values.dtype)
    opacity = values[..., -1:].astype(np.float64) / full
    colors = values[..., :-1]
    behind = background_values(recipe, pixels)
    if colors.shape[2] != len(behind):
        behind = behind.mean(keepdims=True)
    return _like(colors * opacity + behind * (1 - opacity), values.dtype)


def background_values(recipe: DatasetRecipe, pixels: PixelFormat) -> Floats:
    """Return the value of each channel of the background.

    Args:
        recipe: Its background.
        pixels: Number format: the background is that part of its range.
    """
    color = np.array(recipe.background_rgb, np.float64)
    parts = color if pixels.is_rgb else np.full(pixels.channels, color @ _LUMA)
    low, high = np.array(pixels.low), np.array(pixels.high)
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
    canvas = _canvas((height, width), recipe, values.dtype)
    canvas[: inside.shape[0], : inside.shape[1]] = inside
    return canvas


def _canvas(sides: tuple[int, int], recipe: DatasetRecipe, dtype: np.dtype[Any]) -> Pixels:
    behind = _like(background_values(recipe, required_format(recipe)), dtype)
    return np.tile(behind, (*sides, 1))


def fitted(values: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Bring a picture to the size and the number format of a recipe.

    Args:
        values: Its pixels, with the channels of the recipe.
        recipe: Size, way of resizing, border and number format.

    Raises:
        BadDataError: The type of the dataset cannot hold its values; the message is a reason.
    """
    exact = _as_type(values, required_format(recipe))
    size = recipe.width, recipe.height
    place = placement((values.shape[1], values.shape[0]), size, recipe.resize)
    content = _resized(exact, place)
    if place.content != size:
        content = _bordered(content, place, recipe)
    return _stored(content, recipe)


def _as_type(values: Pixels, pixels: PixelFormat) -> Pixels:
    """Return pixels as the type of a dataset, without loss."""
    wanted = pixels.numpy_dtype
    if values.dtype == wanted:
        return values
    cast = values.astype(wanted)
    if wanted.kind != "f" and not np.array_equal(cast, values):
        raise BadDataError(
            "its values from {low:g} to {high:g} do not fit into {dtype}, the type of the dataset",
            low=float(values.min()),
            high=float(values.max()),
            dtype=pixels.dtype,
        )
    return cast


def _resized(values: Pixels, place: Placement) -> Pixels:
    """Resize each channel by Pillow alone: identical on every machine."""
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
    canvas = _canvas((recipe.height, recipe.width), recipe, content.dtype)
    canvas[top : top + height, left : left + width] = content
    return canvas


def _stored(values: Pixels, recipe: DatasetRecipe) -> Pixels:
    """Return pixels in the number format that is stored: as they are, or reduced to 8 bits."""
    if recipe.bit_depth == "source":
        return values
    return _like(required_format(recipe).network_values(values), np.dtype(np.uint8))
