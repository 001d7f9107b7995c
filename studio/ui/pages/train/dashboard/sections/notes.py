"""Notes on a run."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio.engine.workspace import RecordInfo, RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.pages.train.dashboard.sections.section import RunSection
from studio.ui.pages.train.runs.actions import keep_text
from studio.ui.shared.records import GroupMenu
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.layout import Debounce

SETTLE_MS = 800


class Notes(RunSection):
    """Tags and group in a row, notes below."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._entry: RunDocument | None = None
        self._shown: RecordInfo | None = None
        self.tags = QLineEdit(self)
        self.group = push_button("", context.theme, icon="folder", parent=self)
        self.groups = GroupMenu(context, RecordKind.RUN, self)
        self.notes = QPlainTextEdit(self)
        self._saving = Debounce(SETTLE_MS, self.save, self)
        self._lay_out()
        self._connect()

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Notes", "Notes")

    def show_run(self, entry: RunDocument) -> None:
        """Show a run, or the same one as it is now; what is being typed stays."""
        if entry is self._entry and entry.info is self._shown:
            return
        is_other = entry is not self._entry
        if is_other:
            self.save()
        self._entry, self._shown = entry, entry.info
        self.groups.set_entries([entry])
        info = entry.info
        if is_other or not self.tags.hasFocus():
            self.tags.setText(", ".join(info.tags))
        self.group.setText(info.group.replace("&", "&&") or self.tr("No group"))
        if is_other or not (self.notes.hasFocus() or self._saving.isActive()):
            self._set_notes(info.notes)

    def save(self) -> None:
        """Keep the notes now, if they are others."""
        self._saving.stop()
        if self._entry is not None and self.notes.toPlainText() != self._entry.info.notes:
            self._keep("notes", self.notes.toPlainText())

    def hideEvent(self, event: QHideEvent) -> None:
        """Notes are kept when one turns to something else."""
        self.save()
        super().hideEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notes are kept when one turns to something else."""
        if watched is self.notes and event.type() == QEvent.Type.FocusOut:
            self.save()
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        self.tags.setAccessibleName(self.tr("Tags"))
        self.tags.setPlaceholderText(self.tr("Tags, with commas between"))
        self.group.setAccessibleName(self.tr("Group"))
        self.group.setToolTip(self.tr("Group"))
        self.group.setMenu(self.groups)
        self.notes.setAccessibleName(self.tr("Notes"))
        self.notes.setPlaceholderText(self.tr("Notes: what was tried, and what came of it …"))
        self.notes.setTabChangesFocus(True)
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.tags, 1)
        row.addWidget(self.group)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(row)
        column.addWidget(self.notes, 1)

    def _connect(self) -> None:
        self.tags.editingFinished.connect(self._on_tags)
        self.notes.textChanged.connect(self._saving.start)
        self.notes.installEventFilter(self)

    def _set_notes(self, text: str) -> None:
        if self.notes.toPlainText() != text:
            blocked = self.notes.blockSignals(True)
            self.notes.setPlainText(text)
            self.notes.blockSignals(blocked)

    def _on_tags(self) -> None:
        if self._entry is not None and self.tags.text() != ", ".join(self._entry.info.tags):
            self._keep("tags", self.tags.text())

    def _keep(self, key: str, text: str) -> None:
        if self._entry is not None:
            work = partial(keep_text, self.context.workspace, self._entry.record, key, text)
            self.context.background.run(self, work, self._on_kept)

    def _on_kept(self, _nothing: object) -> None:
        self.context.jobs.wake()
