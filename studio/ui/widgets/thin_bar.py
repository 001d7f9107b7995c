"""A thin bar of progress, or of work whose length is not known."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import Role
from studio.ui.widgets.figures import percent

_HEIGHT = 6
_FRAME_MS = 40
_PIECE = 0.28


class ThinBar(QWidget):
    """Progress from 0 to 1; `None` is work of unknown length, a piece that wanders."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fraction: float | None = 0.0
        self._role: Role = "accent"
        self._phase = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._step)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Progress"))
        theme.changed.connect(self.update)

    def fraction(self) -> float | None:
        """What is shown."""
        return self._fraction

    def set_fraction(self, fraction: float | None, role: Role = "accent") -> None:
        """Show how much is done, in a color of the theme."""
        self._fraction = None if fraction is None else min(1.0, max(0.0, fraction))
        self._role = role
        self.setAccessibleDescription("" if fraction is None else percent(fraction, 0))
        self._run()
        self.update()

    def sizeHint(self) -> QSize:
        """A thin line."""
        return QSize(120, _HEIGHT)

    def showEvent(self, event: QShowEvent) -> None:
        """Move only while it can be seen."""
        super().showEvent(event)
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest while it cannot be seen."""
        super().hideEvent(event)
        self._timer.stop()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint track and bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        area = QRectF(self.rect())
        round_by = area.height() / 2
        painter.setBrush(QColor(self._theme.palette.pressed))
        painter.drawRoundedRect(area, round_by, round_by)
        painter.setBrush(self._theme.color(self._role))
        left, right = self._span()
        bar = QRectF(left * area.width(), 0, (right - left) * area.width(), area.height())
        if bar.width() > 0:
            bar.setWidth(max(bar.width(), area.height()))
            painter.drawRoundedRect(bar, round_by, round_by)
        painter.end()

    def _span(self) -> tuple[float, float]:
        if self._fraction is not None:
            return 0.0, self._fraction
        head = self._phase * (1 + _PIECE)
        return max(0.0, head - _PIECE), min(1.0, head)

    def _run(self) -> None:
        if self._fraction is None and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()

    def _step(self) -> None:
        self._phase = (self._phase + _FRAME_MS / 1400) % 1.0
        self.update()
