"""Charts of a sweep: base, best so far, slice, Pareto front, importance of fields."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from studio.engine.arrays import Floats
from studio.engine.sweeps.plan import OBJECTIVES, Direction
from studio.engine.sweeps.rows import best_trials
from studio.ui.charts.axes import AxisScale, Tick
from studio.ui.charts.chart import Chart
from studio.ui.charts.dots import Dots, PointPlot, bounds_around
from studio.ui.charts.header import DotStyle, Tools
from studio.ui.charts.sweeps.data import (
    NO_TRIALS,
    SweepAxis,
    SweepTrials,
    has_unit,
    is_fraction,
    rounded,
    trial_text,
    trials_table,
    trials_text,
    value_text,
)
from studio.ui.charts.table import DataColumn, DataTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color, mix
from studio.ui.widgets.figures import percent
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import elided
from studio.ui.widgets.layout import FlowLayout, hbox, text_label
from studio.ui.widgets.painting import PaintedWidget, caption_font

_ROW = 34.0
_BAR = 18.0
_MOST_NAME = 220.0


class BarPlot(PaintedWidget):
    """Bar for each name; the first one fills the width.

    Args:
        theme: Colors.
        text: Formats the value beside a bar.

    Attributes:
        bars: The shown names and values.
    """

    is_smooth = False

    def __init__(
        self, theme: Theme, text: Callable[[float], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, parent)
        self._text = text
        self.bars: list[tuple[str, float]] = []

    def show_bars(self, bars: Sequence[tuple[str, float]]) -> None:
        """Show names and values, the largest first."""
        self.bars = list(bars)
        self.update()

    def paint(self, painter: QPainter) -> None:
        """Paint names, bars and values."""
        if not self.bars:
            return
        palette = self._theme.palette
        painter.fillRect(self.rect(), QColor(palette.surface))
        metrics = QFontMetricsF(painter.font())
        names = max(metrics.horizontalAdvance(name) for name, _ in self.bars)
        left = SPACE.m + min(names, _MOST_NAME) + SPACE.m
        widest = max(metrics.horizontalAdvance(self._text(value)) for _, value in self.bars)
        room = max(1.0, self.width() - left - widest - 2 * SPACE.m)
        longest = self.bars[0][1] or 1.0
        row = min(_ROW, (self.height() - 2 * SPACE.m) / len(self.bars))
        color = QColor(chart_color(0, dark=self._theme.is_dark))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for index, (name, value) in enumerate(self.bars):
            top = SPACE.m + index * row
            painter.setPen(QColor(palette.text))
            text = elided(metrics, name, _MOST_NAME)
            painter.drawText(QRectF(0, top, left - SPACE.m, row), right, text)
            height = min(_BAR, row - 2)
            bar = QRectF(left, top + (row - height) / 2, room * value / longest, height)
            painter.fillRect(bar, color)
            painter.setPen(QColor(palette.muted))
            beside = QRectF(bar.right() + SPACE.s, top, widest + SPACE.m, row)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, self._text(value))


PLAIN, BEST = 0, 1
"""Kinds of dots."""
_MARGIN = 0.06
_FEW_VALUES, _APART = 6, 0.1
"""Most values of a field that are ticks of its axis, and the least distance between them as a
fraction of the range."""
_FEW = 1000
"""Most dots that are drawn large."""
_SPREAD = 0.6
_GOLDEN = 0.6180339887
"""Golden ratio: its multiples modulo 1 are evenly distributed."""


class ChoiceRow(QWidget):
    """Labeled combo boxes in lines that wrap; one without a choice is hidden.

    Signals:
        changed: Another item was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self._pairs: dict[QComboBox, QWidget] = {}

    def add(self, name: str) -> ComboBox:
        """Add a combo box, which is filled later."""
        pair = QWidget(self)
        label, box = text_label(name, "muted", pair), ComboBox(pair, name)
        label.setBuddy(box)
        box.setMinimumContentsLength(_LEAST_LETTERS)
        box.setMaximumWidth(_BOX_WIDTH)
        hbox(label, (box, 1), owner=pair, spacing=SPACE.s)
        self._pairs[box] = pair
        self._flow.addWidget(pair)
        box.currentIndexChanged.connect(self.changed)
        return box

    def fill(self, box: QComboBox, names: Sequence[str], first: int = 0) -> None:
        """Set the names in a box; the choice is kept if possible.

        Args:
            box: The box.
            names: The names.
            first: Index chosen otherwise.
        """
        if [box.itemText(at) for at in range(box.count())] != list(names):
            chosen = box.currentText()
            with QSignalBlocker(box):
                box.clear()
                box.addItems(list(names))
                at = names.index(chosen) if chosen in names else min(first, len(names) - 1)
                box.setCurrentIndex(at)
        self._pairs[box].setVisible(len(names) > 1)
        self.setVisible(any(each.count() > 1 for each in self._pairs))


