"""What all runs of a sweep have in common: data, network and settings, or those of a run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from studio.engine.errors import Problem
from studio.engine.jobs.states import State
from studio.engine.networks.catalog import zoo_entries
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks.task import Task
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.forms.field_row import LABEL_WIDTH
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.sweeps.state import base_fields
from studio.ui.shared.task_settings import TaskSettings
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.spin_box import ComboBox

MOST_RUNS = 100
_OPTIONS = {"optimizer": "optimizer_options", "schedule": "schedule_options"}


class BaseCard(Card):
    """Makes the training plan that every run of a sweep has but for what varies.

    Signals:
        changed: The user has changed something, or the datasets are others.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Training"))
        self._context = context
        self._design: NetworkSpec | None = None
        self._chosen: dict[str, object] = {}
        self.run_box = self._box(self.tr("Like the run"))
        self.dataset_box = self._box(self.tr("Dataset"))
        self.network_box = self._box(self.tr("Network"))
        self.form = PlanForm(
            TrainingPlan, base_fields(), theme=context.theme, compact=True, parent=self
        )
        self._settings = TaskSettings(self.form)
        for entry in zoo_entries():
            self.network_box.addItem(entry.label, entry.name)
        self.form.set_values({"dataset": "", "network": str(self.network_box.currentData())})
        self._keep_choices()
        self._lay_out()
        self._connect()
        self.fill()
        self._explain()

    def _explain(self) -> None:
        explain(self.dataset_box, self.tr("The images that all runs of the sweep learn from."))
        explain(self.network_box, self.tr("The network of all runs, unless networks vary."))
        explain(self.run_box, self.tr("Fills in all settings of a run that you had."))

    @property
    def design(self) -> NetworkSpec | None:
        """The drawn network that is chosen; None for one of the gallery."""
        return self._design if self._is_drawn() else None

    @property
    def task(self) -> Task:
        """What is learned from the dataset."""
        return self._context.jobs.task_of_dataset(str(self.form.values()["dataset"]))

    def plan(self) -> TrainingPlan | None:
        """The plan as it stands, or None while something is wrong, or there is no dataset."""
        plan = self.form.plan()
        if not isinstance(plan, TrainingPlan) or not plan.dataset:
            return None
        return plan.model_copy(update={"design": self.design})

    def show_plan(self, plan: TrainingPlan) -> None:
        """Fill everything in as in a plan."""
        with QSignalBlocker(self.network_box):
            self._show_network(plan)
        with QSignalBlocker(self.dataset_box):
            self.dataset_box.setCurrentIndex(self.dataset_box.findData(plan.dataset))
        self.form.set_values(plan.model_copy(update={"design": None}))
        if self.dataset_box.currentIndex() < 0:
            self.form.set_values({"dataset": "", "dataset_version": None})
        self._settings.fit(self.task)
        self._keep_choices()
        self.changed.emit()

    def choose_run(self, record_id: str) -> None:
        """Fill everything in as in a run."""
        entry = self._context.jobs.get(RecordKind.RUN, record_id)
        if entry is None or not isinstance(entry.plan, TrainingPlan):
            return
        if self.run_box.findData(record_id) < 0:
            self.run_box.addItem(entry.name, record_id)
        self.run_box.setCurrentIndex(self.run_box.findData(record_id))
        self.show_plan(entry.plan.changed(**entry.history.changes))

    def show_problems(self, problems: Sequence[Problem]) -> list[Problem]:
        """Show what was found elsewhere beside the fields it is about; gives back the rest."""
        names = self.form.names()
        self.form.show_problems([each for each in problems if each.where in names])
        return [each for each in problems if each.where not in names]

    def fill(self) -> None:
        """List the runs and datasets that there are now; what is chosen stays so."""
        jobs = self._context.jobs
        runs = jobs.entries(RecordKind.RUN)[:MOST_RUNS]
        data = [each for each in jobs.entries(RecordKind.DATASET) if each.state == State.COMPLETED]
        self._list(self.run_box, runs, self.tr("No run: the settings below"))
        self._list(self.dataset_box, data, "")
        if not self.form.values()["dataset"] and self.dataset_box.count():
            self.dataset_box.setCurrentIndex(max(0, self.dataset_box.currentIndex()))
            self._on_dataset()

    @staticmethod
    def _list(box: ComboBox, entries: Sequence[JobEntry], none: str) -> None:
        with QSignalBlocker(box):
            chosen = box.currentData()
            box.clear()
            if none:
                box.addItem(none, "")
            for entry in entries:
                box.addItem(entry.name, entry.record.id)
            box.setCurrentIndex(max(box.findData(chosen), 0 if none else -1))

    def _box(self, name: str) -> ComboBox:
        box = ComboBox(self)
        box.setAccessibleName(name)
        return box

    def _lay_out(self) -> None:
        for box in (self.run_box, self.dataset_box, self.network_box):
            label = QLabel(box.accessibleName(), self)
            label.setBuddy(box)
            label.setFixedWidth(LABEL_WIDTH)
            row = QHBoxLayout()
            row.setSpacing(SPACE.m)
            row.addWidget(label)
            row.addWidget(box, 1)
            self.body.addLayout(row)
        self.body.addWidget(self.form)

    def _connect(self) -> None:
        self.run_box.activated.connect(self._on_run)
        self.dataset_box.activated.connect(self._on_dataset)
        self.network_box.activated.connect(self._on_network)
        self.form.changed.connect(self._on_form)

    def _is_drawn(self) -> bool:
        return self._design is not None and not self.network_box.currentData()

    def _show_network(self, plan: TrainingPlan) -> None:
        """Choose the network of a plan; a drawing is offered as it was then."""
        drawn = self.network_box.findData("")
        if drawn >= 0:
            self.network_box.removeItem(drawn)
        self._design = plan.design
        if plan.design is not None:
            text = self.tr("{name}, as in that run").format(name=plan.network)
            self.network_box.insertItem(0, text, "")
            self.network_box.setCurrentIndex(0)
            return
        if self.network_box.findData(plan.network) < 0:
            self.network_box.addItem(plan.network, plan.network)
        self.network_box.setCurrentIndex(self.network_box.findData(plan.network))

    def _on_run(self, _index: int) -> None:
        record_id = str(self.run_box.currentData())
        if record_id:
            self.choose_run(record_id)

    def _on_dataset(self, _index: int = 0) -> None:
        # A version, which only a run names, is one of its own dataset.
        dataset = str(self.dataset_box.currentData() or "")
        self.form.set_values({"dataset": dataset, "dataset_version": None})
        self._settings.fit(self.task)
        self.changed.emit()

    def _on_network(self, _index: int) -> None:
        name = str(self.network_box.currentData() or self.network_box.currentText())
        self.form.set_values({"network": name})
        self.changed.emit()

    def _on_form(self) -> None:
        """Numbers of another optimizer or schedule are no numbers of this one."""
        values = self.form.values()
        for name, options in _OPTIONS.items():
            if values[name] != self._chosen[name]:
                self.form.set_values({options: {}})
        self._keep_choices()
        self.changed.emit()

    def _keep_choices(self) -> None:
        values = self.form.values()
        self._chosen = {name: values[name] for name in _OPTIONS}
