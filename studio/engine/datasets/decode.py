"""Decodes a picture of any format to the array defined by a recipe.

Import and prediction call the same `load_image`. What is predicted is resized by Pillow alone, as
in the script that goes with an exported model: both say the same, to the last digit. An import
shrinks large pictures with vector instructions, and may be a level away.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import BytePixels, Pixels
from studio.engine.datasets import picture_values
from studio.engine.datasets.picture_values import PixelFacts
from studio.engine.datasets.planes import (
    check_stopped,
    chosen_info,
    chosen_pixels,
    missing_pixels,
)
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError
from studio.engine.messages import Text
from studio.engine.picture_files import frame_of, opened_picture, upright
from studio.engine.pictures.info import (
    PartOfPicture,
    PictureFile,
    PictureInfo,
    WindowedPicture,
    windows_of,
)
from studio.engine.pictures.ordinary import file_type_of
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import Regions
from studio.engine.tasks.placement import MIN_OVERLAP, Placement, Tile, placement, reflected

# Bilinear resizing with every pixel of the original counted, as fast as the processor allows.

try:
    import cykooz_resizer as simd  # type: ignore[import-untyped]  # it ships no types
except ImportError:  # no wheel for this processor
    simd = None

# What decides about the pixels; part of the name of an import that may be continued.
RESIZER = "pillow" if simd is None else "simd"


_WORTH_IT = 2
"""Ratio of input to output pixels from which vector instructions are used."""


def resized(
    image: Image.Image, size: tuple[int, int], box: tuple[float, float, float, float]
) -> Image.Image:
    """Resize a part of an image; the filter widens as the image shrinks (antialiasing).

    Where an image shrinks, the vector instructions of `cykooz_resizer` take a sixth of the time of
    Pillow's loops. It is the same filter with other roundings: 0.2 levels away on average, and two
    at the very most.

    Args:
        image: Image of mode L or RGB.
        size: Width and height of the result.
        box: Left, top, right and bottom of the part, in pixels of `image`; inside of it.

    Returns:
        Of the same mode; `image` itself if it stays as it is.
    """
    left, top, right, bottom = box
    shrinks = (right - left) * (bottom - top) >= _WORTH_IT * size[0] * size[1]
    if simd is None or not shrinks:
        return resized_exactly(image, size, box)
    options = simd.ResizeOptions(
        resize_alg=simd.ResizeAlg.convolution(simd.FilterType.bilinear),
        use_alpha=False,
        crop_box=simd.CropBox(left, top, right - left, bottom - top),
    )
    result = Image.new(image.mode, size)
    simd.Resizer().resize_pil(image, result, options)  # not shared: threads would have to wait
    return result


def resized_exactly(
    image: Image.Image, size: tuple[int, int], box: tuple[float, float, float, float]
) -> Image.Image:
    """Resize as `resized` does, with Pillow alone: identical on every machine.

    Args:
        image: The image.
        size: New width and height, in pixels.
        box: Left, top, right and bottom of the used area, in pixels.
    """
    left, top, right, bottom = box
    if size == image.size and size[0] == right - left and size[1] == bottom - top:
        return image
    return image.resize(size, Image.Resampling.BILINEAR, box=box)


# Changed whenever the same file would give other pixels, so that no dataset mixes the two.
DECODE_VERSION = 4


def load_image(
    file: BinaryIO | Path,
    recipe: DatasetRecipe,
    room: DecodingMemory | None = None,
    *,
    exact: bool = True,
) -> NDArray[Any]:
    """Decode a picture upright, on the recipe's background, in its size and number format.

    Of a file with several planes, it is what the recipe makes of them; the first plane where each
    plane is an image.

    Args:
        file: Encoded bytes at their beginning, seekable; or a file's path.
        recipe: Size, color, background and way of resizing.
        room: Memory budget of several decoding threads.
        exact: Resize with Pillow; False takes what is fastest, see `resizing`.

    Returns:
        height x width x channels.

    Raises:
        BadDataError: The picture cannot be used; the message is a short reason.
    """
    if recipe.keeps_values or picture_values.needs_reader(file, recipe.planes):
        with contextlib.ExitStack() as stack:
            with _opened(file, recipe, room, stack) as picture:
                header = chosen_info(picture.info, recipe.planes)
                values = chosen_pixels(picture, recipe.planes)
            if recipe.keeps_values:
                whole = picture_values.with_channels(header, values, recipe)
                return picture_values.fitted(whole, recipe)
            flat = _flatten(_image_of(header, values), recipe)
            return _pixels(flat, flat.size, recipe, exact=exact)
    with opened_picture(file) as image:
        drafted_from = _draft(image, recipe)
        with room.taken(_memory_of(image)) if room else contextlib.nullcontext():
            image.load()
            flat = _flatten(upright(image), recipe)
            return _pixels(flat, drafted_from or flat.size, recipe, exact=exact)


@contextlib.contextmanager
def _opened(
    file: BinaryIO | Path,
    recipe: DatasetRecipe,
    room: DecodingMemory | None,
    stack: contextlib.ExitStack,
) -> Iterator[PictureFile]:
    """Open a picture after waiting for memory to decode it, which the stack gives back."""
    with picture_values.opened(file) as picture:
        if room is not None:
            header = chosen_info(picture.info, recipe.planes)
            stack.enter_context(room.taken(picture_values.decoding_bytes(header)))
        yield picture


def _image_of(header: PictureInfo, values: Pixels) -> Image.Image:
    """Return pixels as an image of Pillow; values of more than 8 bits are scaled in color.

    Raises:
        BadDataError: They are neither gray nor color; the message is a short reason.
    """
    picture_values.require_colors(header)
    channels = values.shape[2]
    if channels > 1 and values.dtype != np.uint8:
        values = _eight_bits(values)
    return Image.fromarray(values[..., 0] if channels == 1 else values)


def load_flat(file: BinaryIO | Path, recipe: DatasetRecipe) -> Image.Image:
    """Decode a picture upright in its own size; its mode is L or RGB as the recipe says.

    Args:
        file: See `load_image`.
        recipe: Color and background.

    Raises:
        BadDataError: The picture cannot be used; the message is a short reason.
    """
    if picture_values.needs_reader(file, recipe.planes):
        return _flatten(_image_of(*picture_values.read_values(file, recipe.planes)), recipe)
    with opened_picture(file) as image:
        image.load()
        flat = _flatten(upright(image), recipe)
        return flat.copy() if flat is image else flat


def _pixels(
    flat: Image.Image, full: tuple[int, int], recipe: DatasetRecipe, *, exact: bool
) -> BytePixels:
    placement_ = placement(full, (recipe.width, recipe.height), recipe.resize)
    pixels = np.array(_fit(flat, full, placement_, recipe, exact=exact), dtype=np.uint8)
    return pixels.reshape(recipe.height, recipe.width, recipe.channels)


RegionsOf = Callable[[tuple[int, int]], Regions]
"""Gives the mask or the boxes of a picture of a width and height in pixels."""


OnPixels = Callable[[PixelFacts, Sequence[Text], PictureInfo | None], None]
"""Receives the number format of a picture, sentences about contents that are not used, and the
properties of its file; None for a file that Pillow reads."""


def _known_regions(
    regions_of: RegionsOf | None, missing: NDArray[np.bool_] | None, recipe: DatasetRecipe
) -> RegionsOf | None:
    """Return what gives the regions without the pixels that have no value."""
    if regions_of is None or missing is None:
        return regions_of
    geometry = TASKS[recipe.task].geometry
    return lambda size: geometry.without_pixels(regions_of(size), missing)


def load_parts(
    file: BinaryIO | Path,
    recipe: DatasetRecipe,
    regions_of: RegionsOf | None,
    tiles: Sequence[Tile | None],
    room: DecodingMemory | None = None,
    on_pixels: OnPixels | None = None,
    plane: int | None = None,
) -> Iterator[tuple[NDArray[Any], Regions | None]]:
    """Decode a picture once, and yield parts of it with their regions, as `load_image` fits them.

    A part goes where the same part of its mask or its boxes goes. What a border adds belongs to no
    class, unless it is a reflection.

    Args:
        file: See `load_image`.
        recipe: See `load_image`; the size is that of a part.
        regions_of: Gives the regions of the whole picture; None if there are none.
        tiles: Parts of the picture; None is all of it.
        room: See `load_image`.
        on_pixels: See `OnPixels`; called once, about the whole picture.
        plane: Number of the plane from 0, where each plane is an image.

    Raises:
        BadDataError: The picture or its regions cannot be used; the message is a short reason.
    """
    if recipe.keeps_values or picture_values.needs_reader(file, recipe.planes):
        if None not in tiles and is_read_by_parts(file, recipe):
            cut = [tile for tile in tiles if tile is not None]
            with _room_for_tiles(file, recipe, regions_of, cut, room):
                yield from _window_parts(file, recipe, regions_of, cut, on_pixels, plane)
            return
        with contextlib.ExitStack() as stack:
            with _opened(file, recipe, room, stack) as picture:
                read = picture_values.read_all(picture, recipe.planes, plane)
            header, values = read.info, read.pixels
            is_masked = regions_of is not None and TASKS[recipe.task].geometry.ignores_pixels
            if on_pixels is not None:
                notes = read.notes(is_masked=is_masked)
                facts = picture_values.facts_of(header, values, recipe.planes)
                on_pixels(facts, notes, header)
            known = _known_regions(regions_of, read.missing, recipe)
            if recipe.keeps_values:
                yield from _value_parts(values, header, recipe, known, tiles)
            else:
                flat = _flatten(_image_of(header, values), recipe)
                yield from _image_parts(flat, flat.size, recipe, known, tiles)
        return
    with opened_picture(file) as image:
        mode = image.mode
        drafted_from = _draft(image, recipe) if tuple(tiles) == (None,) else None
        with room.taken(_memory_of(image)) if room else contextlib.nullcontext():
            image.load()
            if on_pixels is not None:
                on_pixels(_pixel_facts(image, mode), (), None)
            flat = _flatten(upright(image), recipe)
            yield from _image_parts(flat, drafted_from or flat.size, recipe, regions_of, tiles)


LARGE_PIXELS: Final = 2**24
"""Pixels from which on a picture is read part by part, if its format allows."""


def is_read_by_parts(file: BinaryIO | Path, recipe: DatasetRecipe) -> bool:
    """Return True for a large picture whose tiles are read one by one, never all of it.

    Args:
        file: See `load_image`.
        recipe: See `load_image`.

    Raises:
        BadDataError: It is no picture; the message is a short reason.
    """
    if not picture_values.needs_reader(file, recipe.planes):
        return False
    with picture_values.opened(file) as picture:
        info = picture.info
        # Fractions are reduced to 8 bits by the range of the whole picture.
        is_fixed = recipe.keeps_values or info.dtype != "float32"
        is_large = info.width * info.height >= LARGE_PIXELS
        return is_large and is_fixed and windows_of(picture) is not None


def _room_for_tiles(
    file: BinaryIO | Path,
    recipe: DatasetRecipe,
    regions_of: RegionsOf | None,
    tiles: Sequence[Tile],
    room: DecodingMemory | None,
) -> contextlib.AbstractContextManager[None]:
    """Wait for the memory of a tile, and of the regions of the whole picture."""
    if room is None:
        return contextlib.nullcontext()
    header = picture_values.read_header(file, recipe.planes)
    whole = 0 if regions_of is None else header.width * header.height
    width, height = max(tile[2] for tile in tiles), max(tile[3] for tile in tiles)
    part = replace(header, width=width, height=height)
    return room.taken(whole + picture_values.decoding_bytes(part))


def _window_parts(
    file: BinaryIO | Path,
    recipe: DatasetRecipe,
    regions_of: RegionsOf | None,
    tiles: Sequence[Tile],
    on_pixels: OnPixels | None,
    plane: int | None,
) -> Iterator[tuple[Pixels, Regions | None]]:
    """Yield parts of a large picture, see `load_parts`; each is read alone."""
    with picture_values.opened(file) as picture:
        windowed = windows_of(picture)
        if windowed is None:
            raise BadDataError("its planes cannot be read one by one")
        full = windowed.info.size
        geometry = TASKS[recipe.task].geometry
        if on_pixels is not None:
            facts = picture_values.facts_of_parts(windowed, tiles, recipe.planes, plane)
            notes = list(windowed.info.notes)
            # They are reported with the tile in the corner, once.
            if any(tile[:2] == (0, 0) for tile in tiles):
                is_masked = regions_of is not None and geometry.ignores_pixels
                notes += _missing_notes(windowed, tiles[0], recipe, plane, is_masked=is_masked)
            on_pixels(facts, notes, windowed.info)
        regions = None if regions_of is None else regions_of(full)
        for tile in tiles:
            check_stopped()
            part = PartOfPicture(windowed, picture_values.inside(tile, full))
            header = chosen_info(part.info, recipe.planes)
            values = chosen_pixels(part, recipe.planes, plane)
            placed = None
            if regions is not None:
                missing = None
                if geometry.ignores_pixels:
                    missing = missing_pixels(part, recipe.planes, plane)
                if missing is None:
                    placed = geometry.fitted(regions, full, tile, recipe)
                else:
                    known = geometry.without_pixels(geometry.inside(regions, tile), missing)
                    placed = geometry.fitted(known, full, (0, 0, *tile[2:]), recipe)
            yield _tile_pixels(header, values, tile, recipe), placed


def _missing_notes(
    picture: WindowedPicture,
    tile: Tile,
    recipe: DatasetRecipe,
    plane: int | None,
    *,
    is_masked: bool,
) -> list[Text]:
    """Return the sentence about the pixels without data of a picture; empty if all have data.

    Args:
        picture: The picture, which is read part by part.
        tile: A tile; the parts have its size.
        recipe: See `load_parts`.
        plane: See `load_parts`.
        is_masked: True if they are ignored in a mask.
    """
    full, count = picture.info.size, 0
    for top in range(0, full[1], tile[3]):
        for left in range(0, full[0], tile[2]):
            window = picture_values.inside((left, top, *tile[2:]), full)
            missing = missing_pixels(PartOfPicture(picture, window), recipe.planes, plane)
            count += 0 if missing is None else int(missing.sum())
    return [picture_values.missing_note(count, is_masked=is_masked)] if count else []


def _tile_pixels(header: PictureInfo, values: Pixels, tile: Tile, recipe: DatasetRecipe) -> Pixels:
    """Return a tile as the network gets it.

    Args:
        header: Properties of the part of the picture in the tile.
        values: The pixels of that part.
        tile: The tile, which may reach beyond the picture.
        recipe: See `load_parts`.
    """
    whole = (0, 0, *tile[2:])
    if recipe.keeps_values:
        kept = picture_values.with_channels(header, values, recipe)
        return picture_values.fitted(picture_values.cut(kept, whole, recipe), recipe)
    flat = _flatten(_image_of(header, values), recipe)
    return _pixels(_cut(flat, whole, recipe), tile[2:], recipe, exact=False)


def _image_parts(
    flat: Image.Image,
    full: tuple[int, int],
    recipe: DatasetRecipe,
    regions_of: RegionsOf | None,
    tiles: Sequence[Tile | None],
) -> Iterator[tuple[BytePixels, Regions | None]]:
    """Yield parts of a picture of 8 bits, see `load_parts`."""
    regions = None if regions_of is None else regions_of(full)
    geometry = TASKS[recipe.task].geometry
    for tile in tiles:
        part, size = flat, full
        if tile is not None:
            part, size = _cut(flat, tile, recipe), tile[2:]
        fitted = None if regions is None else geometry.fitted(regions, full, tile, recipe)
        yield _pixels(part, size, recipe, exact=False), fitted


def _value_parts(
    values: Pixels,
    header: PictureInfo,
    recipe: DatasetRecipe,
    regions_of: RegionsOf | None,
    tiles: Sequence[Tile | None],
) -> Iterator[tuple[Pixels, Regions | None]]:
    """Yield parts of a picture whose values are kept, see `load_parts`."""
    whole = picture_values.with_channels(header, values, recipe)
    regions = None if regions_of is None else regions_of(header.size)
    geometry = TASKS[recipe.task].geometry
    for tile in tiles:
        part = whole if tile is None else picture_values.cut(whole, tile, recipe)
        placed = None
        if regions is not None:
            placed = geometry.fitted(regions, header.size, tile, recipe)
        yield picture_values.fitted(part, recipe), placed


def _pixel_facts(image: Image.Image, mode: str) -> PixelFacts:
    """Return the number format of a loaded picture.

    Args:
        image: The picture.
        mode: Its mode before a decoder converted it.
    """
    channels = Image.getmodebands(mode)
    dtype = file_type_of(mode)
    # The other pictures of an MPO are previews of the first one.
    has_frames = image.format != "MPO" and bool(getattr(image, "is_animated", False))
    if dtype in {"bool", "uint8"}:
        return PixelFacts(dtype, channels, 0.0, 1.0 if dtype == "bool" else 255.0, has_frames)
    values = np.asarray(image)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    return PixelFacts(dtype, channels, low, high, has_frames)


def _cut(image: Image.Image, tile: Tile, recipe: DatasetRecipe) -> Image.Image:
    """Cut out a part of a picture; what lies outside is background."""
    left, top, width, height = tile
    inside = image.crop(
        (left, top, min(left + width, image.width), min(top + height, image.height))
    )
    if inside.size == (width, height):
        return inside
    canvas = _background(recipe, image.mode).resize((width, height))
    canvas.paste(inside)
    return canvas


MAX_TILES = 10_000
"""Tiles of one picture at most."""


MAX_PREDICTED_TILES: Final = 1_000_000
"""Tiles of one picture that is predicted at most."""


def tiles_of(
    size: tuple[int, int], side: int, overlap: int, max_tiles: int = MAX_TILES
) -> list[Tile]:
    """Return the tiles that cover a picture; the last ones of a row or column overlap more.

    Args:
        size: Width and height of the picture in pixels; where one is less than `side`, tiles reach
            beyond the picture.
        side: Width and height of a tile.
        overlap: Pixels that neighbors have in common, at most half of `side`.
        max_tiles: Number of tiles at most.

    Raises:
        BadDataError: There are more than `max_tiles`.
    """
    step = side - overlap
    columns, rows = (1 + max(0, math.ceil((length - side) / step)) for length in size)
    if columns * rows > max_tiles:
        raise BadDataError(
            "it would be cut into {count:,} tiles; the limit is {limit:,}",
            count=columns * rows,
            limit=max_tiles,
        )
    right, bottom = (max(0, length - side) for length in size)
    return [
        (min(column * step, right), min(row * step, bottom), side, side)
        for row in range(rows)
        for column in range(columns)
    ]


def tiles_for(full: tuple[int, int], recipe: DatasetRecipe) -> list[Tile]:
    """Return the tiles to predict a picture by, row by row, that overlap by a quarter at least.

    Args:
        full: Width and height of the picture.
        recipe: Conversion with size and overlap of the tiles.

    Raises:
        BadDataError: They are too many.
    """
    side = recipe.tile_size
    overlap = min(max(recipe.tile_overlap, side // MIN_OVERLAP), side // 2)
    return tiles_of(full, side, overlap, MAX_PREDICTED_TILES)


class DecodingMemory:
    """Memory that decoding threads share: who needs more than is left waits.

    Without it, as many of the largest pictures as there are cores could be in memory at once.

    Args:
        size: Bytes. A picture that needs more than all of it is decoded alone.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._free = size
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def taken(self, requested: int) -> Iterator[None]:
        """Wait until this many bytes are free, then reserve them."""
        share = min(requested, self._size)
        with self._changed:
            self._changed.wait_for(lambda: self._free >= share)
            self._free -= share
        try:
            yield
        finally:
            with self._changed:
                self._free += share
                self._changed.notify_all()


