"""The review queue: corrected pictures, and the way from them to a better model."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QObject,
    Signal,
)
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.edits import SplitName
from studio.engine.evaluation.mcnemar import Gain
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.review.corrections import Correction, ReviewQueue
from studio.engine.review.retraining import (
    gain_of,
    held_out,
    request_adding,
    request_gain,
    request_retraining,
    waiting,
)
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.pictures import Batch
from studio.ui.pages.predict.predictions import ClassMenu
from studio.ui.shared.media import load_thumbnail
from studio.ui.shared.part_views import strongest
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import ElidedLabel, apart
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label
from studio.ui.widgets.picture_grid import ImageGrid, PictureModel
from studio.ui.widgets.tips import allow, explain

_tr = partial(QCoreApplication.translate, "predict")

_NARROWEST: Final = 280
_WIDEST: Final = 380
_KINDS: Final = (RecordKind.DATASET, RecordKind.RUN, RecordKind.EVALUATION)


class Step(enum.Enum):
    """State of the newest dataset with corrected pictures."""

    NOTHING = enum.auto()
    IMPORTING = enum.auto()
    NOT_IMPORTED = enum.auto()
    READY = enum.auto()
    TRAINING = enum.auto()
    NOT_TRAINED = enum.auto()
    MEASURING = enum.auto()
    GAINED = enum.auto()


@dataclass(frozen=True, slots=True)
class ReviewedDataset:
    """The newest dataset with corrected pictures, and the run that was trained on it.

    Attributes:
        step: Its state.
        dataset: The dataset.
        run: The run on it that began with another run's weights.
        gain: Gain in accuracy of that run.
    """

    step: Step = Step.NOTHING
    dataset: RecordDocument | None = None
    run: RecordDocument | None = None
    gain: Gain | None = None

    @property
    def is_busy(self) -> bool:
        """True while one of its jobs is running."""
        return self.step in (Step.IMPORTING, Step.TRAINING, Step.MEASURING)


def loop_of(
    corrections: Sequence[Correction],
    datasets: Iterable[RecordDocument],
    runs: Iterable[RecordDocument],
    gains: dict[str, Gain],
) -> ReviewedDataset:
    """Return the state of the newest dataset with corrected pictures.

    Args:
        corrections: The whole queue.
        datasets: The known datasets, newest first.
        runs: The known runs, newest first.
        gains: Measured gains in accuracy by the ids of their runs.
    """
    added = {each.dataset for each in corrections}
    dataset = next((entry for entry in datasets if entry.record.id in added), None)
    if dataset is None:
        return ReviewedDataset()
    if dataset.state != State.COMPLETED:
        return ReviewedDataset(
            Step.NOT_IMPORTED if dataset.state.is_finished else Step.IMPORTING, dataset
        )
    run = next((entry for entry in runs if _is_retraining(entry, dataset.record.id)), None)
    if run is None:
        return ReviewedDataset(Step.READY, dataset)
    if run.state != State.COMPLETED:
        step = Step.NOT_TRAINED if run.state.is_finished else Step.TRAINING
        return ReviewedDataset(step, dataset, run)
    gain = gains.get(run.record.id)
    return ReviewedDataset(Step.MEASURING if gain is None else Step.GAINED, dataset, run, gain)


def _is_retraining(entry: RecordDocument, dataset: str) -> bool:
    plan = entry.plan
    if not isinstance(plan, TrainingPlan) or plan.dataset != dataset:
        return False
    return plan.weights.startswith(RUN_PREFIX)


def loop_line(loop: ReviewedDataset, choice: RunChoice | None) -> str:
    """Return the state of the newest dataset with corrections and of the run on it."""
    dataset = "" if loop.dataset is None else loop.dataset.name
    run = "" if loop.run is None else loop.run.name
    model = "" if choice is None else choice.name
    patterns = {
        Step.NOTHING: "",
        Step.IMPORTING: _tr("Creating “{dataset}”…"),
        Step.NOT_IMPORTED: _tr("“{dataset}” was not created. Its images are back in the queue."),
        Step.READY: _tr(
            "“{dataset}” is ready. Retrain starts from the best weights of “{model}”."
        ),
        Step.TRAINING: _tr("“{run}” is training on “{dataset}”…"),
        Step.NOT_TRAINED: _tr("“{run}” did not finish. Retrain starts a new run."),
        Step.MEASURING: _tr("Comparing “{run}” with the previous model…"),
        Step.GAINED: "",
    }
    if loop.gain is not None:
        return gain_line(run, loop.gain)
    return patterns[loop.step].format(dataset=dataset, run=run, model=model)


def gain_line(run: str, gain: Gain) -> str:
    """Return the gain in accuracy of a run over the one that it began with."""
    pattern = _tr(
        "“{run}”: accuracy {before} → {after} on the same {images} test images, {difference} "
        "points (95 % interval {low} to {high})."
    )
    text = pattern.format(
        run=run,
        before=percent(gain.before),
        after=percent(gain.after),
        images=count(gain.count),
        difference=_points(gain.difference),
        low=_points(gain.low),
        high=_points(gain.high),
    )
    return text if gain.is_certain else text + " " + _tr("The difference may be due to chance.")


def retrain_tip(loop: ReviewedDataset, choice: RunChoice | None, *, can_add: bool = False) -> str:
    """Return the tooltip of Retrain: its effect, or the reason why it is disabled."""
    if choice is not None and can_add and not loop.is_busy:
        return _tr("Adds the images to “{dataset}”, then trains “{model}” further.").format(
            dataset=apart(choice.dataset), model=apart(choice.name)
        )
    if choice is None or loop.dataset is None:
        return _tr("Add corrected images to the dataset first.")
    if loop.step is Step.IMPORTING:
        return _tr("The dataset is still being created.")
    if loop.step in (Step.TRAINING, Step.MEASURING):
        return _tr("A run is in progress.")
    return _tr("Train “{model}” further, on “{dataset}”").format(
        model=choice.name, dataset=loop.dataset.name
    )


def _points(difference: float) -> str:
    sign = "+" if difference > 0 else "−" if difference < 0 else ""
    return sign + QLocale().toString(abs(difference) * 100, "f", 1)


class Review(QObject):
    """The corrections of the workspace, which are stored on the disk only.

    Attributes:
        waiting: Corrections that are in no dataset yet, with their pictures.
        loop: State of the newest dataset with corrected pictures.
        held_out: Split of each waiting picture that is a validation or test image, by its id.

    Signals:
        changed: The queue has changed, or the state of its newest dataset and run.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._corrections: list[Correction] = []
        self.waiting: list[tuple[Correction, Path]] = []
        self._gains: dict[str, Gain] = {}
        self._queue = ReviewQueue(context.workspace.root)
        self._reading = Request(context.background, self)
        self._searching = Request(context.background, self)
        self._is_measuring = self._remeasure = False
        self._unmeasurable: set[str] = set()
        self.loop = ReviewedDataset()
        self._dataset = ""
        self.held_out: dict[str, SplitName] = {}
        self._retrains = ""
        self._searched: tuple[str, frozenset[str]] = ("", frozenset())
        context.jobs.loaded.connect(self.refresh)
        context.jobs.changed.connect(self._on_entry)

    def set_dataset(self, dataset: str) -> None:
        """Look for waiting pictures among the held-out images of a dataset; empty for none."""
        self._dataset = dataset
        self._find_held_out()

    def _find_held_out(self) -> None:
        waiting = [each for each, _ in self.waiting]
        key = (self._dataset, frozenset(each.id for each in waiting))
        if key == self._searched:
            return
        self._searched = key
        self._searching.drop()
        if not self._dataset or not waiting:
            self._on_held_out({})
            return
        find = partial(held_out, self._context.workspace, self._dataset, waiting)
        self._searching.run(find, self._on_held_out)

    def _on_held_out(self, found: dict[str, SplitName]) -> None:
        if found != self.held_out:
            self.held_out = found
            self.changed.emit()

    def refresh(self) -> None:
        """Read the queue again."""
        read = partial(_read, self._context.workspace, self._queue)
        self._reading.run(read, self._on_read)

    def correct(self, batch: Batch, label: str) -> None:
        """Put the picture that is shown into the queue."""
        prediction, picture, model = batch.prediction, batch.picture, batch.model
        if prediction is None or picture is None or model is None:
            return
        predicted = strongest(prediction)
        if not predicted[0]:
            return
        work = partial(self._queue.add, picture, picture.name, model.id, predicted, label)
        done = partial(self._on_added, batch, batch.shown, label)
        self._context.background.run(self, work, done)

    def undo(self, batch: Batch) -> None:
        """Remove the picture that is shown from the queue."""
        correction = batch.corrections.pop(batch.shown, None)
        if correction is not None:
            self.remove([correction[0]])
            self.changed.emit()

    def relabel(self, ids: Collection[str], label: str) -> None:
        """Give pictures of the queue another class."""
        self._do(partial(self._queue.relabel, ids, label))

    def remove(self, ids: Collection[str]) -> None:
        """Remove pictures from the queue."""
        self._do(partial(self._queue.remove, ids))

    def add_to_dataset(self, dataset: str, ids: Collection[str]) -> None:
        """Import the pictures into a new version of a dataset."""
        self._do(partial(_add_to_dataset, self._context.jobs.queue, dataset, ids))

    def retrain(self, run: str, dataset: str) -> None:
        """Start a run with the weights of another one."""
        self._do(partial(_retrain, self._context.jobs.queue, run, dataset))

    def add_and_retrain(self, run: str, dataset: str, ids: Collection[str]) -> None:
        """Import the pictures, and start the run as soon as the dataset is complete."""
        self._retrains = run
        self.add_to_dataset(dataset, ids)

    def _do(self, work: Callable[[], None]) -> None:
        self._context.background.run(self, work, self._on_done)

    def _on_done(self, _nothing: None) -> None:
        self._context.jobs.wake()
        self.refresh()

    def _on_added(self, batch: Batch, position: int, label: str, correction: str) -> None:
        batch.corrections[position] = (correction, label)
        self.changed.emit()
        self.refresh()

    def _on_read(self, found: tuple[list[Correction], list[tuple[Correction, Path]]]) -> None:
        self._corrections, self.waiting = found
        self._find_held_out()
        self._arrange()

    def _on_entry(self, entry: RecordDocument, change: RecordChange) -> None:
        kind, is_listed = entry.key[0], change.is_new or change.is_state or change.is_removed
        if kind not in _KINDS or not self._corrections or not is_listed:
            return
        if kind == RecordKind.DATASET:
            self.refresh()  # the pictures of a lost dataset wait again
        else:
            self._arrange()

    def _arrange(self) -> None:
        jobs = self._context.jobs
        datasets, runs = jobs.entries(RecordKind.DATASET), jobs.entries(RecordKind.RUN)
        self.loop = loop = loop_of(self._corrections, datasets, runs, self._gains)
        if self._retrains and loop.step is Step.NOT_IMPORTED:
            self._retrains = ""
        elif self._retrains and loop.step is Step.READY and loop.dataset is not None:
            run, self._retrains = self._retrains, ""
            self.retrain(run, loop.dataset.record.id)
        if loop.step is Step.MEASURING and loop.run is not None:
            self._measure(loop.run.record.id)
        self.changed.emit()

    def _measure(self, run: str) -> None:
        if run in self._unmeasurable:
            return
        self._remeasure = self._is_measuring
        if self._is_measuring:
            return
        self._is_measuring = True
        measure = partial(_measure, self._context.jobs.queue, run)
        done, failed = partial(self._on_measured, run), partial(self._on_not_measured, run)
        self._context.background.run(self, measure, done, failed)

    def _on_measured(self, run: str, gain: Gain | None) -> None:
        self._is_measuring = False
        self._context.jobs.wake()
        if gain is not None:
            self._gains[run] = gain
        if gain is not None or self._remeasure:
            self._remeasure = False
            self._arrange()

    def _on_not_measured(self, run: str, error: BaseException) -> None:
        self._is_measuring = False
        self._unmeasurable.add(run)  # its failure is shown once, not after every change
        self._context.navigator.show_failure(error)


