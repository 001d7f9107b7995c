"""What a small chart of finished figures shows. Free of Qt."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from studio.engine.csv_cells import CsvWriter

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where an axis goes.

    Attributes:
        label: What it counts; empty for none.
        low: Where it begins; may be the larger end.
        high: Where it ends.
        percent: Values are shares and are written in percent.
    """

    label: str
    low: float
    high: float
    percent: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value is, 0 to 1 inside of it."""
        return (value - self.low) / ((self.high - self.low) or 1.0)

    def value(self, share: float) -> float:
        """The value so far along the axis."""
        return self.low + share * (self.high - self.low)


SHARES = Scale("", 0.0, 1.0, percent=True)


@dataclass(frozen=True, slots=True)
class FigureLine:
    """A line.

    Attributes:
        name: What the legend calls it; empty for none.
        points: In the order in which they are joined.
        color_index: Which of the chart colors; None for the quiet color of a guide.
        dashed: Broken.
        dots: Whether each point is marked, and can be clicked.
        joined: False for dots alone.
        band: From where to where each point may be, or nothing.
    """

    name: str
    points: Sequence[Point]
    color_index: int | None = 0
    dashed: bool = False
    dots: bool = False
    joined: bool = True
    band: Sequence[Point] = ()


DIAGONAL = FigureLine("", ((0.0, 0.0), (1.0, 1.0)), None, dashed=True)


@dataclass(frozen=True, slots=True)
class Figure:
    """A whole chart."""

    title: str
    across: Scale
    up: Scale
    lines: Sequence[FigureLine]

    def csv_text(self) -> str:
        """All points but those of guides, a line each."""
        text = io.StringIO()
        writer = CsvWriter(text)
        writer.writerow(["line", self.across.label or "x", self.up.label or "y", "low", "high"])
        for line in self.lines:
            if line.color_index is None:
                continue
            for place, point in enumerate(line.points):
                around = line.band[place] if line.band else ()
                writer.writerow([line.name or self.title, *point, *around])
        return text.getvalue()
