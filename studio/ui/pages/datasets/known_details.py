"""What is known of the completed datasets, read in the background and kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.datasets.edit_follower import EditFollower
from studio.ui.pages.datasets.pictures import Details, read_details


class KnownDetails(QObject):
    """The details of each dataset, or what is wrong with it.

    Signals:
        known: The `JobEntry` of a dataset of which more is known now.
    """

    known = Signal(object)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._known: dict[str, Details | StudioError] = {}
        self._edits = EditFollower(context.background, self)
        self._edits.found.connect(self._on_version)
        context.jobs.state_changed.connect(self._on_state)

    def of(self, record_id: str) -> tuple[Details | None, StudioError | None]:
        """The details of a dataset, or else what is wrong with it; neither while not known."""
        known = self._known.get(record_id)
        if isinstance(known, StudioError):
            return None, known
        return known, None

    def read(self, entry: JobEntry) -> None:
        """Look at a dataset if it is completed and was not looked at."""
        if entry.state == State.COMPLETED and entry.record.id not in self._known:
            self._read(entry)

    def read_again(self, folder: Path) -> None:
        """Look again at the dataset in a folder, because it was edited or audited."""
        for entry in self._context.jobs.entries(RecordKind.DATASET):
            if entry.record.folder == folder and entry.record.id in self._known:
                self._read(entry)

    def forget(self, entry: JobEntry) -> None:
        """Let go of a dataset that is gone."""
        self._known.pop(entry.record.id, None)
        self._edits.forget(entry.record.folder)

    def _read(self, entry: JobEntry) -> None:
        self._context.background.run(
            self,
            partial(read_details, entry.record.folder),
            partial(self._on_read, entry),
            partial(self._on_unreadable, entry),
        )

    def _on_read(self, entry: JobEntry, details: Details) -> None:
        before = self._known.get(entry.record.id)
        if isinstance(before, Details) and before.version > details.version:
            return  # two looks, and the older one came last
        self._keep(entry, details)

    def _on_unreadable(self, entry: JobEntry, error: BaseException) -> None:
        if self._context.jobs.get(RecordKind.DATASET, entry.record.id) is None:
            return  # it was deleted while it was being read
        if isinstance(error, StudioError):
            self._keep(entry, error)
        else:
            self._context.background.failed.emit(error)

    def _keep(self, entry: JobEntry, known: Details | StudioError) -> None:
        self._known[entry.record.id] = known
        # Only now: an edit that was made while the dataset was being read is noticed, too.
        self._edits.follow(entry.record.folder)
        self.known.emit(entry)

    def _on_version(self, folder: Path, version: int) -> None:
        """Perhaps another program has edited a dataset."""
        known = self._known.get(folder.name)
        if isinstance(known, Details) and known.version != version:
            self.read_again(folder)

    def _on_state(self, entry: JobEntry) -> None:
        """An audit that ended may have found something."""
        if isinstance(entry.plan, AuditPlan) and entry.state == State.COMPLETED:
            dataset = self._context.jobs.get(RecordKind.DATASET, entry.plan.dataset)
            if dataset is not None:
                self.read_again(dataset.record.folder)
