"""Predictions of runs for the images of a dataset: their evaluation, menu and filter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.jobs.states import State
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import dataset_of, trained_version
from studio.engine.workspace import Record, RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument
from studio.ui.pages.datasets.browsing.query import Answers
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidedLabel, apart
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.evaluation.opened import Predictions


class DatasetPredictions(QObject):
    """The runs that learned from the dataset that is shown.

    Signals:
        ready: Name of the run, and its predictions.
        measuring: Name of the run whose model is being measured first; empty when none is any
            more.
    """

    ready = Signal(str, object)
    measuring = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._dataset = ""
        self._wanted: RecordDocument | None = None
        self._waiting_for: set[str] = set()
        context.jobs.changed.connect(self._on_changed)

    def open(self, dataset: str) -> None:
        """Care about the runs of another dataset from now on."""
        self._dataset = dataset
        self._end()

    def runs(self) -> list[RecordDocument]:
        """Those that have a model, the newest first."""
        return [
            entry
            for entry in self._context.jobs.entries(RecordKind.RUN)
            if isinstance(entry.plan, TrainingPlan)
            and entry.plan.dataset == self._dataset
            and MODEL_ARTIFACT in entry.history.artifacts
        ]

    def want(self, run: RecordDocument) -> None:
        """Get the predictions of a run; `ready` tells them, after a measurement if need be."""
        self._end()
        self._wanted = run
        self._look(run, measure=True)

    def _look(self, run: RecordDocument, *, measure: bool) -> None:
        self._context.background.run(
            self,
            partial(_read, self._context, run.record),
            partial(self._on_read, run, measure),
            partial(self._on_failed, run),
        )

    def _on_read(
        self, run: RecordDocument, measure: bool, predictions: Predictions | None
    ) -> None:
        if self._wanted is not run:
            return  # something else was asked for since
        if predictions is not None:
            self._end()
            self.ready.emit(run.info.name, predictions)
        elif measure:
            self.measuring.emit(run.info.name)
            self._context.background.run(
                self,
                partial(_measure, self._context, run.record),
                partial(self._on_measuring, run),
                partial(self._on_failed, run),
            )
        else:
            self._end()

    def _on_measuring(self, run: RecordDocument, evaluations: list[str]) -> None:
        if self._wanted is run:
            self._waiting_for = set(evaluations)
            self._context.jobs.wake()
            self._settle(run)

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        if self._wanted is None or entry.record.id not in self._waiting_for:
            return
        if not (change.is_new or change.is_state):
            return
        if entry.state in (State.FAILED, State.LOST):
            self._context.background.failed.emit(
                StudioError(entry.history.reason, entry.history.hint)
            )
        self._settle(self._wanted)

    def _settle(self, run: RecordDocument) -> None:
        """Read, once every measurement has come to an end."""
        jobs = self._context.jobs
        for record_id in self._waiting_for:
            entry = jobs.get(RecordKind.EVALUATION, record_id)
            if entry is None or not entry.state.is_finished:
                return
        self._look(run, measure=False)

    def _on_failed(self, run: RecordDocument, error: BaseException) -> None:
        if self._wanted is run:
            self._end()
        self._context.background.failed.emit(error)

    def _end(self) -> None:
        self._wanted = None
        self._waiting_for = set()
        self.measuring.emit("")


def _read(context: AppContext, run: Record) -> Predictions | None:
    from studio.engine.evaluation.opened import predictions_of  # noqa: PLC0415 - NumPy

    return predictions_of(context.jobs.queue.workspace, run)


def _measure(context: AppContext, run: Record) -> list[str]:
    """Ask for an evaluation of every split that has images; gives the ids of their records."""
    queue = context.jobs.queue
    dataset = dataset_of(queue.workspace, run)
    counts = dataset_summary(dataset.folder, trained_version(run)).count
    plans = [
        EvaluationPlan.parse({"run": run.id, "split": split})
        for split, count in counts.items()
        if count
    ]
    return [request_evaluation(queue, plan).record.id for plan in plans]


def offer_runs(button: QToolButton, predictions: DatasetPredictions) -> None:
    """Open the menu below a button; what is chosen in it is wanted of `predictions`."""
    menu = QMenu(button)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    runs = predictions.runs()
    for run in runs:
        # An & would underline the letter behind it.
        action = menu.addAction(run.info.name.replace("&", "&&"))
        action.triggered.connect(partial(predictions.want, run))
    if not runs:
        text = QCoreApplication.translate("datasets", "No run has learned from this dataset yet")
        menu.addAction(text).setEnabled(False)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))


class PredictionChip(QWidget):
    """A line with a run and what its model took images for; hidden while there is none.

    Signals:
        changed: Other predictions are wanted.
        removed: Predictions are not wanted any more.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = ""
        self._predictions: Predictions | None = None
        self._classes: Sequence[str] = ()
        self.button = push_button("", theme, icon="close", parent=self)
        self.button.clicked.connect(self._on_removed)
        self.box = ComboBox(self)
        self.box.setAccessibleName(self.tr("What the run took the images for"))
        self.box.setToolTip(self.tr("What the run took the images for"))
        self.box.setMinimumContentsLength(12)
        self.box.activated.connect(self.changed)
        self.line = ElidedLabel("", self, role="muted")
        hbox(self.button, self.box, (self.line, 1), owner=self, spacing=SPACE.s)
        self.clear()
        explain(self.button, self.tr("Shows all images again."))

    @property
    def answers(self) -> Answers | None:
        """What is wanted of the predictions; None where there are none."""
        if self._predictions is None:
            return None
        return Answers(self._run, self._predictions, self.box.currentData())

    def set_classes(self, names: Sequence[str]) -> None:
        """The classes that images can be taken for."""
        chosen = self.box.currentIndex()
        self._classes = list(names)
        self.box.clear()
        self.box.addItem(self.tr("Mistakes"), "wrong")
        self.box.addItem(self.tr("All predictions"), "all")
        for index, name in enumerate(names):
            self.box.addItem(self.tr("Taken for {name}").format(name=apart(name)), index)
        self.box.setCurrentIndex(chosen if 0 <= chosen < self.box.count() else 0)

    def show_predictions(self, run: str, predictions: Predictions) -> None:
        """Show the mistakes of a run."""
        self._run = run
        self._predictions = predictions
        self.box.setCurrentIndex(0)
        self.button.setText(run)
        self.button.setToolTip(self.tr("Show images without predictions again"))
        self.button.setAccessibleName(
            self.tr("Predictions of {run}. Show images without them").format(run=apart(run))
        )
        self.line.setText(
            self.tr("{n} images were predicted").format(n=count(len(predictions.rows)))
        )
        self.box.show()
        self.button.show()
        self.show()

    def show_measuring(self, run: str) -> None:
        """Say that a model is being measured first."""
        self.line.setText(
            self.tr("Measuring “{run}” on this dataset, see the jobs…").format(run=apart(run))
        )
        self.box.hide()
        self.button.hide()
        self.show()

    def clear(self) -> None:
        """Show no predictions."""
        self._run = ""
        self._predictions = None
        self.hide()

    def _on_removed(self) -> None:
        self.clear()
        self.removed.emit()
