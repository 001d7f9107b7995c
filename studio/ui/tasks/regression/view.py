"""The parts of pages for numbers of each image: reports, residuals of a run, and the task view."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.metric import with_unit
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureLine
from studio.ui.shared.dataset_pictures import Captioned
from studio.ui.tasks.data_view import quantity
from studio.ui.tasks.regression.data import RegressionData
from studio.ui.tasks.view import (
    ImageChart,
    InsightView,
    OutputData,
    ReportView,
    TaskView,
    ValidationInsight,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, text_label, vbox

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_tr = partial(QCoreApplication.translate, "tasks")

_MOST_POINTS = 2000
"""Maximum number of drawn images; of more, evenly spaced ones."""
_AIR = 1.05
"""Largest value of an axis by the largest value of the data."""
MAX_PICTURES = 200
"""Pictures that are shown, the largest residuals first."""
_SMALLEST_PLOT = (280, 220)
_THUMB = 72
_BINS = 31
"""An odd number, so that the middle one is about zero."""


class NumberReport(ReportView):
    """Shows values against each other, a dot for each image."""

    def charts_title(self) -> tuple[str, str]:
        """Return the title of the tab of residuals."""
        hint = _tr("Residual: predicted − true. Centered at zero is unbiased, narrow is accurate.")
        return _tr("Residuals"), hint

    def charts(self, data: OutputData) -> list[ImageChart]:
        """Return predicted values and residuals by true values, and a histogram of residuals."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        count = len(data.targets)
        if not count:
            return []
        indices = np.unique(np.linspace(0, count - 1, min(count, _MOST_POINTS)).astype(np.intp))
        truth, predicted = data.targets[indices], data.outputs[indices]
        residuals = predicted - truth
        values = np.concatenate([truth, predicted])
        both = _scale(_tr("Predicted"), float(values.min()), float(values.max()))
        across = AxisScale(_tr("True {name}").format(name=data.title), both.low, both.high)
        ends = ((both.low, both.low), (both.high, both.high))
        diagonal = FigureLine("", ends, None, dashed=True)
        zero = FigureLine("", ((both.low, 0.0), (both.high, 0.0)), None, dashed=True)
        images = indices.tolist()
        return [
            ImageChart(
                Figure(
                    _tr("Predicted by true"), across, both, (_dots(truth, predicted), diagonal)
                ),
                images,
            ),
            ImageChart(
                Figure(
                    _tr("By true value"),
                    across,
                    _about_zero(residuals),
                    (_dots(truth, residuals), zero),
                ),
                images,
                is_apart=True,
            ),
            ImageChart(_histogram(data), is_apart=True),
        ]

    def caption(self, data: OutputData, index: int) -> tuple[str, bool]:
        """Return predicted and true value; see `ReportView.caption`."""
        predicted, truth = float(data.outputs[index]), float(data.targets[index])
        is_outside = data.margin is not None and abs(predicted - truth) > data.margin
        return f"{significant(predicted, 3)} / {significant(truth, 3)}", is_outside


def _histogram(data: OutputData) -> Figure:
    """Return the histogram of the residuals, with the prediction interval."""
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
    top = _AIR * float(counts.max())
    lines = [
        FigureLine("", [(float(x), float(y)) for x, y in outline], 0),
        FigureLine("", ((0.0, 0.0), (0.0, top)), None, dashed=True),
    ]
    for index, end in enumerate(() if data.margin is None else (-data.margin, data.margin)):
        name = "" if index else _tr("prediction interval")
        lines.append(FigureLine(name, ((end, 0.0), (end, top)), 1, dashed=True))
    title = _tr("Mean {mean}, std. dev. {deviation}").format(
        mean=significant(float(residuals.mean()), 3),
        deviation=significant(float(residuals.std()), 3),
    )
    label = _tr("Predicted − true {name}").format(name=data.title)
    up = AxisScale(_tr("Images"), 0.0, top, whole=True)
    return Figure(title, replace(about, label=label), up, lines)


def _dots(x: NDArray[np.float32], y: NDArray[np.float32]) -> FigureLine:
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    return FigureLine("", points, 0, dots=True, joined=False)


