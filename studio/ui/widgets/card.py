"""A surface with a thin edge that holds things which belong together."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from studio.ui.theme.restyle import restyle
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.terms import with_term


class Card(QFrame):
    """A card; `body` is its layout, `title` an optional heading inside it."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(SPACE.l, SPACE.l, SPACE.l, SPACE.l)
        self.body.setSpacing(SPACE.m)
        self._title = QLabel(self)
        self._title.setProperty("role", "section")
        self.body.addWidget(self._title)
        self.set_title(title)

    def set_title(self, title: str) -> None:
        """Show another heading; an empty one takes no room."""
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._title.setToolTip(with_term(title))
        self.setAccessibleName(title)


class PressableCard(QFrame):
    """A card that acts as one large button, by mouse, Space and Enter.

    Signals:
        activated: The card was pressed.
    """

    activated = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.setProperty("hoverable", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_current(self, *, current: bool) -> None:
        """Mark it as the one among several whose details are shown."""
        if bool(self.property("current")) != current:
            restyle(self, "current", current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space and Enter press the card."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activated.emit()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click counts when the button is let go inside."""
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside:
            self.activated.emit()
        super().mouseReleaseEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """The pointer says whether the card can be pressed."""
        if event.type() == QEvent.Type.EnabledChange:
            shape = Qt.CursorShape.PointingHandCursor if self.isEnabled() else None
            self.setCursor(shape or Qt.CursorShape.ArrowCursor)
        super().changeEvent(event)