def _memory_of(image: Image.Image) -> int:
    """Estimate of the memory for decoding: four bytes per pixel, at most three copies."""
    wide = image.mode.startswith(("I", "F"))  # becomes 64 bit numbers on the way
    return image.width * image.height * (40 if wide else 12)


def describe(file: BinaryIO | Path) -> tuple[int, int, str]:
    """Return width and height in pixels as shown, and Pillow's mode, from the header alone.

    The mode of a picture that Pillow does not read whole is empty.

    Raises:
        BadDataError: It is not an image; the message is a short reason.
    """
    if picture_values.needs_reader(file):
        return *picture_values.read_header(file).size, ""
    with opened_picture(file) as image:
        return *frame_of(image).shown, image.mode


def _is_jpeg(image: Image.Image) -> bool:
    return image.format in {"JPEG", "MPO"}


def _draft(image: Image.Image, recipe: DatasetRecipe) -> tuple[int, int] | None:
    """Let the JPEG decoder shrink by 2, 4 or 8 while it decodes, never below what is needed.

    Twice as fast as decoding whole photographs (and 0.4 gray levels away from it on average).

    Returns:
        Upright width and height of the whole picture, or None for other formats.
    """
    if not _is_jpeg(image):
        return None
    frame = frame_of(image)
    full = frame.shown
    placement_ = placement(full, (recipe.width, recipe.height), recipe.resize)
    left, top, right, bottom = placement_.box
    needed = (
        math.ceil(full[0] * placement_.content[0] / (right - left)),
        math.ceil(full[1] * placement_.content[1] / (bottom - top)),
    )
    mode = "L" if recipe.pixel_format.is_gray else "RGB"
    image.draft(mode, needed[::-1] if frame.is_sideways else needed)
    return full


