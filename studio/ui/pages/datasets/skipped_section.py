"""The files that were left out, folded away until somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from studio.engine.datasets.sources.base import Skipped
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets.text_table import TextTable
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain

_MOST_ROWS = 5


class SkippedSection(QWidget):
    """A line with the count that opens a table of paths and reasons; hidden when there are none.

    Args:
        theme: For what is painted.
        words: The line for a number of files.
    """

    def __init__(
        self, theme: Theme, words: Callable[[int], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = words
        self._entries: list[Skipped] = []
        self.opener = QToolButton(self)
        self.opener.setProperty("kind", "quiet")
        self.opener.setProperty("opener", True)
        self.opener.setCheckable(True)
        self.opener.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.opener.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.opener.toggled.connect(self._show)
        self.copy_button = push_button(
            self.tr("Copy list"), theme, kind="quiet", icon="copy", parent=self
        )
        self.copy_button.clicked.connect(self._copy)
        headings = [self.tr("File"), self.tr("Why")]
        self.table = TextTable(
            self.tr("Files left out"), headings, most_rows=_MOST_ROWS, parent=self
        )
        line = QHBoxLayout()
        line.setSpacing(SPACE.s)
        line.addWidget(self.opener)
        line.addStretch(1)
        line.addWidget(self.copy_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        column.addLayout(line)
        column.addWidget(self.table)
        self.set_entries([])
        self._explain()

    def _explain(self) -> None:
        explain(self.copy_button, self.tr("Copies paths and reasons, one line each."))
        explain(self.opener, self.tr("Files that cannot be used, each with the reason."))
        explain(self.table, self.tr("Files that cannot be used, each with the reason."))

    def set_entries(self, entries: Sequence[Skipped]) -> None:
        """Show other files; closes the table."""
        self._entries = list(entries)
        self.table.set_rows([(entry.path, engine_text(entry.reason)) for entry in entries])
        self.opener.setChecked(False)
        self._show()
        self.setVisible(bool(entries))

    def _show(self) -> None:
        shown = self.opener.isChecked()
        self.table.setVisible(shown)
        self.copy_button.setVisible(shown)
        text = self._words(len(self._entries))
        self.opener.setText(text)
        self.opener.setAccessibleName(
            self.tr("{what}. Hide the list").format(what=text)
            if shown
            else self.tr("{what}. Show the list").format(what=text)
        )
        set_icon(self.opener, "chevron-up" if shown else "chevron-down", self._theme, "muted")

    def _copy(self) -> None:
        lines = [f"{entry.path}\t{engine_text(entry.reason)}" for entry in self._entries]
        QGuiApplication.clipboard().setText("\n".join(lines))
