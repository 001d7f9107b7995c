"""Number formats, capture times and positions of the images of an import, over its attempts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import NamedTuple

import numpy as np

from studio.engine.datasets.decode import full_scale
from studio.engine.datasets.import_report import SourcePixels
from studio.engine.datasets.origins.bursts import Capture
from studio.engine.datasets.picture_values import PixelFacts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.messages import Message, message
from studio.engine.pictures.info import Georeference
from studio.engine.pixel_format import NETWORK_RANGE


class RowFacts(NamedTuple):
    """Facts about an image in its source.

    Attributes:
        pixels: Number format of its pixels.
        capture: When and with which camera it was taken, if known.
        position: Position of the stored image on the earth, if known.
    """

    pixels: PixelFacts | None
    capture: Capture | None = None
    position: Georeference | None = None


@dataclass(slots=True)
class PixelLog:
    """Number format, capture time and position of each row that was written.

    Attributes:
        formats: Number format of each row.
        captures: Time and camera of photos, by row.
        positions: Positions of images on the earth, by row.
    """

    formats: dict[int, PixelFacts] = field(default_factory=dict)
    captures: dict[int, Capture] = field(default_factory=dict)
    positions: dict[int, Georeference] = field(default_factory=dict)
    _new: list[int] = field(default_factory=list)

    def add(self, row: int, facts: RowFacts) -> None:
        """Add a row that is written now.

        Args:
            row: The row.
            facts: Facts about its image.
        """
        if facts.pixels is None:
            return
        self.formats[row] = facts.pixels
        if facts.capture is not None:
            self.captures[row] = facts.capture
        if facts.position is not None:
            self.positions[row] = facts.position
        self._new.append(row)

    def new_lines(self) -> bytes:
        """Return the rows since the last call as lines of JSON, one for each format."""
        groups: dict[PixelFacts, list[int]] = {}
        for row in self._new:
            groups.setdefault(self.formats[row], []).append(row)
        lines = [json.dumps({"pixels": facts, "rows": rows}) for facts, rows in groups.items()]
        lines += [
            json.dumps({"capture": self.captures[row], "row": row})
            for row in self._new
            if row in self.captures
        ]
        lines += [
            json.dumps({"position": astuple(self.positions[row]), "row": row})
            for row in self._new
            if row in self.positions
        ]
        self._new.clear()
        return "".join(f"{line}\n" for line in lines).encode()

    def restore(self, line: Mapping[str, object]) -> None:
        """Add the rows of a line of an earlier attempt."""
        capture, row = line.get("capture"), line.get("row")
        if isinstance(capture, list) and isinstance(row, int):
            self.captures[row] = Capture(*capture)
            return
        position = line.get("position")
        if isinstance(position, list) and isinstance(row, int):
            crs, transform = position
            self.positions[row] = Georeference(crs, tuple(transform))
            return
        facts, rows = line["pixels"], line["rows"]
        if isinstance(facts, list) and isinstance(rows, list):
            self.formats |= dict.fromkeys(rows, PixelFacts(*facts))


def joined_formats(facts: Iterable[PixelFacts]) -> list[SourcePixels]:
    """Return the formats of images, the most frequent first."""
    found: dict[tuple[str, int], list[PixelFacts]] = {}
    for each in facts:
        found.setdefault((each.dtype, each.channels), []).append(each)
    formats = [_format(same) for same in found.values()]
    return sorted(formats, key=lambda each: -each.count)


def _format(same: Collection[PixelFacts]) -> SourcePixels:
    first = next(iter(same))
    return SourcePixels(
        dtype=first.dtype,
        channels=first.channels,
        count=len(same),
        low=min(each.low for each in same),
        high=max(each.high for each in same),
        with_frames=sum(each.has_frames for each in same),
    )


def pixel_warnings(pixels: Sequence[SourcePixels], recipe: DatasetRecipe) -> list[Message]:
    """Return warnings about what is lost of the pixels of images, and about several types.

    Args:
        pixels: Number formats of the files.
        recipe: Recipe of the import, with the number format of the dataset.
    """
    lost: list[Message] = []
    for each in pixels:
        if each.dtype in {"bool", "uint8"}:
            continue
        if recipe.pixel_format.dtype == "uint8":
            lost.append(_levels_lost(each, recipe))
        else:
            lost += [*_digits_lost(each), *_out_of_range(each, recipe)]
    return [*_frames_unused(pixels), *lost, *_mixed_pixels(pixels)]


_EXACT = 2**24
"""Whole numbers up to which floating-point numbers of 32 bits are exact."""


def _digits_lost(pixels: SourcePixels) -> list[Message]:
    """Return a sentence about numbers that floating-point numbers of 32 bits round."""
    is_long = pixels.dtype in {"int32", "uint32", "int64", "uint64"}
    largest = max(abs(pixels.low), abs(pixels.high))
    if pixels.dtype != "float64" and not (is_long and largest > _EXACT):
        return []
    return [
        message(
            "{count} images have {dtype} pixels. They are stored as float32, which keeps seven "
            "digits.",
            one="{count} image has {dtype} pixels. It is stored as float32, which keeps seven "
            "digits.",
            count=pixels.count,
            dtype=pixels.dtype,
        )
    ]


def _out_of_range(pixels: SourcePixels, recipe: DatasetRecipe) -> list[Message]:
    """Return a sentence about values beyond the range that networks receive as 0 to 255."""
    stored = recipe.pixel_format
    low, high = min(stored.low), max(stored.high)
    # Percentiles of fractions leave some values out, as they should.
    is_proposed = not recipe.value_range and stored.dtype == "float32"
    if is_proposed or stored.per_image or (low <= pixels.low and pixels.high <= high):
        return []
    return [
        message(
            "Pixels of {count} images have values from {low:g} to {high:g}; the value range is "
            "{range_low:g} to {range_high:g}. Values outside are stored as they are, and networks "
            "receive them below 0 or above 255.",
            one="Pixels of {count} image have values from {low:g} to {high:g}; the value range is "
            "{range_low:g} to {range_high:g}. Values outside are stored as they are, and networks "
            "receive them below 0 or above 255.",
            count=pixels.count,
            low=pixels.low,
            high=pixels.high,
            range_low=low,
            range_high=high,
        )
    ]


def _frames_unused(pixels: Sequence[SourcePixels]) -> list[Message]:
    count = sum(each.with_frames for each in pixels)
    if not count:
        return []
    return [
        message(
            "{count} files have several planes, pages or frames. Only one of each is imported; "
            "“Planes” decides what becomes of the others.",
            one="{count} file has several planes, pages or frames. Only one is imported; “Planes” "
            "decides what becomes of the others.",
            count=count,
        )
    ]


def _levels_lost(pixels: SourcePixels, recipe: DatasetRecipe) -> Message:
    """Return the sentence about images that are reduced to 8 bits."""
    full_range = _full_range(pixels, recipe)
    if full_range is None:
        return message(
            "{count} images have {dtype} pixels from {low:g} to {high:g}. The range of each image "
            "is stretched to 8 bits, so that their brightness is not comparable.",
            one="{count} image has {dtype} pixels from {low:g} to {high:g}. Its range is "
            "stretched to 8 bits, so that its brightness is not comparable.",
            count=pixels.count,
            dtype=pixels.dtype,
            low=pixels.low,
            high=pixels.high,
        )
    ends = np.interp((pixels.low, pixels.high), full_range, NETWORK_RANGE)
    levels = int(np.rint(ends[1]) - np.rint(ends[0])) + 1
    return message(
        "{count} images have {dtype} pixels from {low:g} to {high:g}. They are stored with 8 "
        "bits: at most {levels} gray levels remain.",
        one="{count} image has {dtype} pixels from {low:g} to {high:g}. It is stored with 8 "
        "bits: at most {levels} gray levels remain.",
        count=pixels.count,
        dtype=pixels.dtype,
        low=pixels.low,
        high=pixels.high,
        levels=levels,
    )


def _full_range(pixels: SourcePixels, recipe: DatasetRecipe) -> tuple[float, float] | None:
    """Return the values that become 0 and 255; None if they differ between images."""
    if recipe.pixels is not None:
        return min(recipe.pixels.low), max(recipe.pixels.high)
    has_fractions = pixels.dtype.startswith("float")
    full = full_scale(pixels.low, pixels.high, has_fractions=has_fractions)
    return None if full is None else (0.0, full)


def _mixed_pixels(pixels: Sequence[SourcePixels]) -> list[Message]:
    """Return a warning if the pixels of the images have several types."""
    types = Counter[str]()
    for each in pixels:
        types[each.dtype] += each.count
    if len(types) < 2:
        return []
    (usual, _), *others = types.most_common()
    return [
        message(
            "{count} images have {dtype} pixels, but most have {usual} pixels. Their brightness "
            "may not be comparable.",
            one="{count} image has {dtype} pixels, but most have {usual} pixels. Its brightness "
            "may not be comparable.",
            count=count,
            dtype=dtype,
            usual=usual,
        )
        for dtype, count in others
    ]
