"""Filters over the grid of images, and the predictions of runs that images are filtered by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.evaluation.evaluated_classes import Predictions, predictions_of
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.jobs.states import State
from studio.engine.tasks.task import Task
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.trained_models import dataset_of, trained_version
from studio.engine.workspace import Record, RecordKind
from studio.ui.bridge.run_choices import runs_on
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument, RunDocument
from studio.ui.language import translated
from studio.ui.pages.commands import FIND, LARGER, SMALLER
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.findings import SeverityIcon
from studio.ui.pages.datasets.browsing.images import LEFT_OUT, ImageQuery, Picked, RunPredictions
from studio.ui.pages.datasets.messages import split_words
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks import view_of
from studio.ui.tasks.data_view import DataView
from studio.ui.tasks.targets import TargetFilter
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import counted
from studio.ui.widgets.inputs import ComboBox, horizontal_slider, search_field
from studio.ui.widgets.labels import ElidedLabel, apart
from studio.ui.widgets.layout import Debounce, flow, hbox, vbox
from studio.ui.widgets.tips import name_control


class DatasetPredictions(QObject):
    """Predictions of the runs that were trained on the dataset that is shown.

    Signals:
        ready: Name of the run, and its predictions.
        measuring: Name of the run that is evaluated first; empty once no run is.
    """

    ready = Signal(str, object)
    measuring = Signal(str)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._dataset = ""
        self._requested: RecordDocument | None = None
        self._waiting_for: set[str] = set()
        context.jobs.changed.connect(self._on_changed)

    def open(self, dataset: str) -> None:
        """Offer the runs of another dataset."""
        self._dataset = dataset
        self._end()

    def runs(self) -> list[RunDocument]:
        """Return the runs that have a model, newest first."""
        runs = runs_on(self._context.jobs, self._dataset)
        return [run for run in runs if MODEL_ARTIFACT in run.history.artifacts]

    def offer(self, button: QToolButton) -> None:
        """Open a menu of the runs below a button; `want` follows."""
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for run in self.runs():
            # An & would underline the letter behind it.
            menu.addAction(run.info.name.replace("&", "&&"), partial(self.want, run))
        if menu.isEmpty():
            text = QCoreApplication.translate("datasets", "No run has used this dataset yet")
            menu.addAction(text).setEnabled(False)
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def want(self, run: RecordDocument) -> None:
        """Read the predictions of a run; `ready` follows, after an evaluation if needed."""
        self._end()
        self._requested = run
        self._read(run, measure=True)

    def _read(self, run: RecordDocument, *, measure: bool) -> None:
        work, done = (
            partial(predictions_of, self._context.workspace, run.record),
            partial(self._on_read, run, measure),
        )
        self._context.background.run(self, work, done, partial(self._on_failed, run))

    def _on_read(
        self, run: RecordDocument, measure: bool, predictions: Predictions | None
    ) -> None:
        if self._requested is not run:
            return  # something else was requested since
        if predictions is not None:
            self._end()
            self.ready.emit(run.info.name, predictions)
        elif measure:
            self.measuring.emit(run.info.name)
            work = partial(_measure, self._context, run.record)
            done, failed = partial(self._on_measuring, run), partial(self._on_failed, run)
            self._context.background.run(self, work, done, failed)
        else:
            self._end()

    def _on_measuring(self, run: RecordDocument, evaluations: list[str]) -> None:
        if self._requested is run:
            self._waiting_for = set(evaluations)
            self._context.jobs.wake()
            self._settle(run)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        if self._requested is None or entry.record.id not in self._waiting_for:
            return
        if not (change.is_new or change.is_state):
            return
        if entry.state in (State.FAILED, State.LOST):
            error = StudioError(entry.history.reason, entry.history.hint)
            self._context.background.failed.emit(error)
        self._settle(self._requested)

    def _settle(self, run: RecordDocument) -> None:
        """Read the predictions once every evaluation has ended."""
        jobs = self._context.jobs
        entries = [jobs.get(RecordKind.EVALUATION, each) for each in self._waiting_for]
        if all(entry is not None and entry.state.is_finished for entry in entries):
            self._read(run, measure=False)

    def _on_failed(self, run: RecordDocument, error: BaseException) -> None:
        if self._requested is run:
            self._end()
        self._context.background.failed.emit(error)

    def _end(self) -> None:
        self._requested = None
        self._waiting_for = set()
        self.measuring.emit("")


def _measure(context: AppContext, run: Record) -> list[str]:
    """Request an evaluation of every split that has images; return the ids of their records."""
    queue = context.jobs.queue
    dataset = dataset_of(queue.workspace, run)
    counts = dataset_summary(dataset.folder, trained_version(run)).count
    plans = [
        EvaluationPlan.parse({"run": run.id, "split": split})
        for split, number in counts.items()
        if number
    ]
    return [request_evaluation(queue, plan).record.id for plan in plans]


class PredictionChip(QWidget):
    """A line with a run and a choice of its predictions; hidden while there is none.

    Signals:
        changed: Other predictions are chosen.
        removed: The filter is removed.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = ""
        self._predictions: Predictions | None = None
        tip = self.tr("Show images without predictions again")
        self.button = push_button("", theme, icon="close", tip=tip, on_click=self._on_removed)
        name = self.tr("Predictions of the run")
        self.box = ComboBox(self, name)
        self.box.setToolTip(name)
        self.box.setMinimumContentsLength(12)
        self.box.activated.connect(self.changed)
        self.line = ElidedLabel("", self, role="muted")
        hbox(self.button, self.box, (self.line, 1), owner=self, spacing=SPACE.s)
        self.clear()

    @property
    def answers(self) -> RunPredictions | None:
        """The chosen predictions; None if there are none."""
        if self._predictions is None:
            return None
        return RunPredictions(self._run, self._predictions, self.box.currentData())

    def set_classes(self, names: Sequence[str]) -> None:
        """Offer the classes that can be predicted."""
        chosen = self.box.currentIndex()
        self.box.clear()
        self.box.addItem(self.tr("Mistakes"), "wrong")
        self.box.addItem(self.tr("All predictions"), "all")
        for index, name in enumerate(names):
            self.box.addItem(self.tr("Predicted: {name}").format(name=apart(name)), index)
        self.box.setCurrentIndex(chosen if 0 <= chosen < self.box.count() else 0)

    def show_predictions(self, run: str, predictions: Predictions) -> None:
        """Show the mistakes of a run."""
        self._run = run
        self._predictions = predictions
        self.box.setCurrentIndex(0)
        self.button.setText(run)
        name = self.tr("Predictions of {run}. Show images without them").format(run=apart(run))
        self.button.setAccessibleName(name)
        one, many = self.tr("1 image was predicted"), self.tr("{n} images were predicted")
        self._show(counted(len(predictions.rows), one, many), is_ready=True)

    def show_measuring(self, run: str) -> None:
        """Show that a run is evaluated first."""
        text = self.tr("Evaluating “{run}” on this dataset…")
        self._show(text.format(run=apart(run)), is_ready=False)

    def clear(self) -> None:
        """Show no predictions."""
        self._run = ""
        self._predictions = None
        self.hide()

    def _show(self, text: str, *, is_ready: bool) -> None:
        self.line.setText(text)
        self.box.setVisible(is_ready)
        self.button.setVisible(is_ready)
        self.show()

    def _on_removed(self) -> None:
        self.clear()
        self.removed.emit()