class QueueModel(PictureModel):
    """The waiting corrections."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[tuple[Correction, Path]] = []

    def set_items(self, items: list[tuple[Correction, Path]]) -> None:
        """Show corrections with their pictures."""
        if items != self.items:
            self.items = items
            self.reset(len(items))

    def key(self, row: int) -> str:
        """Return the path."""
        return str(self.items[row][1])

    def caption(self, row: int) -> str:
        """Return the prediction and the class."""
        return messages.correction_caption(self.items[row][0])

    def tip(self, row: int) -> str:
        """Return the same at length."""
        return messages.correction_tip(self.items[row][0])


class QueuePanel(QWidget):
    """Shows and edits the queue, adds it to the dataset, and retrains."""

    def __init__(self, context: AppContext, review: Review, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = context.theme
        self._review = review
        self._choice: RunChoice | None = None
        self._classes: tuple[str, ...] = ()
        self.model = QueueModel()
        self.grid = ImageGrid(theme, self)
        self.grid.set_source(self.model, load_thumbnail)
        self.grid.setAccessibleName(self.tr("Corrected images"))
        text, tip = self.tr("Back"), self.tr("Returns to the image. Corrections are kept.")
        self.back_button = push_button(text, theme, kind="quiet", icon="back", tip=tip)
        self.title = ElidedLabel("", self)
        self.relabel_button = push_button(self.tr("Class"), theme, icon="tag", parent=self)
        self.menu = ClassMenu(theme, self.relabel_button)
        self.menu.chosen.connect(self._on_relabel)
        self.relabel_button.setMenu(self.menu)
        text = self.tr("Remove")
        self.remove_button = push_button(text, theme, icon="trash", on_click=self._on_remove)
        tip = self.tr("Adds the corrected images as a new version of the dataset.")
        text = self.tr("Add to dataset")
        self.add_button = push_button(
            text, theme, kind="primary", icon="plus", tip=tip, on_click=self._on_add
        )
        text = self.tr("Retrain from here")
        self.retrain_button = push_button(text, theme, icon="train", on_click=self._on_retrain)
        self.add_line = text_label("", "muted", self, wraps=True)
        self.loop_line = text_label("", "muted", self, wraps=True)
        self.bar = ThinBar(theme, self)
        self._lay_out()
        self.grid.selection_changed.connect(self._on_selection)
        review.changed.connect(self.refresh)
        self.refresh()
        explain(self.grid, self.tr("Corrected images for the next training."))

    def set_model(self, choice: RunChoice | None, classes: tuple[str, ...]) -> None:
        """Set the run in use: its dataset takes the pictures, and it is retrained."""
        if (choice, classes) == (self._choice, self._classes):
            return
        self._choice, self._classes = choice, classes
        self.menu.offer(classes)
        folder = None if choice is None else choice.dataset_folder
        self._review.set_dataset("" if folder is None else folder.name)
        self.refresh()

    def refresh(self) -> None:
        """Show the queue and the state of its dataset and run."""
        waiting, loop = self._review.waiting, self._review.loop
        self.model.set_items(waiting)
        self.title.setText(messages.queue_title(len(waiting)))
        dataset = "" if self._choice is None else self._choice.dataset
        held_out = self._review.held_out
        self.add_line.setText(messages.add_line(len(waiting), dataset, list(held_out.values())))
        self.add_button.setEnabled(len(waiting) > len(held_out) and bool(dataset))
        self.loop_line.setText(loop_line(loop, self._choice))
        self.loop_line.setVisible(bool(self.loop_line.text()))
        self.bar.setVisible(loop.is_busy)
        self.bar.set_fraction(None)
        can_add = self.add_button.isEnabled()
        can_retrain = can_add or loop.step in (Step.READY, Step.NOT_TRAINED, Step.GAINED)
        self.retrain_button.setEnabled(
            can_retrain and not loop.is_busy and self._choice is not None
        )
        self.retrain_button.setToolTip(retrain_tip(loop, self._choice, can_add=can_add))
        self._on_selection(self.grid.selected_rows())

    def _selected(self) -> list[str]:
        return [self.model.items[row][0].id for row in self.grid.selected_rows()]

    def _on_selection(self, rows: list[int]) -> None:
        for button in (self.relabel_button, self.remove_button):
            allow(button, "" if rows else self.tr("Choose images first."))

    def _on_relabel(self, name: str) -> None:
        self._review.relabel(self._selected(), name)

    def _on_remove(self) -> None:
        self._review.remove(self._selected())

    def _on_add(self) -> None:
        if self._choice is not None and self._choice.dataset_folder is not None:
            self._review.add_to_dataset(self._choice.dataset_folder.name, self._ids())

    def _ids(self) -> list[str]:
        return [correction.id for correction, _ in self.model.items]

    def _on_retrain(self) -> None:
        dataset = self._review.loop.dataset
        folder = None if self._choice is None else self._choice.dataset_folder
        if self._choice is not None and folder is not None and self.add_button.isEnabled():
            self._review.add_and_retrain(self._choice.id, folder.name, self._ids())
        elif self._choice is not None and dataset is not None:
            self._review.retrain(self._choice.id, dataset.record.id)

    def _lay_out(self) -> None:
        actions = (self.relabel_button, self.remove_button)
        left = Card("", self)
        left.setAccessibleName(self.tr("Review queue"))
        left.body.addLayout(hbox(self.back_button, (self.title, 1), *actions, spacing=SPACE.s))
        left.body.addWidget(self.grid, 1)
        right = Card(self.tr("Train with the corrections"), self)
        right.setMinimumWidth(_NARROWEST)
        right.setMaximumWidth(_WIDEST)
        lines = (self.add_line, self.add_button, self.loop_line, self.bar, self.retrain_button)
        fill(right.body, *lines, STRETCH)
        hbox((left, 3), (right, 2), owner=self, spacing=SPACE.l)


def _read(
    workspace: Workspace, queue: ReviewQueue
) -> tuple[list[Correction], list[tuple[Correction, Path]]]:
    """Return all corrections, and those that wait with their pictures."""
    return queue.corrections(), [(each, queue.picture(each)) for each in waiting(workspace)]


def _add_to_dataset(queue: JobQueue, dataset: str, ids: Collection[str]) -> None:
    request_adding(queue, dataset, ids)
    queue.dispatch()


def _retrain(queue: JobQueue, run: str, dataset: str) -> None:
    request_retraining(queue, run, dataset)
    queue.dispatch()


def _measure(queue: JobQueue, run: str) -> Gain | None:
    """Return the gain of a run; None after requesting the evaluations that it needs."""
    if request_gain(queue, run):
        queue.dispatch()
    return gain_of(queue.workspace, run)
