"""Deleting a dataset, and taking that back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.jobs.requests import request_trash
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.widgets.notice import Notice


class Trash(QObject):
    """Moves datasets to the trash and offers to bring them back.

    Signals:
        restored: Id of a dataset that is there again.
    """

    restored = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context

    def throw(self, entry: JobEntry) -> None:
        """Move a dataset to the trash; a notice offers to undo it."""
        self._context.background.run(
            self,
            partial(request_trash, self._context.jobs.queue, entry.record),
            partial(self._on_thrown, entry.record.id, entry.name),
        )

    def _on_thrown(self, record_id: str, name: str, _nothing: object) -> None:
        self._context.jobs.wake()
        text = self.tr("“{name}” was moved to the trash.").format(name=name)
        action = partial(self._restore, record_id)
        self._context.desk.notify(
            Notice("info", text, "", f"trash:{record_id}", self.tr("Undo"), action)
        )

    def _restore(self, record_id: str) -> None:
        work = partial(restore_dataset, self._context.workspace, record_id)
        self._context.background.run(self, work, self.restored.emit)


def restore_dataset(workspace: Workspace, record_id: str) -> str:
    """Bring a dataset back from the trash; returns its id.

    Raises:
        StudioError: It is not there any more.
    """
    for record in workspace.trashed(RecordKind.DATASET):
        if record.id == record_id:
            return workspace.restore(record).id
    raise StudioError(
        f'The dataset "{record_id}" is not in the trash any more.',
        "Import its images again.",
    )
