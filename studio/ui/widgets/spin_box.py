"""Spin boxes with the padding of other fields, and a combo box as narrow as it has to be."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCursor, QHelpEvent, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.eliding import elided

_LEAST_LETTERS = 12
_MOST_ROWS, _MOST_WIDTH = 14, 520
_SIDES, _ICON_ROOM = 2, ICON_SMALL + SPACE.xs


class SpinBox(QSpinBox):
    """A spin box whose number stands as far from the edge as the text of other fields."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Qt ignores the left padding that a style sheet gives to a spin box.
        self.lineEdit().setTextMargins(SPACE.s - 1, 0, 0, 0)


class DoubleSpinBox(QDoubleSpinBox):
    """The same for numbers with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(SPACE.s - 1, 0, 0, 0)


class ComboBox(QComboBox):
    """A combo box as narrow as it has to be.

    What does not fit gives up its middle, as names differ at their ends; a word that explains
    itself, such as "None: all reach their end", gives up its explanation. The tip has the whole.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Its longest entry must not make a column wider than the window; the list shows it whole.
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.setSizeAdjustPolicy(policy)
        self.setMinimumContentsLength(_LEAST_LETTERS)
        self.setMaxVisibleItems(_MOST_ROWS)

    def shown_text(self) -> str:
        """The chosen entry as it is painted at the present width."""
        return self._elided(self._option())

    def showPopup(self) -> None:
        """Open the list, as wide as its entries, which may be more than the box has room for."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        wanted = self.view().sizeHintForColumn(0) + bar + SPACE.l
        self.view().setMinimumWidth(max(self.width(), min(wanted, _MOST_WIDTH)))
        super().showPopup()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the entry that fits."""
        painter = QStylePainter(self)
        option = self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._elided(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Say the whole entry where a part of it is cut."""
        if event.type() == QEvent.Type.ToolTip and self.shown_text() != self.currentText():
            place = event.globalPos() if isinstance(event, QHelpEvent) else QCursor.pos()
            QToolTip.showText(place, "\n".join(filter(None, (self.currentText(), self.toolTip()))))
            return True
        return super().event(event)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0 and self.placeholderText():
            option.currentText = self.placeholderText()
        return option

    def _elided(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        room = field.width() - _SIDES - (0 if option.currentIcon.isNull() else _ICON_ROOM)
        text = option.currentText
        explains = ": " in text
        if explains:
            return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
        return elided(self.fontMetrics(), text, room)
