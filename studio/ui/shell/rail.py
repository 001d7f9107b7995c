"""The strip of pages on the left: an icon and a word each, one accent mark on the current."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from studio.ui.pages import PAGES, PageSpec
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE

WIDTH = 72


class Rail(QFrame):
    """One button per page; Ctrl+1 to Ctrl+9, and Ctrl+0, reach them from anywhere.

    Signals:
        chosen: The name of the page that the user wants.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(self.tr("Pages"))
        self._group = QButtonGroup(self)
        self._names: list[str] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, SPACE.s)
        column.setSpacing(SPACE.xs)
        for number, page in enumerate(PAGES):
            column.addWidget(self._button(page, number, theme))
        column.addStretch(1)
        self._group.idClicked.connect(self._on_clicked)

    def set_current(self, name: str) -> None:
        """Mark the page that is shown."""
        self._group.button(self._names.index(name)).setChecked(True)

    def _button(self, page: PageSpec, number: int, theme: Theme) -> QToolButton:
        button = QToolButton(self)
        label = QCoreApplication.translate("pages", page.label)
        # No key has two digits: the tenth is the one right of the 9.
        shortcut = QKeySequence(f"Ctrl+{(number + 1) % 10}")
        button.setText(label)
        button.setToolTip(f"{label} ({shortcut.toString(QKeySequence.SequenceFormat.NativeText)})")
        button.setAccessibleName(label)
        button.setShortcut(shortcut)
        button.setProperty("rail", "true")
        button.setCheckable(True)
        button.setFixedSize(WIDTH, 56)
        button.setIconSize(QSize(ICON, ICON))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon(button, page.icon, theme)
        self._names.append(page.name)
        self._group.addButton(button, number)
        return button

    def _on_clicked(self, number: int) -> None:
        self.chosen.emit(self._names[number])
