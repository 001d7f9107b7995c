"""Two buttons, and keys, that undo and redo the last change of a dataset."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.ui.pages.datasets.commands import REDO, UNDO
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.pages.datasets.versions.history import EditState
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button


class UndoButtons(QWidget):
    """Undo and redo; their tooltips say what.

    Signals:
        undo_wanted: Take the last step back.
        redo_wanted: Do it again.
    """

    undo_wanted = Signal()
    redo_wanted = Signal()

    def __init__(self, theme: Theme, shortcuts: Shortcuts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self.undo_button = icon_button("undo", self.tr("Undo"), theme, parent=self)
        self.redo_button = icon_button("redo", self.tr("Redo"), theme, parent=self)
        self.undo_button.clicked.connect(self.undo_wanted)
        self.redo_button.clicked.connect(self.redo_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addWidget(self.undo_button)
        row.addWidget(self.redo_button)
        self.allow(None, busy=False)

    def allow(self, state: EditState | None, *, busy: bool) -> None:
        """Enable what can be done now; say what that is, or that there is nothing."""
        undo = None if state is None or busy else state.undo
        redo = None if state is None or busy else state.redo
        self.undo_button.setEnabled(undo is not None)
        self.redo_button.setEnabled(redo is not None)
        self.undo_button.setToolTip(
            self.tr("Nothing to undo")
            if undo is None
            else self._shortcuts.tip(self.tr("Undo: {what}").format(what=undo), UNDO)
        )
        self.redo_button.setToolTip(
            self.tr("Nothing to redo")
            if redo is None
            else self._shortcuts.tip(self.tr("Redo: {what}").format(what=redo), REDO)
        )


def add_undo_keys(widget: QWidget, editor: DatasetEditor, shortcuts: Shortcuts) -> None:
    """The usual keys, wherever the focus is while the widget is shown."""
    for command, slot in ((UNDO, editor.undo), (REDO, editor.redo)):
        shortcut = QShortcut(widget)
        shortcuts.bind(shortcut, command)
        shortcut.activated.connect(slot)
