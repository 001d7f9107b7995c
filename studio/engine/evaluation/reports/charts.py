"""The charts of the report page as data; the template draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.engine.evaluation.opened import Evaluated
from studio.engine.evaluation.report import CalibrationBin, Report, RobustnessCurve
from studio.engine.evaluation.reports.words import CORRUPTIONS

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
"""Okabe and Ito, "Color Universal Design" (2008)."""
SHOWN = len(COLORS)
"""Classes whose curves are drawn."""
_POINTS = 101

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart.

    Attributes:
        name: Name in the legend; empty for none.
        points: X and y, in the units of the axes.
        color: CSS color.
        dashed: True for a dashed line.
        band: Low and high at each point, or empty.
    """

    name: str
    points: Points
    color: str = COLORS[0]
    dashed: bool = False
    band: Points = ()

    def outline(self) -> Points:
        """Return the outline of the band: forward along the low values, back along the high."""
        low = [(x, low) for (x, _), (low, _) in zip(self.points, self.band, strict=True)]
        high = [(x, high) for (x, _), (_, high) in zip(self.points, self.band, strict=True)]
        return [*low, *reversed(high)]


@dataclass(frozen=True, slots=True)
class Axis:
    """The range and the label of an axis, and its first and last pixel."""

    label: str
    low: float
    high: float
    start: int
    end: int
    percent: bool = True

    def pixel(self, value: float) -> float:
        """Return the position of a value, in pixels."""
        span = (self.high - self.low) or 1.0
        return round(self.start + (value - self.low) / span * (self.end - self.start), 1)

    def ticks(self) -> list[tuple[float, str]]:
        """Return positions and texts of five ticks."""
        values = [self.low + (self.high - self.low) * at / 4 for at in range(5)]
        return [
            (self.pixel(value), f"{value * 100:.0f} %" if self.percent else f"{value:.3g}")
            for value in values
        ]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of lines."""

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]

    def path(self, points: Points) -> str:
        """Return points as data of an SVG path."""
        return "L".join(f"{self.x.pixel(x)} {self.y.pixel(y)}" for x, y in points)


_DIAGONAL = Line("", ((0.0, 0.0), (1.0, 1.0)), "var(--quiet)", dashed=True)


def class_curves(evaluated: Evaluated) -> list[Chart]:
    """Return ROC and precision-recall curves of the classes with the lowest average precision.

    The list is empty if there are images of one class only.

    Raises:
        BadDataError: The probabilities are missing.
    """
    report = evaluated.report
    known = [
        (figures.average_precision, label)
        for label, figures in enumerate(report.per_class)
        if figures.average_precision is not None
    ]
    roc: list[Line] = []
    recall: list[Line] = []
    for _, label in sorted(known)[:SHOWN]:
        found = evaluated.curves(label, _POINTS)
        if found is not None:
            for lines, (x, y) in zip((roc, recall), found, strict=True):
                points = list(zip(x.tolist(), y.tolist(), strict=True))
                lines.append(Line(report.classes[label], points, COLORS[len(lines)]))
    if not roc:
        return []
    return [
        Chart("ROC", _x("False positive rate"), _y(), [_DIAGONAL, *roc]),
        Chart("Precision by recall", _x("Recall"), _y(), recall),
    ]


def calibration(report: Report) -> list[Chart]:
    """Return confidence against accuracy, and coverage against accuracy."""
    lines = [_DIAGONAL, Line("Uncalibrated", _points(report.bins))]
    if report.temperature is not None:
        points = _points(report.temperature.bins)
        lines.append(Line("Temperature-scaled", points, COLORS[1], dashed=True))
    points = [(point.coverage, point.accuracy) for point in report.coverage]
    lowest = min((accuracy for _, accuracy in points), default=0.0)
    y = _y(max(0.0, min(0.9, lowest - 0.02)))
    return [
        Chart("Accuracy by confidence", _x("Confidence"), _y(), lines),
        Chart("Accuracy by coverage", _x("Fraction of images answered"), y, [Line("", points)]),
    ]


def robustness(report: Report) -> list[Chart]:
    """Return accuracy by strength for each corruption."""
    return [_robustness(each) for each in report.robustness.curves] if report.robustness else []


def _robustness(curve: RobustnessCurve) -> Chart:
    points = [(point.strength, point.accuracy) for point in curve.points]
    band = [point.interval for point in curve.points if point.interval is not None]
    line = Line("", points, band=band if len(band) == len(points) else ())
    x = _x(curve.unit, points[0][0], points[-1][0], percent=False)
    return Chart(CORRUPTIONS[curve.corruption], x, _y(), [line])


def _points(bins: tuple[CalibrationBin, ...]) -> Points:
    return [(each.confidence, each.accuracy) for each in bins]


def _x(label: str, low: float = 0.0, high: float = 1.0, *, percent: bool = True) -> Axis:
    return Axis(label, low, high, 48, 358, percent)


def _y(low: float = 0.0) -> Axis:
    return Axis("", low, 1.0, 256, 12)
