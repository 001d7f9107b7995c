"""Form of a new sweep: search space, search method, and the plan of all runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from studio.engine.errors import Problem, StudioError
from studio.engine.networks.catalog import zoo_entries
from studio.engine.networks.library import SavedNetwork, saved
from studio.engine.networks.spec import NetworkSpec
from studio.engine.plans import FieldKind, fields_of, without_effect
from studio.engine.sweeps.fields import NETWORK, fields_in
from studio.engine.sweeps.plan import OBJECTIVES, SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS, TASKS
from studio.engine.tasks.task import Task
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.forms.field_row import LABEL_WIDTH
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.pages.sweeps.draft import SweepOutlook, estimate
from studio.ui.pages.sweeps.messages import problem_text, runs_text, time_text
from studio.ui.pages.sweeps.space import SpaceEditor
from studio.ui.shared.jobs import JobRequest, show_start
from studio.ui.shared.records import RecordName
from studio.ui.shared.task_settings import TaskSettings
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, Debounce, FlowLayout, fill, hbox, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader, ScrollColumn
from studio.ui.widgets.tips import allow, explain

OBJECTIVES_FIELD = "objectives"
_OBJECTIVES = next(field for field in fields_of(SweepPlan) if field.name == OBJECTIVES_FIELD)
_LOSS, _SECONDS = "val_loss", "seconds"


class SearchCard(Card):
    """Fields of a sweep other than its space and its training; the rare ones for experts.

    Signals:
        changed: The user has changed something.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Search"))
        names = [field.name for field in fields_of(SweepPlan) if field.level != "hidden"]
        self.form = PlanForm(SweepPlan, names, theme=theme, compact=True, parent=self)
        self.hint = HintLabel(parent=self)
        self.boxes = {
            name: QCheckBox(translated(each.label), self) for name, each in OBJECTIVES.items()
        }
        self._rarer = QWidget(self)
        self._lay_out()
        self.fit(DEFAULT_TASK)
        self.form.changed.connect(self.changed)
        self.form.more.toggled.connect(self._rarer.setVisible)
        self._rarer.setVisible(self.form.is_expert_shown())

    def fit(self, task: Task) -> None:
        """Offer the objectives that runs of a task measure."""
        measured = {each.name for each in task.measured}
        offered = [name for name in self.boxes if name in measured or name not in MEASURED_METRICS]
        for name, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(box.isChecked() and name in offered)
        if not any(box.isChecked() for box in self.boxes.values()):
            with QSignalBlocker(self.boxes[task.primary.name]):
                self.boxes[task.primary.name].setChecked(True)
        for name, box in self.boxes.items():
            box.setVisible(name in offered)

    def values(self) -> dict[str, object]:
        """Return the values of these fields."""
        chosen = [name for name, box in self.boxes.items() if box.isChecked()]
        return {**self.form.values(), OBJECTIVES_FIELD: chosen}

    def show_problems(self, problems: Sequence[Problem]) -> list[Problem]:
        """Show problems next to their fields and return those of other fields."""
        rest = _shown_in(self.form, problems)
        own = [problem_text(each) for each in rest if each.where == OBJECTIVES_FIELD]
        self.hint.show_text("\n".join(own), "problem")
        return [each for each in rest if each.where != OBJECTIVES_FIELD]

    def _lay_out(self) -> None:
        usual = FlowLayout()
        rare = FlowLayout()
        vbox(QLabel(self.tr("More objectives"), self._rarer), rare, owner=self._rarer)
        first = {_LOSS, _SECONDS, *(task.primary.name for task in TASKS.values())}
        for name, box in self.boxes.items():
            (usual if name in first else rare).addWidget(box)
            box.setToolTip(translated(_OBJECTIVES.help))
            box.toggled.connect(self.changed)
        fill(self.body, QLabel(self.tr("Objectives"), self), usual, self.hint, self.form)
        # Below all that beginners see, so that nothing moves when it opens.
        self.body.addWidget(self._rarer)


def _shown_in(form: PlanForm, problems: Sequence[Problem]) -> list[Problem]:
    """Show problems next to the fields of a form and return those of other fields."""
    names = form.names()
    form.show_problems([each for each in problems if each.where in names])
    return [each for each in problems if each.where not in names]


MAX_RUNS = 100
_OPTIONS = {"optimizer": "optimizer_options", "schedule": "schedule_options"}


