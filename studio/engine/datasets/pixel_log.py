"""Number formats and capture times of the images of an import, kept over its attempts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.engine.datasets.decode import full_scale
from studio.engine.datasets.import_report import SourcePixels
from studio.engine.datasets.origins.bursts import Capture
from studio.engine.datasets.picture_values import PixelFacts
from studio.engine.messages import Message, message


@dataclass(slots=True)
class PixelLog:
    """Number format and capture time of each row that was written.

    Attributes:
        formats: Number format of each row.
        captures: Time and camera of photos, by row.
    """

    formats: dict[int, PixelFacts] = field(default_factory=dict)
    captures: dict[int, Capture] = field(default_factory=dict)
    _new: list[int] = field(default_factory=list)

    def add(self, row: int, facts: PixelFacts, capture: Capture | None = None) -> None:
        """Add a row that is written now.

        Args:
            row: The row.
            facts: Number format of its image in the source.
            capture: When and with which camera it was taken, if known.
        """
        self.formats[row] = facts
        if capture is not None:
            self.captures[row] = capture
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
        self._new.clear()
        return "".join(f"{line}\n" for line in lines).encode()

    def restore(self, line: Mapping[str, object]) -> None:
        """Add the rows of a line of an earlier attempt."""
        capture, row = line.get("capture"), line.get("row")
        if isinstance(capture, list) and isinstance(row, int):
            self.captures[row] = Capture(*capture)
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


def pixel_warnings(pixels: Sequence[SourcePixels]) -> list[Message]:
    """Return warnings about what is lost of the pixels of images, and about several types."""
    deep = [_levels_lost(each) for each in pixels if each.dtype not in {"bool", "uint8"}]
    return [*_frames_unused(pixels), *deep, *_mixed_pixels(pixels)]


def _frames_unused(pixels: Sequence[SourcePixels]) -> list[Message]:
    count = sum(each.with_frames for each in pixels)
    if not count:
        return []
    return [
        message(
            "{count} files have several pages or frames. Only the first of each is imported.",
            one="{count} file has several pages or frames. Only the first is imported.",
            count=count,
        )
    ]


def _levels_lost(pixels: SourcePixels) -> Message:
    """Return the sentence about images that are reduced to 8 bits."""
    has_fractions = pixels.dtype.startswith("float")
    full = full_scale(pixels.low, pixels.high, has_fractions=has_fractions)
    if full is None:
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
    levels = round(pixels.high * 255 / full) - round(pixels.low * 255 / full) + 1
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
