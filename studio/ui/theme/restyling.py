"""A change of the style sheet that styles visible widgets at once and hidden ones later.

Qt styles all widgets of an application in one call, 0.2 ms each: a window with thousands of widgets,
most of them on hidden pages, stood still for almost a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

_POLISHED: Final = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE: Final = Qt.WidgetAttribute.WA_SetStyle
_SLICE_SECONDS: Final = 0.008


class Restyler(QObject):
    """Replaces the style sheet of an application.

    Hidden widgets are styled in slices while nothing else happens, and those that are shown before
    then when they are shown. Their sizes do not depend on that: style sheets differ in colors.

    Args:
        app: The application; it owns this.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._waiting: list[QWidget] = []
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._style_some)
        # Qt forgets which palettes and fonts the sheet replaced when no widget has a sheet.
        self._keeper = QWidget()
        self._keeper.setStyleSheet("QWidget { }")

    def replace(self, change: Callable[[], None]) -> None:
        """Call a function that replaces the style sheet; it sees visible widgets alone.

        Args:
            change: Sets palette and style sheet of the application.
        """
        hidden = [widget for widget in self._app.allWidgets() if not widget.isVisible()]
        skipped = [widget for widget in hidden if not widget.testAttribute(_OWN_STYLE)]
        later = [widget for widget in skipped if widget.testAttribute(_POLISHED)]
        for widget in skipped:
            # Qt leaves widgets alone that have a style of their own or are not polished yet.
            widget.setAttribute(_OWN_STYLE, True)
            widget.setAttribute(_POLISHED, False)
        change()
        for widget in skipped:
            widget.setAttribute(_OWN_STYLE, False)
        self._wait_for(later)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Style a hidden widget that is shown before its turn."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            _style(watched)
        return False

    def _wait_for(self, widgets: list[QWidget]) -> None:
        known = {id(widget) for widget in widgets}
        self._waiting = widgets + [each for each in self._waiting if id(each) not in known]
        if self._waiting and not self._timer.isActive():
            self._app.installEventFilter(self)
            self._timer.start(0)

    def _style_some(self) -> None:
        end = time.perf_counter() + _SLICE_SECONDS
        while self._waiting and time.perf_counter() < end:
            _style(self._waiting.pop())
        if not self._waiting:
            self._timer.stop()
            self._app.removeEventFilter(self)


def _style(widget: QWidget) -> None:
    """Style a widget again that `Restyler.replace` left out."""
    if shiboken6.isValid(widget) and not widget.testAttribute(_POLISHED):
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.setAttribute(_POLISHED, True)
