"""Parallel coordinates: every trial is a line across the axes of all fields and objectives."""

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

from studio.ui.charts.colors import levels_of, ramp
from studio.ui.charts.export import VECTORS
from studio.ui.charts.header import Tools
from studio.ui.charts.plot import draw_segments
from studio.ui.charts.sweeps.data import Floats, Scale, SweepTrials
from studio.ui.charts.sweeps.views import SweepView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE, mix
from studio.ui.widgets.labels import elided

Range = tuple[float, float]
"""From where to where on an axis, each from 0 to 1."""
STEP = 0.05
_QUARTER = 0.25
_HAIR = 1e-9


class Brush:
    """At most one range on each axis; a trial is picked out where it lies in all of them."""

    def __init__(self) -> None:
        self.ranges: dict[int, Range] = {}

    def set(self, axis: int, one: float, other: float) -> None:
        """Pick out what lies between two places of an axis."""
        low, high = sorted(min(max(each, 0.0), 1.0) for each in (one, other))
        self.ranges[axis] = low, high

    def clear(self, axis: int | None = None) -> bool:
        """Take the range of an axis away, or all; tells whether there was one."""
        had = bool(self.ranges) if axis is None else axis in self.ranges
        if axis is None:
            self.ranges.clear()
        else:
            self.ranges.pop(axis, None)
        return had

    def move(self, axis: int, by: float) -> None:
        """Move the range of an axis and keep its length; without one, take a quarter at an end."""
        found = self.ranges.get(axis)
        if found is None:
            self.set(axis, *((1 - _QUARTER, 1.0) if by > 0 else (0.0, _QUARTER)))
            return
        low, high = found
        by = min(max(by, -low), 1 - high)
        self.set(axis, low + by, high + by)

    def stretch(self, axis: int, by: float) -> None:
        """Move the upper end of the range of an axis."""
        low, high = self.ranges.get(axis, (0.0, 1.0))
        self.set(axis, low, max(high + by, low + STEP))

    def rescale(self, earlier: Sequence[Scale], scales: Sequence[Scale]) -> None:
        """Keep the values that are picked out although axes have become longer."""
        for axis, found in self.ranges.items():
            before, now = earlier[axis], scales[axis]
            low, high = (now.share_of(before.place_at(share)) for share in found)
            self.ranges[axis] = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)

    def mask(self, shares: Floats) -> NDArray[np.bool_] | None:
        """Return True for each selected trial; None without any range.

        Args:
            shares: Where each trial lies on each axis, (n, axes).
        """
        if not self.ranges:
            return None
        picked = np.ones(len(shares), np.bool_)
        for axis, (low, high) in self.ranges.items():
            picked &= (shares[:, axis] >= low - _HAIR) & (shares[:, axis] <= high + _HAIR)
        return picked


_DRAFT = 120_000
"""Pixels of line that are drawn at once; a painter takes 20 to 30 ns for each."""
_PIECE = 150
"""Segments between two looks at the clock."""
_SMOOTH = 2500
"""Up to so many segments in a picture are drawn with smooth edges."""


