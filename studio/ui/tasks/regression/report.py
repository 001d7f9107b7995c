"""Predicted against true values, and what is left over."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ui.charts.figure import Figure, FigureLine, Scale
from studio.ui.tasks.report_view import Chart, OutputData, ReportView
from studio.ui.widgets.figures import significant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_tr = partial(QCoreApplication.translate, "tasks")

_MOST = 2000
"""Images that are drawn; of more, evenly spaced ones."""
_ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
"""Times a power of ten: numbers that are read easily."""
_NEARLY = 1 - 1e-9
_BINS = 31
"""An odd number, so that the middle one is about zero."""


class NumberReport(ReportView):
    """Shows values against each other, a dot for each image."""

    def charts_title(self) -> tuple[str, str]:
        """Name the tab of residuals."""
        hint = _tr("Residual: predicted − true. Centered at zero is unbiased, narrow is accurate.")
        return _tr("Residuals"), hint

    def charts(self, data: OutputData) -> list[Chart]:
        """Return predicted values and residuals by true values, and a histogram of residuals."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        count = len(data.targets)
        if not count:
            return []
        places = np.unique(np.linspace(0, count - 1, min(count, _MOST)).astype(np.intp))
        truth, predicted = data.targets[places], data.outputs[places]
        residuals = predicted - truth
        values = np.concatenate([truth, predicted])
        both = _scale(_tr("Predicted"), float(values.min()), float(values.max()))
        across = Scale(_tr("True {name}").format(name=data.title), both.low, both.high)
        ends = ((both.low, both.low), (both.high, both.high))
        diagonal = FigureLine("", ends, None, dashed=True)
        zero = FigureLine("", ((both.low, 0.0), (both.high, 0.0)), None, dashed=True)
        images = places.tolist()
        return [
            Chart(
                Figure(
                    _tr("Predicted by true"), across, both, (_dots(truth, predicted), diagonal)
                ),
                images,
            ),
            Chart(
                Figure(
                    _tr("By true value"),
                    across,
                    _about_zero(residuals),
                    (_dots(truth, residuals), zero),
                ),
                images,
                is_apart=True,
            ),
            Chart(_histogram(data), is_apart=True),
        ]

    def caption(self, data: OutputData, place: int) -> tuple[str, bool]:
        """Return the predicted and the true value; wrong outside of the prediction interval."""
        predicted, truth = float(data.outputs[place]), float(data.targets[place])
        is_outside = data.margin is not None and abs(predicted - truth) > data.margin
        return f"{significant(predicted, 3)} / {significant(truth, 3)}", is_outside


def _histogram(data: OutputData) -> Figure:
    """Return how the residuals of all images are distributed, with the prediction interval."""
    import numpy as np  # noqa: PLC0415 - not when the window starts

    residuals = (data.outputs - data.targets).astype(np.float64)
    about = _about_zero(residuals)
    counts, edges = np.histogram(residuals, _BINS, (about.low, about.high))
    # Down to zero between the bins, so that they are bars.
    outline = [
        point
        for low, high, number in zip(edges, edges[1:], counts, strict=False)
        for point in ((low, 0.0), (low, number), (high, number), (high, 0.0))
    ]
    top = 4.0 * math.ceil(int(counts.max()) / 4)  # four lines of the grid, at whole numbers
    lines = [
        FigureLine("", [(float(x), float(y)) for x, y in outline], 0),
        FigureLine("", ((0.0, 0.0), (0.0, top)), None, dashed=True),
    ]
    for place, end in enumerate(() if data.margin is None else (-data.margin, data.margin)):
        name = "" if place else _tr("prediction interval")
        lines.append(FigureLine(name, ((end, 0.0), (end, top)), 1, dashed=True))
    title = _tr("Mean {mean}, std. dev. {deviation}").format(
        mean=significant(float(residuals.mean()), 3),
        deviation=significant(float(residuals.std()), 3),
    )
    label = _tr("Predicted − true {name}").format(name=data.title)
    return Figure(title, replace(about, label=label), Scale(_tr("Images"), 0.0, top), lines)


def _dots(x: NDArray[np.float32], y: NDArray[np.float32]) -> FigureLine:
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    return FigureLine("", points, 0, dots=True, joined=False)


def _about_zero(residuals: NDArray[np.floating]) -> Scale:
    """Return an axis for residuals with zero in its middle."""
    farthest = max(map(abs, (float(residuals.min()), float(residuals.max()))))
    half = 2 * _round_up(farthest / 2)
    return Scale(_tr("Predicted − true"), -half, half)


def _scale(label: str, low: float, high: float) -> Scale:
    """Return an axis from `low` to `high` or beyond whose quarters are round numbers."""
    step = _round_up((high - low) / 4)
    while (first := math.floor(low / step) * step) + 4 * step < high:
        step = _round_up(step * 1.01)
    return Scale(label, first, first + 4 * step)


def _round_up(value: float) -> float:
    """Return the next round number; 1 for zero."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(each * power for each in _ROUND if each * power >= value * _NEARLY)
