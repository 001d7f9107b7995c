"""Views of a sweep: best so far, slice, Pareto front, importance of fields."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.sweeps.objectives import OBJECTIVES, Direction
from studio.engine.sweeps.rows import best_trials
from studio.ui.charts.axes import CountAxis, Levels, NumberAxis
from studio.ui.charts.canvas import ZoomBox
from studio.ui.charts.dots import DotCanvas, DotKind, Dots
from studio.ui.charts.sweeps.data import (
    Floats,
    SweepAxis,
    SweepTrials,
    has_unit,
    is_share,
    trial_text,
    trials_text,
    value_text,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color, mix
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.figures import percent

if TYPE_CHECKING:
    from studio.ui.charts.table import Table


class ChoiceRow(QWidget):
    """Lists with a word before each; one that has nothing to choose from is not shown.

    Signals:
        changed: Something else was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(SPACE.s)
        self._row.addStretch(1)
        self._labels: dict[QComboBox, QLabel] = {}

    def add(self, word: str) -> QComboBox:
        """Another list, to be filled."""
        label, box = QLabel(word, self), QComboBox(self)
        label.setProperty("role", "muted")
        label.setBuddy(box)
        box.setAccessibleName(word)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._labels[box] = label
        for widget in (label, box):
            self._row.insertWidget(self._row.count() - 1, widget)
        box.currentIndexChanged.connect(self._chosen)
        return box

    def fill(self, box: QComboBox, names: Sequence[str], first: int = 0) -> None:
        """Offer these names; what was chosen stays if it is still there, else `first` is."""
        if [box.itemText(at) for at in range(box.count())] != list(names):
            kept = box.currentText()
            box.blockSignals(True)
            box.clear()
            box.addItems(list(names))
            box.setCurrentIndex(names.index(kept) if kept in names else min(first, len(names) - 1))
            box.blockSignals(False)
        box.setVisible(len(names) > 1)
        self._labels[box].setVisible(len(names) > 1)
        self.setVisible(any(each.count() > 1 for each in self._labels))

    def _chosen(self, _index: int) -> None:
        self.changed.emit()


