"""Tabs of a report on classes, each a `ReportTab`, and the charts of labels and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QT_TRANSLATE_NOOP, QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from studio.engine.evaluation.report import CalibrationBin, Certainty, RobustnessCurve
from studio.ui.bridge.request import Request
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.confusion import ConfusionChart, Margins, MarginShare
from studio.ui.charts.figure import DIAGONAL, Figure, FigureChart, FigureLine
from studio.ui.charts.heat_map import Cell
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.origins import ORIGINS_WORD, OriginsTable
from studio.ui.pages.evaluation.pictures import MOST, OpenClasses
from studio.ui.tasks.view import ImageChart
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import count, percent, significant
from studio.ui.widgets.inputs import ComboBox, horizontal_slider
from studio.ui.widgets.labels import ElidedLabel, HintLabel, apart
from studio.ui.widgets.layout import (
    FlowLayout,
    Splitter,
    flow,
    hbox,
    remove_widget,
    text_label,
    vbox,
)
from studio.ui.widgets.pages import EmptyState
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FigureCell, figure_columns
from studio.ui.widgets.tips import allow, explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_classes import Curve


class ReportTab(QWidget):
    """Part of a report on classes.

    Signals:
        images_requested: Title, and indices of images in the predictions.
    """

    images_requested = Signal(str, object)
    word: ClassVar[str]
    """Text of the tab, translated in the context `evaluation`."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.latest = Request(context.background, self)
        self._open_report: OpenClasses | None = None

    @property
    def open_report(self) -> OpenClasses:
        """The shown report; the tab cannot be used before one is shown."""
        if self._open_report is None:
            raise TypeError("no report is shown")
        return self._open_report

    def show_report(self, open_report: OpenClasses) -> None:
        """Show another report; results of work for the last one are dropped."""
        self._open_report = open_report
        self.latest.drop()
        self.refresh(open_report)

    def refresh(self, open_report: OpenClasses) -> None:
        """Show the part of the report."""
        raise NotImplementedError


