"""Base of all plots: axes, grid, zoom, and pictures of data between the axes.

Without NumPy and pyqtgraph, so that pages with small charts open without loading them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.charts.axes import AxisScale, Ends, Tick
from studio.ui.charts.chart import VECTORS
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import elided
from studio.ui.widgets.painting import PaintedWidget, caption_font

if TYPE_CHECKING:
    from studio.ui.charts.series import Array

_TICK_HEIGHT: Final = 34
_TICK_WIDTH: Final = 80
"""Pixels between two ticks of the vertical and the horizontal axis, at least."""
_WIDTH_STEP: Final = 8
"""The room for numbers grows in steps, so that the data do not shake while the view moves."""
_NOTCH: Final = 120
"""Wheel delta of a notch."""
_NOTCH_MOVES: Final = 0.1
"""Fraction of the width that a notch moves."""
_NOTCH_ZOOMS: Final = 0.75
_THINNEST: Final = 1e-9
"""Smallest visible range, so that float64 can resolve it."""
_CLICK: Final = 4.0
"""A shorter drag, in pixels, is a click."""
_SHADE: Final = 40
"""Opacity of the rectangle to zoom into, of 255."""

_FAR: Final = 1_000_000
_KEYS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Home: (-_FAR, 0),
    Qt.Key.Key_End: (_FAR, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
"""Points and lines by which a key moves."""

WheelZoom = Literal["across", "both", "with ctrl"]


class PlotLayout(NamedTuple):
    """Result of the layout of a plot.

    Attributes:
        area: Rectangle between the axes, in whole pixels.
        across: Ticks of the horizontal axis.
        up: Ticks of the vertical axis.
    """

    area: QRectF
    across: list[Tick]
    up: list[Tick]


class Plot(PaintedWidget):
    """Plot with two axes. A drag zooms into a rectangle; Shift-drag and middle drag pan.

    The wheel zooms around the pointer, along x by default and with Ctrl along both axes; with
    Shift, or tilted, it pans along x. Double click shows everything. Arrows, Home and End go from
    point to point; Return chooses. A subclass paints the data: as a `PlotPicture`, in
    `paint_under` or in `paint_over`.

    Attributes:
        wheel_zoom: Axes that the wheel zooms without Ctrl; "with ctrl": none, the page scrolls.
        has_axes: False to use the whole widget for the data.
        across: Horizontal axis, with the visible range.
        up: Vertical axis, with the visible range.

    Signals:
        pointer_moved: Position of the pointer between the axes, a `QPointF`; None when it leaves.
        view_changed: Another range is visible.
        view_chosen: The user zoomed or panned.
        double_clicked: Request to show everything again.
    """

    wheel_zoom: ClassVar[WheelZoom] = "across"
    has_axes: ClassVar[bool] = True

    pointer_moved = Signal(object)
    view_changed = Signal()
    view_chosen = Signal()
    double_clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.across = self.up = AxisScale("", 0.0, 1.0)
        self.pictures: list[PlotPicture] = []
        self._layout: PlotLayout | None = None
        self._pressed: QPointF | None = None
        self._panned: QPointF | None = None
        self._pointer = QPointF()
        self._is_click = False
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    # Provided by a subclass.

    def paint_under(self, painter: QPainter, area: QRectF) -> None:
        """Paint below the pictures of the data.

        Args:
            painter: The painter, which is clipped to the area.
            area: Rectangle between the axes.
        """

    def paint_over(self, painter: QPainter, area: QRectF) -> None:
        """Paint over the pictures of the data.

        Args:
            painter: The painter, which is not clipped.
            area: Rectangle between the axes.
        """

    def on_pointer(self, position: QPointF | None) -> None:
        """Take the position of the pointer between the axes; None when it leaves."""

    def on_click(self, position: QPointF) -> None:
        """Take a click with the left button."""

    def step(self, along: int, across: int) -> None:
        """Go to another point.

        Args:
            along: Points to go along the line, or from left to right.
            across: Lines to go down.
        """

    def choose_point(self) -> None:
        """Choose the point that keys have reached, if any."""

    # Range and positions.

    def set_scales(self, across: AxisScale, up: AxisScale) -> None:
        """Show other axes.

        Args:
            across: Horizontal axis.
            up: Vertical axis.
        """
        self.across, self.up = across, up
        self._on_view()

    def view_range(self) -> tuple[Ends, Ends]:
        """Return the visible ranges in plotted numbers: left and right, low and high."""
        return self.across.ends, self.up.ends

    def set_view(self, across: Ends | None = None, up: Ends | None = None) -> None:
        """Show other ranges, in plotted numbers.

        Args:
            across: Left and right end; None for the present ones.
            up: Low and high end; None for the present ones.
        """
        across, up = across or self.across.ends, up or self.up.ends
        if all(abs(last - first) >= _THINNEST for first, last in (across, up)):
            self.set_scales(self.across.between(*across), self.up.between(*up))

    def area(self) -> QRectF:
        """Return the rectangle between the axes."""
        return self._laid_out().area

    def position(self, x: float, y: float) -> QPointF:
        """Return the position of a point in the widget, in pixels.

        Args:
            x: Plotted number of the horizontal axis.
            y: Plotted number of the vertical axis.
        """
        area, ((left, right), (low, high)) = self.area(), self.view_range()
        return QPointF(
            area.left() + (x - left) / ((right - left) or 1.0) * area.width(),
            area.bottom() - (y - low) / ((high - low) or 1.0) * area.height(),
        )

    def plotted_at(self, position: QPointF) -> tuple[float, float]:
        """Return the plotted numbers at a position in the widget."""
        area, ((left, right), (low, high)) = self.area(), self.view_range()
        across = (position.x() - area.left()) / max(1.0, area.width())
        up = (area.bottom() - position.y()) / max(1.0, area.height())
        return left + across * (right - left), low + up * (high - low)

    def zoom(self, part: QRectF) -> None:
        """Show only a rectangle of the widget, as the user asks."""
        left, high = self.plotted_at(part.topLeft())
        right, low = self.plotted_at(part.bottomRight())
        self._choose((left, right), (low, high))

    def _choose(self, across: Ends, up: Ends) -> None:
        before = self.view_range()
        self.set_view(across, up)
        if self.view_range() != before:
            self.view_chosen.emit()

    def _on_view(self) -> None:
        self._layout = None
        self.view_changed.emit()
        self.update()

    # Keys and mouse.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to another point, or choose the present one."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose_point()
        elif key in _KEYS:
            self.step(*_KEYS[key])
        else:
            super().keyPressEvent(event)

    def drag(self, now: QPointF) -> None:
        """Show a drag with the left button; see `drop`."""
        self._pointer = now
        self.update()

    def drop(self, start: QPointF, end: QPointF) -> None:
        """End a drag with the left button: zoom into its rectangle.

        Args:
            start: Position where the button was pressed.
            end: Position where it was released.
        """
        part = QRectF(start, end).normalized().intersected(self.area())
        if part.width() > _CLICK and part.height() > _CLICK:
            self.zoom(part)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click, a zoom or a pan."""
        pans = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        position, button = event.position(), event.button()
        if button == Qt.MouseButton.MiddleButton or (pans and button == Qt.MouseButton.LeftButton):
            self._panned = position
        elif button == Qt.MouseButton.LeftButton:
            self._pressed = self._pointer = position
            self._is_click = True
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the pointer, or continue a zoom or a pan."""
        position = event.position()
        if self._panned is not None:
            (x, y), (before_x, before_y) = map(self.plotted_at, (position, self._panned))
            self._panned = position
            across, up = self.across.ends, self.up.ends
            self._choose(
                (across[0] - x + before_x, across[1] - x + before_x),
                (up[0] - y + before_y, up[1] - y + before_y),
            )
        elif self._pressed is not None:
            self._is_click &= (position - self._pressed).manhattanLength() <= _CLICK
            if not self._is_click:
                self.drag(position)
        else:
            self._point(position if self.area().contains(position) else None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report a click, or end a zoom or a pan."""
        start, self._pressed, self._panned = self._pressed, None, None
        if start is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.update()
        end = event.position()
        if self._is_click and (end - start).manhattanLength() <= _CLICK:
            self.on_click(end)
        else:
            self.drop(start, end)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Request to show everything again."""
        self.double_clicked.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Report that nothing is under the pointer."""
        super().leaveEvent(event)
        self._point(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom or pan."""
        keys, turned = event.modifiers(), event.angleDelta()
        pans = keys & Qt.KeyboardModifier.ShiftModifier or (turned.x() and not turned.y())
        has_ctrl = bool(keys & Qt.KeyboardModifier.ControlModifier)
        if self.wheel_zoom == "with ctrl" and not has_ctrl:
            event.ignore()  # the page scrolls
            return
        # Also empty ones, which trackpads send: who accepts the first gets the rest of a scroll.
        event.accept()
        if turned.isNull():
            return
        notches = (turned.y() or turned.x()) / _NOTCH
        across, up = self.across.ends, self.up.ends
        if pans:
            moved = -notches * _NOTCH_MOVES * (across[1] - across[0])
            self._choose((across[0] + moved, across[1] + moved), up)
            return
        factor = _NOTCH_ZOOMS**notches
        x, y = self.plotted_at(event.position())
        if has_ctrl or self.wheel_zoom == "both":
            up = _scaled(up, y, factor)
        self._choose(_scaled(across, x, factor), up)

    def _point(self, position: QPointF | None) -> None:
        self.on_pointer(position)
        self.pointer_moved.emit(position)

    # Painting.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the axes again."""
        super().resizeEvent(event)
        self._on_view()

    def changeEvent(self, event: QEvent) -> None:
        """Lay out the axes again with another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._on_view()

    def paint(self, painter: QPainter) -> None:
        """Paint axes, data and the rectangle to zoom into."""
        layout, theme = self._laid_out(), self._theme
        painter.fillRect(self.rect(), theme.color("surface"))
        painter.setFont(caption_font(self.font()))
        if self.has_axes:
            self._paint_axes(painter, layout)
        painter.save()
        painter.setClipRect(layout.area)
        self.paint_under(painter, layout.area)
        for picture in self.pictures:
            picture.paint(painter, layout.area)
        painter.restore()
        self.paint_over(painter, layout.area)
        if self._pressed is not None and self._pressed != self._pointer:
            painter.setPen(theme.color("accent"))
            painter.setBrush(self.shade())
            painter.drawRect(QRectF(self._pressed, self._pointer).intersected(layout.area))

    def shade(self) -> QColor:
        """Return the color of a marked part."""
        shade = QColor(self._theme.color("accent"))
        shade.setAlpha(_SHADE)
        return shade

    def _laid_out(self) -> PlotLayout:
        if self._layout is None:
            self._layout = self._measured()
        return self._layout

    def _measured(self) -> PlotLayout:
        if not self.has_axes:
            return PlotLayout(QRectF(self.rect()), [], [])
        metrics = QFontMetricsF(caption_font(self.font()))
        line = metrics.height()
        top, names = round(line / 2), line if self.across.label else 0
        bottom = round(self.height() - line - SPACE.xs - names)
        up = self.up.ticks(max(2, (bottom - top) // _TICK_HEIGHT))
        widest = max((metrics.horizontalAdvance(tick.text) for tick in up), default=0) + SPACE.s
        left = int(-(-widest // _WIDTH_STEP) * _WIDTH_STEP + (line if self.up.label else 0))
        # Half of the last text under the axis extends beyond its end.
        right = max(left + 1, self.width() - SPACE.l - SPACE.xs)
        across = self.across.ticks(max(2, (right - left) // _TICK_WIDTH))
        area = QRectF(left, top, right - left, max(1, bottom - top))
        return PlotLayout(area, across, up)

    def _paint_axes(self, painter: QPainter, layout: PlotLayout) -> None:
        area, metrics = layout.area, painter.fontMetrics()
        (left, _), (low, _) = self.view_range()
        columns = [(self.position(tick.at, low).x(), tick.text) for tick in layout.across]
        rows = [(self.position(left, tick.at).y(), tick.text) for tick in layout.up]
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        for x, text in columns:
            if text:
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        for y, _ in rows:
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self.is_smooth)
        painter.setPen(QPen(self._theme.color("muted")))
        height = metrics.height()
        for y, text in rows:
            room = QRectF(0, y - height / 2, area.left() - SPACE.xs, height)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight, text)
        free = -float(self.width())
        for x, text in columns:
            half = metrics.horizontalAdvance(text) / 2
            if text and x - half > free:
                room = QRectF(x - half - 1, area.bottom() + SPACE.xs, 2 * half + 2, height)
                painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, text)
                free = x + half + SPACE.xs
        self._paint_names(painter, area, height)

    def _paint_names(self, painter: QPainter, area: QRectF, height: int) -> None:
        """Paint the names of the axes, shortened to their length."""
        metrics, middle = painter.fontMetrics(), Qt.AlignmentFlag.AlignHCenter
        if self.across.label:
            half = min(area.center().x(), self.width() - area.center().x())
            room = QRectF(
                area.center().x() - half, area.bottom() + SPACE.xs + height, 2 * half, height
            )
            painter.drawText(room, middle, elided(metrics, self.across.label, room.width()))
        if self.up.label:
            painter.save()
            painter.translate(0, area.center().y())
            painter.rotate(-90)
            room = QRectF(-self.height() / 2, 0, self.height(), height)
            painter.drawText(room, middle, elided(metrics, self.up.label, area.height()))
            painter.restore()


def paint_mark(
    painter: QPainter, area: QRectF, x: float, color: QColor, label: str, baseline: float = 0.0
) -> None:
    """Paint a dashed vertical line with a label.

    Args:
        painter: The painter.
        area: Rectangle between the axes.
        x: Position of the line in pixels.
        color: Color of line and label.
        label: The label; empty for none.
        baseline: Height of the label in pixels; by default at the top.
    """
    painter.setPen(QPen(color, 1.5, Qt.PenStyle.DashLine))
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
    metrics = painter.fontMetrics()
    wide = metrics.horizontalAdvance(label) + SPACE.xs
    left = x + SPACE.xs if x + wide < area.right() else x - wide
    painter.drawText(QPointF(left, max(baseline, area.top() + metrics.ascent())), label)


def _scaled(ends: Ends, around: float, factor: float) -> Ends:
    return around + (ends[0] - around) * factor, around + (ends[1] - around) * factor


class PlotPicture:
    """Image between the axes of a plot, painted again from memory until the view changes.

    Args:
        plot: The plot, which paints it.
        is_behind: True to paint it below the others.
    """

    def __init__(self, plot: Plot, *, is_behind: bool = False) -> None:
        self.plot = plot
        self.image: QImage | None = None
        self._drawn_for: tuple[QSize, float] | None = None
        plot.pictures.insert(0 if is_behind else len(plot.pictures), self)
        plot.view_changed.connect(self.redraw)

    def drawn(self, size: QSize, ratio: float) -> QImage:
        """Return the image.

        Args:
            size: Size of the image; a smaller image is stretched.
            ratio: Pixels of the screen per pixel of the window.
        """
        raise NotImplementedError

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint shapes into a vector file, from the upper left corner of the area."""
        raise NotImplementedError

    @property
    def size(self) -> QSize:
        """Size of the area in pixels of the window."""
        return self.plot.area().size().toSize()

    def sheet(self, size: QSize) -> QImage:
        """Return an image with any content; new memory would take longer than drawing."""
        image = self.image
        if image is None or image.size() != size:
            image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(1.0)
        return image

    def redraw(self) -> None:
        """Draw again in the next frame."""
        self._drawn_for = None
        self.plot.update()

    def pixels(self, x: Array, y: Array, ratio: float = 1.0) -> tuple[Array, Array]:
        """Convert plotted positions to pixels from the upper left corner of the area.

        Args:
            x: Shape (n,).
            y: Shape (n,).
            ratio: Device pixels per logical pixel.
        """
        (left, right), (low, high) = self.plot.view_range()
        size = self.plot.area().size()
        across = (x - left) * (size.width() * ratio / (right - left))
        down = (high - y) * (size.height() * ratio / (high - low))
        return across, down

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Paint an image on a screen, shapes into a vector file."""
        painter.save()
        painter.translate(area.topLeft())
        if painter.paintEngine().type() in VECTORS:
            self.paint_vectors(painter)
        else:
            ratio = abs(painter.deviceTransform().m11()) or 1.0
            size = (area.size() * ratio).toSize().expandedTo(QSize(1, 1))
            if self.image is None or self._drawn_for != (size, ratio):
                self.image = self.drawn(size, ratio)
                self._drawn_for = size, ratio
            self.image.setDevicePixelRatio(ratio)
            if self.image.size() == size:
                painter.drawImage(QPointF(0, 0), self.image)
            else:
                painter.drawImage(QRectF(QPointF(0, 0), area.size()), self.image)
        painter.restore()
