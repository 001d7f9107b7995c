"""A new benchmark: one form for each kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QTabWidget, QWidget

from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan, spots_of
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.benchmarks.requests import (
    request_benchmark,
    request_operations,
    request_predictions,
)
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.plans import Plan
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.shared.jobs import show_start
from studio.ui.shared.records import RecordName
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox, vbox
from studio.ui.widgets.pages import PageHeader, ScrollColumn

_WIDEST = 640


class Order(QWidget):
    """A name, a choice of what is measured where a form cannot offer it, and the plan.

    Args:
        context: Of the window.
        plan_class: What is asked for.
        kind: Of its records.
        request: Asks for it: queue, plan, name.
        wish: What a benchmark is called where nobody says.

    Signals:
        started: The id of the benchmark that was asked for.
    """

    started = Signal(str)

    def __init__(
        self,
        context: AppContext,
        plan_class: type[Plan],
        kind: RecordKind,
        request: Callable[[JobQueue, Any, str], Job],
        wish: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.context = context
        self._kind = kind
        self._request = request
        self._wish = wish
        self.name = RecordName(self.tr("Name of the benchmark"), self)
        self.name.setMaximumWidth(_WIDEST)
        self.form = PlanForm(plan_class, theme=context.theme, parent=self)
        self.start_button = push_button(
            self.tr("Measure"), context.theme, kind="primary", icon="benchmarks", parent=self
        )
        self.hint = HintLabel("", "help", self)
        top = hbox((self.hint, 1), self.start_button, spacing=SPACE.l)
        scroll = ScrollColumn(SPACE.l, self)
        self.column = scroll.column
        fill(self.column, self.name, self.form, STRETCH)
        vbox(top, (scroll, 1), owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))
        self.start_button.clicked.connect(self._on_start)
        self.form.changed.connect(self.show_ready)
        self.show_ready()

    def suggest_name(self) -> None:
        """Put a name there that no benchmark of its kind has."""
        taken = [entry.name for entry in self.context.jobs.entries(self._kind)]
        self.name.suggest(self._wish, taken)

    def add_choice(self, word: str, box: ComboBox) -> None:
        """Put a list with a label between the name and the form."""
        box.setAccessibleName(word)
        box.setMaximumWidth(_WIDEST)
        label = QLabel(word, self)
        label.setBuddy(box)
        self.column.insertWidget(1, label)
        self.column.insertWidget(2, box)

    def why_not(self) -> str:
        """Why nothing can be asked for now; empty where it can."""
        return "" if self.form.plan() is not None else self.tr("Put right what is marked.")

    def promise(self, plan: Plan) -> str:  # noqa: ARG002 - for those who know more
        """What is said of a plan that can be asked for."""
        return ""

    def show_ready(self) -> None:
        """Let it be asked for, or say why not."""
        why_not, plan = self.why_not(), self.form.plan()
        self.start_button.setEnabled(not why_not)
        show_start(self.start_button, self.tr("Measure"), is_asked=False)
        self.start_button.setToolTip(why_not or ("" if plan is None else self.promise(plan)))

    def _on_start(self) -> None:
        plan = self.form.plan()
        if plan is None:
            return
        show_start(self.start_button, "", is_asked=True)
        self.start_button.setToolTip(self.tr("It was asked for."))
        self.name.refuse("")
        work = partial(self._request, self.context.jobs.queue, plan, self.name.text())
        self.context.background.run(self, work, self._on_accepted, self._on_refused)

    def _on_accepted(self, job: Job) -> None:
        self.show_ready()
        self.name.accept()
        self.context.jobs.wake()
        self.started.emit(job.record.id)

    def _on_refused(self, error: BaseException) -> None:
        self.show_ready()
        if isinstance(error, StudioError) and error.where == "name":
            self.name.refuse(str(error))
        elif isinstance(error, StudioError):
            self.form.show_problems([Problem(error.where, error.message, error.hint)])
        else:
            self.context.navigator.show_failure(error)


MODEL_KEY: Final = "bench/run"


class TrainingsOrder(Order):
    """Trains networks for a while on every device with every batch size."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(
            context, StudyPlan, RecordKind.BENCHMARK, request_benchmark, "benchmark", parent
        )
        self.hint.show_text(
            self.tr("Every cell trains a network for a while, in a process of its own.")
        )
        self.dataset = ComboBox(self)
        self.add_choice(self.tr("Images"), self.dataset)
        self.dataset.activated.connect(self._on_dataset)
        context.jobs.listed.connect(self._on_listed)
        context.jobs.devices_known.connect(self._show_devices)
        self._fill()
        self._show_devices()

    def promise(self, plan: Plan) -> str:
        """How many cells it has."""
        cells = len(spots_of(plan)) if isinstance(plan, StudyPlan) else 0
        return self.tr("{count} cells").format(count=count(cells))

    def choose(self, network: str, dataset: str) -> None:
        """Measure one network; on noise where there is no such dataset."""
        self.dataset.setCurrentIndex(max(0, self.dataset.findData(dataset)))
        data = {"networks": [network], "dataset": self.dataset.currentData() or ""}
        self.form.set_values(data)
        self.show_ready()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._fill()

    def _fill(self) -> None:
        datasets = self.context.jobs.entries(RecordKind.DATASET)
        imported = [each for each in datasets if each.state == State.COMPLETED]
        choices = [(each.name, each.record.id) for each in imported]
        before = self.dataset.currentData()
        self.dataset.clear()
        for words, value in [(self.tr("Noise, as large as each network takes"), ""), *choices]:
            self.dataset.addItem(words, value)
        self.dataset.setCurrentIndex(max(0, self.dataset.findData(before)))

    def _show_devices(self) -> None:
        names = [device.name for device in self.context.jobs.devices]
        if names:
            self.form.set_values({"devices": names})

    def _on_dataset(self, _index: int) -> None:
        self.form.set_values({"dataset": self.dataset.currentData() or ""})
        self.show_ready()


