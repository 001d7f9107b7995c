"""Which moment of a run is looked at: one for all tabs, so that they tell of the same."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.engine.training.history import InsightKept
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import RunEntry
from studio.ui.context import AppContext
from studio.ui.pages.train.insights.work import (
    Snapshot,
    moments_left,
    read_snapshot,
)
from studio.ui.shared.dataset_pictures import DatasetPictures


class Timeline(QObject):
    """The moments of a run that were kept; the newest is shown until another is chosen.

    Signals:
        changed: There are other moments, or another is chosen.
        loaded: What was kept of the chosen moment is there, in `snapshot`.
    """

    changed = Signal()
    loaded = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: RunEntry | None = None
        self._pictures = DatasetPictures(None, 0)
        self._told = 0
        self._chosen: int | None = None
        self._wanted: tuple[Path, int] | None = None
        self.moments: list[InsightKept] = []
        self.snapshot: Snapshot | None = None

    @classmethod
    def of(cls, context: AppContext, parent: QObject) -> Timeline:
        """The time line of the tabs of a parent; made when first asked for."""
        return parent.findChild(cls) or cls(context, parent)

    @property
    def entry(self) -> RunEntry | None:
        """The run."""
        return self._entry

    @property
    def index(self) -> int:
        """Which moment is shown; -1 while there is none."""
        steps = [moment.step for moment in self.moments]
        return steps.index(self._chosen) if self._chosen in steps else len(steps) - 1

    def show_run(self, entry: RunEntry) -> None:
        """Look at a run; of the same again, at what is new of it."""
        if entry is not self._entry:
            self._take(entry)
        told = list(entry.history.insights)
        if len(told) == self._told:
            return
        self._told = len(told)
        work = partial(moments_left, entry.record.folder, told)
        self._context.background.run(self, work, partial(self._on_moments, entry))

    def choose(self, index: int) -> None:
        """Go to a moment; to the last one to follow what is new."""
        if 0 <= index < len(self.moments) and index != self.index:
            is_last = index == len(self.moments) - 1
            self._chosen = None if is_last else self.moments[index].step
            self.changed.emit()
            self._load()

    def _take(self, entry: RunEntry) -> None:
        self._entry = entry
        self._told, self._chosen, self._wanted = -1, None, None
        self.moments, self.snapshot = [], None
        plan, folder, version = entry.plan, None, 0
        if isinstance(plan, TrainingPlan):
            dataset = self._context.jobs.get(RecordKind.DATASET, plan.dataset)
            folder = None if dataset is None else dataset.record.folder
            version = plan.dataset_version or 0
        self._pictures = DatasetPictures(folder, version)
        self.changed.emit()

    def _on_moments(self, entry: RunEntry, moments: list[InsightKept]) -> None:
        if entry is self._entry:
            self.moments = moments
            self.changed.emit()
            self._load()

    def _load(self) -> None:
        if self._entry is None or self.index < 0:
            return
        folder, moment = self._entry.record.folder, self.moments[self.index]
        # A step that was done again after a pause has another event, and another file.
        wanted = (folder, hash((moment.step, moment.t)))
        if wanted == self._wanted:
            return
        self._wanted = wanted
        work = partial(read_snapshot, folder, moment, self._pictures)
        self._context.background.run(
            self, work, partial(self._on_read, wanted), partial(self._on_failed, wanted)
        )

    def _on_read(self, wanted: tuple[Path, int], snapshot: Snapshot) -> None:
        # While the slider moves, older moments arrive late.
        if wanted == self._wanted:
            self.snapshot = snapshot
            self.loaded.emit()

    def _on_failed(self, wanted: tuple[Path, int], error: BaseException) -> None:
        if wanted == self._wanted:
            self._context.navigator.show_failure(error)