_BOX_WIDTH, _LEAST_LETTERS = 240, 3
_STRIP = 12.0
_STRIP_WIDTH = 360.0


class ColorScale(PaintedWidget):
    """Strip of colors with the values at their edges below it."""

    is_smooth = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._colors: Sequence[QColor] = ()
        self.texts: Sequence[str] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_scale(self, colors: Sequence[QColor], texts: Sequence[str]) -> None:
        """Show a scale; without colors, nothing.

        Args:
            colors: From left to right.
            texts: Evenly spaced values from the left to the right end.
        """
        self._colors, self.texts = colors, texts
        self.setAccessibleName(", ".join((texts[0], texts[-1])) if texts else "")
        self.setVisible(bool(colors))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the strip and a line of text."""
        return QSize(round(_STRIP_WIDTH), round(_STRIP) + SPACE.xs + self.fontMetrics().height())

    def paint(self, painter: QPainter) -> None:
        """Paint the colors, and as many values as fit."""
        painter.setFont(caption_font(self.font()))
        metrics = painter.fontMetrics()
        widths = [metrics.horizontalAdvance(text) for text in self.texts]
        left = widths[0] / 2 if widths else 0.0
        width = min(_STRIP_WIDTH, self.width() - left - (widths[-1] / 2 if widths else 0.0))
        for index, color in enumerate(self._colors):
            part = width / len(self._colors)
            painter.fillRect(QRectF(left + index * part, 0, part + 1, _STRIP), color)
        painter.setPen(QColor(self._theme.palette.muted))
        gaps = max(1, len(self.texts) - 1)
        every = math.ceil((max(widths, default=0) + SPACE.s) * gaps / max(1.0, width))
        for index, text in enumerate(self.texts):
            if index % every == 0:
                middle = left + width * index / gaps
                box = QRectF(middle - widths[index], _STRIP + SPACE.xs, 2 * widths[index] + 1, 20)
                painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, text)


class SweepView(Chart):
    """Chart of the trials of a sweep.

    Signals:
        trial_chosen: Number of a trial that was clicked or chosen by Return.
        brushed: Numbers of the selected trials, a frozenset, or None for all.
        work_requested: `Work` that takes too long for the thread of the window.
    """

    trial_chosen = Signal(int)
    brushed = Signal(object)
    work_requested = Signal(object)

    def __init__(
        self,
        theme: Theme,
        title: str,
        tools: Tools = Tools.NONE,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, title, tools, parent)
        self.set_title(title, in_header=False)  # the tab shows it
        self.legend.hide()
        self.choices = ChoiceRow(self)
        self.choices.hide()
        self.choices.changed.connect(self.refresh)
        self.bar.add_control(self.choices, 1)
        self.trials = NO_TRIALS

    def set_trials(self, trials: SweepTrials) -> None:
        """Show these trials."""
        self.trials = trials
        self.refresh()
        self.update_texts()

    def set_importance(self, importance: Mapping[str, float] | None) -> None:
        """Show the importance of the fields; most views ignore it."""

    def refresh(self) -> None:
        """Draw the trials again."""
        raise NotImplementedError

    def chosen_axis(self, box: QComboBox, axes: Sequence[SweepAxis], first: int = 0) -> SweepAxis:
        """Offer axes in a box, and return the chosen one.

        Args:
            box: The box.
            axes: Fields or objectives.
            first: Index of the axis that is chosen at first.
        """
        self.choices.fill(box, [axis.label for axis in axes], first)
        return axes[box.currentIndex()]

    def missing(self) -> str:
        """Return why there is nothing to show yet; empty if there is something."""
        if not len(self.trials):
            return self.tr("Appears when the first trial is finished.")
        return ""

    def own_table(self) -> DataTable | None:
        """Return the table to show instead of the trials, or None."""
        return None

    def data_table(self) -> DataTable:
        """Return the table of the view while it is open, else the trials."""
        own = self.own_table() if self.is_table_shown() else None
        return trials_table(self.trials) if own is None else own

    def summary(self) -> str:
        """Return the number of trials and the best one, or what is missing."""
        return self.missing() or trials_text(self.trials)

    def describe(self, index: int) -> str:
        """Describe a trial in lines, given its index among the finished ones."""
        title = self.tr("Trial {number}").format(number=int(self.trials.numbers[index]))
        return trial_text(self.trials, index, title)

    def show_trial(self, index: int | None, position: QPoint) -> None:
        """Show the trial under the pointer.

        Args:
            index: Index among the finished trials, or None.
            position: Position on the screen.
        """
        self.show_bubble("" if index is None else self.describe(index), position)

    def choose(self, index: int) -> None:
        """Report that a trial was chosen, given its index among the finished ones."""
        self.trial_chosen.emit(int(self.trials.numbers[index]))


def _scale(axis: SweepAxis) -> AxisScale:
    """Return an axis with scale, ticks and units of a field or objective."""
    write = partial(value_text, axis) if has_unit(axis) else None
    named = [Tick(*tick) for tick in axis.ticks or _few_ticks(axis)]
    return AxisScale(
        axis.label, 1.0, 10.0, is_fraction(axis), axis.is_log, named=named, write=write
    )


class TrialPlot(PointPlot):
    """Plot with a dot for each trial.

    Args:
        theme: Colors.
        whole_x: True if x counts trials.
        on_picture: True if the dots are on colored areas.
    """

    def __init__(self, theme: Theme, *, whole_x: bool = False, on_picture: bool = False) -> None:
        super().__init__(theme)
        self._whole_x, self._on_picture = whole_x, on_picture

    def show_trials(self, dots: Dots, x: SweepAxis | str, y: SweepAxis) -> None:
        """Show dots; axes provide names, ticks and scales.

        The zoom is kept while the axes are the same.

        Args:
            dots: Positions in plotted numbers.
            x: Axis, or name of the x axis.
            y: The y axis.
        """
        earlier, view = self.names(), self.view_range()
        across = AxisScale(x, 0.0, 1.0, whole=self._whole_x) if isinstance(x, str) else _scale(x)
        self.set_scales(across, _scale(y))
        self.set_view(*view)
        bounds = bounds_around(dots.x, np.concatenate([dots.y, dots.line_y]), _MARGIN)
        self.set_dots(dots, bounds, stays=self.names() == earlier)

    def names(self) -> tuple[str, str]:
        """Return the names of the axes, x first."""
        return self.across.label, self.up.label

    def reachable(self) -> Floats:
        """Return an extra distance, so that the best of overlapping dots is found."""
        return np.where(self.dots.kinds == BEST, -1.0, 0.0)

    def styles(self) -> tuple[Sequence[DotStyle], QPen]:
        """Return the style of plain trials and of the best, and the pen of the line."""
        palette, dark = self._theme.palette, self._theme.is_dark
        few = len(self.dots.x) <= _FEW
        best = QColor(chart_color(3, dark=dark))
        pen = QPen(best, 2.0)
        if self._on_picture:
            rim = QColor(palette.surface)
            plain = DotStyle(QColor(palette.text), 6.0 if few else 2.0, rim if few else None)
            return (plain, DotStyle(best, 9.0, rim)), pen
        color = QColor(mix(palette.surface, chart_color(0, dark=dark), 0.8 if few else 0.6))
        return (DotStyle(color, 6.0 if few else 3.0), DotStyle(best, 9.0 if few else 7.0)), pen


class DotView(SweepView):
    """View with a dot for each trial."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        parent: QWidget | None = None,
        *,
        whole_x: bool = False,
        on_picture: bool = False,
    ) -> None:
        super().__init__(theme, title, Tools.ZOOM, parent)
        self.plot = TrialPlot(theme, whole_x=whole_x, on_picture=on_picture)
        self.plot.pointed.connect(self._pointed)
        self.plot.chosen.connect(self.choose)
        self.set_plot(self.plot)
        self.follow_zoom(self.plot.zoomed, self.plot.show_all)

    def _pointed(self, index: int, position: QPoint) -> None:
        self.plot.setAccessibleDescription("" if index < 0 else self.describe(index))
        self.show_trial(None if index < 0 else index, position)


