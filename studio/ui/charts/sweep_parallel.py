"""Every trial as a line across the axes of all that varied and of all that was measured."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
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

from studio.ui.charts.plot_picture import VECTORS
from studio.ui.charts.sweep_brush import STEP, Brush
from studio.ui.charts.sweep_colors import levels_of, ramp
from studio.ui.charts.sweep_data import Floats
from studio.ui.charts.sweep_lines import LinePicture, draw_lines
from studio.ui.charts.sweep_parallel_axes import AxisPainter
from studio.ui.charts.sweep_parallel_places import Places
from studio.ui.charts.sweep_scale import Scale
from studio.ui.charts.sweep_view import SweepView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, mix

_CLICK = 3.0
"""A drag that is shorter, in pixels, is a click."""
_SLICE = 0.006
"""Seconds of drawing between two frames."""
_PAUSE_MS = 60
"""After so long without another range the rest of the lines is drawn."""
_DIM = 0.16
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

    def refresh(self) -> None:
        """Draw the trials anew; ranges stay as long as the axes do."""
        if self.trials is None:
            return
        trials, earlier = self.trials, self.scales
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
        """Numbers of the trials in all ranges; None without a range."""
        mask = self._mask()
        if mask is None or self.trials is None:
            return None
        return frozenset(self.trials.numbers[mask].tolist())

    def is_whole(self) -> bool:
        """Whether all lines are drawn."""
        if self._front is None or self._ground is None:
            return True
        return self._front.is_done and self._ground.is_done

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(640, 320)

    def place_at(self, axis: int, share: float) -> QPointF:
        """Where a share of an axis is."""
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
        """Of each line, in their order, whether it is picked out."""
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
                picked=len(picked), count=len(self._levels)
            )
        self.setAccessibleDescription(text)
