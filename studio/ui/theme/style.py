"""The style under the style sheet: Fusion, with rules for every widget that is shown."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QProxyStyle,
    QScrollBar,
    QTabBar,
    QWidget,
)

_CHANGED_BY_WHEEL = (QAbstractSlider, QAbstractSpinBox, QComboBox, QTabBar)


class StudioStyle(QProxyStyle):
    """Fusion, which prepares each widget before it is first shown.

    * The wheel changes a slider, a spin box, a combo box or the current tab only where that has
      the focus. Everywhere else the page scrolls, and no control takes the focus by the wheel.
    * Labels and tooltips show markup as it is written. Names of classes, files and records come
      from elsewhere, and `<img src=…>` in one of them must load nothing. A label of ours that
      wants markup sets `Qt.TextFormat.RichText` and escapes what it is given.

    An event filter of the application could do the same, but would cost a call of Python for each
    event of each widget: a third of the time in which a page opens.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")
        self._wheel = _WheelFilter(self)

    def polish(self, target: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]  # one for all
        """Prepare a widget; the label of tooltips is one, too."""
        super().polish(target)
        if isinstance(target, QLabel):
            if target.textFormat() == Qt.TextFormat.AutoText:
                target.setTextFormat(Qt.TextFormat.PlainText)
        elif isinstance(target, QWidget):
            if target.focusPolicy() == Qt.FocusPolicy.WheelFocus:
                target.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            if isinstance(target, _CHANGED_BY_WHEEL) and not isinstance(target, QScrollBar):
                target.installEventFilter(self._wheel)


class _WheelFilter(QObject):
    """Keeps the wheel from changing a control without the focus."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Refuse the turn of a wheel; Qt then offers it to the parent, up to the scroll area."""
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, QWidget):
            return False
        if watched.hasFocus():
            return False
        event.ignore()
        return True