class BestView(DotView):
    """First objective by trial number, with the best so far as a line of steps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Best so far"), parent, whole_x=True)

    def refresh(self) -> None:
        """Draw the trials again."""
        if not len(self.trials):
            return
        trials, objective = self.trials, self.trials.objectives[0]
        values = objective.plotted()
        best = running_best(values, maximize=trials.maximize[0])
        records = records_of(best)
        x = trials.numbers.astype(np.float64)
        line_x, line_y = steps(np.append(x[records], x[-1]), np.append(best[records], best[-1]))
        dots = Dots(x, values, kinds_of(records), line_x, line_y)
        self.plot.show_trials(dots, self.tr("Trial"), objective)


class SliceView(DotView):
    """Objective by field; trials of a category are spread so that all are visible."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Slice"), parent)
        self.field = self.choices.add(self.tr("Field"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.plot.setAccessibleName(self.tr("Slice: an objective against a field"))

    def refresh(self) -> None:
        """Draw the trials again."""
        if not len(self.trials) or not self.trials.axes:
            return
        trials = self.trials
        axis = self.chosen_axis(self.field, trials.axes)
        objective = self.chosen_axis(self.objective, trials.objectives)
        dots = Dots(spread(axis), objective.plotted(), kinds_of(trials.is_best()))
        self.plot.show_trials(dots, axis, objective)


class ParetoView(DotView):
    """Two objectives, with a line through the Pareto front."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Pareto"), parent)
        self.across = self.choices.add(self.tr("Horizontal"))
        self.up = self.choices.add(self.tr("Vertical"))
        self.plot.setAccessibleName(self.tr("Pareto front of two objectives"))

    def missing(self) -> str:
        """Return why there is nothing to show."""
        missing = super().missing()
        if not missing and len(self.trials.objectives) < 2:
            return self.tr("A Pareto front needs two objectives. This sweep has one.")
        return missing

    def refresh(self) -> None:
        """Draw the trials again."""
        if self.missing():
            return
        trials = self.trials
        names = [axis.label for axis in trials.objectives]
        # Two objectives leave no choice: the first is vertical.
        shown = names if len(names) > 2 else []
        self.choices.fill(self.across, shown, first=1)
        self.choices.fill(self.up, shown)
        across, up = (self.across.currentIndex(), self.up.currentIndex()) if shown else (1, 0)
        x, y = trials.objectives[across], trials.objectives[up]
        order = np.array(front_of(trials, across, up), np.intp)
        order = order[np.argsort(x.values[order], kind="stable")]
        is_front = np.zeros(len(trials), np.bool_)
        is_front[order] = True
        dots = Dots(x.values, y.values, kinds_of(is_front), x.values[order], y.values[order])
        self.plot.show_trials(dots, x, y)


class ImportanceView(SweepView):
    """Importance of the fields as bars, the longest first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Importance"), Tools.NONE, parent)
        self._importances: list[tuple[str, float]] | None = None
        self.plot = BarPlot(theme, percent)
        self.plot.setAccessibleName(self.tr("Importance of the fields"))
        self.set_plot(self.plot)

    def set_importance(self, importance: Mapping[str, float] | None) -> None:
        """Set the importance of fields, by dotted name; None while it is unknown."""
        self._importances = None if importance is None else list(importance.items())
        self.refresh()
        self.update_texts()

    def missing(self) -> str:
        """Return why there is nothing to show."""
        missing = super().missing()
        if missing:
            return missing
        if self._importances is None:
            return self.tr("Computing… At least four finished trials are needed.")
        if not self.plot.bars:
            return self.tr("The importance cannot be estimated from these trials.")
        return ""

    def refresh(self) -> None:
        """Draw the bars again."""
        labels = {axis.name: axis.label for axis in self.trials.axes}
        fractions = sorted(self._importances or [], key=lambda item: item[1], reverse=True)
        self.plot.show_bars([(labels.get(name, name), share) for name, share in fractions])

    def own_table(self) -> DataTable:
        """Return the fields and their importance."""
        names, fractions = (
            [name for name, _ in self.plot.bars],
            [share for _, share in self.plot.bars],
        )
        values = DataColumn(self.tr("Importance"), np.array(fractions), percent, "importance")
        return DataTable([DataColumn(self.tr("Field"), names, key="field"), values])

    def summary(self) -> str:
        """Return each field with its importance."""
        bars = ", ".join(f"{label} {percent(share, 0)}" for label, share in self.plot.bars)
        return self.missing() or bars


def kinds_of(best: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the kinds of dots, `BEST` or `PLAIN`."""
    return np.where(best, BEST, PLAIN).astype(np.intp)


def running_best(values: Floats, *, maximize: bool) -> Floats:
    """Return the cumulative best, shape (n,).

    Args:
        values: Shape (n,).
        maximize: True if higher is better.
    """
    best: Floats = (np.maximum if maximize else np.minimum).accumulate(values)
    return best


def steps(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the corners of a step line, shape (2n - 1,).

    Args:
        x: Shape (n,).
        y: Shape (n,).
    """
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def records_of(best: Floats) -> NDArray[np.bool_]:
    """Return True for each trial that improved the cumulative best, (n,)."""
    records: NDArray[np.bool_] = np.append(True, np.diff(best) != 0)
    return records


def spread(axis: SweepAxis) -> Floats:
    """Return the positions of dots along an axis, (n,), spread within a category."""
    plotted = axis.plotted()
    if not axis.ticks:
        return plotted
    shifts = np.arange(len(plotted)) * _GOLDEN % 1.0 - 0.5
    return np.asarray(plotted + shifts * _SPREAD)


def front_of(trials: SweepTrials, one: int, other: int) -> list[int]:
    """Return the indices of the Pareto front of two objectives.

    Args:
        trials: The trials.
        one: Index of an objective.
        other: Index of another objective.
    """
    if {one, other} == set(range(len(trials.objectives))):
        # For all objectives it was computed with the trials, outside the thread of the window.
        return [int(at) for at in np.searchsorted(trials.numbers, trials.best)]
    pair = (one,) if one == other else (one, other)
    columns = [trials.objectives[at].values.tolist() for at in pair]
    directions: list[Direction] = [
        "maximize" if trials.maximize[at] else "minimize" for at in pair
    ]
    measured = dict(enumerate(zip(*columns, strict=True)))
    return best_trials(measured, directions)


def _few_ticks(axis: SweepAxis) -> list[tuple[float, str]]:
    """Return the values of a field as ticks if they are few and far enough apart."""
    indices = np.unique(axis.plotted()[np.isfinite(axis.values)]).tolist()
    if axis.name in OBJECTIVES or not 1 < len(indices) <= _FEW_VALUES:
        return []
    least = (indices[-1] - indices[0]) * _APART
    if any(after - before < least for before, after in itertools.pairwise(indices)):
        return []
    return [(at, value_text(axis, rounded(axis.raw(at)))) for at in indices]
