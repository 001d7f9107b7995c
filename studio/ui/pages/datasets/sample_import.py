"""Samples as datasets: written or downloaded once, found again afterwards."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.progress import Cancelled
from studio.engine.workspace import RecordKind
from studio.ui.bridge.progress import WindowProgress
from studio.ui.context import AppContext
from studio.ui.pages.datasets.import_work import submit_sample
from studio.ui.pages.datasets.state import best_of_sample


class SampleImport(QObject):
    """Gets samples into the workspace, one at a time, and asks for their import.

    Signals:
        known: Id of the dataset that was there already, or on its way.
        ready: Id of the dataset that was asked for after the sample was written.
        writing: Name of the sample that is being written or downloaded; `ready`, `failed` or
            `cancelled` follows.
        advanced: How much of it is done, of how much, and what is going on.
        failed: Name of the sample and the `StudioError` that says why there is none.
        cancelled: Name of the sample that is not wanted any more; what came of it is kept.
    """

    known = Signal(str)
    ready = Signal(str)
    writing = Signal(str)
    advanced = Signal(object, object, str)
    failed = Signal(str, object)
    cancelled = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._writing = ""
        self._ear: WindowProgress | None = None
        # The window waits for its threads when it closes, and a download takes minutes.
        context.background.closing.connect(self.cancel)

    @property
    def name(self) -> str:
        """The sample that is being written; empty for none."""
        return self._writing

    def made(self, name: str) -> str:
        """Id of the dataset of a sample, there or on its way; empty where there is none."""
        datasets = [
            (entry.record.id, entry.state, entry.plan)
            for entry in self._context.jobs.entries(RecordKind.DATASET)
            if isinstance(entry.plan, DatasetRecipe)
        ]
        return best_of_sample(datasets, self._context.workspace.root, name)

    def want(self, name: str) -> None:
        """Find the dataset of a sample; make it where there is none yet."""
        record_id = self.made(name)
        if record_id:
            self.known.emit(record_id)
            return
        if self._writing:
            self.writing.emit(self._writing)
            return
        self._writing = name
        ear = WindowProgress(self)
        ear.advanced.connect(self.advanced)
        self._ear = ear
        self.writing.emit(name)
        work = partial(submit_sample, self._context.jobs.queue, name, ear)
        self._context.background.run(self, work, self._on_made, self._on_failed)

    def cancel(self) -> None:
        """End what is being written; `cancelled` follows."""
        if self._ear is not None:
            self._ear.cancel()

    def _end(self) -> str:
        name, self._writing = self._writing, ""
        if self._ear is not None:
            self._ear.deleteLater()
            self._ear = None
        return name

    def _on_made(self, record_id: str) -> None:
        self._end()
        self.ready.emit(record_id)

    def _on_failed(self, error: BaseException) -> None:
        name = self._end()
        if isinstance(error, Cancelled):
            self.cancelled.emit(name)
        elif isinstance(error, StudioError):
            self.failed.emit(name, error)
        else:
            self.cancelled.emit(name)
            self._context.background.failed.emit(error)
