"""What each kind of benchmark is asked for with: trainings, predictions, operations."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan, spots_of
from studio.engine.benchmarks.prediction import PredictPlan
from studio.engine.benchmarks.requests import (
    request_benchmark,
    request_operations,
    request_predictions,
)
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.plans import Plan
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import RecordKind
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.context import AppContext
from studio.ui.pages.bench.order import Order
from studio.ui.widgets.figures import count
from studio.ui.widgets.spin_box import ComboBox

MODEL_KEY: Final = "bench/run"


def _ask_trainings(queue: JobQueue, plan: Plan, name: str) -> Job:
    return request_benchmark(queue, StudyPlan.parse(plan.model_dump()), name)


def _ask_predictions(queue: JobQueue, plan: Plan, name: str) -> Job:
    return request_predictions(queue, PredictPlan.parse(plan.model_dump()), name)


def _ask_operations(queue: JobQueue, plan: Plan, name: str) -> Job:
    return request_operations(queue, OperationsPlan.parse(plan.model_dump()), name)


class TrainingsOrder(Order):
    """Trains networks for a while on every device with every batch size."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(
            context, StudyPlan, RecordKind.BENCHMARK, _ask_trainings, "benchmark", parent
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
            context, PredictPlan, RecordKind.PREDICTIONS, _ask_predictions, "predictions", parent
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
            context, OperationsPlan, RecordKind.OPERATIONS, _ask_operations, "operations", parent
        )
        self.hint.show_text(
            self.tr(
                "Convolution, matrix product, addition and max pooling: by plain loops, by NumPy, "
                "and by the framework on every device."
            )
        )
