"""Details of the completed datasets, read in the background and kept up to date."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from studio.engine.datasets.audit.findings import AuditPlan, Severity
from studio.engine.datasets.edits import EDITS_NAME, current_version
from studio.engine.datasets.sources.base import Skipped
from studio.engine.datasets.summary import DatasetSummary, read_skipped, read_summary
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.charts.figure import Figure
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument
from studio.ui.pages.datasets.auditing.audit import worst_left
from studio.ui.pages.datasets.browsing.images import DatasetImages
from studio.ui.tasks.targets import OutputFigures

POLL_SECONDS = 0.4

_Mark = tuple[int, int] | None


class EditFollower:
    """Detects edits of datasets, by this window or by another program.

    A thread checks the size of each `edits.jsonl`; the thread of the window never reads the disk.

    Args:
        notify: Receives a folder and the version of its dataset; also at the first check. Must not
            keep its owner alive.
    """

    def __init__(self, notify: Callable[[Path, int], None]) -> None:
        self.stop = threading.Event()
        self._notify = notify
        self._marks: dict[Path, _Mark | str] = {}
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def follow(self, folder: Path) -> None:
        """Start to follow a dataset, or check it once more."""
        with self._guard:
            self._marks[folder] = "new"
        if self._thread is None and not self.stop.is_set():
            self._thread = threading.Thread(target=self._run, name="edits", daemon=True)
            self._thread.start()

    def forget(self, folder: Path) -> None:
        """Stop following a dataset."""
        with self._guard:
            self._marks.pop(folder, None)

    def close(self) -> None:
        """Stop following all datasets."""
        self.stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self.stop.wait(POLL_SECONDS):
            with self._guard:
                marks = dict(self._marks)
            for folder, before in marks.items():
                mark = _mark(folder)
                if mark != before and not self.stop.is_set():
                    self._take(folder, before, mark)

    def _take(self, folder: Path, before: _Mark | str, mark: _Mark) -> None:
        with self._guard:
            if self._marks.get(folder, mark) == before:
                self._marks[folder] = mark
        try:
            version = current_version(folder)
        except OSError:
            return  # opening it shows the reason
        self._notify(folder, version)


def _mark(folder: Path) -> _Mark:
    """Return the size and time of the edits; None if there are none."""
    try:
        state = (folder / EDITS_NAME).stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


class KnownDetails(QObject):
    """The details of each dataset, or the error that prevents them.

    Signals:
        known: The `RecordDocument` of a dataset whose details changed.
    """

    known = Signal(object)
    _found = Signal(object, int)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._known: dict[str, Details | StudioError] = {}
        self._found.connect(self._on_version)
        self._edits = EditFollower(self._found.emit)
        context.background.closing.connect(self._edits.close)
        # Not `destroyed`: it is emitted while the garbage collector takes this apart.
        weakref.finalize(self, self._edits.stop.set)
        context.jobs.changed.connect(self._on_changed)

    def of(self, record_id: str) -> tuple[Details | None, StudioError | None]:
        """Return the details of a dataset, or its error; neither until they are read."""
        known = self._known.get(record_id)
        if isinstance(known, StudioError):
            return None, known
        return known, None

    def read(self, entry: RecordDocument) -> None:
        """Read a completed dataset that was not read yet."""
        if entry.state == State.COMPLETED and entry.record.id not in self._known:
            self._read(entry)

    def reload(self, folder: Path) -> None:
        """Read the dataset in a folder again, because it was edited or audited."""
        for entry in self._context.jobs.entries(RecordKind.DATASET):
            if entry.record.folder == folder and entry.record.id in self._known:
                self._read(entry)

    def forget(self, entry: RecordDocument) -> None:
        """Forget a deleted dataset."""
        self._known.pop(entry.record.id, None)
        self._edits.forget(entry.record.folder)

    def _read(self, entry: RecordDocument) -> None:
        self._context.background.run(
            self,
            partial(read_details, entry.record.folder),
            partial(self._on_read, entry),
            partial(self._on_unreadable, entry),
        )

    def _on_read(self, entry: RecordDocument, details: Details) -> None:
        before = self._known.get(entry.record.id)
        if isinstance(before, Details) and before.version > details.version:
            return  # an older result came last
        self._store(entry, details)

    def _on_unreadable(self, entry: RecordDocument, error: BaseException) -> None:
        if self._context.jobs.get(RecordKind.DATASET, entry.record.id) is None:
            return  # it was deleted while it was being read
        if isinstance(error, StudioError):
            self._store(entry, error)
        else:
            self._context.background.failed.emit(error)

    def _store(self, entry: RecordDocument, known: Details | StudioError) -> None:
        self._known[entry.record.id] = known
        # Only now: an edit that was made while the dataset was being read is noticed, too.
        self._edits.follow(entry.record.folder)
        self.known.emit(entry)

    def _on_version(self, folder: Path, version: int) -> None:
        """Read a dataset again if another program edited it."""
        known = self._known.get(folder.name)
        if isinstance(known, Details) and known.version != version:
            self.reload(folder)

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        """Read a dataset again after an audit."""
        is_end = change.is_state and entry.state == State.COMPLETED
        if is_end and isinstance(entry.plan, AuditPlan):
            dataset = self._context.jobs.get(RecordKind.DATASET, entry.plan.dataset)
            if dataset is not None:
                self.reload(dataset.record.folder)


@dataclass(frozen=True, slots=True)
class Details:
    """Contents of a completed dataset.

    Attributes:
        version: Number of the version.
        summary: Summary of that version.
        skipped: Files that the import skipped.
        cover: A few pictures.
        worst: Highest severity of the findings with images left; None for none.
        excluded: Number of images that edits excluded.
        figures: Distribution of the values of each quantity; empty where images are counted.
        charts: Charts of the targets.
    """

    version: int
    summary: DatasetSummary
    skipped: list[Skipped]
    cover: list[QImage]
    worst: Severity | None = None
    excluded: int = 0
    figures: tuple[OutputFigures, ...] = ()
    charts: Sequence[Figure] = ()


def read_details(folder: Path) -> Details:
    """Read the details of a dataset.

    Raises:
        StudioError: The dataset is damaged.
    """
    from studio.engine.datasets.versions import version_summary  # noqa: PLC0415

    version = current_version(folder)
    summary = version_summary(folder, version)
    pictures = DatasetImages(folder)
    return Details(
        version,
        summary,
        read_skipped(folder),
        pictures.cover(),
        worst_left(folder),
        read_summary(folder).total - summary.total,
        pictures.figures(),
        pictures.charts(),
    )
