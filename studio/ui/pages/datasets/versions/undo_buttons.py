"""Two buttons, and keys, that undo and redo the last change of a dataset."""

from __future__ import annotations

from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QWidget

from studio.ui.pages.datasets.commands import REDO, UNDO
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.boxes import hbox
from studio.ui.widgets.button import icon_button


class UndoButtons(QWidget):
    """Undo and redo of an editor; their tooltips say what."""

    def __init__(
        self,
        theme: Theme,
        shortcuts: Shortcuts,
        editor: DatasetEditor,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self._editor = editor
        self.undo_button = icon_button("undo", self.tr("Undo"), theme, parent=self)
        self.redo_button = icon_button("redo", self.tr("Redo"), theme, parent=self)
        self.undo_button.clicked.connect(editor.undo)
        self.redo_button.clicked.connect(editor.redo)
        hbox(self.undo_button, self.redo_button, owner=self, spacing=SPACE.s)
        editor.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        """Enable what can be done now; say what that is, or that there is nothing."""
        state = None if self._editor.is_busy else self._editor.state
        undo, redo = (None, None) if state is None else (state.undo, state.redo)
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
