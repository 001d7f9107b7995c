"""Rules of behavior that hold for every widget of the application, installed once."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QScrollBar,
    QTabBar,
    QWidget,
)

_CHANGED_BY_WHEEL: Final = (QAbstractSlider, QAbstractSpinBox, QComboBox, QTabBar)


class AppBehavior(QObject):
    """The application-wide event filter; one of it is installed by the composition root.

    * The wheel changes a slider, a spin box, a combo box or the current tab only where that has
      the focus. Everywhere else the page scrolls, and no control takes the focus by the wheel.
    * Labels and tooltips show markup as it is written. Names of classes, files and records come
      from elsewhere, and `<img src=…>` in one of them must load nothing. A label of ours that
      wants markup sets `Qt.TextFormat.RichText` and escapes what it is given.
    * When the control that has the focus is hidden or disabled, the focus stays in the widget
      around it. Qt would give it to the next control, which may be Stop or Delete.

    Args:
        app: The application; it owns this.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        app.installEventFilter(self)
        app.focusChanged.connect(self._on_focus_changed)

    def uninstall(self) -> None:
        """Leave the application as it was."""
        self._app.removeEventFilter(self)
        self._app.focusChanged.disconnect(self._on_focus_changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Apply the rules to the few events that they concern; the first test is the fast one."""
        kind = event.type()
        if kind == QEvent.Type.Wheel:
            if _is_changed_by_wheel(watched):
                event.ignore()  # Qt then offers it to the parent, up to the scroll area
                return True
        elif kind == QEvent.Type.Polish and isinstance(watched, QWidget):
            _polish(watched)
        return False

    def _on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        if old is None or now is None or old.window() is not now.window():
            return
        if old.isVisible() and old.isEnabled():
            return
        around = old.parentWidget()
        while around is not None and not (around.isVisible() and around.isEnabled()):
            around = around.parentWidget()
        if around is not None and around is not now:
            around.setFocus(Qt.FocusReason.OtherFocusReason)


def _is_changed_by_wheel(watched: QObject) -> bool:
    """True for a control without the focus that a turn of the wheel would change."""
    return (
        isinstance(watched, _CHANGED_BY_WHEEL)
        and not isinstance(watched, QScrollBar)
        and not watched.hasFocus()
    )


def _polish(widget: QWidget) -> None:
    """Prepare a widget that is about to be shown; the label of tooltips is one, too."""
    if isinstance(widget, QLabel):
        if widget.textFormat() == Qt.TextFormat.AutoText:
            widget.setTextFormat(Qt.TextFormat.PlainText)
    elif widget.focusPolicy() == Qt.FocusPolicy.WheelFocus:
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