class SweepView(QWidget):
    """One way of looking at the trials of a sweep.

    Signals:
        trial_chosen: The number of a trial that was clicked, or reached by Return.
        brushed: The numbers of the trials that are picked out, a frozenset, or None for all.
        work_wanted: A `Work` that takes too long for the window's thread.
    """

    trial_chosen = Signal(int)
    brushed = Signal(object)
    work_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.trials: SweepTrials | None = None
        # A tooltip of Qt's would be a window, and go when the pointer rests.
        self.bubble = QLabel(self)
        self.bubble.setProperty("role", "bubble")
        self.bubble.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.bubble.hide()

    def set_trials(self, trials: SweepTrials) -> None:
        """Show these trials."""
        self.trials = trials
        self.setAccessibleDescription(trials_text(trials) if len(trials) else self.missing())
        self.refresh()

    def set_importance(self, importance: Mapping[str, float] | None) -> None:
        """Most views have no use for it."""

    def refresh(self) -> None:
        """Draw the trials anew."""
        raise NotImplementedError

    def table(self) -> Table | None:
        """What is copied as CSV in place of the trials; None for those."""
        return None

    def finish(self) -> None:
        """Draw now what would be drawn a moment later."""

    def missing(self) -> str:
        """Why there is nothing to show yet, in a sentence; empty where there is something."""
        if self.trials is None or not len(self.trials):
            return self.tr("Appears when the first trial is finished.")
        return ""

    def describe(self, index: int) -> str:
        """A trial in lines, by its place among the finished ones."""
        if self.trials is None:
            return ""
        title = self.tr("Trial {number}").format(number=int(self.trials.numbers[index]))
        return trial_text(self.trials, index, title)

    def tell(self, index: int | None, place: QPoint) -> None:
        """Show what is under the pointer.

        Args:
            index: Place of the trial among the finished ones; None for none.
            place: On the screen.
        """
        self.tell_text("" if index is None else self.describe(index), place)

    def tell_text(self, text: str, place: QPoint) -> None:
        """Show lines beside a place of the screen; none takes them away."""
        if not text:
            self.bubble.hide()
            return
        self.setAccessibleDescription(text.replace("\n", ", "))
        self.bubble.setText(text)
        self.bubble.adjustSize()
        spot, room = self.mapFromGlobal(place), self.bubble.size()
        beside = spot.x() + SPACE.m
        if beside + room.width() > self.width():
            beside = spot.x() - SPACE.m - room.width()
        above = min(max(spot.y() - room.height() // 2, 0), self.height() - room.height())
        self.bubble.move(max(0, beside), max(0, above))
        self.bubble.raise_()
        self.bubble.show()

    def choose(self, index: int) -> None:
        """Tell that a trial was chosen, by its place among the finished ones."""
        if self.trials is not None:
            self.trial_chosen.emit(int(self.trials.numbers[index]))


PLAIN, BEST = 0, 1
"""Kinds of dots."""
_REACH = 9.0
"""Pixels from a dot within which it is pointed at."""
_MARGIN = 0.06
_FEW_VALUES, _APART = 6, 0.1
"""So many values of a field are written at its axis, if they are so far apart, as a share."""
_FEW = 1000
"""Up to so many, dots are large."""
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
}


class _ValueAxis(NumberAxis):
    """An axis of numbers that writes bytes, seconds and weights as people do."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._data: SweepAxis | None = None

    def show_axis(self, data: SweepAxis) -> None:
        """Take scale, ticks and units from here."""
        self._data = data
        self.set_percent(percent=is_share(data))
        self.setLogMode(x=data.is_log, y=data.is_log)
        ticks = data.ticks or _few_ticks(data)
        self.setTicks([list(ticks)] if ticks else None)

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        """Ticks with numbers alone: nine lines between two of them cost more than all dots."""
        return super().tickValues(low, high, size)[:1]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """With units where the values have some."""
        data = self._data
        if data is None or not has_unit(data):
            return super().tickStrings(values, scale, spacing)
        return [value_text(data, data.raw(value)) for value in values]


class DotPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """Dots, and a line if there is one.

    Drag to zoom into a part, double click for everything, turn the wheel to zoom. Arrow keys go
    from dot to dot, from left to right; Return chooses.

    Signals:
        pointed: Index of the dot under the pointer or reached by keys, -1 for none; and the
            place on the screen, a `QPoint`.
        chosen: Index of the dot that was clicked.
        hovered: Place of the pointer in the scene, a `QPointF`; None when it has left.
    """

    pointed = Signal(int, object)
    chosen = Signal(int)
    hovered = Signal(object)

    def __init__(self, theme: Theme, *, whole_x: bool = False, on_picture: bool = False) -> None:
        self.zoom_box = ZoomBox()
        self._x_axis = CountAxis() if whole_x else _ValueAxis("bottom")
        self._y_axis = _ValueAxis("left")
        super().__init__(
            viewBox=self.zoom_box, axisItems={"bottom": self._x_axis, "left": self._y_axis}
        )
        self._theme = theme
        self._on_picture = on_picture
        self._dots = Dots()
        self._under: int | None = None
        self._bounds = (0.0, 1.0, 0.0, 1.0)
        # Every item is kept: PySide deletes what only the scene refers to.
        self.canvas = DotCanvas(self.zoom_box)
        self._ring = pg.ScatterPlotItem(size=12, brush=None)
        self._ring.setZValue(2)
        self.addItem(self._ring, ignoreBounds=True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.getPlotItem().hideButtons()
        for side in ("top", "right"):  # hidden, and yet named anew in every frame
            self.getAxis(side).enableAutoSIPrefix(False)
        self.zoom_box.disableAutoRange()
        self.scene().sigMouseMoved.connect(self._pointer_moved)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.recolor()

    def show_dots(self, dots: Dots, x: SweepAxis | str, y: SweepAxis) -> None:
        """Show dots whose places are as plotted; axes give names, ticks and scales.

        The view stays where the user zoomed as long as the axes are the same.
        """
        self._dots = dots
        self._under = None
        self._ring.setData([], [])
        if isinstance(x, SweepAxis):
            if isinstance(self._x_axis, _ValueAxis):
                self._x_axis.show_axis(x)
            x = x.label
        self._y_axis.show_axis(y)
        names = (x, y.label)
        stays = names == self.names() and self._is_zoomed()
        self._bounds = _bounds(dots)
        if names != self.names():
            self._x_axis.setLabel(names[0])
            self._y_axis.setLabel(names[1])
        self._show_dots()
        if not stays:
            self.show_all()

    def names(self) -> tuple[str, str]:
        """Names of the axes, x first."""
        return self._x_axis.labelText, self._y_axis.labelText

    def show_all(self) -> None:
        """See every dot again."""
        left, right, low, high = self._bounds
        self.zoom_box.setRange(xRange=(left, right), yRange=(low, high), padding=0)

    def dots(self) -> Dots:
        """What is shown."""
        return self._dots

    def under(self) -> int | None:
        """Index of the dot that is pointed at."""
        return self._under

    def place_of(self, index: int) -> QPointF:
        """Where a dot is in the widget, in pixels."""
        x, y = self.canvas.places()
        place = self.canvas.mapToScene(QPointF(x[index], y[index]))
        return QPointF(self.mapFromScene(place))

    def recolor(self) -> None:
        """Use the colors of the theme as it is now."""
        palette = self._theme.palette
        self.setBackground(palette.surface)
        for axis in (self._x_axis, self._y_axis):
            axis.setPen(pg.mkPen(palette.border))
            axis.setTextPen(pg.mkPen(palette.muted))
            axis.setStyle(
                tickLength=-4, tickTextOffset=6, maxTickLevel=0, hideOverlappingLabels=False
            )
        self.showGrid(x=False, y=True, alpha=0.5)
        rubber = QColor(palette.accent)
        self.zoom_box.rbScaleBox.setPen(pg.mkPen(rubber))
        rubber.setAlpha(40)
        self.zoom_box.rbScaleBox.setBrush(pg.mkBrush(rubber))
        self._ring.setPen(pg.mkPen(palette.text, width=2))
        self._show_dots()

    def _show_dots(self) -> None:
        line = QColor(chart_color(3, dark=self._theme.is_dark))
        self.canvas.show_dots(self._dots, self._looks(), line)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two clicks ask for everything again."""
        super().mouseDoubleClickEvent(event)
        self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        super().leaveEvent(event)
        self._point_at(None)
        self.hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys go from dot to dot, Return chooses."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._under is not None:
            self.chosen.emit(self._under)
        elif key in _STEPS and len(self._dots.x):
            self._point_at(self._next(_STEPS[key]))
        else:
            super().keyPressEvent(event)

    def _next(self, step: int) -> int:
        there = np.flatnonzero(np.isfinite(self._dots.x))
        order = there[np.lexsort((self._dots.y[there], self._dots.x[there]))]
        if self._under is None or not len(order):
            return int(order[0 if step > 0 else -1]) if len(order) else 0
        at = int(np.flatnonzero(order == self._under)[0]) + step
        return int(order[min(max(at, 0), len(order) - 1)])

    def _looks(self) -> tuple[DotKind, DotKind]:
        palette, dark = self._theme.palette, self._theme.is_dark
        few = len(self._dots.x) <= _FEW
        if self._on_picture:
            ground, ink = QColor(palette.surface), QColor(palette.text)
            best = QColor(chart_color(3, dark=dark))
            return DotKind(ink, 6.0 if few else 2.0, ground if few else None), DotKind(
                best, 9.0, ground
            )
        plain = QColor(mix(palette.surface, chart_color(0, dark=dark), 0.8 if few else 0.6))
        best = QColor(chart_color(3, dark=dark))
        return DotKind(plain, 6.0 if few else 3.0), DotKind(best, 9.0 if few else 7.0)

    def _is_zoomed(self) -> bool:
        (left, right), (low, high) = self.zoom_box.viewRange()
        return not np.allclose((left, right, low, high), self._bounds)

    def _nearest(self, place: QPointF) -> int | None:
        inside = self.zoom_box.sceneBoundingRect().contains(place)
        if not inside or not len(self._dots.x):
            return None
        spot = self.canvas.mapFromScene(place)
        x, y = self.canvas.places()
        far = np.hypot(x - spot.x(), y - spot.y())
        # Of dots on top of each other the best one is seen.
        far = np.where(np.isfinite(far), far - (self._dots.kinds == BEST), math.inf)
        index = int(far.argmin())
        return index if far[index] <= _REACH else None

    def _pointer_moved(self, place: QPointF) -> None:
        self._point_at(self._nearest(place))
        self.hovered.emit(place)

    def _clicked(self, event: Any) -> None:  # noqa: ANN401 - untyped
        index = self._nearest(event.scenePos())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self.chosen.emit(index)

    def _point_at(self, index: int | None) -> None:
        if index == self._under:
            return
        self._under = index
        if index is None:
            self._ring.setData([], [])
            self.pointed.emit(-1, self.mapToGlobal(self.rect().center()))
            return
        self._ring.setData([self._dots.x[index]], [self._dots.y[index]])
        self.pointed.emit(index, self.mapToGlobal(self.place_of(index).toPoint()))


def kinds_of(best: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Kinds of dots: the best, and all others."""
    return np.where(best, BEST, PLAIN).astype(np.intp)


def _few_ticks(axis: SweepAxis) -> list[tuple[float, str]]:
    """The values of a field, where they are few and far enough from each other to be written."""
    places = np.unique(axis.plotted()[np.isfinite(axis.values)]).tolist()
    if axis.name in OBJECTIVES or not 1 < len(places) <= _FEW_VALUES:
        return []
    least = (places[-1] - places[0]) * _APART
    if any(after - before < least for before, after in itertools.pairwise(places)):
        return []
    return [(at, value_text(axis, float(f"{axis.raw(at):.12g}"))) for at in places]


def _bounds(dots: Dots) -> tuple[float, float, float, float]:
    return *_span(dots.x), *_span(np.concatenate([dots.y, dots.line_y]))


def _span(values: Floats) -> tuple[float, float]:
    there = values[np.isfinite(values)]
    if not len(there):
        return 0.0, 1.0
    low, high = float(there.min()), float(there.max())
    margin = (high - low) * _MARGIN or max(abs(low) * _MARGIN, 0.5)
    return low - margin, high + margin


class DotView(SweepView):
    """A view that is one plot of dots, one for each trial."""

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        whole_x: bool = False,
        on_picture: bool = False,
    ) -> None:
        super().__init__(theme, parent)
        self.plot = DotPlot(theme, whole_x=whole_x, on_picture=on_picture)
        self.plot.pointed.connect(self._pointed)
        self.plot.chosen.connect(self.choose)
        theme.changed.connect(self.plot.recolor)
        self.setFocusProxy(self.plot)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.addWidget(self.plot, 1)

    def _pointed(self, index: int, place: QPoint) -> None:
        self.plot.setAccessibleDescription("" if index < 0 else self.describe(index))
        self.tell(None if index < 0 else index, place)


class BestView(DotView):
    """The first objective by the number of the trial, with the best so far as a line of steps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent, whole_x=True)
        self.plot.setAccessibleName(self.tr("Best so far"))

    def refresh(self) -> None:
        """Draw the trials anew."""
        if self.trials is None or not len(self.trials):
            return
        trials, objective = self.trials, self.trials.objectives[0]
        values = objective.plotted()
        best = running_best(values, maximize=trials.maximize[0])
        records = records_of(best)
        x = trials.numbers.astype(np.float64)
        line_x, line_y = steps(np.append(x[records], x[-1]), np.append(best[records], best[-1]))
        dots = Dots(x, values, kinds_of(records), line_x, line_y)
        self.plot.show_dots(dots, self.tr("Trial"), objective)


def running_best(values: Floats, *, maximize: bool) -> Floats:
    """The best of every value and those before it, (n,)."""
    best: Floats = (np.maximum if maximize else np.minimum).accumulate(values)
    return best


def steps(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Corners of a line that stays at a value until the next one begins."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def records_of(best: Floats) -> NDArray[np.bool_]:
    """Of each trial, whether it was better than all before it, by the running best."""
    records: NDArray[np.bool_] = np.append(True, np.diff(best) != 0)
    return records


_SPREAD = 0.6
_GOLDEN = 0.6180339887
"""Its multiples fill the room between 0 and 1 evenly, however many there are."""


class SliceView(DotView):
    """Every trial as a dot; those of a category are spread a little, so that all can be seen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.choices = ChoiceRow(self)
        self.field = self.choices.add(self.tr("Field"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.choices.changed.connect(self.refresh)
        self.column.insertWidget(0, self.choices)
        self.plot.setAccessibleName(self.tr("Slice: an objective against a field"))

    def refresh(self) -> None:
        """Draw the trials anew."""
        if self.trials is None or not len(self.trials) or not self.trials.axes:
            return
        trials = self.trials
        self.choices.fill(self.field, [axis.label for axis in trials.axes])
        self.choices.fill(self.objective, [axis.label for axis in trials.objectives])
        axis = trials.axes[self.field.currentIndex()]
        objective = trials.objectives[self.objective.currentIndex()]
        dots = Dots(spread(axis), objective.plotted(), kinds_of(trials.is_best()))
        self.plot.show_dots(dots, axis, objective)


def spread(axis: SweepAxis) -> Floats:
    """Where the dots are along an axis, (n,): trials of a category stand beside each other."""
    places = axis.plotted()
    if not axis.ticks:
        return places
    shifts = np.arange(len(places)) * _GOLDEN % 1.0 - 0.5
    return np.asarray(places + shifts * _SPREAD)


class ParetoView(DotView):
    """Every trial as a dot, and a line through the best compromises."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.choices = ChoiceRow(self)
        self.across = self.choices.add(self.tr("Across"))
        self.up = self.choices.add(self.tr("Up"))
        self.choices.changed.connect(self.refresh)
        self.column.insertWidget(0, self.choices)
        self.plot.setAccessibleName(self.tr("Pareto front of two objectives"))

    def missing(self) -> str:
        """Why there is nothing to show."""
        missing = super().missing()
        if not missing and self.trials is not None and len(self.trials.objectives) < 2:
            return self.tr("A front needs two objectives; this sweep has one.")
        return missing

    def refresh(self) -> None:
        """Draw the trials anew."""
        if self.trials is None or self.missing():
            return
        trials = self.trials
        names = [axis.label for axis in trials.objectives]
        # Of two there is nothing to choose: the first stands upwards.
        shown = names if len(names) > 2 else []
        self.choices.fill(self.across, shown, first=1)
        self.choices.fill(self.up, shown)
        across, up = (self.across.currentIndex(), self.up.currentIndex()) if shown else (1, 0)
        x, y = trials.objectives[across], trials.objectives[up]
        front = front_of(trials, across, up)
        order = np.array(front, np.intp)
        order = order[np.argsort(x.values[order], kind="stable")]
        is_front = np.zeros(len(trials), np.bool_)
        is_front[order] = True
        dots = Dots(x.values, y.values, kinds_of(is_front), x.values[order], y.values[order])
        self.plot.show_dots(dots, x, y)


def front_of(trials: SweepTrials, one: int, other: int) -> list[int]:
    """Places, among the trials, of those that none beats in two of the objectives."""
    if {one, other} == set(range(len(trials.objectives))):
        # All objectives: that is known since the trials were made, outside the window's thread.
        return [int(at) for at in np.searchsorted(trials.numbers, trials.best)]
    pair = (one,) if one == other else (one, other)
    columns = [trials.objectives[at].values.tolist() for at in pair]
    directions: list[Direction] = [
        "maximize" if trials.maximize[at] else "minimize" for at in pair
    ]
    measured = dict(enumerate(zip(*columns, strict=True)))
    return best_trials(measured, directions)


_ROW = 34.0
_BAR = 18.0
_MOST_NAME = 220.0


class ImportanceView(SweepView):
    """One bar for each field, the longest first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._shares: list[tuple[str, float]] | None = None
        self._bars: list[tuple[str, float]] = []
        self.setAccessibleName(self.tr("Importance of the fields"))
        theme.changed.connect(self.update)

    def set_importance(self, importance: Mapping[str, float] | None) -> None:
        """Show shares by the dotted names of fields; None while they are not known."""
        self._shares = None if importance is None else list(importance.items())
        self.refresh()

    def bars(self) -> list[tuple[str, float]]:
        """Label and share of each field, the largest first."""
        return list(self._bars)

    def missing(self) -> str:
        """Why there is nothing to show."""
        missing = super().missing()
        if missing:
            return missing
        if self._shares is None:
            return self.tr("Is being worked out. It takes four finished trials or more.")
        if not self._bars:
            return self.tr("These trials do not tell which fields matter.")
        return ""

    def refresh(self) -> None:
        """Draw the bars anew."""
        axes = () if self.trials is None else self.trials.axes
        labels = {axis.name: axis.label for axis in axes}
        shares = sorted(self._shares or [], key=_share, reverse=True)
        self._bars = [(labels.get(name, name), share) for name, share in shares]
        spoken = ", ".join(f"{label} {percent(share, 0)}" for label, share in self._bars)
        self.setAccessibleDescription(spoken)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint names, bars and figures."""
        if not self._bars:
            return
        palette = self.theme.palette
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(palette.surface))
        metrics = QFontMetricsF(painter.font())
        names = max(metrics.horizontalAdvance(label) for label, _ in self._bars)
        left = SPACE.m + min(names, _MOST_NAME) + SPACE.m
        figure = metrics.horizontalAdvance(percent(1.0)) + SPACE.m
        room = max(1.0, self.width() - left - figure - SPACE.m)
        longest = self._bars[0][1] or 1.0
        row = min(_ROW, (self.height() - 2 * SPACE.m) / len(self._bars))
        color = QColor(chart_color(0, dark=self.theme.is_dark))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for place, (label, share) in enumerate(self._bars):
            top = SPACE.m + place * row
            painter.setPen(QColor(palette.text))
            name = elided(metrics, label, _MOST_NAME)
            painter.drawText(QRectF(0, top, left - SPACE.m, row), right, name)
            height = min(_BAR, row - 2)
            bar = QRectF(left, top + (row - height) / 2, room * share / longest, height)
            painter.fillRect(bar, color)
            painter.setPen(QColor(palette.muted))
            beside = QRectF(bar.right() + SPACE.s, top, figure, row)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, percent(share))
        painter.end()


def _share(item: tuple[str, float]) -> float:
    return item[1]
