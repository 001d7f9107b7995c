"""Forms of new benchmarks, one for each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QTabWidget, QWidget

from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan, cell_keys
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.benchmarks.requests import (
    request_benchmark,
    request_operations,
    request_predictions,
)
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.job import Job
from studio.engine.plans import Plan
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.forms.plan_form import PlanForm
from studio.ui.shared.jobs import Ordering, show_start
from studio.ui.shared.records import RecordName
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox, vbox
from studio.ui.widgets.pages import PageHeader, ScrollColumn

_WIDEST = 640
_KINDS: Final[dict[RecordKind, tuple[type[Plan], Callable[..., Job], str]]] = {
    RecordKind.BENCHMARK: (StudyPlan, request_benchmark, "benchmark"),
    RecordKind.PREDICTIONS: (PredictPlan, request_predictions, "predictions"),
    RecordKind.OPERATIONS: (OperationsPlan, request_operations, "operations"),
}
"""Plan, request to the queue and suggested name of each kind of benchmark."""


class BenchmarkForm(QWidget):
    """Name and plan of a new benchmark, and a list where the form cannot offer a choice.

    Args:
        context: Context of the window.
        kind: Kind of the benchmark.
        hint: Explanation above the form.
        parent: Owner.

    Signals:
        started: Id of the requested benchmark.
    """

    started = Signal(str)

    def __init__(
        self, context: AppContext, kind: RecordKind, hint: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.context = context
        self._kind = kind
        plan_class, request, self._default_name = _KINDS[kind]
        self.name = RecordName(self.tr("Name of the benchmark"), self)
        self.name.setMaximumWidth(_WIDEST)
        self.form = PlanForm(plan_class, theme=context.theme, parent=self)
        self.start_button = push_button(
            self.tr("Measure"), context.theme, kind="primary", icon="benchmarks", parent=self
        )
        self.hint = HintLabel(hint, "help", self)
        top = hbox((self.hint, 1), self.start_button, spacing=SPACE.l)
        scroll = ScrollColumn(SPACE.l, self)
        self.column = scroll.column
        fill(self.column, self.name, self.form, STRETCH)
        vbox(top, (scroll, 1), owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))
        self._ordering = Ordering(context, self, request, self, self.name)
        self._ordering.accepted.connect(self.started)
        self.start_button.clicked.connect(self._on_start)
        self.form.changed.connect(self.show_ready)
        self.show_ready()

    def suggest_name(self) -> None:
        """Suggest a name that no benchmark of the kind has."""
        taken = [entry.name for entry in self.context.jobs.entries(self._kind)]
        self.name.suggest(self._default_name, taken)

    def add_choice(self, word: str, box: ComboBox) -> None:
        """Add a list with a label between the name and the form."""
        box.setAccessibleName(word)
        box.setMaximumWidth(_WIDEST)
        label = QLabel(word, self)
        label.setBuddy(box)
        self.column.insertWidget(1, label)
        self.column.insertWidget(2, box)

    def why_not(self) -> str:
        """Return why the benchmark cannot be requested; empty if it can."""
        return "" if self.form.plan() is not None else self.tr("Fix the marked errors.")

    def extent(self, plan: Plan) -> str:  # noqa: ARG002 - for subclasses
        """Return the extent of a benchmark as text, or an empty text."""
        return ""

    def show_ready(self) -> None:
        """Enable the button, or show why it is disabled."""
        why_not, plan = self.why_not(), self.form.plan()
        self.start_button.setEnabled(not why_not)
        show_start(self.start_button, self.tr("Measure"), is_asked=False)
        self.start_button.setToolTip(why_not or ("" if plan is None else self.extent(plan)))

    def set_asking(self, *, is_asking: bool) -> None:
        """Disable the button while the benchmark is being requested."""
        if is_asking:
            show_start(self.start_button, "", is_asked=True)
            self.start_button.setToolTip(self.tr("Requested"))
        else:
            self.show_ready()

    def show_refused(self, error: StudioError) -> None:
        """Show why the benchmark was refused, at the field that it is about."""
        self.form.show_problems([Problem(error.where, error.message, error.hint)])

    def _on_start(self) -> None:
        plan = self.form.plan()
        if plan is not None:
            self._ordering.ask(plan)


MODEL_KEY: Final = "bench/run"


class TrainingForm(BenchmarkForm):
    """Benchmark of training: each network on each device with each batch size."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        hint = self.tr("Trains each combination for a short time in a separate process.")
        super().__init__(context, RecordKind.BENCHMARK, hint, parent)
        self.dataset = ComboBox(self)
        self.add_choice(self.tr("Images"), self.dataset)
        self.dataset.activated.connect(self._on_dataset)
        context.jobs.listed.connect(self._on_listed)
        context.jobs.devices_known.connect(self._show_devices)
        self._fill()
        self._show_devices()

    def extent(self, plan: Plan) -> str:
        """Return the number of cells."""
        cells = len(cell_keys(plan)) if isinstance(plan, StudyPlan) else 0
        return self.tr("{count} cells").format(count=count(cells))

    def choose(self, network: str, dataset: str) -> None:
        """Fill in a network and a dataset; noise if there is no such dataset."""
        self.dataset.setCurrentIndex(max(0, self.dataset.findData(dataset)))
        data = {"networks": [network], "dataset": self.dataset.currentData() or ""}
        self.form.set_values(data)
        self.show_ready()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._fill()

    def _fill(self) -> None:
        noise = self.tr("Noise, in the input size of each network")
        datasets = self.context.jobs.completed(RecordKind.DATASET)
        named = ((each.name, each.record.id) for each in datasets)
        self.dataset.set_entries([(noise, ""), *named])

    def _show_devices(self) -> None:
        names = [device.name for device in self.context.jobs.devices]
        if names:
            self.form.set_values({"devices": names})

    def _on_dataset(self, _index: int) -> None:
        self.form.set_values({"dataset": self.dataset.currentData() or ""})
        self.show_ready()


