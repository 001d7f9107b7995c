"""Parallel coordinates: each trial is a line across the axes of all fields and objectives."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from studio.engine.arrays import Floats
from studio.ui.charts.chart import VECTORS
from studio.ui.charts.colors import levels_of, ramp
from studio.ui.charts.header import Tools
from studio.ui.charts.primitives import draw_segments
from studio.ui.charts.sweeps.data import NO_TRIALS, PlottedScale, SweepTrials
from studio.ui.charts.sweeps.views import SweepView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, mix
from studio.ui.widgets.labels import elided
from studio.ui.widgets.painting import caption_font

Range = tuple[float, float]
"""Start and end on an axis, each from 0 to 1."""
STEP = 0.05
_NEW_RANGE = 0.25
_EPSILON = 1e-9
_DRAFT = 120_000
"""Pixels of line that are drawn at once; a painter takes 20 to 30 ns for each."""
_PIECE = 150
"""Segments drawn between two checks of the time."""
_SMOOTH = 2500
"""Most segments that are drawn antialiased, which takes three times as long."""
_SLICE = 0.006
"""Seconds of drawing between two frames."""
_PAUSE_MS = 60
"""Pause after the last change of a range before all lines are drawn."""
_AXIS_REACH = 14.0
"""Maximum distance of the pointer from an axis in pixels."""
_LINE_REACH = 5.0
"""Distance in pixels within which the pointer is at a line."""
_CLICK = 3.0
"""A shorter drag, in pixels, is a click."""
_NAME_WIDTH, _TEXT_WIDTH, _RANGE_WIDTH = 150.0, 92.0, 12.0
_TEXT_ALPHA = 205
"""Opacity of the background of a number, of 255."""
_DIM = 0.16
_SIDE, _FOOT = 44, 10


class Brush:
    """At most one range on each axis; selects the trials that lie in all of them."""

    def __init__(self) -> None:
        self.ranges: dict[int, Range] = {}

    def set(self, axis: int, one: float, other: float) -> None:
        """Select a range of an axis.

        Args:
            axis: Index of the axis.
            one: One end, 0 to 1.
            other: The other end, 0 to 1.
        """
        low, high = sorted(min(max(each, 0.0), 1.0) for each in (one, other))
        self.ranges[axis] = low, high

    def clear(self, axis: int | None = None) -> bool:
        """Remove the range of an axis, or all; return True if there was one."""
        had = bool(self.ranges) if axis is None else axis in self.ranges
        if axis is None:
            self.ranges.clear()
        else:
            self.ranges.pop(axis, None)
        return had

    def move(self, axis: int, by: float) -> None:
        """Move the range of an axis; without one, select a quarter at an end.

        Args:
            axis: Index of the axis.
            by: Distance, as a fraction of the axis.
        """
        if axis not in self.ranges:
            self.set(axis, *((1 - _NEW_RANGE, 1.0) if by > 0 else (0.0, _NEW_RANGE)))
            return
        low, high = self.ranges[axis]
        by = min(max(by, -low), 1 - high)
        self.set(axis, low + by, high + by)

    def stretch(self, axis: int, by: float) -> None:
        """Move the upper end of the range of an axis.

        Args:
            axis: Index of the axis.
            by: Distance, as a fraction of the axis.
        """
        low, high = self.ranges.get(axis, (0.0, 1.0))
        self.set(axis, low, max(high + by, low + STEP))

    def rescale(self, earlier: Sequence[PlottedScale], scales: Sequence[PlottedScale]) -> None:
        """Keep the selected values when the scales change.

        Args:
            earlier: Previous scale of each axis.
            scales: New scale of each axis.
        """
        for axis, ends in self.ranges.items():
            before, now = earlier[axis], scales[axis]
            low, high = (now.fraction_of(before.plotted_at(end)) for end in ends)
            self.ranges[axis] = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)

    def mask(self, positions: Floats) -> NDArray[np.bool_] | None:
        """Return True for each selected trial; None without any range.

        Args:
            positions: Position of each trial on each axis, (n, axes).
        """
        if not self.ranges:
            return None
        selected = np.ones(len(positions), np.bool_)
        for axis, (low, high) in self.ranges.items():
            along = positions[:, axis]
            selected &= (along >= low - _EPSILON) & (along <= high + _EPSILON)
        return selected


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines in pixels, the first at the back.

    Attributes:
        ends: Ends of each segment, (lines, segments, 4): x0, y0, x1, y1; NaN for none.
        levels: Index of the color of each line, ascending, (lines,).
        colors: One for each level.
        width: Width of the lines.
    """

    ends: Floats
    levels: NDArray[np.intp]
    colors: Sequence[QColor]
    width: float = 1.0

    @property
    def is_smooth(self) -> bool:
        """True if the lines are few enough to be drawn antialiased."""
        return bool(self.ends.shape[0] * self.ends.shape[1] <= _SMOOTH)

    def length(self) -> float:
        """Return the approximate total length in pixels."""
        some = self.ends[:: max(1, len(self.ends) // 200)].reshape(-1, 4)
        lengths = np.hypot(some[:, 2] - some[:, 0], some[:, 3] - some[:, 1])
        lengths = lengths[np.isfinite(lengths)]
        if not len(lengths):
            return 0.0
        return float(lengths.mean() * self.ends.shape[0] * self.ends.shape[1])

    def every(self, step: int) -> Lines:
        """Return every n-th line."""
        return dataclasses.replace(self, ends=self.ends[::step], levels=self.levels[::step])

    def pieces(self) -> Iterator[tuple[QColor, Floats]]:
        """Return segments of one color each, a few at a time."""
        few = max(1, _PIECE // max(1, self.ends.shape[1]))
        color_starts = np.flatnonzero(np.diff(self.levels)) + 1
        for block in np.split(np.arange(len(self.ends)), color_starts):
            for start in range(0, len(block), few):
                part = self.ends[block[start : start + few]].reshape(-1, 4)
                part = part[np.isfinite(part).all(axis=1)]
                if len(part):
                    yield self.colors[int(self.levels[block[start]])], part

    def paint(self, painter: QPainter) -> None:
        """Paint all lines."""
        for color, segments in self.pieces():
            painter.setPen(QPen(color, self.width))
            draw_segments(painter, segments)

    def paint_in_steps(self, image: QImage) -> Iterator[None]:
        """Paint all lines into an image, a few between two pauses."""
        for color, segments in self.pieces():
            painter = QPainter(image)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=self.is_smooth)
            painter.setPen(QPen(color, self.width))
            draw_segments(painter, segments)
            painter.end()
            yield


@dataclass(frozen=True, eq=False)
class LineLayout:
    """Lines across axes in an area.

    Attributes:
        area: From the first axis to the last, in pixels of the widget.
        positions: Position of each trial on each axis, 0 to 1, (n, axes); NaN for none.
        order: Indices of the trials, from back to front, (n,).
    """

    area: QRectF
    positions: Floats
    order: NDArray[np.intp]

    @property
    def axes(self) -> int:
        """Number of axes."""
        return int(self.positions.shape[1])

    def axis_x(self, axis: int) -> float:
        """Return the distance in pixels from the left edge to an axis."""
        return self.area.left() + self.area.width() * axis / max(1, self.axes - 1)

    def point(self, axis: int, position: float) -> QPointF:
        """Return the point at a position on an axis.

        Args:
            axis: Index of the axis.
            position: Position on it, 0 to 1.
        """
        return QPointF(self.axis_x(axis), self.area.bottom() - position * self.area.height())

    def ends(self, ratio: float) -> Floats:
        """Return the ends of all segments, from back to front, (n, axes - 1, 4).

        Args:
            ratio: Pixels of the screen per pixel of the widget.
        """
        x = np.array([self.axis_x(axis) for axis in range(self.axes)])
        y = self.area.bottom() - self.positions[self.order] * self.area.height()
        ends = np.empty((len(self.order), max(0, self.axes - 1), 4))
        ends[:, :, 0], ends[:, :, 2] = x[:-1], x[1:]
        ends[:, :, 1], ends[:, :, 3] = y[:, :-1], y[:, 1:]
        ends *= ratio
        return ends

    def axis_at(self, point: QPointF) -> int | None:
        """Return the axis at a point."""
        for axis in range(self.axes):
            if abs(self.axis_x(axis) - point.x()) <= _AXIS_REACH:
                return axis
        return None

    def position_at(self, point: QPointF) -> float:
        """Return the position along the axes at the height of a point."""
        return min(max((self.area.bottom() - point.y()) / self.area.height(), 0.0), 1.0)

    def line_at(self, point: QPointF, mask: NDArray[np.bool_] | None) -> int | None:
        """Return the trial whose line is at a point, the front one of several.

        Args:
            point: In the widget.
            mask: True for each trial that can be found, (n,); None for all.
        """
        area, gaps = self.area, self.axes - 1
        if gaps < 1 or not area.adjusted(-1, -_LINE_REACH, 1, _LINE_REACH).contains(point):
            return None
        along = (point.x() - area.left()) / area.width() * gaps
        gap = min(max(int(along), 0), gaps - 1)
        left, right = self.positions[:, gap], self.positions[:, gap + 1]
        slope = np.abs(right - left) * area.height() * gaps / area.width()
        y = area.bottom() - (left + (right - left) * (along - gap)) * area.height()
        distance = np.nan_to_num(np.abs(y - point.y()) / np.hypot(1.0, slope), nan=np.inf)
        if mask is not None:
            distance = np.where(mask, distance, np.inf)
        reach = min(_LINE_REACH, distance.min(initial=np.inf) + 1)
        near = np.flatnonzero(distance[self.order] <= reach)
        return int(self.order[near[-1]]) if len(near) else None


class AxisPainter:
    """Paints axes into an area of a widget whose right edge is `right`."""

    def __init__(self, painter: QPainter, theme: Theme, area: QRectF, right: float) -> None:
        self._painter, self._palette, self._area = painter, theme.palette, area
        self._right = right
        self._font = caption_font(painter.font())

    def paint(self, scale: PlottedScale, x: float) -> None:
        """Paint an axis at a distance from the left edge, with its numbers and its name."""
        self._painter.setFont(self._font)
        self._paint_line(x, self._palette.outline, 1)
        for share, text in scale.ticks(self._area.height()):
            self._paint_tick(x, self._area.bottom() - share * self._area.height(), text)
        self._paint_name(scale, x, self._palette.text)

    def paint_current(self, scale: PlottedScale, x: float) -> None:
        """Highlight the axis that keys act on.

        Args:
            scale: Scale of the axis.
            x: In pixels.
        """
        self._paint_line(x, self._palette.accent, 2)
        self._paint_name(scale, x, self._palette.accent)

    def paint_range(self, x: float, found: Range) -> None:
        """Paint a selected range.

        Args:
            x: Position of the axis in pixels.
            found: The range.
        """
        low, high = (self._area.bottom() - each * self._area.height() for each in found)
        box = QRectF(x - _RANGE_WIDTH / 2, high, _RANGE_WIDTH, max(low - high, 2.0))
        fill = QColor(self._palette.accent)
        self._painter.setPen(fill)
        self._painter.drawRect(box)
        fill.setAlpha(90)
        self._painter.fillRect(box, fill)

    def _paint_line(self, x: float, color: str, width: int) -> None:
        self._painter.setPen(QPen(QColor(color), width))
        self._painter.drawLine(QPointF(x, self._area.top()), QPointF(x, self._area.bottom()))

    def _paint_tick(self, x: float, y: float, text: str) -> None:
        metrics = QFontMetricsF(self._font)
        text = elided(metrics, text, _TEXT_WIDTH)
        box = QRectF(
            x + SPACE.s,
            y - metrics.height() / 2,
            metrics.horizontalAdvance(text),
            metrics.height(),
        )
        ground = QColor(self._palette.surface)
        ground.setAlpha(_TEXT_ALPHA)
        self._painter.fillRect(box.adjusted(-2, 1, 2, -1), ground)
        self._painter.setPen(QColor(self._palette.outline))
        self._painter.drawLine(QPointF(x, y), QPointF(x + 4, y))
        self._painter.setPen(QColor(self._palette.text))
        self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_name(self, scale: PlottedScale, x: float, color: str) -> None:
        font = QFont(self._font)
        font.setWeight(QFont.Weight.DemiBold)
        self._painter.setFont(font)
        metrics = QFontMetricsF(font)
        text = elided(metrics, scale.axis.label, _NAME_WIDTH)
        width = metrics.horizontalAdvance(text) + 2
        left = max(min(x - width / 2, self._right - width), 0.0)
        top = self._area.top() - metrics.height() - SPACE.s
        self._painter.setPen(QColor(color))
        self._painter.drawText(
            QRectF(left, top, width, metrics.height()), Qt.AlignmentFlag.AlignCenter, text
        )


class ParallelPlot(QWidget):
    """Each trial as a line across axes, colored by the first objective, the best in front.

    Drag along an axis to select a range; a trial must lie in the ranges of all axes. Click an axis
    to remove its range, or beside all lines to remove all. Left and Right move between axes, Up
    and Down move the range, with Shift its upper end, Delete removes it, Escape removes all.

    Signals:
        brushed: Numbers of the selected trials, a frozenset; None for all.
        pointed: Index of the trial under the pointer, or None; and its position on the screen.
        chosen: Index of the trial that was clicked.
    """

    brushed = Signal(object)
    pointed = Signal(object, object)
    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.trials = NO_TRIALS
        self.brush = Brush()
        self.scales: list[PlottedScale] = []
        self.current = 0
        self._layout = LineLayout(QRectF(), np.empty((0, 0)), np.empty(0, np.intp))
        self._lines = Lines(np.empty((0, 0, 4)), np.empty(0, np.intp), ())
        self._under: int | None = None
        self._drag: tuple[int, float, float | None] | None = None
        self._pressed = QPointF()
        self._background = QImage()
        self._background_steps: Iterator[None] | None = None
        self._steps: Iterator[None] | None = None
        self._axes_changed = False
        self._shown = QImage()
        self._axes: QImage | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.draw_on)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Parallel coordinates"))
        theme.changed.connect(self._recolor)

    def show_trials(self, trials: SweepTrials) -> None:
        """Show other trials; ranges are kept while the axes are the same."""
        self.trials, earlier = trials, self.scales
        self.scales = [PlottedScale.of(axis) for axis in (*trials.axes, *trials.objectives)]
        self._under = None
        stays = [each.axis.name for each in earlier] == [each.axis.name for each in self.scales]
        if stays:
            self.brush.rescale(earlier, self.scales)
        else:
            self.current = 0
            if self.brush.clear():
                self.brushed.emit(None)
        positions = np.stack([scale.fractions() for scale in self.scales], axis=1)
        levels = levels_of(trials.objectives[0].values, maximize=trials.maximize[0])
        order = np.argsort(levels, kind="stable")
        self._layout = LineLayout(self._area(), positions, order)
        self._lines = dataclasses.replace(self._lines, levels=levels[order])
        self._redraw(at_once=not stays)
        self._describe_axis()

    def selected(self) -> frozenset[int] | None:
        """Return the numbers of the selected trials; None without a range."""
        mask = self._mask()
        if mask is None:
            return None
        return frozenset(self.trials.numbers[mask].tolist())

    def is_whole(self) -> bool:
        """Return True if all lines are drawn."""
        return self._steps is None

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(640, 320)

    def point_of(self, axis: int, position: float) -> QPointF:
        """Return the point at a position on an axis, in pixels.

        Args:
            axis: Index of the axis.
            position: Position on it, 0 to 1.
        """
        return self._layout.point(axis, position)

    def draw_on(self) -> None:
        """Draw more lines for a part of a frame."""
        self._timer.setInterval(0)
        end = time.perf_counter() + _SLICE
        while self._steps is not None and time.perf_counter() < end:
            if next(self._steps, self) is self:
                self._steps = None
                self._timer.stop()

    def finish(self) -> None:
        """Draw all lines now; ten thousand trials take half a second."""
        while not self.is_whole():
            self.draw_on()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw all lines in the new size."""
        super().resizeEvent(event)
        self._redraw(at_once=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the lines that are missing."""
        super().showEvent(event)
        if not self.is_whole():
            self._timer.start(0)

    def hideEvent(self, event: QHideEvent) -> None:
        """Pause drawing."""
        super().hideEvent(event)
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Report that nothing is under the pointer."""
        super().leaveEvent(event)
        self._point_at(None, QPointF())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select or to move a range."""
        axis = self._layout.axis_at(event.position())
        self._pressed = event.position()
        if event.button() != Qt.MouseButton.LeftButton or axis is None:
            return
        self.current = axis
        start = self._layout.position_at(event.position())
        low, high = self.brush.ranges.get(axis, (2.0, 2.0))
        self._drag = axis, start, low if low <= start <= high else None
        self._describe_axis()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select or move a range, or point at a line."""
        if self._drag is None:
            self._point_at(self._layout.line_at(event.position(), self._mask()), event.position())
            return
        if self._is_click_at(event.position()):
            return
        axis, start, low = self._drag
        position = self._layout.position_at(event.position())
        if low is None:
            self.brush.set(axis, start, position)
        else:
            self.brush.move(axis, low + position - start - self.brush.ranges[axis][0])
        self._brush_changed()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Remove a range or choose a line after a click."""
        drag, self._drag = self._drag, None
        if event.button() != Qt.MouseButton.LeftButton or not self._is_click_at(event.position()):
            return
        line = self._layout.line_at(event.position(), self._mask())
        if drag is not None:
            if self.brush.clear(drag[0]):
                self._brush_changed()
        elif line is not None:
            self.chosen.emit(line)
        elif self.brush.clear():
            self._brush_changed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between axes and change ranges."""
        key = Qt.Key(event.key())
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sideways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(key)
        upwards = {Qt.Key.Key_Up: STEP, Qt.Key.Key_Down: -STEP}.get(key)
        if sideways is not None:
            self.current = min(max(self.current + sideways, 0), len(self.scales) - 1)
            self._describe_axis()
            self.update()
        elif upwards is not None:
            (self.brush.stretch if shift else self.brush.move)(self.current, upwards)
            self._brush_changed()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Escape):
            if self.brush.clear(None if key == Qt.Key.Key_Escape else self.current):
                self._brush_changed()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint lines, axes, ranges, and the line under the pointer."""
        if self._shown.isNull() or not self.scales:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.palette.surface))
        if painter.paintEngine().type() in VECTORS:
            self._dim(~self._selected_lines(), 1.0).paint(painter)
            self._bright(1.0).paint(painter)
            self._paint_axes(painter)
        else:
            painter.drawImage(QRectF(self.rect()), self._shown)
            painter.drawImage(QPointF(0, 0), self._axes_picture())
        axes = AxisPainter(painter, self.theme, self._area(), self.width())
        if self.hasFocus():
            axes.paint_current(self.scales[self.current], self._layout.axis_x(self.current))
        for axis, ends in self.brush.ranges.items():
            axes.paint_range(self._layout.axis_x(axis), ends)
        self._paint_under(painter)
        painter.end()

    def _axes_picture(self) -> QImage:
        if self._axes is None:
            ratio = self.devicePixelRatioF()
            image = QImage(self.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            image.setDevicePixelRatio(ratio)
            painter = QPainter(image)
            painter.setFont(self.font())
            self._paint_axes(painter)
            painter.end()
            self._axes = image
        return self._axes

    def _paint_axes(self, painter: QPainter) -> None:
        axes = AxisPainter(painter, self.theme, self._area(), self.width())
        for axis, scale in enumerate(self.scales):
            axes.paint(scale, self._layout.axis_x(axis))

    def _area(self) -> QRectF:
        head = 2 * self.fontMetrics().height() + SPACE.s
        return QRectF(self.rect()).adjusted(_SIDE, head, -_SIDE - SPACE.xl, -_FOOT)

    def _recolor(self) -> None:
        self._redraw(at_once=True)

    def _redraw(self, *, at_once: bool) -> None:
        """Draw all lines.

        Args:
            at_once: True to show a draft now; False to keep the old picture until all are drawn.
        """
        if not self.scales or self.width() < 2 * _SIDE + SPACE.xl:
            return
        self._axes_changed = True
        self._layout = dataclasses.replace(self._layout, area=self._area())
        ratio = self.devicePixelRatioF()
        self._lines = dataclasses.replace(self._lines, ends=self._layout.ends(ratio), width=ratio)
        self._background = self._blank()
        everything = np.ones(len(self._lines.ends), np.bool_)
        self._background_steps = self._dim(everything).paint_in_steps(self._background)
        self._draw_lines(at_once=at_once)

    def _draw_lines(self, *, at_once: bool) -> None:
        """Draw the selected lines over the dim ones: all now if they are few, else a draft."""
        bright = self._bright()
        self._steps = self._draw(bright)
        pixels = bright.length() * (3 if bright.is_smooth else 1)
        if pixels <= _DRAFT and (not self.brush.ranges or self._background_steps is None):
            self._show(bright, self._blank() if not self.brush.ranges else self._background.copy())
        elif at_once:
            draft = self._blank() if not self.brush.ranges else self._background.copy()
            self._show(bright.every(math.ceil(pixels / _DRAFT)), draft)
        if self.isVisible():
            self._timer.start(_PAUSE_MS if at_once else 0)

    def _draw(self, bright: Lines) -> Iterator[None]:
        """Draw the selected lines over the dim ones in steps; without ranges, without these."""
        if self.brush.ranges:
            yield from self._draw_background()
            image = self._background.copy()
        else:
            image = self._blank()
        yield from bright.paint_in_steps(image)
        self._show_image(image)
        yield from self._draw_background()  # for the first range

    def _draw_background(self) -> Iterator[None]:
        while self._background_steps is not None:
            # The steps continue when this is interrupted by other ranges.
            if next(self._background_steps, self) is self:
                self._background_steps = None
            yield

    def _show(self, lines: Lines, image: QImage) -> None:
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=lines.is_smooth)
        lines.paint(painter)
        painter.end()
        self._show_image(image)

    def _show_image(self, image: QImage) -> None:
        self._shown = image
        if self._axes_changed:
            self._axes, self._axes_changed = None, False
        self.update()

    def _blank(self) -> QImage:
        size = self.size() * self.devicePixelRatioF()
        image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        return image

    def _mask(self) -> NDArray[np.bool_] | None:
        return self.brush.mask(self._layout.positions)

    def _selected_lines(self) -> NDArray[np.bool_]:
        """Return True for each selected line, from back to front."""
        mask, order = self._mask(), self._layout.order
        return np.ones(len(order), np.bool_) if mask is None else mask[order]

    def _bright(self, ratio: float | None = None) -> Lines:
        """Return the selected lines in their colors, in device pixels by default."""
        selected, lines = self._selected_lines(), self._lines
        ends = lines.ends if ratio is None else self._layout.ends(ratio)
        colors = ramp(dark=self.theme.is_dark)
        return Lines(ends[selected], lines.levels[selected], colors, ratio or lines.width)

    def _dim(self, which: NDArray[np.bool_], ratio: float | None = None) -> Lines:
        """Return some lines in the color of those that are not selected."""
        palette = self.theme.palette
        color = QColor(mix(palette.surface, palette.muted, _DIM))
        ends = self._lines.ends if ratio is None else self._layout.ends(ratio)
        levels = np.zeros(np.count_nonzero(which), np.intp)
        return Lines(ends[which], levels, (color,), ratio or self._lines.width)

    def _brush_changed(self) -> None:
        self._draw_lines(at_once=True)
        self._describe_axis()
        self.brushed.emit(self.selected())

    def _paint_under(self, painter: QPainter) -> None:
        if self._under is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        positions = enumerate(self._layout.positions[self._under].tolist())
        points = [self.point_of(axis, each) for axis, each in positions if not math.isnan(each)]
        painter.setPen(QPen(QColor(self.theme.palette.text), 2.5))
        painter.drawPolyline(QPolygonF(points))

    def _point_at(self, line: int | None, point: QPointF) -> None:
        if line is None and self._under is None:
            return
        if line != self._under:
            self._under = line
            self.update()
        self.pointed.emit(line, self.mapToGlobal(point.toPoint()))

    def _is_click_at(self, point: QPointF) -> bool:
        return (point - self._pressed).manhattanLength() <= _CLICK

    def _describe_axis(self) -> None:
        if not self.scales:
            return
        scale = self.scales[self.current]
        text = self.tr("{name}, axis {place} of {count}").format(
            name=scale.axis.label, place=self.current + 1, count=len(self.scales)
        )
        ends = self.brush.ranges.get(self.current)
        if ends is not None:
            text += self.tr(", {low} to {high}").format(
                low=scale.text_at(ends[0]), high=scale.text_at(ends[1])
            )
        selected = self.selected()
        if selected is not None:
            text += self.tr("; {picked} of {count} trials selected").format(
                picked=len(selected), count=len(self._layout.order)
            )
        self.setAccessibleDescription(text)


class ParallelView(SweepView):
    """Parallel coordinates of the trials; ranges on the axes select trials."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Parallel"), Tools.NONE, parent)
        self.plot = ParallelPlot(theme)
        self.plot.brushed.connect(self.brushed)
        self.plot.pointed.connect(self.show_trial)
        self.plot.chosen.connect(self.choose)
        self.set_plot(self.plot)

    def refresh(self) -> None:
        """Draw the trials again."""
        if len(self.trials):
            self.plot.show_trials(self.trials)

    def prepare_export(self) -> None:
        """Draw all lines."""
        super().prepare_export()
        self.plot.finish()