def _errors_first(open_report: OpenClasses, selected: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the indices of the selected images: errors first, the most confident first."""
    import numpy as np  # noqa: PLC0415 - not when the window starts

    answers = open_report.evaluation.answers
    indices = np.flatnonzero(selected)
    right = answers.truth[indices] == answers.predicted[indices]
    return indices[np.lexsort((-answers.scores[indices], right))]


FEWEST = 8
"""Minimum number of visible classes."""
ALL = -1
"""Index for all classes of a row or column."""


class ZoomedMatrix(ConfusionChart):
    """Confusion matrix whose wheel zooms into some of the classes."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom in on the cell under the pointer, or out."""
        parent = self.parent()
        if isinstance(parent, ConfusionTab) and event.angleDelta().y():
            point = self.plot.mapFrom(self, event.position())
            parent.zoom(point, zoom_in=event.angleDelta().y() > 0)
            event.accept()


class ConfusionTab(ReportTab):
    """Confusion matrix with counts or percentages, sorted by class or by confusion."""

    word = str(QT_TRANSLATE_NOOP("evaluation", "Confusion"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self._shown: NDArray[np.int64] | None = None
        self._chosen: tuple[int, int] | None = None
        self.view = ZoomedMatrix(theme, self)
        self.read_out = ElidedLabel("", self)
        self.in_percent = QCheckBox(self.tr("Percent"), self)
        self.in_percent.setToolTip(self.tr("Percentage of the images of each true class"))
        self.sorted = QCheckBox(self.tr("Sorted by confusion"), self)
        self.sorted.setToolTip(self.tr("Places classes that are confused next to each other"))
        self.zoom_button = icon_button(
            "zoom-in", self.tr("Zoom in"), theme, parent=self, on_click=self._on_zoom
        )
        self.all_button = icon_button(
            "reset-view", self.tr("Show all classes"), theme, parent=self, on_click=self._show_all
        )
        boxes = flow(self.in_percent, self.sorted)
        row = hbox((boxes, 1), self.zoom_button, self.all_button, spacing=SPACE.s)
        for button in (self.zoom_button, self.all_button):
            row.setAlignment(button, Qt.AlignmentFlag.AlignTop)
        for box in (self.in_percent, self.sorted):  # in one line with the buttons
            box.setMinimumHeight(self.zoom_button.sizeHint().height())
        margins = (0, SPACE.s, 0, 0)
        vbox(row, (self.view, 1), self.read_out, owner=self, spacing=SPACE.s, margins=margins)
        self.view.described.connect(self.read_out.setText)
        self.view.chosen.connect(self._on_chosen)
        self.in_percent.toggled.connect(self._on_percent)
        self.sorted.toggled.connect(self._show_all)
        self.view.failed.connect(context.navigator.show_failure)

    def show_report(self, open_report: OpenClasses) -> None:
        """Show another report with all classes, the most frequent error selected."""
        self._shown = self._chosen = None
        super().show_report(open_report)
        if open_report.most_confused is not None:
            self._choose(open_report.most_confused)

    def refresh(self, open_report: OpenClasses) -> None:
        """Show the classes in view, in the chosen order."""
        shown = self.shown()
        report, counts = open_report.report, open_report.evaluation.confusion
        names = [report.classes[label] for label in shown.tolist()]
        totals = counts.sum(axis=1, dtype="int64")[shown]
        self.view.set_matrix(
            counts[shown][:, shown], names, totals, margins_of(open_report, shown)
        )
        is_whole = len(shown) == len(report.classes)
        why_not = self.tr("All classes are shown.") if is_whole else ""
        allow(self.all_button, why_not, self.tr("Show all classes"))
        is_least = len(shown) <= FEWEST
        why_not = self.tr("The smallest number of classes is shown.") if is_least else ""
        allow(self.zoom_button, why_not, self.tr("Zoom in on the selected cell (mouse wheel)"))

    def shown(self) -> NDArray[np.int64]:
        """Return the classes in view, in order, (n,)."""
        order = self._order()
        return order if self._shown is None else self._shown

    def zoom(self, point: QPointF, *, zoom_in: bool) -> None:
        """Show half as many classes around those at a point, or twice as many."""
        cell = self.view.plot.cell_at(point)
        labels = self._chosen if cell is None else self._labels(cell)
        if labels is not None:
            self._zoom(labels, zoom_in=zoom_in)

    def _zoom(self, labels: tuple[int, int], *, zoom_in: bool) -> None:
        import numpy as np  # noqa: PLC0415 - not when the window starts

        order, shown = self._order(), self.shown()
        number = max(FEWEST, len(shown) // 2) if zoom_in else len(shown) * 2
        if number >= len(order):
            self._shown = None
        else:
            # Half of them around the true class, half around the predicted one.
            centers = np.flatnonzero(np.isin(order, labels))
            distances = np.abs(np.arange(len(order))[:, np.newaxis] - centers).min(axis=1)
            nearest = np.sort(np.argsort(distances, kind="stable")[:number])
            self._shown = order[nearest]
        self.refresh(self.open_report)
        self._mark()

    def _order(self) -> NDArray[np.int64]:
        import numpy as np  # noqa: PLC0415 - not when the window starts

        if self.sorted.isChecked():
            return self.open_report.order
        return np.arange(len(self.open_report.report.classes))

    def _mark(self) -> None:
        """Mark the selected cell if it is in view."""
        shown = self.shown().tolist()
        positions = {label: position for position, label in enumerate(shown)}
        positions[ALL] = len(shown)  # the bar
        cell = None
        if self._chosen is not None and positions.keys() >= set(self._chosen):
            cell = positions[self._chosen[0]], positions[self._chosen[1]]
        self.view.set_current(cell)

    def _choose(self, labels: tuple[int, int]) -> None:
        self._chosen = labels
        self._mark()
        current = self.view.plot.current()
        if current is not None:
            self.images_requested.emit(self.view.describe(current), self._images(*labels))

    def _images(self, truth: int, predicted: int) -> NDArray[np.int64]:
        """Return indices of predictions, most confident first; of a whole class errors first."""
        answers = self.open_report.evaluation.answers
        if ALL not in (truth, predicted):
            return answers.cell(truth, predicted)
        of_class = answers.truth == truth if predicted == ALL else answers.predicted == predicted
        return _errors_first(self.open_report, of_class)

    def _labels(self, cell: Cell) -> tuple[int, int]:
        """Return the classes of a cell or bar in view."""
        labels = [*self.shown().tolist(), ALL]
        return labels[cell[0]], labels[cell[1]]

    def _on_chosen(self, cell: Cell) -> None:
        self._choose(self._labels(cell))

    def _on_percent(self, checked: bool) -> None:
        self.view.plot.set_numbers(percent=checked)

    def _on_zoom(self) -> None:
        shown = self.shown()
        self._zoom(self._chosen or (int(shown[0]), int(shown[0])), zoom_in=True)

    def _show_all(self, _checked: bool = False) -> None:
        self._shown = None
        self.refresh(self.open_report)
        self._mark()


def margins_of(open_report: OpenClasses, labels: NDArray[np.int64]) -> Margins:
    """Return recall and precision of some classes, with their intervals."""
    figures = open_report.report.outputs
    predicted = open_report.evaluation.confusion.sum(axis=0).tolist()
    recall, precision = [], []
    for label in labels.tolist():
        each = figures[label]
        found = each.metrics["recall"] or 0.0
        recall.append(MarginShare(found, each.images, each.intervals.get("recall")))
        interval = each.intervals.get("precision")
        found = each.metrics["precision"] or 0.0
        precision.append(MarginShare(found, predicted[label], interval))
    return Margins(recall, precision)


_WORST_FIRST = "3"
"""Column with F1."""


class ClassesTab(ReportTab):
    """Table of the classes, and the curves of the selected one."""

    word = str(QT_TRANSLATE_NOOP("evaluation", "Classes"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._label = -1
        self.table: Table[Sequence[FigureCell]] = Table(self.tr("Classes"), (), self)
        self.table.content.set_usual_sort([(_WORST_FIRST, False)])
        self.roc = FigureChart(context.theme, self)
        self.recall = FigureChart(context.theme, self)
        charts = QWidget(self)
        margins = (0, SPACE.s, 0, 0)
        hbox(self.roc, self.recall, owner=charts, spacing=SPACE.l, margins=margins)
        down = Qt.Orientation.Vertical
        splitter = Splitter(context.settings, "evaluation/classes", down, self)
        splitter.split((self.table, 3, 300), (charts, 2, 200))
        vbox(splitter, owner=self, margins=margins)
        for chart in (self.roc, self.recall):
            chart.failed.connect(context.navigator.show_failure)
        self.table.row_clicked.connect(self._on_clicked)
        self.table.row_chosen.connect(self._on_chosen)
        explain(self.table, self.tr("Metrics of each class. Choose one to see its curves."))

    def refresh(self, open_report: OpenClasses) -> None:
        """Show the classes, sorted as before; at first by ascending F1."""
        self._label = -1
        specs = open_report.evaluation.reporter.report_columns
        labels = (translated(spec.label) for spec in specs)
        headings = [self.tr("Class"), *labels, self.tr("Images")]
        self.table.show_rows(open_report.class_rows, figure_columns(headings))
        self.table.selectRow(0)

    def _on_chosen(self, label: int) -> None:
        if label != self._label:
            self._label = label
            work = partial(self.open_report.evaluation.curves, label)
            self.latest.run(work, partial(self._on_curves, label))

    def _on_clicked(self, label: int) -> None:
        import numpy as np  # noqa: PLC0415 - not when the window starts

        evaluated = self.open_report.evaluation
        text = self.tr("“{name}”: most confident mistakes first, then correct predictions")
        wrong, right = evaluated.surest_wrong(label, MOST), evaluated.surest_right(label, MOST)
        name = apart(self.open_report.report.classes[label])
        self.images_requested.emit(text.format(name=name), np.concatenate([wrong, right]))

    def _on_curves(self, label: int, curves: tuple[Curve, Curve] | None) -> None:
        report = self.open_report.report
        name, metrics = apart(report.classes[label]), report.outputs[label].metrics
        area, average = (
            messages.metric_value(spec, metrics[spec.name])
            for spec in self.open_report.evaluation.reporter.report_columns[-2:]
        )
        share = (0.0, 1.0, True)
        roc, recall = ([] if curve is None else [_line(curve)] for curve in curves or (None, None))
        title = self.tr("ROC: {area} · {name}").format(name=name, area=area)
        across = AxisScale(self.tr("False positive rate"), *share)
        up = AxisScale(self.tr("True positive rate"), *share)
        self.roc.show_figure(Figure(title, across, up, (DIAGONAL, *roc)))
        title = self.tr("Precision by recall: {average}").format(average=average)
        across, up = AxisScale(self.tr("Recall"), *share), AxisScale(self.tr("Precision"), *share)
        self.recall.show_figure(Figure(title, across, up, recall))


def _line(curve: Curve) -> FigureLine:
    across, up = curve
    return FigureLine("", list(zip(across.tolist(), up.tolist(), strict=True)), 0)


_STEPS = 1000


class CertaintyTab(ReportTab):
    """Reliability diagram on the left, confidence threshold on the right."""

    word = str(QT_TRANSLATE_NOOP("evaluation", "Confidence"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.calibration = FigureChart(theme, self)
        self.coverage = FigureChart(theme, self)
        self.note = HintLabel(parent=self)
        self.threshold = horizontal_slider(self, self.tr("Threshold"), 0, _STEPS, 0)
        self.threshold.setPageStep(_STEPS // 20)
        self.threshold.setToolTip(
            self.tr("Predictions below this probability count as “unknown”.")
        )
        self.verdict = QLabel(self, wordWrap=True)
        button = partial(push_button, theme=theme, parent=self)
        self.unknown_button = button(self.tr("Show unknown"), on_click=self._on_unknown)
        self.wrong_button = button(self.tr("Show errors"), on_click=self._on_wrong)
        below = self.tr("Shows the images with a probability below the threshold.")
        explain(self.unknown_button, below)
        explain(self.wrong_button, self.tr("Shows the misclassified images above the threshold."))
        buttons = QWidget(self)
        flow = FlowLayout(buttons)
        flow.addWidget(self.unknown_button)
        flow.addWidget(self.wrong_button)
        left = vbox((self.calibration, 1), self.note)
        right = vbox((self.coverage, 1), self.threshold, self.verdict, buttons)
        hbox((left, 1), (right, 1), owner=self, spacing=SPACE.xl, margins=(0, SPACE.m, 0, 0))
        for chart in (self.calibration, self.coverage):
            chart.failed.connect(context.navigator.show_failure)
            chart.setMinimumWidth(160)
        self.calibration.point_chosen.connect(self._on_bin)
        self.coverage.position_chosen.connect(self._on_coverage)
        self.threshold.valueChanged.connect(self._show_threshold)

    def refresh(self, open_report: OpenClasses) -> None:
        """Show both charts with a threshold of 0."""
        certainty = open_report.certainty
        points = _points(certainty.bins)
        lines = [DIAGONAL, FigureLine(self.tr("Uncalibrated"), points, 0, dots=True)]
        if certainty.temperature is not None:
            points = _points(certainty.temperature.bins)
            name = self.tr("With temperature {value}").format(
                value=significant(certainty.temperature.value, 3)
            )
            lines.append(FigureLine(name, points, 1, dashed=True))
        share = (0.0, 1.0, True)
        up = AxisScale(self.tr("Accuracy"), *share)
        title = self.tr("Accuracy by confidence")
        figure = Figure(title, AxisScale(self.tr("Confidence"), *share), up, lines)
        self.calibration.show_figure(figure)
        self.note.show_text(self._about_temperature(certainty))
        points = [(each.coverage, each.accuracy) for each in certainty.coverage]
        lowest = min((accuracy for _, accuracy in points), default=0.0)
        up = AxisScale(
            self.tr("Accuracy"), max(0.0, int(lowest * 5 - 0.01) / 5), 1.0, percent=True
        )
        across = AxisScale(self.tr("Coverage"), *share)
        title = self.tr("Accuracy by coverage")
        self.coverage.show_figure(Figure(title, across, up, [FigureLine("", points, 0)]))
        self.threshold.setValue(0)
        self._show_threshold()

    def _about_temperature(self, certainty: Certainty) -> str:
        fitted = certainty.temperature
        if fitted is None:
            return certainty.temperature_missing
        return self.tr(
            "Fitted on {count} {split} images. It gives a calibration error of {error} and a loss "
            "of {loss}; predicted classes don't change."
        ).format(
            count=count(fitted.images),
            split=split_word(fitted.fitted_on).lower(),
            error=percent(fitted.calibration_error),
            loss=significant(fitted.loss),
        )

    def _show_threshold(self, _value: int = 0) -> None:
        answers, limit = self.open_report.evaluation.answers, self.threshold.value() / _STEPS
        answered = answers.scores >= limit
        number = int(answered.sum())
        right = int((answers.truth == answers.predicted)[answered].sum())
        whole = max(1, len(answered))
        self.coverage.set_mark(number / whole)
        pattern = self.tr(
            "Above {limit}: {share} of the images are classified, {right} of them correctly. The "
            "other {left} are “unknown”."
        )
        accuracy = right / number if number else math.nan
        fractions = {"share": percent(number / whole), "right": percent(accuracy)}
        left = count(len(answered) - number)
        self.verdict.setText(pattern.format(limit=percent(limit), left=left, **fractions))

    def _on_coverage(self, coverage: float) -> None:
        """Set the threshold for a coverage."""
        points = self.open_report.certainty.coverage
        nearest = min(points, key=lambda point: abs(point.coverage - coverage))
        self.threshold.setValue(int(nearest.threshold * _STEPS))

    def _on_bin(self, line: int, index: int) -> None:
        if line != 1:
            return
        open_report = self.open_report
        chosen = open_report.certainty.bins[index]
        scores = open_report.evaluation.answers.scores
        text = self.tr("Predictions with a confidence of {low} to {high}, errors first").format(
            low=percent(chosen.low, 0), high=percent(chosen.high, 0)
        )
        inside = (scores > chosen.low) & (scores <= chosen.high)
        self.images_requested.emit(text, _errors_first(open_report, inside))

    def _on_unknown(self) -> None:
        below = self.open_report.evaluation.answers.scores < self.threshold.value() / _STEPS
        images = _errors_first(self.open_report, below)
        self.images_requested.emit(self.tr("Below the threshold"), images)

    def _on_wrong(self) -> None:
        answers = self.open_report.evaluation.answers
        wrong = (answers.scores >= self.threshold.value() / _STEPS) & (
            answers.truth != answers.predicted
        )
        text = self.tr("Errors above the threshold, the most confident first")
        self.images_requested.emit(text, _errors_first(self.open_report, wrong))


def _points(bins: tuple[CalibrationBin, ...]) -> list[tuple[float, float]]:
    return [(each.confidence, each.accuracy) for each in bins]


_COLUMNS = 3


class RobustnessTab(ReportTab):
    """Small chart for each image corruption.

    Signals:
        measure_requested: The user wants an evaluation with corruptions.
    """

    word = str(QT_TRANSLATE_NOOP("evaluation", "Robustness"))
    measure_requested = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.note = text_label("", "muted", self, wraps=True)
        title = self.tr("Robustness is not measured")
        text = self.tr(
            "It shows how much blur, noise, compression, rotation, darkness and covered parts "
            "cost."
        )
        self.empty = EmptyState(context.theme, "evaluate", title, text, self)
        self.measure_button = self.empty.add_action(self.tr("Measure robustness"))
        self.measure_button.clicked.connect(self.measure_requested)
        self.charts: list[FigureChart] = []
        self._grid = QGridLayout()
        self._grid.setSpacing(SPACE.l)
        parts = (self.note, (self._grid, 1), (self.empty, 1))
        vbox(*parts, owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))

    def refresh(self, open_report: OpenClasses) -> None:
        """Show the curves, or offer to measure them."""
        found = open_report.report.robustness
        curves = () if found is None else found.curves
        self.empty.setVisible(found is None)
        self.note.setVisible(found is not None)
        if found is not None:
            pattern = self.tr("Accuracy on {count} of the images, by strength of the corruption.")
            self.note.setText(pattern.format(count=count(found.images)))
        while len(self.charts) < len(curves):
            chart = FigureChart(self.context.theme, self)
            chart.setMinimumSize(130, 120)
            chart.failed.connect(self.context.navigator.show_failure)
            self._grid.addWidget(chart, *divmod(len(self.charts), _COLUMNS))
            self.charts.append(chart)
        for chart, curve in zip(self.charts, curves, strict=False):
            chart.show_figure(_figure(curve))
        for number, chart in enumerate(self.charts):
            chart.setVisible(number < len(curves))


def _figure(curve: RobustnessCurve) -> Figure:
    intervals = [point.interval for point in curve.points]
    band = [each for each in intervals if each is not None]
    points = [(point.strength, point.accuracy) for point in curve.points]
    line = FigureLine("", points, 0, band=band if len(band) == len(intervals) else ())
    across = AxisScale(messages.strength_name(curve.unit), points[0][0], points[-1][0])
    name = messages.corruption_label(curve.corruption)
    return Figure(name, across, AxisScale("", 0.0, 1.0, percent=True), [line])


class FiguresTab(ReportTab):
    """All metrics of the report, with their intervals."""

    word = str(QT_TRANSLATE_NOOP("evaluation", "Metrics"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        headings = [self.tr("Metric"), self.tr("Value"), self.tr("95 % interval")]
        self.table = Table(self.tr("Metrics"), figure_columns(headings), self)
        self.note = HintLabel(parent=self)
        vbox((self.table, 1), self.note, owner=self, spacing=SPACE.s, margins=(0, SPACE.s, 0, 0))
        explain(self.table, self.tr("All metrics of the report, with confidence intervals."))

    def refresh(self, open_report: OpenClasses) -> None:
        """Show the metrics."""
        report = open_report.report
        rows = []
        for spec in open_report.evaluation.reporter.report_metrics:
            interval = report.intervals.get(spec.name)
            low = None if interval is None else interval[0]
            around = FigureCell(messages.interval_text(spec, interval), low)
            label, value = translated(spec.label), report.metrics[spec.name]
            cells = messages.metric_cell(spec, value, None), around
            rows.append([FigureCell(label, label.casefold()), *cells])
        self.table.show_rows(rows)
        none = self.tr("Intervals were not computed.")
        self.note.show_text(messages.resampled_text(report) if report.resamples else none)


class OriginsTab(ReportTab):
    """Metrics on known and on unseen origins.

    Signals:
        measured: True if the report has both.
    """

    word = ORIGINS_WORD
    measured = Signal(bool)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.metrics = OriginsTable(self)
        vbox((self.metrics, 1), owner=self)

    def refresh(self, open_report: OpenClasses) -> None:
        """Show the metrics."""
        specs = open_report.evaluation.reporter.report_metrics
        self.measured.emit(self.metrics.show_gap(open_report.report.gap, specs))


_SIDE_BY_SIDE = 2
"""Most charts in a row."""


class ChartRow(QWidget):
    """Charts side by side.

    Signals:
        images_requested: Index of the image of a clicked point.
    """

    images_requested = Signal(int)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._charts: Sequence[ImageChart] = ()
        self.widgets = tuple(FigureChart(context.theme, self) for _ in range(_SIDE_BY_SIDE))
        hbox(*self.widgets, owner=self, spacing=SPACE.l, margins=(0, SPACE.s, 0, 0))
        for index, widget in enumerate(self.widgets):
            widget.point_chosen.connect(partial(self._on_point, index))
            widget.failed.connect(context.navigator.show_failure)

    def show_charts(self, charts: Sequence[ImageChart]) -> None:
        """Show at most two charts."""
        self._charts = charts
        for index, widget in enumerate(self.widgets):
            widget.setVisible(index < len(charts))
            if index < len(charts):
                widget.show_figure(charts[index].figure)

    def _on_point(self, chart: int, line: int, point: int) -> None:
        images = self._charts[chart].images
        if line == 0 and point < len(images):
            self.images_requested.emit(images[point])


class OutputCharts(QWidget):
    """Charts of one label or quantity at a time.

    Signals:
        output_chosen: Index of the chosen label or quantity.
    """

    output_chosen = Signal(int)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = ComboBox(self)
        self.hint = HintLabel(parent=self)
        self.charts = ChartRow(context, self)
        self.empty = EmptyState(context.theme, "evaluate", self.tr("No curves"), "", self)
        self.empty.hide()
        top = hbox(self.box, (self.hint, 1), spacing=SPACE.m)
        self._head: QWidget | None = None
        self._lines = vbox(
            top,
            (self.charts, 1),
            (self.empty, 1),
            owner=self,
            spacing=SPACE.s,
            margins=(0, SPACE.s, 0, 0),
        )
        self.box.activated.connect(self.output_chosen)
        explain(self.box, self.tr("Label or quantity shown in the charts."))

    def set_outputs(self, kind: str, names: Sequence[str], hint: str) -> None:
        """Offer these labels or quantities.

        Args:
            kind: Term for one of them.
            names: Their names.
            hint: Explanation of the charts.
        """
        with QSignalBlocker(self.box):
            self.box.clear()
            self.box.addItems(list(names))
        self.box.setAccessibleName(kind)
        self.box.setVisible(len(names) > 1)
        self.hint.show_text(hint)

    def set_head(self, head: QWidget | None) -> None:
        """Place widgets above the charts instead of earlier ones; None for none."""
        if self._head is not None:
            remove_widget(self._lines, self._head)
        self._head = head
        if head is not None:
            self._lines.insertWidget(1, head)

    def show_output(self, output: int, charts: Sequence[ImageChart]) -> None:
        """Show the charts of a label or quantity."""
        self.box.setCurrentIndex(output)
        self.charts.show_charts(charts)
        self.charts.setVisible(bool(charts))
        self.empty.setVisible(not charts)
        if not charts:
            text = self.tr("The model predicted “{name}” nowhere, or no image has it.")
            name = apart(self.box.itemText(output))
            self.empty.set_texts(self.tr("No curves"), text.format(name=name))
