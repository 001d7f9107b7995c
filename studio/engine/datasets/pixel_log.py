"""Number formats and capture times of the images of an import, kept over its attempts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from studio.engine.datasets.decode import PixelFacts
from studio.engine.datasets.import_report import PixelFormat
from studio.engine.datasets.origins.bursts import Capture


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


def joined_formats(facts: Iterable[PixelFacts]) -> list[PixelFormat]:
    """Return the formats of images, the most frequent first."""
    found: dict[tuple[str, int], list[PixelFacts]] = {}
    for each in facts:
        found.setdefault((each.dtype, each.channels), []).append(each)
    formats = [_format(same) for same in found.values()]
    return sorted(formats, key=lambda each: -each.count)


def _format(same: Collection[PixelFacts]) -> PixelFormat:
    first = next(iter(same))
    return PixelFormat(
        dtype=first.dtype,
        channels=first.channels,
        count=len(same),
        low=min(each.low for each in same),
        high=max(each.high for each in same),
    )