class PredictionForm(BenchmarkForm):
    """Benchmark of the predictions of a trained network in each format."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        hint = self.tr(
            "Exports the network in each format and precision, and measures each with its own "
            "runtime in a separate process."
        )
        super().__init__(context, RecordKind.PREDICTIONS, hint, parent)
        self.run_box = RunChooser(context.jobs, context.settings, MODEL_KEY, self)
        self.add_choice(self.tr("Run"), self.run_box)
        self.run_box.changed.connect(self._on_run)
        self._on_run(self.run_box.choice())

    def why_not(self) -> str:
        """Return why the benchmark cannot be requested; empty if it can."""
        if not self.form.values().get("model"):
            return self.tr("Train a network first.")
        return super().why_not()

    def _on_run(self, choice: RunChoice | None) -> None:
        self.form.set_values({"model": "" if choice is None else f"{RUN_PREFIX}{choice.id}"})
        self.show_ready()


class NewStudy(QWidget):
    """New benchmark, a tab for each kind.

    Signals:
        started: Id of the requested benchmark.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.trainings = TrainingForm(context, self)
        self.predictions = PredictionForm(context, self)
        hint = self.tr(
            "Convolution, matrix product, addition and max pooling: as plain loops, in NumPy, and "
            "in the framework on each device."
        )
        self.operations = BenchmarkForm(context, RecordKind.OPERATIONS, hint, self)
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Types of benchmarks"))
        self._forms = self.trainings, self.predictions, self.operations
        titles = self.tr("Training"), self.tr("Prediction"), self.tr("Operations")
        for form, title in zip(self._forms, titles, strict=True):
            self.tabs.addTab(form, title)
            form.started.connect(self.started)
        header = PageHeader(self.tr("New benchmark"), "", self)
        vbox(header, (self.tabs, 1), owner=self, spacing=SPACE.l, margins=SPACE.xl)

    def measure_training(self, network: str, dataset: str) -> None:
        """Fill in the training of a network on a dataset, given by its id."""
        self.tabs.setCurrentWidget(self.trainings)
        self.trainings.choose(network, dataset)

    def suggest_names(self) -> None:
        """Suggest names that no benchmark has."""
        for form in self._forms:
            form.suggest_name()
