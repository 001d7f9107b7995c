"""Moving a record to the trash, and taking that back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.jobs.trash import request_trash, restore_all, trash_failed
from studio.engine.workspace import Record, RecordKind
from studio.ui.context import AppContext
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import apart
from studio.ui.widgets.notices import Notice


class Trash(QObject):
    """Moves records to the trash and offers to bring them back.

    Signals:
        thrown: Id of a record that has just gone.
        restored: Id of a record that is there again.
    """

    thrown = Signal(str)
    restored = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context

    def throw(self, record: Record, name: str) -> None:
        """Move a record to the trash; a notice offers to undo it."""
        self._context.background.run(
            self,
            partial(request_trash, self._context.jobs.queue, record),
            partial(self._on_thrown, name),
        )

    def throw_failed(self, kind: RecordKind | None = None) -> None:
        """Move all failed jobs to the trash, or those of a kind; a notice offers to undo it."""
        work = partial(trash_failed, self._context.jobs.queue, kind)
        self._context.background.run(self, work, self._on_failed_thrown)

    def _on_failed_thrown(self, trashed: list[Record]) -> None:
        self._context.jobs.wake()
        for record in trashed:
            self.thrown.emit(record.id)
        if not trashed:
            self._context.navigator.notify(
                Notice("info", self.tr("There are no failed jobs to remove."))
            )
            return
        if len(trashed) == 1:
            text = self.tr("1 failed job was moved to the trash.")
        else:
            text = self.tr("{count} failed jobs were moved to the trash.")
            text = text.format(count=count(len(trashed)))
        undo = partial(self._restore_failed, trashed)
        key = f"trash:{trashed[0].id}"
        self._context.navigator.notify(Notice("info", text, "", key, self.tr("Undo"), undo))

    def _restore_failed(self, trashed: list[Record]) -> None:
        work = partial(restore_all, self._context.workspace, trashed)
        self._context.background.run(self, work, self._on_all_restored)

    def _on_all_restored(self, _nothing: object) -> None:
        self._context.jobs.wake()

    def _on_thrown(self, name: str, trashed: Record) -> None:
        self._context.jobs.wake()
        self.thrown.emit(trashed.id)
        text = self.tr("“{name}” was moved to the trash.").format(name=apart(name))
        undo = partial(self._restore, trashed)
        self._context.navigator.notify(
            Notice("info", text, "", f"trash:{trashed.id}", self.tr("Undo"), undo)
        )

    def _restore(self, trashed: Record) -> None:
        work = partial(self._context.workspace.restore, trashed)
        self._context.background.run(self, work, self._on_restored)

    def _on_restored(self, record: Record) -> None:
        self._context.jobs.wake()
        self.restored.emit(record.id)
