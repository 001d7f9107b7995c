"""Insights kept at each validation of a run: a time line and what stands above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.task import Task
from studio.engine.training.history import InsightKept
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.engine_text import plan_text
from studio.ui.pages.train.dashboard.sections.section import RunSection
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, metric_text, significant
from studio.ui.widgets.inputs import MomentSlider
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.pages import PageStack

if TYPE_CHECKING:
    from studio.engine.training.insights import Insight, LayerNorm

_tr = partial(QCoreApplication.translate, "insights")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One moment of a run.

    Attributes:
        insight: What was kept of it.
        names: Of the classes, labels or quantities.
        units: Of the quantities.
        pictures: Where its rows are.
    """

    insight: Insight
    names: list[str]
    units: list[str]
    pictures: DatasetPictures


def moments_left(folder: Path, told: Sequence[InsightKept]) -> list[InsightKept]:
    """Of the insights that a journal tells of those whose files are there, each step once."""
    from studio.engine.training.insights import kept_steps  # noqa: PLC0415 - NumPy

    there = set(kept_steps(folder))
    newest = {each.step: each for each in told if each.step in there}
    return [newest[step] for step in sorted(newest)]


def read_snapshot(folder: Path, moment: InsightKept, pictures: DatasetPictures) -> Snapshot:
    """Read one moment.

    Raises:
        BadDataError: Its file is damaged, or was removed meanwhile.
    """
    from studio.engine.training.insights import (  # noqa: PLC0415 - NumPy
        insight_path,
        read_insight,
    )

    insight = read_insight(insight_path(folder, moment.step))
    count = insight.classes
    return Snapshot(insight, pictures.names(count), pictures.units(count), pictures)


def read_all_norms(folder: Path, steps: Sequence[int]) -> dict[int, tuple[LayerNorm, ...]]:
    """The norms of several steps; those whose files cannot be read are left out."""
    from studio.engine.training.insights import insight_path, read_norms  # noqa: PLC0415

    found = {}
    for step in steps:
        try:
            found[step] = read_norms(insight_path(folder, step))
        except StudioError:
            continue
    return found


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
        self._entry: RunDocument | None = None
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
    def entry(self) -> RunDocument | None:
        """The run."""
        return self._entry

    @property
    def index(self) -> int:
        """Which moment is shown; -1 while there is none."""
        steps = [moment.step for moment in self.moments]
        return steps.index(self._chosen) if self._chosen in steps else len(steps) - 1

    def show_run(self, entry: RunDocument) -> None:
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

    def _take(self, entry: RunDocument) -> None:
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

    def _on_moments(self, entry: RunDocument, moments: list[InsightKept]) -> None:
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


class InsightSection(RunSection):
    """Shows what the time line is at, while it is seen.

    Whoever derives from it puts its widgets into `body`, and fills them in `show_snapshot`.

    Attributes:
        timeline: Shared with the other tabs beside it.
        moments: The slider.
        tools: A row at the right of the slider.
        body: Where the content goes.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.timeline = Timeline.of(context, parent or self)
        self._shown: Snapshot | None = None
        self.moments = MomentSlider(context.theme, self)
        # A line that cannot give way would make the page wider, and the list of runs narrower.
        self.note = ElidedLabel(parent=self)
        self.note.setProperty("role", "muted")
        self.nothing = QLabel(self)
        self.nothing.setProperty("role", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setWordWrap(True)
        content = QWidget(self)
        self.body = QHBoxLayout(content)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(SPACE.l)
        self.tools = QHBoxLayout()
        self.tools.setSpacing(SPACE.s)
        self._bar = QWidget(self)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.m)
        row.addWidget(self.moments)
        row.addWidget(self.note)
        row.addStretch(1)
        row.addLayout(self.tools)
        self._stack = PageStack(self)
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(content)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(self._bar)
        column.addWidget(self._stack, 1)
        self.moments.chosen.connect(self.timeline.choose)
        self.timeline.changed.connect(self._on_changed)
        self.timeline.loaded.connect(self._on_loaded)
        self._on_changed()

    def show_run(self, entry: RunDocument) -> None:
        """Show a run, or what is new of it; also when the tab is opened."""
        self.timeline.show_run(entry)
        self._on_changed()
        self._on_loaded()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment."""
        raise NotImplementedError

    def what_is_missing(self, snapshot: Snapshot) -> str:  # noqa: ARG002
        """Why a moment has nothing to show; empty where it has."""
        return ""

    def _on_changed(self) -> None:
        if self.isHidden():
            return
        timeline = self.timeline
        self._bar.setVisible(bool(timeline.moments))
        names = [moment_name(moment) for moment in timeline.moments]
        self.moments.set_moments(names, timeline.index)
        if timeline.snapshot is None:
            self._shown = None
            self._say(self._why_nothing())

    def _on_loaded(self) -> None:
        snapshot = self.timeline.snapshot
        if self.isHidden() or snapshot is None or snapshot is self._shown:
            return
        self._shown = snapshot
        entry = self.timeline.entry
        task = DEFAULT_TASK if entry is None else self.context.jobs.task_of(entry)
        self.note.setText(note_of(snapshot, task))
        missing = self.what_is_missing(snapshot)
        if missing:
            self._say(missing)
        else:
            self.show_snapshot(snapshot)
            self._stack.setCurrentIndex(1)

    def _say(self, text: str) -> None:
        self.nothing.setText(text)
        self._stack.setCurrentIndex(0)

    def _why_nothing(self) -> str:
        entry = self.timeline.entry
        if entry is None or self.timeline.moments:
            return ""
        if isinstance(entry.plan, TrainingPlan) and not entry.plan.insights:
            return _tr("The plan of this run says not to keep insights.")
        if entry.history.insights:
            return _tr("The files with the insights of this run are gone.")
        if entry.state.is_finished:
            return _tr("No insights were kept of this run.")
        return _tr("Comes with the first validation.")


def moment_name(moment: InsightKept) -> str:
    """Which moment it is, such as “Epoch 3” or “Epoch 2.5”."""
    if abs(moment.epoch - round(moment.epoch)) < 1e-6:
        return _tr("Epoch {epoch}").format(epoch=count(round(moment.epoch)))
    return _tr("Epoch {epoch}").format(epoch=significant(moment.epoch, 3))


def note_of(snapshot: Snapshot, task: Task) -> str:
    """Return the score of the predictions of a snapshot and the number of their images."""
    answers, targets = snapshot.insight.answers, snapshot.insight.targets
    number = len(answers.rows)
    if targets is not None:
        number = len(targets.rows)
        pattern = (
            _tr("{number} validation images")
            if number == targets.of
            else _tr("{number} of {all} validation images")
        )
        return pattern.format(number=count(number), all=count(targets.of))
    if not number:
        return ""
    metric = task.metrics[0]
    pattern = (
        _tr("{metric} {value} on {number} validation images")
        if number == answers.of
        else _tr("{metric} {value} on {number} of {all} validation images")
    )
    return pattern.format(
        metric=plan_text(metric.label),
        value=metric_text(metric, float((answers.truth == answers.predicted).mean())),
        number=count(number),
        all=count(answers.of),
    )
