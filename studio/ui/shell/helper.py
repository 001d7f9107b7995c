"""F1 and Shift+F1: the manual for the page that is shown, and what a single thing is."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QWhatsThis, QWidget

from studio.engine.manual import read_topic
from studio.ui.shell.help_window import TOPIC_OF, HelpWindow
from studio.ui.widgets.tips import literal, shown_language


class Helper(QObject):
    """Shows the manual and answers what something is.

    Args:
        window: Whose pages and controls are explained.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._manual: HelpWindow | None = None

    @property
    def manual(self) -> HelpWindow:
        """The manual, made when it is first asked for."""
        if self._manual is None:
            self._manual = HelpWindow(self._window)
        return self._manual

    def show_help(self, page: str) -> None:
        """Show the topic of a page."""
        self.manual.show_topic(TOPIC_OF[page])

    def ask_what(self, page: str, view: QWidget) -> None:
        """Let the user click on something, and say what it is.

        Controls answer with their tips, all else with what the page is for.
        """
        for widget in self._window.findChildren(QWidget):
            if widget.toolTip() and not widget.whatsThis():
                widget.setWhatsThis(literal(widget.toolTip()))
        if not view.whatsThis():
            view.setWhatsThis(_first_sentence(TOPIC_OF[page]))
        QWhatsThis.enterWhatsThisMode()


def _first_sentence(topic: str) -> str:
    """The paragraph that a topic begins with."""
    return read_topic(topic, shown_language()).split("\n\n")[1]
