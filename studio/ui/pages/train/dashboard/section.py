"""Base classes of the tabs of a run and the timeline of its insights."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.task import Task
from studio.engine.training.history import InsightStored
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.language import translated
from studio.ui.shared.dataset_pictures import DatasetPictures
from studio.ui.tasks import view_of
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, counted, metric_text, significant
from studio.ui.widgets.inputs import EpochSlider
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import PageStack

if TYPE_CHECKING:
    from studio.engine.training.insights import Insight, LayerNorm


class RunSection(QWidget):
    """A tab of a run; it is built when it is first opened and updated while it is visible.

    Attributes:
        entry: The run that is shown.
        column: The layout for the content.
        word: Its title, marked for translation in a context of the name of the class.
        shows_classes: The tab is for tasks whose view has `class_insights` only.
        needs_steps: The tab is for networks that are trained step by step only.

    Signals:
        clone_requested: The `TrainingPlan` from which to start a new run.
        stretches_changed: Other epochs are highlighted.
    """

    clone_requested = Signal(object)
    stretches_changed = Signal()
    word: ClassVar[str]
    shows_classes: ClassVar[bool] = False
    needs_steps: ClassVar[bool] = False

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.entry: RunDocument | None = None
        self.column = vbox(owner=self, spacing=SPACE.s, margins=(0, SPACE.s, 0, 0))

    @classmethod
    def title(cls) -> str:
        """Return the title of the tab."""
        return QCoreApplication.translate(cls.__name__, cls.word)

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Return the title for runs of a task; empty if the tab is not for this task."""
        lacks_classes = cls.shows_classes and not view_of(task).class_insights
        lacks_steps = cls.needs_steps and bool(task.output.trainer)
        return "" if lacks_classes or lacks_steps else cls.title()

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """Epochs to highlight in the charts, each with its start and end."""
        return []

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning; also called when the tab is opened."""
        raise NotImplementedError

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:  # noqa: ARG002
        """Show new events, which the history of the run contains already."""
        self.show_run(entry)


_tr = partial(QCoreApplication.translate, "insights")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The insights of one validation of a run.

    Attributes:
        insight: Predictions and norms.
        names: Names of the classes, labels or quantities.
        units: Units of the quantities.
        pictures: The images of the dataset.
        colors: Colors of the classes of masks or boxes.
    """

    insight: Insight
    names: list[str]
    units: list[str]
    pictures: DatasetPictures
    colors: list[str]


def stored_insights(folder: Path, insights: Sequence[InsightStored]) -> list[InsightStored]:
    """Return the insights in a journal whose files exist, the newest of each step."""
    from studio.engine.training.insights import stored_steps  # noqa: PLC0415 - NumPy

    there = set(stored_steps(folder))
    newest = {each.step: each for each in insights if each.step in there}
    return [newest[step] for step in sorted(newest)]


def read_snapshot(folder: Path, stored: InsightStored, pictures: DatasetPictures) -> Snapshot:
    """Read the insights of a validation.

    Raises:
        BadDataError: The file is damaged or was deleted.
    """
    from studio.engine.training.insights import insight_path, read_insight  # noqa: PLC0415

    insight = read_insight(insight_path(folder, stored.step))
    count = insight.classes
    return Snapshot(
        insight, pictures.names(count), pictures.units(count), pictures, pictures.colors(count)
    )


def read_all_norms(folder: Path, steps: Sequence[int]) -> dict[int, tuple[LayerNorm, ...]]:
    """Return the norms of several steps; files that cannot be read are left out."""
    from studio.engine.training.insights import insight_path, read_norms  # noqa: PLC0415

    found = {}
    for step in steps:
        try:
            found[step] = read_norms(insight_path(folder, step))
        except StudioError:
            continue
    return found