class LinePicture:
    """Lines in their colors, the first at the back.

    Args:
        size: Of the picture, in its own pixels.
        ground: What lies under it; transparent without one.
    """

    def __init__(self, size: QSize, ground: QImage | None = None) -> None:
        self._size, self._ground = size, ground
        self.image = QImage()
        self._making: QImage | None = None
        self._pieces: Iterator[tuple[QColor, Floats]] = iter(())
        self._smooth = False
        self._width = 1.0
        self.is_done = True

    def start(
        self,
        segments: Floats,
        levels: NDArray[np.intp],
        colors: Sequence[QColor],
        width: float = 1.0,
        *,
        draft: bool = True,
    ) -> None:
        """Draw some of these now, and make ready for all of them.

        Args:
            segments: Ends of each piece of each line, (lines, pieces, 4): x0, y0, x1, y1; NaN
                for none. The first lines are at the back.
            levels: Index of the color of each line, rising.
            colors: One for each level.
            width: Of the lines.
            draft: Without one, nothing is drawn now unless that is all; it is not to be seen.
        """
        self._width = width
        per_line = max(1, segments.shape[1])
        self._smooth = len(segments) * per_line <= _SMOOTH
        pixels = _length(segments)
        # Smooth edges take three times as long.
        self.is_done = pixels <= (_DRAFT / 3 if self._smooth else _DRAFT)
        step = 1 if self.is_done else math.ceil(pixels / _DRAFT)
        self.image = self._blank()
        if draft or self.is_done:
            painter = self._painter(self.image, smooth=self.is_done and self._smooth)
            for color, lines in _runs(segments[::step], levels[::step], colors):
                _draw(painter, color, lines, self._width)
            painter.end()
        self._making = None
        self._pieces = _runs(segments, levels, colors)

    def go_on(self, seconds: float) -> bool:
        """Draw for about so long, and tell whether the picture is whole."""
        if self.is_done:
            return True
        end = time.perf_counter() + seconds
        if self._making is None:
            self._making = self._blank()
        painter = self._painter(self._making, smooth=self._smooth)
        for color, lines in self._pieces:
            _draw(painter, color, lines, self._width)
            if time.perf_counter() > end:
                break
        else:
            self.is_done = True
        painter.end()
        if self.is_done:
            self.image = self._making
        return self.is_done

    def _painter(self, image: QImage, *, smooth: bool) -> QPainter:
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=smooth)
        return painter

    def _blank(self) -> QImage:
        if self._ground is not None:
            return self._ground.copy()
        image = QImage(self._size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        return image


def _length(segments: Floats) -> float:
    """Return the approximate total length of the lines in pixels."""
    some = segments[:: max(1, len(segments) // 200)].reshape(-1, 4)
    lengths = np.hypot(some[:, 2] - some[:, 0], some[:, 3] - some[:, 1])
    lengths = lengths[np.isfinite(lengths)]
    if not len(lengths):
        return 0.0
    return float(lengths.mean() * segments.shape[0] * segments.shape[1])


def draw_lines(
    painter: QPainter,
    segments: Floats,
    levels: NDArray[np.intp],
    colors: Sequence[QColor],
) -> None:
    """Draw all lines at once, for a file of vectors."""
    for color, lines in _runs(segments, levels, colors):
        _draw(painter, color, lines, 1.0)


def _runs(
    segments: Floats, levels: NDArray[np.intp], colors: Sequence[QColor]
) -> Iterator[tuple[QColor, Floats]]:
    """Segments of one color each, a few at a time."""
    per_line = max(1, segments.shape[1])
    few = max(1, _PIECE // per_line)
    ends = np.flatnonzero(np.diff(levels)) + 1
    for block in np.split(np.arange(len(segments)), ends):
        for start in range(0, len(block), few):
            part = segments[block[start : start + few]].reshape(-1, 4)
            part = part[np.isfinite(part).all(axis=1)]
            if len(part):
                yield colors[int(levels[block[start]])], part


def _draw(painter: QPainter, color: QColor, lines: Floats, width: float) -> None:
    painter.setPen(QPen(color, width))
    draw_segments(painter, lines)


_GRIP = 14.0
"""Pixels beside an axis that belong to it."""
_REACH = 5.0
"""Pixels from a line within which it is pointed at."""


@dataclass(frozen=True, eq=False)
class Places:
    """Lines across axes in an area.

    Attributes:
        area: From the first axis to the last, in pixels of the window.
        shares: Where each trial lies on each axis, from 0 to 1, (n, axes); NaN for nowhere.
        order: Places of the trials, what is in front last, (n,).
    """

    area: QRectF
    shares: Floats
    order: NDArray[np.intp]

    @property
    def axes(self) -> int:
        """How many axes there are."""
        count: int = self.shares.shape[1]
        return count

    def axis_x(self, axis: int) -> float:
        """Return the distance in pixels from the left edge to an axis."""
        return self.area.left() + self.area.width() * axis / max(1, self.axes - 1)

    def at(self, axis: int, share: float) -> QPointF:
        """Return where a share of an axis is."""
        return QPointF(self.axis_x(axis), self.area.bottom() - share * self.area.height())

    def ends(self, ratio: float) -> Floats:
        """Return the ends of the lines between the axes, in their order, (n, axes - 1, 4).

        Args:
            ratio: Pixels of the screen per pixel of the window.
        """
        x = np.array([self.axis_x(axis) for axis in range(self.axes)])
        y = self.area.bottom() - self.shares[self.order] * self.area.height()
        ends = np.empty((len(self.order), max(0, self.axes - 1), 4))
        ends[:, :, 0], ends[:, :, 2] = x[:-1], x[1:]
        ends[:, :, 1], ends[:, :, 3] = y[:, :-1], y[:, 1:]
        ends *= ratio
        return ends

    def axis_at(self, place: QPointF) -> int | None:
        """Return the axis at a place."""
        for axis in range(self.axes):
            if abs(self.axis_x(axis) - place.x()) <= _GRIP:
                return axis
        return None

    def share_at(self, place: QPointF) -> float:
        """Return the share of any axis at a height."""
        return min(max((self.area.bottom() - place.y()) / self.area.height(), 0.0), 1.0)

    def line_at(self, place: QPointF, mask: NDArray[np.bool_] | None) -> int | None:
        """Return the trial whose line is under a place, of several the one in front.

        Args:
            place: In the window.
            mask: Of each trial, whether it counts; None for all.
        """
        area, gaps = self.area, self.axes - 1
        if gaps < 1 or not area.adjusted(-1, -_REACH, 1, _REACH).contains(place):
            return None
        along = (place.x() - area.left()) / area.width() * gaps
        gap = min(max(int(along), 0), gaps - 1)
        left, right = self.shares[:, gap], self.shares[:, gap + 1]
        rise = np.abs(right - left) * area.height() * gaps / area.width()
        y = area.bottom() - (left + (right - left) * (along - gap)) * area.height()
        far = np.nan_to_num(np.abs(y - place.y()) / np.hypot(1.0, rise), nan=np.inf)
        if mask is not None:
            far = np.where(mask, far, np.inf)
        near = np.flatnonzero(far[self.order] <= min(_REACH, far.min(initial=np.inf) + 1))
        return int(self.order[near[-1]]) if len(near) else None


_NAME_WIDTH = 150.0
_TEXT_WIDTH = 92.0
_RANGE_WIDTH = 12.0
_ALPHA = 205
"""How much of what lies under a number is covered, of 255."""


class AxisPainter:
    """Paints axes into an area, with the painter of a widget that goes to `right`."""

    def __init__(self, painter: QPainter, theme: Theme, area: QRectF, right: float) -> None:
        self._painter, self._palette, self._area = painter, theme.palette, area
        self._right = right
        font = QFont(painter.font())
        font.setPixelSize(TYPE.caption)
        self._font = font

    def paint(self, scale: Scale, x: float) -> None:
        """Paint one axis with its numbers and its name.

        Args:
            scale: From where to where it goes.
            x: Where it stands, in pixels.
        """
        self._painter.setFont(self._font)
        self._paint_line(x, self._palette.outline, 1)
        for share, text in scale.ticks(self._area.height()):
            self._paint_tick(x, self._area.bottom() - share * self._area.height(), text)
        self._paint_name(scale, x, self._palette.text)

    def paint_current(self, scale: Scale, x: float) -> None:
        """Mark the axis on which keys act."""
        self._paint_line(x, self._palette.accent, 2)
        self._paint_name(scale, x, self._palette.accent)

    def paint_range(self, x: float, found: Range) -> None:
        """Mark a range that is picked out."""
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
        ground.setAlpha(_ALPHA)
        self._painter.fillRect(box.adjusted(-2, 1, 2, -1), ground)
        self._painter.setPen(QColor(self._palette.outline))
        self._painter.drawLine(QPointF(x, y), QPointF(x + 4, y))
        self._painter.setPen(QColor(self._palette.text))
        self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_name(self, scale: Scale, x: float, color: str) -> None:
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


_CLICK = 3.0
"""A drag that is shorter, in pixels, is a click."""
_SLICE = 0.006
"""Seconds of drawing between two frames."""
_PAUSE_MS = 60
"""After so long without another range the rest of the lines is drawn."""
_DIM = 0.16
_SIDE, _FOOT = 44, 10


class ParallelPlot(QWidget):
    """Every trial as a line across axes, colored by the first objective, the best in front.

    Drag along an axis to pick out a range; ranges on several axes go together. A click on an axis
    takes its range away, a click beside all lines takes all away. Left and Right go from axis to
    axis, Up and Down move its range, with Shift its upper end, Delete takes it away, Escape all.

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
        self.trials: SweepTrials | None = None
        self.brush = Brush()
        self.scales: list[Scale] = []
        self.current = 0
        self._places = Places(QRectF(), np.empty((0, 0)), np.empty(0, np.intp))
        self._segments: Floats = np.empty((0, 0, 4))
        self._levels: NDArray[np.intp] = np.empty(0, np.intp)
        self._under: int | None = None
        self._drag: tuple[int, float, float | None] | None = None
        self._pressed = QPointF()
        self._ground: LinePicture | None = None
        self._front: LinePicture | None = None
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
        """Draw other trials; ranges stay as long as the axes do."""
        self.trials, earlier = trials, self.scales
        self.scales = [Scale.of(axis) for axis in (*trials.axes, *trials.objectives)]
        self._under = None
        stays = [each.axis.name for each in earlier] == [each.axis.name for each in self.scales]
        if stays:
            self.brush.rescale(earlier, self.scales)
        else:
            self.current = 0
            if self.brush.clear():
                self.brushed.emit(None)
        shares = np.stack([scale.shares() for scale in self.scales], axis=1)
        levels = levels_of(trials.objectives[0].values, maximize=trials.maximize[0])
        order = np.argsort(levels, kind="stable")
        self._levels = levels[order]
        self._places = Places(self._area(), shares, order)
        self._redraw(at_once=not stays)
        self._describe_axis()

    def picked(self) -> frozenset[int] | None:
        """Return the numbers of the trials in all ranges; None without a range."""
        mask = self._mask()
        if mask is None or self.trials is None:
            return None
        return frozenset(self.trials.numbers[mask].tolist())

    def is_whole(self) -> bool:
        """Return True if all lines are drawn."""
        if self._front is None or self._ground is None:
            return True
        return self._front.is_done and self._ground.is_done

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(640, 320)

    def place_at(self, axis: int, share: float) -> QPointF:
        """Return where a share of an axis is."""
        return self._places.at(axis, share)

    def draw_on(self) -> None:
        """Draw some more lines; called until all are there, but not while nobody sees them."""
        if self._front is None or self._ground is None:
            return
        self._timer.setInterval(0)
        first, second = self._front, self._ground
        if self.brush.ranges:
            first, second = second, first
        if first.is_done:
            first = second
        # What is being drawn is seen when it is whole: there is nothing to repaint before.
        if first.go_on(_SLICE):
            if first is self._ground and self.brush.ranges:
                self._start_front(at_once=False)  # on the whole ground
            elif first is self._front:
                self._show_front()
        if self.is_whole():
            self._timer.stop()

    def finish(self) -> None:
        """Draw all lines now: of ten thousand trials half a second."""
        while not self.is_whole():
            self.draw_on()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines are drawn for a size."""
        super().resizeEvent(event)
        self._redraw(at_once=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the lines that are missing."""
        super().showEvent(event)
        if not self.is_whole():
            self._timer.start(0)

    def hideEvent(self, event: QHideEvent) -> None:
        """Another chart needs the time."""
        super().hideEvent(event)
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self._point_at(None, QPointF())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pick out a range, or take hold of one."""
        axis = self._places.axis_at(event.position())
        self._pressed = event.position()
        if event.button() != Qt.MouseButton.LeftButton or axis is None:
            return
        self.current = axis
        share = self._places.share_at(event.position())
        low, high = self.brush.ranges.get(axis, (2.0, 2.0))
        self._drag = axis, share, low if low <= share <= high else None
        self._describe_axis()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pick out a range, or point at a line."""
        if self._drag is None:
            self._point_at(self._places.line_at(event.position(), self._mask()), event.position())
            return
        if self._is_click(event.position()):
            return
        axis, start, low = self._drag
        share = self._places.share_at(event.position())
        if low is None:
            self.brush.set(axis, start, share)
        else:
            self.brush.move(axis, low + share - start - self.brush.ranges[axis][0])
        self._brush_changed()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click takes a range away, or chooses a line."""
        drag, self._drag = self._drag, None
        if event.button() != Qt.MouseButton.LeftButton or not self._is_click(event.position()):
            return
        line = self._places.line_at(event.position(), self._mask())
        if drag is not None:
            if self.brush.clear(drag[0]):
                self._brush_changed()
        elif line is not None:
            self.chosen.emit(line)
        elif self.brush.clear():
            self._brush_changed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """From axis to axis, and ranges without a mouse."""
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
            self._paint_vectors(painter)
            self._paint_axes(painter)
        else:
            painter.drawImage(QRectF(self.rect()), self._shown)
            painter.drawImage(QPointF(0, 0), self._axes_picture())
        axes = AxisPainter(painter, self.theme, self._area(), self.width())
        if self.hasFocus():
            axes.paint_current(self.scales[self.current], self._places.axis_x(self.current))
        for place, found in self.brush.ranges.items():
            axes.paint_range(self._places.axis_x(place), found)
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
        for place, scale in enumerate(self.scales):
            axes.paint(scale, self._places.axis_x(place))

    def _area(self) -> QRectF:
        head = 2 * self.fontMetrics().height() + SPACE.s
        return QRectF(self.rect()).adjusted(_SIDE, head, -_SIDE - SPACE.xl, -_FOOT)

    def _recolor(self) -> None:
        self._redraw(at_once=True)

    def _redraw(self, *, at_once: bool) -> None:
        """Draw all lines; what was seen before stays until they are there, or goes at once."""
        if not self.scales or self.width() < 2 * _SIDE + SPACE.xl:
            return
        self._axes_changed = True
        self._places = dataclasses.replace(self._places, area=self._area())
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        palette = self.theme.palette
        self._ground = LinePicture(size)
        dim = QColor(mix(palette.surface, palette.muted, _DIM))
        levels = np.zeros(len(self._levels), np.intp)
        self._segments = self._places.ends(ratio)
        self._ground.start(self._segments, levels, (dim,), ratio, draft=at_once)
        self._start_front(at_once=at_once)

    def _start_front(self, *, at_once: bool) -> None:
        """Draw the lines that are picked out over the dim ones, some of them at once."""
        if self._ground is None:
            return
        mask = self._mask()
        ratio = self.devicePixelRatioF()
        picked = self._in_front(mask)
        ground = None if mask is None else self._ground.image
        self._front = LinePicture(self.size() * ratio, ground)
        colors = ramp(dark=self.theme.is_dark)
        segments = self._segments if mask is None else self._segments[picked]
        self._front.start(segments, self._levels[picked], colors, ratio, draft=at_once)
        if self.isVisible():
            self._timer.start(_PAUSE_MS if at_once else 0)
        if at_once or self._front.is_done:
            self._show_front()

    def _mask(self) -> NDArray[np.bool_] | None:
        return self.brush.mask(self._places.shares)

    def _in_front(self, mask: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """Return True for each selected line, in their order."""
        order = self._places.order
        return np.ones(len(order), np.bool_) if mask is None else mask[order]

    def _show_front(self) -> None:
        if self._front is not None:
            self._shown = self._front.image
            if self._axes_changed:
                self._axes, self._axes_changed = None, False
            self.update()

    def _brush_changed(self) -> None:
        self._start_front(at_once=True)
        picked = self.picked()
        self._describe_axis(picked)
        self.brushed.emit(picked)

    def _paint_vectors(self, painter: QPainter) -> None:
        palette, picked = self.theme.palette, self._in_front(self._mask())
        dim = QColor(mix(palette.surface, palette.muted, _DIM))
        ends = self._places.ends(1.0)
        rest = ends[~picked]
        draw_lines(painter, rest, np.zeros(len(rest), np.intp), (dim,))
        colors = ramp(dark=self.theme.is_dark)
        draw_lines(painter, ends[picked], self._levels[picked], colors)

    def _paint_under(self, painter: QPainter) -> None:
        if self._under is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shares = self._places.shares[self._under].tolist()
        spots = [self.place_at(at, each) for at, each in enumerate(shares) if not math.isnan(each)]
        painter.setPen(QPen(QColor(self.theme.palette.text), 2.5))
        painter.drawPolyline(QPolygonF(spots))

    def _point_at(self, line: int | None, place: QPointF) -> None:
        if line is None and self._under is None:
            return
        if line != self._under:
            self._under = line
            self.update()
        self.pointed.emit(line, self.mapToGlobal(place.toPoint()))

    def _is_click(self, place: QPointF) -> bool:
        return (place - self._pressed).manhattanLength() <= _CLICK

    def _describe_axis(self, picked: frozenset[int] | None = None) -> None:
        if not self.scales:
            return
        scale = self.scales[self.current]
        text = self.tr("{name}, axis {place} of {count}").format(
            name=scale.axis.label, place=self.current + 1, count=len(self.scales)
        )
        found = self.brush.ranges.get(self.current)
        if found is not None:
            text += self.tr(", {low} to {high}").format(
                low=scale.text_at(found[0]), high=scale.text_at(found[1])
            )
        if picked is None:
            picked = self.picked()
        if picked is not None:
            text += self.tr("; {picked} of {count} trials picked out").format(
                picked=len(picked), count=len(self._levels)
            )
        self.setAccessibleDescription(text)


class ParallelView(SweepView):
    """Parallel coordinates of the trials; ranges on the axes select some."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Parallel"), Tools.NONE, parent)
        self.plot = ParallelPlot(theme)
        self.plot.brushed.connect(self.brushed)
        self.plot.pointed.connect(self.show_trial)
        self.plot.chosen.connect(self.choose)
        self.set_plot(self.plot)

    def refresh(self) -> None:
        """Draw the trials again."""
        if self.trials is not None:
            self.plot.show_trials(self.trials)

    def prepare_export(self) -> None:
        """Draw all lines."""
        self.plot.finish()
