"""The legend of a chart: a button per curve, with the value under the pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import FAINT, RADIUS, SPACE, chart_color, mix
from studio.ui.widgets.labels import elided
from studio.ui.widgets.layout import FlowLayout

if TYPE_CHECKING:
    from studio.ui.charts.dots import DotStyle

_SAMPLE = 22
_HEIGHT = 26
_MOST_NAME = 240


class LegendEntry(QAbstractButton):
    """A sample of the line, the name of the curve, and one value. Checked: the curve is shown.

    Signals:
        switched: The key, and whether the curve is shown now.
    """

    switched = Signal(str, bool)

    def __init__(self, theme: Theme, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._key = key
        self._color_index: int | None = 0
        self._dashed = self._faint = False
        self._value = ""
        self._room = 0
        self._is_compact = False
        self._dot: DotStyle | None = None
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.toggled.connect(self._tell)
        theme.changed.connect(self.update)

    def set_style(
        self, name: str, color_index: int | None, *, dashed: bool, faint: bool = False
    ) -> None:
        """Show another name or line.

        Args:
            name: Of the curve.
            color_index: Index of the chart color; None for the muted color of a guide.
            dashed: True for a dashed line.
            faint: True for a line behind the others.
        """
        style = name, color_index, dashed, faint
        if style == (self.text(), self._color_index, self._dashed, self._faint):
            return
        self._color_index, self._dashed, self._faint = color_index, dashed, faint
        self.setText(name)
        self.setAccessibleName(self.tr("Show the curve {name}").format(name=name))
        self.setToolTip(self.tr("Show or hide {name}").format(name=name))
        self.updateGeometry()

    def set_dot(self, name: str, style: DotStyle) -> None:
        """Show another name, and a dot instead of a line."""
        self._dot = style
        self.set_style(name, None, dashed=False)
        self.update()

    def set_value(self, text: str) -> None:
        """Show a value; the room for it only ever grows, so that the legend does not jump."""
        if text == self._value:
            return
        self._value = text
        self.setAccessibleDescription(text)
        room = self.fontMetrics().horizontalAdvance(text)
        if room > self._room:
            self._room = room
            self.updateGeometry()
        self.update()

    def set_compact(self, *, is_compact: bool) -> None:
        """Leave the value out of the line, where a chart is low."""
        if is_compact != self._is_compact:
            self._is_compact = is_compact
            self.updateGeometry()
            self.update()

    def value(self) -> str:
        """Return the value that is shown."""
        return self._value

    def sizeHint(self) -> QSize:
        """Sample, name and value in a line."""
        name = round(min(QFontMetrics(self.font()).horizontalAdvance(self.text()), _MOST_NAME))
        value = self._room + SPACE.s if self._room and not self._is_compact else 0
        return QSize(SPACE.s + _SAMPLE + SPACE.s + name + value + SPACE.s, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the entry; hidden curves have a hollow sample and muted, struck words."""
        palette = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            pen = QPen(QColor(palette.accent), 2) if self.hasFocus() else QPen(Qt.PenStyle.NoPen)
            painter.setPen(pen)
            painter.setBrush(QColor(palette.hover))
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS.control, RADIUS.control
            )
        self._paint_sample(painter)
        self._paint_words(painter)
        painter.end()

    def _paint_sample(self, painter: QPainter) -> None:
        on = self.isChecked()
        if self._dot is not None:
            from studio.ui.charts.dots import draw_shape  # noqa: PLC0415 - NumPy, pyqtgraph

            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._dot.color if on else QColor(self._theme.palette.outline))
            draw_shape(
                painter, self._dot.shape, QPointF(SPACE.s + _SAMPLE / 2, self.height() / 2), 5
            )
            return
        color = self._theme.palette.muted
        if self._color_index is not None:
            color = chart_color(self._color_index, dark=self._theme.is_dark)
        if self._faint:  # as the line is drawn
            color = mix(self._theme.palette.surface, color, FAINT)
        pen = QPen(QColor(color if on else self._theme.palette.outline), 2.5)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self._dashed:
            pen.setDashPattern([2.4, 1.4])
        painter.setPen(pen)
        middle = self.height() / 2
        painter.drawLine(QPointF(SPACE.s, middle), QPointF(SPACE.s + _SAMPLE, middle))

    def _paint_words(self, painter: QPainter) -> None:
        palette, on = self._theme.palette, self.isChecked()
        font = QFont(self.font())
        font.setStrikeOut(not on)
        painter.setFont(font)
        painter.setPen(QColor(palette.text if on else palette.muted))
        left = SPACE.s + _SAMPLE + SPACE.s
        words = QRectF(left, 0, self.width() - left - SPACE.s, self.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        text = elided(painter.fontMetrics(), self.text(), _MOST_NAME)
        painter.drawText(words, middle | Qt.AlignmentFlag.AlignLeft, text)
        if on and self._value and not self._is_compact:
            painter.setPen(QColor(palette.muted))
            painter.drawText(words, middle | Qt.AlignmentFlag.AlignRight, self._value)

    def _tell(self, checked: bool) -> None:
        self.switched.emit(self._key, checked)


class Legend(QWidget):
    """Entries in lines that wrap.

    Signals:
        switched: The key of a curve, and whether it is shown now.
    """

    switched = Signal(str, bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: dict[str, LegendEntry] = {}
        self._is_compact = False
        self._flow = FlowLayout(self, spacing=SPACE.xs)
        self.setAccessibleName(self.tr("Legend"))

    def entry(self, key: str) -> LegendEntry:
        """Return the entry of a curve, made when it is new."""
        if key not in self._entries:
            made = LegendEntry(self._theme, key, self)
            made.switched.connect(self.switched)
            made.set_compact(is_compact=self._is_compact)
            self._entries[key] = made
            self._flow.addWidget(made)
        return self._entries[key]

    def set_compact(self, *, is_compact: bool) -> None:
        """Show names without values, in fewer lines."""
        self._is_compact = is_compact
        for entry in self._entries.values():
            entry.set_compact(is_compact=is_compact)

    def keys(self) -> list[str]:
        """Return the curves that have an entry, in order."""
        return list(self._entries)

    def clear(self) -> None:
        """Remove all entries."""
        self._entries.clear()
        self._flow.clear()