class BaseCard(Card):
    """Edits the training plan of all runs of a sweep, apart from the varied fields.

    Attributes:
        data: Card with the dataset and the run whose settings are copied, shown first.

    Signals:
        changed: The user changed something, or the datasets changed.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Training"))
        self._context = context
        self._design: NetworkSpec | None = None
        self._chosen: dict[str, object] = {}
        self.data = Card(self.tr("Data"), self)
        self.run_box = ComboBox(self, self.tr("Like the run"))
        self.dataset_box = ComboBox(self, self.tr("Dataset"))
        self.network_box = ComboBox(self, self.tr("Network"))
        self.form = PlanForm(
            TrainingPlan, base_fields(), theme=context.theme, compact=True, parent=self
        )
        self._settings = TaskSettings(self.form)
        self.form.set_values({"dataset": ""})
        self._offer_networks()
        self._keep_choices()
        self._lay_out()
        self._connect()
        self.fill()
        explain(self.dataset_box, self.tr("The images that all runs of the sweep train on."))
        explain(self.network_box, self.tr("The network of all runs, unless the sweep varies it."))
        explain(self.run_box, self.tr("Copies all settings of an earlier run."))

    @property
    def design(self) -> NetworkSpec | None:
        """The chosen network if it was designed; None for one of the gallery."""
        return self._design if self._is_drawn() else None

    @property
    def task(self) -> Task:
        """Task of the dataset."""
        return self._context.jobs.task_of_dataset(str(self.form.document.value("dataset")[0]))

    def plan(self) -> TrainingPlan | None:
        """Return the plan, or None while it has errors or no dataset."""
        plan = self.form.plan()
        if not isinstance(plan, TrainingPlan) or not plan.dataset:
            return None
        return plan.model_copy(update={"design": self.design})

    def show_plan(self, plan: TrainingPlan) -> None:
        """Fill in the values of a plan."""
        with QSignalBlocker(self.dataset_box):
            self.dataset_box.setCurrentIndex(self.dataset_box.findData(plan.dataset))
        self.form.set_values({"dataset": plan.dataset})
        self._offer_networks()
        with QSignalBlocker(self.network_box):
            self._show_network(plan)
        self.form.set_values(plan.model_copy(update={"design": None}))
        if self.dataset_box.currentIndex() < 0:
            self.form.set_values({"dataset": "", "dataset_version": None})
        self._settings.fit(self.task)
        self._keep_choices()
        self.changed.emit()

    def choose_run(self, record_id: str) -> None:
        """Fill in the values of a run."""
        entry = self._context.jobs.get(RecordKind.RUN, record_id)
        if entry is None or not isinstance(entry.plan, TrainingPlan):
            return
        if self.run_box.findData(record_id) < 0:
            self.run_box.addItem(entry.name, record_id)
        self.run_box.choose(record_id)
        self.show_plan(entry.plan.changed(**entry.history.changes))

    def fill(self) -> None:
        """List the current runs and datasets; the selection stays."""
        jobs = self._context.jobs
        runs = jobs.entries(RecordKind.RUN)[:MAX_RUNS]
        none = self.tr("No run: use the settings below")
        self.run_box.set_entries([(none, ""), *_named(runs)])
        self.dataset_box.set_entries(_named(jobs.completed(RecordKind.DATASET)), first=-1)
        if not self.form.values()["dataset"] and self.dataset_box.count():
            latest = [each.plan.dataset for each in runs if isinstance(each.plan, TrainingPlan)]
            known = (self.dataset_box.findData(dataset) for dataset in latest)
            self.dataset_box.setCurrentIndex(next((at for at in known if at >= 0), 0))
            self._on_dataset()

    def _lay_out(self) -> None:
        boxes = (
            (self.dataset_box, self.data),
            (self.run_box, self.data),
            (self.network_box, self),
        )
        for box, card in boxes:
            label = QLabel(box.accessibleName(), self)
            label.setBuddy(box)
            label.setFixedWidth(LABEL_WIDTH)
            row = hbox(label, (box, 1), spacing=SPACE.m)
            card.body.addLayout(row)
        self.body.addWidget(self.form)

    def _connect(self) -> None:
        self.run_box.activated.connect(self._on_run)
        self.dataset_box.activated.connect(self._on_dataset)
        self.network_box.activated.connect(self._on_network)
        self.form.changed.connect(self._on_form)

    def _is_drawn(self) -> bool:
        return self._design is not None and not self.network_box.currentData()

    def _show_network(self, plan: TrainingPlan) -> None:
        """Choose the network of a plan; a designed one is offered as it was in the run."""
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
        self.network_box.choose(plan.network)

    def _on_run(self, _index: int) -> None:
        record_id = str(self.run_box.currentData())
        if record_id:
            self.choose_run(record_id)

    def _on_dataset(self, _index: int = 0) -> None:
        # A version, which only a run names, is one of its own dataset.
        dataset = str(self.dataset_box.currentData() or "")
        self.form.set_values({"dataset": dataset, "dataset_version": None})
        self._offer_networks()
        self._settings.fit(self.task)
        self.changed.emit()

    def _offer_networks(self) -> None:
        """Offer the networks for the task of the dataset; the chosen one stays where it can."""
        outputs = self.task.outputs
        fitting = [entry for entry in zoo_entries() if entry.output in outputs]
        if self.network_box.findData(fitting[0].name) >= 0:
            return
        self.network_box.set_entries((entry.label, entry.name) for entry in fitting)
        self._design = None
        self.form.set_values({"network": str(self.network_box.currentData())})

    def _on_network(self, _index: int) -> None:
        name = str(self.network_box.currentData() or self.network_box.currentText())
        self.form.set_values({"network": name})
        self.changed.emit()

    def _on_form(self) -> None:
        """Reset the options of an optimizer or schedule that is replaced."""
        values = self.form.values()
        for name, options in _OPTIONS.items():
            if values[name] != self._chosen[name]:
                self.form.set_values({options: {}})
        self._keep_choices()
        self.changed.emit()

    def _keep_choices(self) -> None:
        values = self.form.values()
        self._chosen = {name: values[name] for name in _OPTIONS}


SETTLE_MS = 150
FILL_MS = 500
_WIDEST = 960


class NewSweep(QWidget):
    """Plans a sweep and starts it.

    Signals:
        started: Id of the sweep that was started.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._plan: SweepPlan | None = None
        self.space = SpaceEditor(context.theme, self)
        self.search = SearchCard(context.theme, self)
        self.base = BaseCard(context, self)
        self.forecast = Card(self.tr("Summary"), self)
        self.runs = QLabel(self)
        self.time = QLabel(self)
        self.problems = HintLabel("", "problem", self)
        self.name = RecordName(self.tr("Name of the sweep"), self)
        self.start_button = push_button(
            self.tr("Start"), context.theme, kind="primary", icon="play", parent=self
        )
        self._requesting = JobRequest(context, self, request_sweep, self, self.name)
        self._estimating = Request(context.background, self)
        self._settle = Debounce(SETTLE_MS, self._check, self)
        # A sweep adds hundreds of runs: the list is updated in batches, and only while visible.
        self._filling = Debounce(FILL_MS, self._catch_up, self)
        self.space.suggest_row()
        self._lay_out()
        self._connect()
        self._suggest_name()
        self._on_base()
        self._on_edited()
        explain(
            self.start_button, self.tr("Trains a network for each combination, one after another.")
        )

    def showEvent(self, event: QShowEvent) -> None:
        """Update what changed while the form was hidden."""
        super().showEvent(event)
        self._catch_up()

    def choose_run(self, record_id: str) -> None:
        """Use the plan of a run as the base."""
        self.base.choose_run(record_id)

    def plan(self) -> SweepPlan | None:
        """Return the sweep, or None while it has errors, which the rows show."""
        dimensions, base = self.space.dimensions(), self.base.plan()
        if dimensions is None or base is None:
            return None
        data = {
            **self.search.values(),
            "base": base.model_dump(),
            "dimensions": [each.model_dump() for each in dimensions],
        }
        plan, problems = SweepPlan.check(data)
        if plan is None:
            self._show_problems(problems)
        return plan

    def _lay_out(self) -> None:
        space = Card(self.tr("Search space"), self)
        space.body.addWidget(self.space)
        left = ScrollColumn(SPACE.m, self)
        fill(left.column, self.base.data, space, self.search, self.base, STRETCH)
        left.setMinimumWidth(432)  # room for "Taxa de aprendizado"
        # On a large screen labels would be far from their fields.
        left.setMaximumWidth(_WIDEST)
        for label in (self.runs, self.time):
            label.setWordWrap(True)
            self.forecast.body.addWidget(label)
        self.time.setProperty("role", "muted")
        self.forecast.body.addWidget(self.problems)
        right = ScrollColumn(SPACE.s, self)
        right.setMinimumWidth(176)
        right.setMaximumWidth(_WIDEST // 3 * 2)
        # No warning pushes the button down, out of a small window.
        fill(right.column, self.name, self.start_button, self.forecast, STRETCH)
        columns = hbox((left, 3000), SPACE.l, (right, 2000), STRETCH, spacing=0)
        header = PageHeader(self.tr("New sweep"), parent=self)
        vbox(header, (columns, 1), owner=self, spacing=SPACE.l, margins=PAGE_MARGINS)

    def _connect(self) -> None:
        jobs = self._context.jobs
        jobs.loaded.connect(self.base.fill)
        jobs.listed.connect(self._on_listed)
        for part in (self.space, self.search, self.base):
            part.changed.connect(self._on_edited)
        self.base.changed.connect(self._on_base)
        self.start_button.clicked.connect(self._on_start)
        self._requesting.accepted.connect(self.started)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        is_ours = bool(kinds & {RecordKind.DATASET, RecordKind.RUN})
        if is_ours and self.isVisible() and not self._filling.isActive():
            self._filling.start()
        if RecordKind.SWEEP in kinds:
            self._suggest_name()

    def _catch_up(self) -> None:
        self.base.fill()
        self._settle.start()  # what was trained meanwhile says how long it takes
        self._context.background.run(
            self, partial(saved, self._context.workspace), self._on_networks
        )

    def _on_networks(self, networks: list[SavedNetwork]) -> None:
        self.space.offer_networks([each.name for each in reversed(networks)])

    def _on_base(self) -> None:
        self.search.fit(self.base.task)
        values = self.base.form.values()
        refused = (name for name in self.base.task.refusals if "=" not in name)
        self.space.set_base(values, {*without_effect(TrainingPlan, values), *refused})
        self.space.offer_fields(list(fields_in(self.base.design)))

    def _on_edited(self) -> None:
        self._plan = None
        self._estimating.drop()
        fields = [row.row().field for row in self.space.rows]
        self.base.form.document.vary(fields, self.tr("The sweep varies this setting"))
        is_varied = NETWORK in fields
        allow(self.base.network_box, self.tr("The sweep varies the network.") if is_varied else "")
        self._allow(self.tr("Checking…"))
        self._settle.start()

    def _check(self) -> None:
        self._estimating.drop()
        self._plan = plan = self.plan()
        if plan is None:
            missing = self.base.form.values()["dataset"]
            text = (
                self.tr("Fix the marked fields first.")
                if missing
                else self.tr("Choose a dataset.")
            )
            self._show_estimate(text, "")
            self._allow(text)
            return
        work = partial(estimate, self._context.workspace, plan)
        self._estimating.run(work, self._on_outlook)

    def _on_outlook(self, outlook: SweepOutlook) -> None:
        self._show_estimate(runs_text(outlook), time_text(outlook))
        self._show_problems(outlook.problems)
        wrong = any(problem.serious for problem in outlook.problems)
        self._allow(self.tr("Fix the errors first.") if wrong else "")

    def _show_problems(self, problems: tuple[Problem, ...] | list[Problem]) -> None:
        """Show problems next to their fields, the others at the right."""
        rest = self.space.show_problems(problems)
        rest = _shown_in(self.base.form, self.search.show_problems(rest))
        text = "\n".join(map(problem_text, rest))
        self.problems.show_text(
            text, "problem" if any(each.serious for each in rest) else "advice"
        )

    def _show_estimate(self, runs: str, time: str) -> None:
        self.runs.setText(runs)
        self.time.setText(time)
        self.time.setVisible(bool(time))
        self.problems.show_text("")

    def _allow(self, why_not: str) -> None:
        refusal = translated(self._context.workspace.refusal(RecordKind.SWEEP))
        allow(self.start_button, refusal or why_not)
        show_start(self.start_button, self.tr("Start"), is_asked=False)

    def _suggest_name(self) -> None:
        sweeps = self._context.jobs.entries(RecordKind.SWEEP)
        self.name.suggest("sweep", [entry.name for entry in sweeps])

    def _on_start(self) -> None:
        if self._plan is not None:
            self._requesting.ask(self._plan)

    def set_asking(self, *, is_asking: bool) -> None:
        """Disable the button while the sweep is being requested."""
        self._allow(self.tr("It was requested.") if is_asking else "")
        show_start(self.start_button, self.tr("Start"), is_asked=is_asking)

    def show_refused(self, error: StudioError) -> None:
        """Show why the sweep was refused, at the field that it is about."""
        self._show_problems([Problem(error.where, error.message, error.hint)])


def _named(entries: Iterable[RecordDocument]) -> list[tuple[str, str]]:
    return [(entry.name, entry.record.id) for entry in entries]


def base_fields() -> list[str]:
    """Return the fields of a training plan in the form, those without a group first."""
    shown = [
        field
        for field in fields_of(TrainingPlan)
        if field.level != "hidden" and field.kind != FieldKind.GROUP
    ]
    return [field.name for field in sorted(shown, key=lambda field: bool(field.group))]
