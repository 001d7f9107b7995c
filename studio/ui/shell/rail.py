"""The strip of pages on the left: an icon and a word each, one accent mark on the current."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from studio.ui.pages import PAGES, PageSpec
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, SPACE

WIDTH = 72
_IN_RAIL = tuple(page for page in PAGES if page.in_rail)


class Rail(QFrame):
    """One button per page, whose keys reach it from anywhere; the settings are at the bottom.

    Signals:
        chosen: The name of the page that the user wants.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, shortcuts: Shortcuts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self.setObjectName("rail")
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(self.tr("Pages"))
        self._group = QButtonGroup(self)
        self._names: list[str] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, SPACE.s)
        column.setSpacing(SPACE.xs)
        for number, page in enumerate(_IN_RAIL):
            if page.is_last:
                column.addStretch(1)
            column.addWidget(self._button(page, number, theme))
        shortcuts.changed.connect(self._retell)
        self._retell()
        self._group.idClicked.connect(self._on_clicked)

    def set_current(self, name: str) -> None:
        """Mark the page that is shown."""
        if name in self._names:
            self._group.button(self._names.index(name)).setChecked(True)
            return
        checked = self._group.checkedButton()
        if checked is not None:  # an exclusive group never lets go of its last one
            self._group.setExclusive(False)
            checked.setChecked(False)
            self._group.setExclusive(True)

    def _button(self, page: PageSpec, number: int, theme: Theme) -> QToolButton:
        button = QToolButton(self)
        label = QCoreApplication.translate("pages", page.label)
        button.setText(label)
        button.setAccessibleName(label)
        self._shortcuts.bind(button, page.command)
        button.setProperty("rail", "true")
        button.setCheckable(True)
        button.setFixedSize(WIDTH, 56)
        button.setIconSize(QSize(ICON, ICON))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        # A click leaves the focus on the page, whose keys go on working.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        set_icon(button, page.icon, theme)
        self._names.append(page.name)
        self._group.addButton(button, number)
        return button

    def _retell(self) -> None:
        """Say the keys in the tips."""
        for number, page in enumerate(_IN_RAIL):
            keys = self._shortcuts.text(page.command)
            label = QCoreApplication.translate("pages", page.label)
            self._group.button(number).setToolTip(f"{label} ({keys})" if keys else label)

    def _on_clicked(self, number: int) -> None:
        self.chosen.emit(self._names[number])