def pictures_of(context: AppContext, entry: RunDocument) -> DatasetPictures:
    """Return the images of the dataset of a run."""
    plan, folder, version = entry.plan, None, 0
    if isinstance(plan, TrainingPlan):
        dataset = context.jobs.get(RecordKind.DATASET, plan.dataset)
        folder = None if dataset is None else dataset.record.folder
        version = plan.dataset_version or 0
    pictures = DatasetPictures(folder, version)
    pictures.style = context.settings.overlay
    return pictures


class ValidationTimeline(QObject):
    """The validations of a run with insights; the newest is shown until another is chosen.

    Attributes:
        insights: The stored validations, oldest first.
        snapshot: Insights of the chosen validation; None until they are loaded.

    Signals:
        changed: The validations, or the chosen one, changed.
        loaded: `snapshot` was loaded.
    """

    changed = Signal()
    loaded = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self.entry: RunDocument | None = None
        self._pictures = DatasetPictures(None, 0)
        self._count = 0
        self._chosen: int | None = None
        self._requested: tuple[Path, int] | None = None
        self.insights: list[InsightStored] = []
        self.snapshot: Snapshot | None = None

    @classmethod
    def of(cls, context: AppContext, parent: QObject) -> ValidationTimeline:
        """Return the timeline that the tabs of a parent share."""
        return parent.findChild(cls) or cls(context, parent)

    @property
    def index(self) -> int:
        """Position of the chosen validation; -1 if there is none."""
        steps = [insight.step for insight in self.insights]
        return steps.index(self._chosen) if self._chosen in steps else len(steps) - 1

    def show_run(self, entry: RunDocument) -> None:
        """Read the insights of a run, or those that are new."""
        if entry is not self.entry:
            self._take(entry)
        insights = list(entry.history.insights)
        if len(insights) == self._count:
            return
        self._count = len(insights)
        work = partial(stored_insights, entry.record.folder, insights)
        self._context.background.run(self, work, partial(self._on_insights, entry))

    def choose(self, index: int) -> None:
        """Choose a validation; after the last one, newer ones are shown as they come."""
        if 0 <= index < len(self.insights) and index != self.index:
            is_last = index == len(self.insights) - 1
            self._chosen = None if is_last else self.insights[index].step
            self.changed.emit()
            self._load()

    def _take(self, entry: RunDocument) -> None:
        self.entry = entry
        self._count, self._chosen, self._requested = -1, None, None
        self.insights, self.snapshot = [], None
        self._pictures = pictures_of(self._context, entry)
        self.changed.emit()

    def _on_insights(self, entry: RunDocument, insights: list[InsightStored]) -> None:
        if entry is self.entry:
            self.insights = insights
            self.changed.emit()
            self._load()

    def _load(self) -> None:
        if self.entry is None or self.index < 0:
            return
        folder, insight = self.entry.record.folder, self.insights[self.index]
        # A step that was repeated after a pause has another event and another file.
        requested = (folder, hash((insight.step, insight.t)))
        if requested == self._requested:
            return
        self._requested = requested
        work = partial(read_snapshot, folder, insight, self._pictures)
        self._context.background.run(
            self, work, partial(self._on_read, requested), partial(self._on_failed, requested)
        )

    def _on_read(self, requested: tuple[Path, int], snapshot: Snapshot) -> None:
        # While the slider moves, older results arrive late.
        if requested == self._requested:
            self.snapshot = snapshot
            self.loaded.emit()

    def _on_failed(self, requested: tuple[Path, int], error: BaseException) -> None:
        if requested == self._requested:
            self._context.navigator.show_failure(error)