class FindingChip(QWidget):
    """A line with a finding, or with picked images; hidden while there is neither.

    Signals:
        removed: The filter is removed.
    """

    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown: Finding | Picked | None = None
        self.icon = SeverityIcon(theme, self)
        tip = self.tr("Shows all images again.")
        self.button = push_button("", theme, icon="close", tip=tip, on_click=self._on_removed)
        self.line = ElidedLabel("", self, role="muted")
        hbox(self.icon, self.button, (self.line, 1), owner=self, spacing=SPACE.s)
        self.show_filter()

    def show_filter(self, shown: Finding | Picked | None = None) -> None:
        """Show a finding, picked images, or nothing."""
        self.shown = shown
        self.setVisible(shown is not None)
        if shown is None:
            return
        if isinstance(shown, Picked):
            title, line = shown.title, shown.line
            self.icon.set_mark("none", "")
        else:
            title, line = audit_messages.title(shown.kind), translated(shown.message)
            self.icon.set_mark(shown.severity, audit_messages.severity(shown.severity))
        self.button.setText(title)
        name = self.tr("{what}. Show all images").format(what=title)
        self.button.setAccessibleName(name)
        self.line.setText(line)

    def _on_removed(self) -> None:
        self.show_filter()
        self.removed.emit()


SMALLEST, LARGEST, USUAL, STEP = 48, 256, 96, 16
_TYPING_MS = 150


