"""A change of the style sheet that styles visible widgets at once and hidden ones later.

Qt styles all widgets of an application in one call, 0.2 ms each, and lays each of them out again:
a window with thousands of widgets, most of them hidden, stood still for almost a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import shiboken6
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

_SLICE_SECONDS: Final = 0.008


class Restyler(QObject):
    """Replaces the style sheet of an application by one that differs in colors alone.

    Sizes stay, so that nothing is laid out again. Hidden widgets are styled in slices of a few
    milliseconds, and those that are shown before then when they are shown.

    Args:
        app: The application; it owns this.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._widgets: dict[QWidget, None] = {}
        self._calls: dict[QWidget | QAction, Callable[[], None]] = {}
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._work)

    def replace(self, sheet: str) -> None:
        """Replace the style sheet.

        Args:
            sheet: The new one.
        """
        if not self._app.styleSheet():
            self._app.setStyleSheet(sheet)
            return
        style = self._app.style()
        # Without the rules of the old sheet Qt knows no widget that it would have to style again.
        style.unpolish(self._app)
        self._app.setStyleSheet(sheet)
        style.polish(self._app)
        for widget in self._app.allWidgets():
            if not widget.isVisible():
                self._widgets[widget] = None
                continue
            self._widgets.pop(widget, None)
            _style(widget)
            if widget.isWindow():
                widget.update()
        self._begin()

    def call(self, target: QWidget | QAction, function: Callable[[], None]) -> None:
        """Call a function now if its widget is visible; otherwise after hidden ones are styled.

        Args:
            target: The widget or action that the function changes.
            function: Follows the theme. Called once, however often it was requested.
        """
        if isinstance(target, QWidget) and target.isVisible():
            self._calls.pop(target, None)
            function()
        else:
            self._calls[target] = function
            self._begin()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Style a widget that is shown before its turn."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            if watched in self._widgets:
                del self._widgets[watched]
                _style(watched)
            function = self._calls.pop(watched, None)
            if function is not None:
                _call(function)
        return False

    def _begin(self) -> None:
        if not self._timer.isActive():
            self._app.installEventFilter(self)
            self._timer.start(0)

    def _work(self) -> None:
        end = time.perf_counter() + _SLICE_SECONDS
        while time.perf_counter() < end:
            if self._widgets:
                widget, _ = self._widgets.popitem()
                if shiboken6.isValid(widget):
                    _style(widget)
            elif self._calls:
                target, function = self._calls.popitem()
                if shiboken6.isValid(target):
                    _call(function)
            else:
                self._timer.stop()
                self._app.removeEventFilter(self)
                return


def _style(widget: QWidget) -> None:
    widget.style().polish(widget)


def _call(function: Callable[[], None]) -> None:
    """Call a function unless it is a method of an object that was deleted meanwhile."""
    owner = getattr(function, "__self__", None)
    if not isinstance(owner, QObject) or shiboken6.isValid(owner):
        function()
