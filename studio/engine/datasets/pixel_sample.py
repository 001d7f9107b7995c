"""Number format of the images of an import, found in a sample of their files."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath

import numpy as np

from studio.engine.arrays import Floats, Pixels
from studio.engine.datasets import gather
from studio.engine.datasets.channel_files import channel_name
from studio.engine.datasets.encoding import require_encodable
from studio.engine.datasets.import_report import ValueHistogram
from studio.engine.datasets.picture_values import (
    converted,
    read_header,
    read_values,
)
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import ReadsInOrder, SourceImage
from studio.engine.datasets.value_ranges import (
    PER_IMAGE,
    ValueRange,
    camera_range,
    fraction_range,
    parsed_ranges,
)
from studio.engine.errors import BadDataError, StudioError
from studio.engine.pictures.info import PictureInfo
from studio.engine.pixel_format import NETWORK_RANGE, PixelFormat, PixelType
from studio.engine.progress import Progress

_SAMPLE = 64
"""Images that are examined."""
_READ_AHEAD = 2**29
"""Bytes of an archive that are read for a sample."""
_ALL_BITS = 16
_BINS = 128
_SAMPLED_VALUES = 2**14
"""Values of a channel of an image that are kept."""
_BYTE_SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".gif", ".bmp", ".webp"})
"""Suffixes of files that always have 8 bits, gray or color."""


@dataclass(frozen=True, slots=True)
class SampledPicture:
    """A picture of a sample.

    Attributes:
        header: Its properties.
        values: Some values of each channel; empty for 8 bits, whose range is known.
        highest: Largest value of 16 bits, at least that of the bits the file says it uses.
    """

    header: PictureInfo
    values: tuple[Floats, ...] = ()
    highest: float = NETWORK_RANGE[1]


def with_pixel_format(
    recipe: DatasetRecipe,
    parts: Sequence[gather.Part],
    items: Sequence[SourceImage],
    progress: Progress,
) -> tuple[DatasetRecipe, tuple[ValueHistogram, ...]]:
    """Return a recipe with the number format of the images that it imports.

    The recipe stays as it is if most images have 8 bits and are read as gray or color.

    Args:
        recipe: The recipe; one with a number format stays as it is.
        parts: Its sources.
        items: Its images.
        progress: May cancel the work.

    Returns:
        The recipe, and histograms of the channels of a sample; none for images of 8 bits.

    Raises:
        StudioError: The value range or the encoding does not fit the images.
        Cancelled: Through `progress`.
    """
    histograms: tuple[ValueHistogram, ...] = ()
    if recipe.pixels is None:
        pictures = _sample(recipe, parts, items, progress)
        pixels = _format_of(recipe, pictures)
        if pixels is not None:
            recipe = recipe.changed(pixels=pixels)
            histograms = _histograms(pictures, pixels.channels)
    require_encodable(recipe)
    return recipe, histograms


def format_for_files(recipe: DatasetRecipe, files: Sequence[bytes]) -> DatasetRecipe:
    """Return a recipe with the number format of some pictures, see `with_pixel_format`.

    Args:
        recipe: The recipe; one with a number format stays as it is.
        files: Encoded bytes of the pictures; those that cannot be read are left out.

    Raises:
        StudioError: The value range does not fit the pictures.
    """
    if recipe.pixels is not None:
        return recipe
    found = []
    for data in files:
        with contextlib.suppress(BadDataError):
            found.append(_examined(data, None, recipe))
    pixels = _format_of(recipe, found)
    return recipe if pixels is None else recipe.changed(pixels=pixels)


def _sample(
    recipe: DatasetRecipe,
    parts: Sequence[gather.Part],
    items: Sequence[SourceImage],
    progress: Progress,
) -> list[SampledPicture]:
    """Examine evenly spaced images; files that certainly have 8 bits are not opened."""
    reachable = _reachable(parts, items)
    count = min(_SAMPLE, len(reachable))
    rows = [reachable[index * len(reachable) // count] for index in range(count)]
    known = SampledPicture(PictureInfo("", 1, 1, 3, "uint8", "uint8"))
    unread = [row for row in rows if recipe.color == "all" or not _has_bytes(items[row])]
    found = [known] * (len(rows) - len(unread))
    with gather.ended(gather.read_parts(parts, items, unread)) as files:
        for row, fetch in files:
            progress.check()
            with contextlib.suppress(BadDataError, OSError):  # the import will list it
                found.append(_examined(fetch(), items[row].plane, recipe))
    return found


def _reachable(parts: Sequence[gather.Part], items: Sequence[SourceImage]) -> list[int]:
    """Return the rows that a sample is taken from, ascending.

    Of an archive, which is read from its beginning, those at the end of a large one are left out.
    """
    found: list[int] = []
    for index, part in enumerate(parts):
        mine = [row for row, item in enumerate(items) if item.part == index]
        if isinstance(part.source, ReadsInOrder):
            mine.sort(key=lambda row: items[row].position)
            sizes = np.cumsum([max(0, items[row].size) for row in mine])
            mine = mine[: max(_SAMPLE, int(np.searchsorted(sizes, _READ_AHEAD)))]
        found += mine
    return sorted(found)


def _has_bytes(item: SourceImage) -> bool:
    return PurePosixPath(item.key).suffix.casefold() in _BYTE_SUFFIXES


def _examined(data: bytes, plane: int | None, recipe: DatasetRecipe) -> SampledPicture:
    file = BytesIO(data)
    header = read_header(file, recipe.planes)
    if header.dtype == "uint8":
        return SampledPicture(header)
    header, values = read_values(file, recipe.planes, plane)
    read = recipe.changed(
        pixels=PixelFormat.uniform(header.dtype, _channels(header, recipe), 0, 1)
    )
    shown = converted(header, values, read)
    channels = shown.reshape(-1, shown.shape[2]).T
    highest = 0.0
    if shown.dtype == np.uint16:
        highest = max(float(shown.max()), _declared(header.significant_bits))
    return SampledPicture(header, tuple(_some(each) for each in channels), highest)


def _declared(bits: int) -> float:
    """Return the largest value of the bits that a file of 16 bits says it uses; 0 if unknown."""
    return float(2**bits - 1) if bits < _ALL_BITS else 0.0


def _some(values: Pixels) -> Floats:
    """Return evenly spaced finite values."""
    some = values[:: max(1, len(values) // _SAMPLED_VALUES)].astype(np.float64)
    finite: Floats = some[np.isfinite(some)]
    return finite


def _channels(header: PictureInfo, recipe: DatasetRecipe) -> int:
    return {"gray": 1, "rgb": 3}.get(recipe.color, header.channels)


def _format_of(recipe: DatasetRecipe, pictures: Sequence[SampledPicture]) -> PixelFormat | None:
    """Return the number format of the images of a sample; None for usual ones of 8 bits."""
    deep = [each for each in pictures if each.header.dtype != "uint8"]
    is_deep = 2 * len(deep) > len(pictures)
    if not is_deep and recipe.color != "all" and not recipe.value_range:
        return None
    counts = Counter(_channels(each.header, recipe) for each in (deep if is_deep else pictures))
    channels = counts.most_common(1)[0][0] if counts else 3
    dtype: PixelType = "uint8"
    ranges = [NETWORK_RANGE] * channels
    if is_deep:
        fitting = [each for each in deep if len(each.values) == channels]
        dtype = Counter(each.header.dtype for each in fitting).most_common(1)[0][0]
        ranges = _proposed([each for each in fitting if each.header.dtype == dtype], channels)
    ranges = _chosen(recipe, ranges)
    return PixelFormat(
        dtype=dtype,
        channels=channels,
        low=tuple(low for low, _ in ranges),
        high=tuple(high for _, high in ranges),
        names=_names(recipe, pictures, channels) if recipe.color == "all" else (),
        per_image=recipe.value_range == PER_IMAGE,
    )


def _names(
    recipe: DatasetRecipe, pictures: Sequence[SampledPicture], channels: int
) -> tuple[str, ...]:
    """Return the names of the channels in the files, or of the files; empty if there are none."""
    found = Counter(each.header.channel_names for each in pictures)
    named = tuple(map(channel_name, recipe.channel_ends))
    proposed = [named, *(names for names, _ in found.most_common())]
    fitting = [names for names in proposed if len(names) == channels]
    return fitting[0] if fitting and not are_colors(fitting[0]) else ()


_COLOR_NAMES = frozenset({("red", "green", "blue"), ("r", "g", "b")})


def are_colors(names: Sequence[str]) -> bool:
    """Return True for the names of red, green and blue."""
    return tuple(name.casefold() for name in names) in _COLOR_NAMES


def _proposed(pictures: Sequence[SampledPicture], channels: int) -> list[ValueRange]:
    if pictures[0].header.dtype == "uint16":
        return [camera_range(max(each.highest for each in pictures))] * channels
    return fraction_range(
        [np.concatenate([each.values[at] for each in pictures]) for at in range(channels)]
    )


def _histograms(pictures: Sequence[SampledPicture], channels: int) -> tuple[ValueHistogram, ...]:
    """Return a histogram of each channel, from its smallest to its largest value."""
    fitting = [each for each in pictures if len(each.values) == channels]
    found = []
    for at in range(channels if fitting else 0):
        values = np.concatenate([each.values[at] for each in fitting])
        counts, edges = np.histogram(values, _BINS)
        low, high = float(edges[0]), float(edges[-1])
        found.append(ValueHistogram(low=low, high=high, counts=tuple(counts.tolist())))
    return tuple(found)


def _chosen(recipe: DatasetRecipe, proposed: list[ValueRange]) -> list[ValueRange]:
    """Return the ranges that the recipe states, or else the proposed ones.

    Raises:
        StudioError: It states another number of ranges than there are channels.
    """
    stated = parsed_ranges(recipe.value_range)
    if not stated:
        return proposed
    if len(stated) == 1:
        return stated * len(proposed)
    if len(stated) != len(proposed):
        raise StudioError(
            "Channels of the value range: {count}; of the images: {channels}.",
            "State one range for all channels, or one for each.",
            "value_range",
            count=len(stated),
            channels=len(proposed),
        )
    return stated