class InsightSection(RunSection):
    """Shows the chosen validation of the timeline.

    Subclasses put their widgets into `body` and fill them in `show_snapshot`.

    Attributes:
        timeline: The timeline, which all tabs share.
        slider: Selects the validation to show.
        tools: The row at the right of the slider.
        body: The layout for the content.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.timeline = ValidationTimeline.of(context, parent or self)
        self._shown: Snapshot | None = None
        self.slider = EpochSlider(context.theme, self)
        # Elided, so that a long note does not widen the page.
        self.note = ElidedLabel(parent=self, role="muted")
        self.nothing = text_label("", "muted", self, wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        content = QWidget(self)
        self.body = hbox(owner=content, spacing=SPACE.l)
        self.tools = hbox(spacing=SPACE.s)
        self._bar = QWidget(self)
        hbox(self.slider, self.note, STRETCH, self.tools, owner=self._bar, spacing=SPACE.m)
        self._stack = PageStack(self, self.nothing, content)
        fill(self.column, self._bar, (self._stack, 1))
        self.slider.chosen.connect(self.timeline.choose)
        self.timeline.changed.connect(self._on_changed)
        self.timeline.loaded.connect(self._on_loaded)
        self._on_changed()

    def show_run(self, entry: RunDocument) -> None:
        """Show a run or its new insights; also called when the tab is opened."""
        self.entry = entry
        self.timeline.show_run(entry)
        self._on_changed()
        self._on_loaded()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the insights of a validation."""
        raise NotImplementedError

    def what_is_missing(self, snapshot: Snapshot) -> str:  # noqa: ARG002
        """Return the reason why a validation has nothing to show; empty if it has."""
        return ""

    def _on_changed(self) -> None:
        if self.isHidden():
            return
        timeline = self.timeline
        self._bar.setVisible(bool(timeline.insights))
        names = [insight_name(insight) for insight in timeline.insights]
        self.slider.set_epochs(names, timeline.index)
        if timeline.snapshot is None:
            self._shown = None
            self._show_message(self._reason())

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
            self._show_message(missing)
        else:
            self.show_snapshot(snapshot)
            self._stack.setCurrentIndex(1)

    def _show_message(self, text: str) -> None:
        self.nothing.setText(text)
        self._stack.setCurrentIndex(0)

    def _reason(self) -> str:
        entry = self.timeline.entry
        if entry is None or self.timeline.insights:
            return ""
        if isinstance(entry.plan, TrainingPlan) and not entry.plan.insights:
            return _tr("Insights are switched off in the plan of this run.")
        if entry.history.insights:
            return _tr("The insight files of this run were deleted.")
        if entry.state.is_finished:
            return _tr("This run has no insights.")
        return _tr("Available after the first validation.")


def no_images(rows: Sized) -> str:
    """Return that a dataset has no validation images, if there are no rows of them."""
    return "" if len(rows) else _tr("The dataset has no validation images.")


def insight_name(insight: InsightStored) -> str:
    """Return the name of a validation, such as “Epoch 3” or “Epoch 2.5”."""
    if abs(insight.epoch - round(insight.epoch)) < 1e-6:
        return _tr("Epoch {epoch}").format(epoch=count(round(insight.epoch)))
    return _tr("Epoch {epoch}").format(epoch=significant(insight.epoch, 3))


def note_of(snapshot: Snapshot, task: Task) -> str:
    """Return the score of the predictions of a snapshot and the number of their images."""
    answers, targets = snapshot.insight.answers, snapshot.insight.targets
    number = len(targets.rows)
    if number:
        if number == targets.of:
            return counted(number, _tr("1 image"), _tr("{n} images"))
        pattern = _tr("{number} of {all} images")
        return pattern.format(number=count(number), all=count(targets.of))
    number = len(answers.rows)
    if not number:
        return ""
    metric = task.metrics[0]
    one = _tr("{metric} {value} on 1 validation image")
    many = _tr("{metric} {value} on {n} validation images")
    pattern = (
        counted(number, one, many)
        if number == answers.of
        else _tr("{metric} {value} on {number} of {all} validation images")
    )
    return pattern.format(
        metric=translated(metric.label),
        value=metric_text(metric, float((answers.truth == answers.predicted).mean())),
        number=count(number),
        all=count(answers.of),
    )
