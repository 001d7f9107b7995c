"""Every trial as a line across the axes of all that varied and of all that was measured."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPaintEngine,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from studio.ui.charts.sweep_brush import STEP, Brush
from studio.ui.charts.sweep_colors import levels_of, ramp
from studio.ui.charts.sweep_data import Floats
from studio.ui.charts.sweep_lines import LinePicture, draw_lines
from studio.ui.charts.sweep_parallel_axes import AxisPainter
from studio.ui.charts.sweep_scale import Scale
from studio.ui.charts.sweep_view import SweepView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, mix

_GRIP = 14.0
"""Pixels beside an axis that belong to it."""
_REACH = 5.0
_CLICK = 3.0
"""A drag that is shorter, in pixels, is a click."""
_SLICE = 0.006
"""Seconds of drawing between two frames."""
_PAUSE_MS = 60
"""After so long without another range the rest of the lines is drawn."""
_DIM = 0.16
_VECTORS = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)
_SIDE, _FOOT = 44, 10


class ParallelView(SweepView):
    """Parallel coordinates, colored by the first objective, the best in front.

    Drag along an axis to pick out a range; ranges on several axes go together. A click on an axis
    takes its range away, a click beside all lines takes all away. Left and Right go from axis to
    axis, Up and Down move its range, with Shift its upper end, Delete takes it away, Escape all.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.brush = Brush()
        self.scales: list[Scale] = []
        self.current = 0
        self._shares: Floats = np.empty((0, 0))
        self._segments: Floats = np.empty((0, 0, 4))
        self._order: NDArray[np.intp] = np.empty(0, np.intp)
        self._levels: NDArray[np.intp] = np.empty(0, np.intp)
        self._under: int | None = None
        self._drag: tuple[int, float, float | None] | None = None
        self._pressed = QPointF()
        self._ground: LinePicture | None = None
        self._front: LinePicture | None = None
        self._axes: QImage | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.draw_on)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Parallel coordinates"))
        theme.changed.connect(self._redraw)

    def refresh(self) -> None:
        """Draw the trials anew; ranges stay as long as the axes do."""
        if self.trials is None:
            return
        names = [scale.axis.name for scale in self.scales]
        trials = self.trials
        self.scales = [Scale.of(axis) for axis in (*trials.axes, *trials.objectives)]
        self._under = None
        if [scale.axis.name for scale in self.scales] != names:
            self.current = 0
            if self.brush.clear():
                self.brushed.emit(None)
        self._shares = np.stack([scale.shares() for scale in self.scales], axis=1)
        levels = levels_of(trials.objectives[0].values, maximize=trials.maximize[0])
        self._order = np.argsort(levels, kind="stable")
        self._levels = levels[self._order]
        self._redraw()
        self._describe_axis()

    def picked(self) -> frozenset[int] | None:
        """Numbers of the trials in all ranges; None without a range."""
        mask = self.brush.mask(self._shares)
        if mask is None or self.trials is None:
            return None
        return frozenset(self.trials.numbers[mask].tolist())

    def is_whole(self) -> bool:
        """Whether all lines are drawn."""
        return not self._timer.isActive()

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(640, 320)

    def axis_x(self, place: int) -> float:
        """Pixels from the left edge to an axis."""
        area = self._area()
        return area.left() + area.width() * place / max(1, len(self.scales) - 1)

    def place_at(self, axis: int, share: float) -> QPointF:
        """Where a share of an axis is."""
        area = self._area()
        return QPointF(self.axis_x(axis), area.bottom() - share * area.height())

    def draw_on(self) -> None:
        """Draw some more lines; called until all are there."""
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
                self._start_front()  # on the whole ground
                self._timer.setInterval(0)
            self.update()
        if self._front.is_done and self._ground.is_done:
            self._timer.stop()

    def finish(self) -> None:
        """Draw all lines now: of ten thousand trials half a second."""
        while not self.is_whole():
            self.draw_on()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines are drawn for a size."""
        super().resizeEvent(event)
        self._redraw()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self._point_at(None, QPointF())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pick out a range, or take hold of one."""
        axis = self._axis_at(event.position())
        self._pressed = event.position()
        if event.button() != Qt.MouseButton.LeftButton or axis is None:
            return
        self.current = axis
        share = self._share_at(event.position())
        low, high = self.brush.ranges.get(axis, (2.0, 2.0))
        self._drag = axis, share, low if low <= share <= high else None
        self._describe_axis()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pick out a range, or point at a line."""
        if self._drag is None:
            self._point_at(self._line_at(event.position()), event.position())
            return
        if self._is_click(event.position()):
            return
        axis, start, low = self._drag
        share = self._share_at(event.position())
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
        line = self._line_at(event.position())
        if drag is not None:
            if self.brush.clear(drag[0]):
                self._brush_changed()
        elif line is not None:
            self.choose(line)
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
        if self._front is None or not self.scales:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.palette.surface))
        if painter.paintEngine().type() in _VECTORS:
            self._paint_vectors(painter)
            self._paint_axes(painter)
        else:
            painter.drawImage(QRectF(self.rect()), self._front.image)
            painter.drawImage(QPointF(0, 0), self._axes_picture())
        axes = AxisPainter(painter, self.theme, self._area(), self.width())
        if self.hasFocus():
            axes.paint_current(self.scales[self.current], self.axis_x(self.current))
        for place, found in self.brush.ranges.items():
            axes.paint_range(self.axis_x(place), found)
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
            axes.paint(scale, self.axis_x(place))

    def _area(self) -> QRectF:
        head = 2 * self.fontMetrics().height() + SPACE.s
        return QRectF(self.rect()).adjusted(_SIDE, head, -_SIDE - SPACE.xl, -_FOOT)

    def _ends(self, rows: NDArray[np.intp], ratio: float) -> Floats:
        """Ends of the lines between the axes, in pixels of the screen."""
        area = self._area()
        x = np.array([self.axis_x(place) for place in range(len(self.scales))])
        y = area.bottom() - self._shares[rows] * area.height()
        segments = np.empty((len(rows), max(0, len(x) - 1), 4))
        segments[:, :, 0], segments[:, :, 2] = x[:-1], x[1:]
        segments[:, :, 1], segments[:, :, 3] = y[:, :-1], y[:, 1:]
        segments *= ratio
        return segments

    def _redraw(self) -> None:
        if not self.scales or self.width() < 2 * _SIDE + SPACE.xl:
            return
        self._axes = None
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        palette = self.theme.palette
        self._ground = LinePicture(size)
        dim = QColor(mix(palette.surface, palette.muted, _DIM))
        levels = np.zeros(len(self._order), np.intp)
        self._segments = self._ends(self._order, ratio)
        self._ground.start(self._segments, levels, (dim,), ratio)
        self._start_front()

    def _start_front(self) -> None:
        """Draw the lines that are picked out over the dim ones, some of them at once."""
        if self._ground is None:
            return
        mask = self.brush.mask(self._shares)
        ratio = self.devicePixelRatioF()
        picked = np.ones(len(self._order), np.bool_) if mask is None else mask[self._order]
        ground = None if mask is None else self._ground.image
        self._front = LinePicture(self.size() * ratio, ground)
        colors = ramp(dark=self.theme.is_dark)
        segments = self._segments if mask is None else self._segments[picked]
        self._front.start(segments, self._levels[picked], colors, ratio)
        self._timer.start(_PAUSE_MS)
        self.update()

    def _brush_changed(self) -> None:
        self._start_front()
        picked = self.picked()
        self._describe_axis(picked)
        self.brushed.emit(picked)

    def _paint_vectors(self, painter: QPainter) -> None:
        palette, mask = self.theme.palette, self.brush.mask(self._shares)
        picked = np.ones(len(self._order), np.bool_) if mask is None else mask[self._order]
        dim = QColor(mix(palette.surface, palette.muted, _DIM))
        rest, front = self._order[~picked], self._order[picked]
        draw_lines(painter, self._ends(rest, 1.0), np.zeros(len(rest), np.intp), (dim,))
        colors = ramp(dark=self.theme.is_dark)
        draw_lines(painter, self._ends(front, 1.0), self._levels[picked], colors)

    def _paint_under(self, painter: QPainter) -> None:
        if self._under is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shares = self._shares[self._under].tolist()
        spots = [self.place_at(at, each) for at, each in enumerate(shares) if not math.isnan(each)]
        painter.setPen(QPen(QColor(self.theme.palette.text), 2.5))
        painter.drawPolyline(QPolygonF(spots))

    def _axis_at(self, place: QPointF) -> int | None:
        for axis in range(len(self.scales)):
            if abs(self.axis_x(axis) - place.x()) <= _GRIP:
                return axis
        return None

    def _share_at(self, place: QPointF) -> float:
        area = self._area()
        return min(max((area.bottom() - place.y()) / area.height(), 0.0), 1.0)

    def _line_at(self, place: QPointF) -> int | None:
        """The line under a place, of several the one in front."""
        area = self._area()
        if len(self.scales) < 2 or not area.adjusted(-1, -_REACH, 1, _REACH).contains(place):
            return None
        along = (place.x() - area.left()) / area.width() * (len(self.scales) - 1)
        gap = min(max(int(along), 0), len(self.scales) - 2)
        left, right = self._shares[:, gap], self._shares[:, gap + 1]
        rise = np.abs(right - left) * area.height() * (len(self.scales) - 1) / area.width()
        y = area.bottom() - (left + (right - left) * (along - gap)) * area.height()
        far = np.abs(y - place.y()) / np.hypot(1.0, rise)
        mask = self.brush.mask(self._shares)
        if mask is not None:
            far = np.where(mask, far, np.inf)
        near = np.flatnonzero(far[self._order] <= min(_REACH, np.nanmin(far, initial=np.inf) + 1))
        return int(self._order[near[-1]]) if len(near) else None

    def _point_at(self, line: int | None, place: QPointF) -> None:
        if line is None and self._under is None:
            return
        if line != self._under:
            self._under = line
            self.update()
        self.tell(line, self.mapToGlobal(place.toPoint()))

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
                picked=len(picked), count=len(self._shares)
            )
        self.setAccessibleDescription(text)
