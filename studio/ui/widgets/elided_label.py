"""A label that gives up its middle when there is no room, and shows the whole in a tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget

from studio.ui.widgets.eliding import elided, least_width
from studio.ui.widgets.names import name_height


class ElidedLabel(QLabel):
    """One line of plain text, elided in the middle; names and paths differ at their ends.

    Figures stay whole.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None, *, role: str = "") -> None:
        super().__init__(parent)
        if role:
            self.setProperty("role", role)
        self._whole = ""
        self._tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text."""
        self._whole = text
        super().setText(text)
        self.setAccessibleName(text)
        self._update_tooltip()

    def set_tip(self, tip: str) -> None:
        """Say something in the tooltip, after what is cut."""
        self._tip = tip
        self._update_tooltip()

    def shown_text(self) -> str:
        """The text as it is painted at the present width."""
        line = self._whole.replace("\n", " ")
        return elided(self.fontMetrics(), line, self.contentsRect().width())

    def sizeHint(self) -> QSize:
        """The room for the whole text."""
        metrics = self.fontMetrics()
        height = name_height(metrics, self._whole)
        return QSize(metrics.horizontalAdvance(self._whole) + 2, height)

    def minimumSizeHint(self) -> QSize:
        """The room for a few letters and the ellipsis, or for the widest figure."""
        metrics = self.fontMetrics()
        whole = self.sizeHint()
        least = max(metrics.averageCharWidth() * 6, least_width(metrics, self._whole))
        return QSize(min(least, whole.width()), whole.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The tooltip is needed only while something is cut."""
        super().resizeEvent(event)
        self._update_tooltip()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the text that fits."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        alignment = QStyle.visualAlignment(self.layoutDirection(), self.alignment())
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(alignment.value),
            option.palette,
            self.isEnabled(),
            self.shown_text(),
            self.foregroundRole(),
        )
        painter.end()

    def _update_tooltip(self) -> None:
        whole = self._whole if self.shown_text() != self._whole else ""
        self.setToolTip("\n".join(filter(None, (whole, self._tip))))