class PredictionsOrder(Order):
    """Times the predictions of a trained network in every format."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(
            context,
            PredictPlan,
            RecordKind.PREDICTIONS,
            request_predictions,
            "predictions",
            parent,
        )
        self.hint.show_text(
            self.tr(
                "Writes the network in every format and precision, and times each with its own "
                "runtime, in a process of its own."
            )
        )
        self.run_box = RunChooser(context.jobs, context.settings, MODEL_KEY, self)
        self.add_choice(self.tr("Run"), self.run_box)
        self.run_box.changed.connect(self._on_run)
        self._on_run(self.run_box.choice())

    def why_not(self) -> str:
        """Without a run, or while something is wrong."""
        if not self.form.values().get("model"):
            return self.tr("Train a network first.")
        return super().why_not()

    def _on_run(self, choice: RunChoice | None) -> None:
        self.form.set_values({"model": "" if choice is None else f"{RUN_PREFIX}{choice.id}"})
        self.show_ready()


class OperationsOrder(Order):
    """Times single operations in four ways."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(
            context,
            OperationsPlan,
            RecordKind.OPERATIONS,
            request_operations,
            "operations",
            parent,
        )
        self.hint.show_text(
            self.tr(
                "Convolution, matrix product, addition and max pooling: by plain loops, by NumPy, "
                "and by the framework on every device."
            )
        )


class NewStudy(QWidget):
    """What is to be measured.

    Signals:
        started: The id of the benchmark that was asked for.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.trainings = TrainingsOrder(context, self)
        self.predictions = PredictionsOrder(context, self)
        self.operations = OperationsOrder(context, self)
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Kinds of benchmarks"))
        orders = self.trainings, self.predictions, self.operations
        words = self.tr("Train"), self.tr("Predict"), self.tr("Operations")
        for order, word in zip(orders, words, strict=True):
            self.tabs.addTab(order, word)
            order.started.connect(self.started)
        vbox(
            PageHeader(self.tr("New benchmark"), "", self),
            (self.tabs, 1),
            owner=self,
            spacing=SPACE.l,
            margins=SPACE.xl,
        )

    def measure_training(self, network: str, dataset: str) -> None:
        """Fill in a benchmark of trainings of one network, on a dataset by its id."""
        self.tabs.setCurrentWidget(self.trainings)
        self.trainings.choose(network, dataset)

    def suggest_names(self) -> None:
        """Put names there that no benchmark has."""
        for order in (self.trainings, self.predictions, self.operations):
            order.suggest_name()
