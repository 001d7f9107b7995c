"""The images that networks are shown for: those of the newest dataset that can be trained on."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.jobs.states import State
from studio.engine.networks.catalog import DEFAULT_CLASSES, Shape
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext


class ImagesAtHand(QObject):
    """Follows the datasets of the workspace.

    Attributes:
        dataset: Name of the dataset; empty when there is none.
        shape: Height, width and channels of its images; None when there is none.
        classes: Number of its classes, labels or quantities.
        task: What is learned from it.

    Signals:
        changed: It is another dataset, or none any more.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self.dataset = ""
        self.shape: Shape | None = None
        self.classes = DEFAULT_CLASSES
        self.task = DEFAULT_TASK
        self._context = context
        context.jobs.listed.connect(self._on_listed)

    def look(self) -> None:
        """Look at the datasets again."""
        entries = self._context.jobs.entries(RecordKind.DATASET)
        newest = next((entry for entry in entries if entry.state == State.COMPLETED), None)
        if newest is None:
            self._take("", None, DEFAULT_CLASSES, DEFAULT_TASK)
            return
        work = partial(dataset_summary, newest.record.folder)
        self._context.background.run(self, work, partial(self._on_summary, newest.name))

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self.look()

    def _on_summary(self, name: str, summary: DatasetSummary) -> None:
        shape = (summary.height, summary.width, summary.channels)
        self._take(name, shape, len(summary.classes), TASKS[summary.task])

    def _take(self, dataset: str, shape: Shape | None, classes: int, task: Task) -> None:
        found = (dataset, shape, classes, task)
        if found != (self.dataset, self.shape, self.classes, self.task):
            self.dataset, self.shape, self.classes, self.task = found
            self.changed.emit()
