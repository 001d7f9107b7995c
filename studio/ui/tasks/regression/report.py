"""Predicted against true values, and what is left over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.ui.charts.figure import Figure, FigureLine, Scale
from studio.ui.tasks.report_view import Chart, OutputData, ReportView
from studio.ui.widgets.figures import significant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST = 2000
"""Images that are drawn; of more, evenly spaced ones."""
_MARGIN = 0.04


class NumberReport(ReportView):
    """Shows values against each other, a dot for each image."""

    def charts(self, data: OutputData) -> list[Chart]:
        """Return predicted values and residuals by true values."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        count = len(data.targets)
        places = np.unique(np.linspace(0, count - 1, min(count, _MOST)).astype(np.intp))
        truth, predicted = data.targets[places], data.outputs[places]
        residuals = predicted - truth
        both = _scale(_tr("Predicted"), np.concatenate([truth, predicted]))
        across = Scale(_tr("True {name}").format(name=data.title), both.low, both.high)
        ends = ((both.low, both.low), (both.high, both.high))
        diagonal = FigureLine("", ends, None, dashed=True)
        farthest = float(np.abs(residuals).max(initial=0.0)) * (1 + _MARGIN) or 1.0
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
                    _tr("Residuals"),
                    across,
                    Scale(_tr("Predicted less true"), -farthest, farthest),
                    (_dots(truth, residuals), zero),
                ),
                images,
            ),
        ]

    def caption(self, data: OutputData, place: int) -> tuple[str, bool]:
        """Return the predicted and the true value; wrong outside of the prediction interval."""
        predicted, truth = float(data.outputs[place]), float(data.targets[place])
        is_outside = data.margin is not None and abs(predicted - truth) > data.margin
        return f"{significant(predicted, 3)} / {significant(truth, 3)}", is_outside


def _dots(x: NDArray[np.float32], y: NDArray[np.float32]) -> FigureLine:
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    return FigureLine("", points, 0, dots=True, joined=False)


def _scale(label: str, values: NDArray[np.float32]) -> Scale:
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    if len(values):
        low, high = float(values.min()), float(values.max())
    room = (high - low) * _MARGIN or 1.0
    return Scale(label, low - room, high + room)


def _tr(text: str) -> str:
    return QCoreApplication.translate("tasks", text)
