"""Samples as datasets: made once, found again afterwards."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.progress import SilentProgress
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.datasets.import_work import submit_sample
from studio.ui.pages.datasets.state import best_of_sample


class SampleImport(QObject):
    """Writes samples into the workspace and asks for their import.

    Signals:
        ready: Id of the dataset, which is there, or on its way.
        writing: A sample is being written; `ready` or `failed` follows.
        failed: It could not be written; carries the error.
    """

    ready = Signal(str)
    writing = Signal()
    failed = Signal(object)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._is_writing = False

    def want(self, name: str) -> None:
        """Find the dataset of a sample; make it where there is none yet."""
        datasets = [
            (entry.record.id, entry.state, entry.plan)
            for entry in self._context.jobs.entries(RecordKind.DATASET)
            if isinstance(entry.plan, DatasetRecipe)
        ]
        record_id = best_of_sample(datasets, self._context.workspace.root, name)
        if record_id:
            self.ready.emit(record_id)
            return
        self.writing.emit()
        if not self._is_writing:
            self._is_writing = True
            work = partial(submit_sample, self._context.jobs.queue, name, SilentProgress())
            self._context.background.run(self, work, self._on_made, self._on_failed)

    def _on_made(self, record_id: str) -> None:
        self._is_writing = False
        self.ready.emit(record_id)

    def _on_failed(self, error: BaseException) -> None:
        self._is_writing = False
        self.failed.emit(error)
