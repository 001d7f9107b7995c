"""Pages in the same place, of which one is shown."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget


class PageStack(QStackedWidget):
    """A `QStackedWidget` that does not choose a control for the focus.

    Qt gives the focus of the page that goes to the first control of the page that comes, which may
    be Stop or Delete, and shows a ring there that nobody asked for. Here the new page itself takes
    it: nothing is marked, and the Tab key begins at the first control.
    """

    def setCurrentWidget(self, widget: QWidget) -> None:
        """Show another page."""
        focus = QApplication.focusWidget()
        before = self.currentWidget()
        moves = widget is not before and focus is not None and self.isAncestorOf(focus)
        super().setCurrentWidget(widget)
        if moves:
            widget.setFocus()

    def setCurrentIndex(self, index: int) -> None:
        """Show another page, by its number."""
        widget = self.widget(index)
        if widget is not None:
            self.setCurrentWidget(widget)