def _flatten(image: Image.Image, recipe: DatasetRecipe) -> Image.Image:
    """Return one of the modes L and RGB: 8 bit, no palette, no transparency."""
    if image.mode == "LAB":
        raise BadDataError("the color mode LAB is not supported")
    if image.mode.startswith(("I", "F")):
        image = Image.fromarray(_eight_bits(np.asarray(image)))
    if image.has_transparency_data:
        behind = Image.new("RGBA", image.size, (*recipe.background_rgb, 255))
        image = Image.alpha_composite(behind, image.convert("RGBA"))
    if image.mode not in {"1", "L", "RGB"}:
        image = image.convert("RGB")
    requested = "L" if recipe.pixel_format.is_gray else "RGB"
    return image if image.mode == requested else image.convert(requested)  # it would copy


def full_scale(low: float, high: float, *, has_fractions: bool) -> float | None:
    """Return the value that becomes white, the same for every picture; None if it is unknown.

    Args:
        low: Smallest value of a picture.
        high: Largest value.
        has_fractions: True for floating-point numbers.
    """
    full = 1.0 if has_fractions else 65535.0
    return full if low >= 0 and high <= full else None


def _eight_bits(values: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Bring 16 and 32 bit gray to 0 to 255.

    16 bit values are scaled by 255 / 65535, the same for every picture, so that pictures stay
    comparable. Numbers with a fraction from 0 to 1 are scaled by 255. Where no full scale is
    known (anything else) the picture's own range is stretched.
    """
    exact = np.nan_to_num(values.astype(np.float64), posinf=0.0, neginf=0.0)
    low, high = float(exact.min()), float(exact.max())
    full = full_scale(low, high, has_fractions=np.issubdtype(values.dtype, np.floating))
    if full is not None:
        low, high = 0.0, full
    scaled = (exact - low) * (255 / (high - low) if high > low else 0.0)
    return np.rint(scaled).astype(np.uint8)


def _fit(
    image: Image.Image,
    full: tuple[int, int],
    placement_: Placement,
    recipe: DatasetRecipe,
    *,
    exact: bool,
) -> Image.Image:
    """Resize the part of the image that is kept, and put it on the background."""
    across, down = image.width / full[0], image.height / full[1]  # below 1 after a draft
    left, top, right, bottom = placement_.box
    box = (
        left * across,
        top * down,
        min(right * across, image.width),
        min(bottom * down, image.height),
    )
    resize = resized_exactly if exact else resized
    content = resize(image, placement_.content, box)
    size = (recipe.width, recipe.height)
    if placement_.content == size:
        return content
    if recipe.border == "reflect":
        return reflected(content, placement_, size)
    canvas = _background(recipe, image.mode).resize(size)
    canvas.paste(content, placement_.corner)
    return canvas


def _background(recipe: DatasetRecipe, mode: str) -> Image.Image:
    """Return one pixel of the background."""
    return Image.new("RGB", (1, 1), recipe.background_rgb).convert(mode)