def _about_zero(residuals: NDArray[np.floating]) -> AxisScale:
    """Return an axis for residuals with zero in its middle."""
    half = _AIR * max(map(abs, (float(residuals.min()), float(residuals.max())))) or 1.0
    return AxisScale(_tr("Predicted − true"), -half, half)


def _scale(label: str, low: float, high: float) -> AxisScale:
    """Return an axis from slightly below `low` to slightly above `high`."""
    room = (_AIR - 1) * (high - low) or 1.0
    return AxisScale(label, low - room, high + room)


class Residuals(InsightView):
    """A point for each image at the left, the pictures of the largest residuals at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, _THUMB, parent)
        from studio.ui.charts.dots import ScatterChart  # noqa: PLC0415 - NumPy, pyqtgraph

        self._order: NDArray[np.int64] | None = None
        self.box = ComboBox(self)
        self.box.setAccessibleName(_tr("Quantity"))
        self.box.setToolTip(_tr("The displayed quantity."))
        self.plot = ScatterChart(theme, _tr("Predicted and true values"), self)
        self.plot.setMinimumSize(*_SMALLEST_PLOT)
        self.read_out = ElidedLabel(parent=self, role="muted")
        self.heading = text_label(_tr("Largest residuals"), "section", self)
        left = vbox((self.plot, 1), self.read_out, spacing=SPACE.xs)
        self._lay_out(left, hbox((self.heading, 1), self.box))
        self.grid.setAccessibleName(self.heading.text())
        self.box.currentIndexChanged.connect(self._show)
        self.plot.pointed.connect(self._on_pointed)
        self.plot.chosen.connect(self._on_chosen)

    def show_insight(self, insight: ValidationInsight) -> None:
        """Show a validation; the chosen quantity stays."""
        is_other = self._insight is None or self._insight.pictures is not insight.pictures
        self._insight = insight
        names = [with_unit(*each) for each in zip(insight.names, insight.units, strict=True)]
        if is_other or self.box.count() != len(names):
            self.plot.mark(None)
            with QSignalBlocker(self.box):
                self.box.clear()
                self.box.addItems(names)
        self.box.setVisible(len(names) > 1)
        self._show()

    def _show(self) -> None:
        insight, at = self._insight, self.box.currentIndex()
        if insight is None or at < 0:
            return
        import numpy as np  # noqa: PLC0415 - the window starts without it

        true = insight.found.truth[:, at].astype(np.float64)
        predicted = insight.found.outputs[:, at].astype(np.float64)
        name = self.box.itemText(at)
        labels = (
            _tr("True {name}").format(name=name),
            _tr("Predicted {name}").format(name=name),
        )
        self.plot.show_values(true, predicted, labels)
        self.read_out.setText("")
        self._order = np.argsort(-np.abs(np.nan_to_num(predicted - true)), kind="stable")[
            :MAX_PICTURES
        ]
        images = [self._captioned(insight, int(index)) for index in self._order]
        self.grid.show_images(images, insight.pictures)

    def _captioned(self, insight: ValidationInsight, index: int) -> Captioned:
        at, found = self.box.currentIndex(), insight.found
        true, predicted = float(found.truth[index, at]), float(found.outputs[index, at])
        difference = _difference(predicted - true)
        whole = _tr("predicted {predicted}, true {true} ({difference})").format(
            predicted=quantity(predicted, insight.units[at]),
            true=quantity(true, insight.units[at]),
            difference=difference,
        )
        return Captioned(int(found.rows[index]), difference, whole)

    def _on_pointed(self, index: int) -> None:
        insight = self._insight
        if insight is not None:
            self.read_out.setText("" if index < 0 else self._captioned(insight, index).whole)

    def _on_chosen(self, index: int) -> None:
        """Mark the point, and show its picture before the others."""
        insight = self._insight
        if insight is None or self._order is None:
            return
        self.plot.mark(index)
        indices = [index, *(int(position) for position in self._order if position != index)]
        self.grid.show_images(
            [self._captioned(insight, position) for position in indices], insight.pictures
        )
        self.grid.scrollToTop()


def _difference(value: float) -> str:
    return f"+{significant(value, 3)}" if value > 0 else significant(value, 3)


class RegressionView(RegressionData, TaskView):
    """Shows numbers of each image."""

    report = NumberReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Residuals")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return Residuals(theme, parent)


VIEW = RegressionView()