class FilterBar(QWidget):
    """Filters by target, split and file name, and the order; below them finding and predictions.

    The owner of the bar places `slider`, the size of the pictures.

    Signals:
        changed: The query changed.
    """

    changed = Signal()

    def __init__(self, theme: Theme, shortcuts: Shortcuts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shortcuts = shortcuts
        self._theme = theme
        self._view: DataView | None = None
        self.back_button = icon_button("back", self.tr("Back to the overview"), theme, parent=self)
        self.targets = TargetFilter(self)
        splits = [(split_words(split), split) for split in (*SPLIT_COLORS, LEFT_OUT)]
        self.split_box = self._box(self.tr("Split"), [(self.tr("All splits"), None), *splits])
        self._task_orders: Sequence[tuple[str, str]] = ()
        self._temporary_orders: dict[str, str] = {}
        self.order_box = self._box(self.tr("Order"), [])
        self._offer_orders()
        name, prompt = self.tr("Search images by file name"), self.tr("File name")
        self.search = search_field(self, name, self.tr("Search images by path"), prompt)
        self.search.setMinimumWidth(56)
        name = self.tr("Size of the images")
        self.slider = horizontal_slider(self, name, SMALLEST, LARGEST, USUAL, 48)
        self.slider.setSingleStep(STEP)
        shortcuts.changed.connect(self._show_keys)
        self._show_keys()
        # One search after a pause, not one for each letter.
        self._typing = Debounce(_TYPING_MS, self.changed.emit, self)
        self.chip = FindingChip(theme, self)
        self.predictions = PredictionChip(theme, self)
        text = self.tr("Filter by predictions of a run…")
        self.predictions_button = icon_button("predict", text, theme, parent=self)
        filters = (self.back_button, self.targets, self.split_box, self.search)
        # Wraps: in a small window there is no room for all words of some languages.
        self._row = flow(*filters, self.order_box, self.predictions_button)
        self._column = vbox(self._row, self.chip, self.predictions, owner=self, spacing=SPACE.s)
        for box in (self.split_box, self.order_box):
            box.activated.connect(self.changed)
        self.search.textChanged.connect(self._typing.start)
        self.chip.removed.connect(self._on_finding_removed)
        self.predictions.changed.connect(self.changed)
        self.predictions.removed.connect(self._on_predictions_removed)

    def set_outputs(self, task: Task, names: Sequence[str], units: Sequence[str]) -> None:
        """Offer filters and orders of a task; the choices stay if they are still offered.

        Args:
            task: Task of the dataset.
            names: Names of the classes, labels or quantities, K.
            units: Units of the quantities, K or none.
        """
        view = view_of(task)
        if view is not self._view:
            self._view = view
            old, self.targets = self.targets, view.filter(self._theme, self)
            self._row.replace(old, self.targets)
            self._column.insertWidget(1, self.targets.below)
            for part in (old, old.below):
                part.hide()
                part.deleteLater()
            self.targets.changed.connect(self.changed)
            name_control(self.back_button, view.words(task).back)
            self.predictions_button.setVisible(view.filters_predictions)
        self.targets.set_outputs(names, units)
        self._task_orders = view.orders(names)
        self._offer_orders()
        self.predictions.set_classes(names)

    def reset(self, shown: int | Finding | Picked) -> None:
        """Filter by a class, label or quantity (-1: none), a finding, or selected images."""
        output = shown if isinstance(shown, int) else -1
        self._show_only(None if isinstance(shown, int) else shown)
        self.predictions.clear()
        self._offer("score", "")
        self.targets.reset(output)
        opening = "" if self._view is None or output < 0 else self._view.opening_order(output)
        if opening:
            self.order_box.choose(opening)
        self.split_box.setCurrentIndex(0)
        self.search.clear()
        self._typing.stop()

    def query(self) -> ImageQuery:
        """Return the values of all filters."""
        return ImageQuery(
            target=self.targets.condition(),
            split=self.split_box.currentData(),
            text=self.search.text().strip(),
            order=self.order_box.currentData(),
            answers=self.predictions.answers,
            only=self.chip.shown,
        )

    def show_predictions(self, run: str, predictions: Predictions) -> None:
        """Filter by the mistakes of a run, the highest score first."""
        self.predictions.show_predictions(run, predictions)
        self._offer("score", self.tr("Most confident first"))
        self.changed.emit()

    def show_measuring(self, run: str) -> None:
        """Show that a run is evaluated for its predictions; empty for none."""
        if run:
            self.predictions.show_measuring(run)
        elif self.predictions.answers is None:
            self.predictions.clear()

    def zoom(self, steps: int) -> None:
        """Enlarge the pictures by some steps; negative ones make them smaller."""
        self.slider.setValue(self.slider.value() + steps * STEP)

    def _box(self, name: str, entries: Sequence[tuple[str, str | None]]) -> ComboBox:
        box = ComboBox(self, name, entries)
        box.setToolTip(name)
        box.setMinimumContentsLength(0)
        return box

    def _show_keys(self) -> None:
        """Show the shortcuts in the tips."""
        keys = self._shortcuts
        self.search.setToolTip(keys.tip(self.tr("Search images by path"), FIND))
        sizes = [keys.short_text(LARGER), keys.short_text(SMALLER), self.tr("Ctrl and the wheel")]
        text = self.tr("Size of the images ({keys})")
        self.slider.setToolTip(text.format(keys=", ".join(filter(None, sizes))))

    def _offer_orders(self) -> None:
        orders = [
            ("import", self.tr("As imported")),
            ("name", self.tr("By name")),
            *self._task_orders,
            ("split", self.tr("By split")),
            *self._temporary_orders.items(),
        ]
        self.order_box.set_entries((text, key) for key, text in orders)

    def _show_only(self, shown: Finding | Picked | None) -> None:
        """Filter by a finding, in its order, or by picked images."""
        self.chip.show_filter(shown)
        text = ""
        if isinstance(shown, Finding):
            text = self.tr("By pair") if shown.pairs else self.tr("As found")
        self._offer("finding", text)

    def _offer(self, order: str, text: str) -> None:
        """Offer a temporary order and use it; an empty text removes it."""
        if text:
            self._temporary_orders[order] = text
        else:
            self._temporary_orders.pop(order, None)
        self._offer_orders()
        if text:
            self.order_box.choose(order)

    def _on_predictions_removed(self) -> None:
        self._offer("score", "")
        self.changed.emit()

    def _on_finding_removed(self) -> None:
        self._show_only(None)
        self.changed.emit()
