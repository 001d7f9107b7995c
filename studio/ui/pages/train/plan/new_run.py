"""The form of a new run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.messages import in_sentence
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import TASKS
from studio.engine.tasks.outputs import Output
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.training.run_settings import setting_label
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.forms.more_line import MoreLine
from studio.ui.language import translated
from studio.ui.pages.train.plan.augmentation import AugmentationPreview, PreviewRequest
from studio.ui.pages.train.plan.cards import PlanCards
from studio.ui.pages.train.plan.changes import ChangeChips, changed_names, restored
from studio.ui.pages.train.plan.draft import Draft
from studio.ui.pages.train.plan.following import RecommendationFollower
from studio.ui.pages.train.plan.network import NetworkPicker
from studio.ui.pages.train.plan.preflight import PreflightCard
from studio.ui.pages.train.plan.recommendation import (
    ExpectedTimeLabel,
    Forecast,
    PlanOutlook,
    RecommendationCard,
    check_plan,
)
from studio.ui.pages.train.plan.speed import SpeedLine
from studio.ui.shared.baseline_card import BaselineCard
from studio.ui.shared.jobs import JobRequest, show_start
from studio.ui.shared.records import RecordName
from studio.ui.shared.training import own_default_names
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader, ScrollColumn
from studio.ui.widgets.tips import allow, explain

SETTLE_MS = 150
WIDEST = 1040


class NewRun(QWidget):
    """Plans a run and asks for it.

    Signals:
        started: The id of the run that was requested.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        # True if the last check of the plan found something that the queue would reject.
        self._is_refused = False
        self._usual: TrainingPlan | None = None
        self.dataset_box = ComboBox(self, self.tr("Dataset"))
        self.networks = NetworkPicker(context, self)
        self.preview = AugmentationPreview(context, self)
        self.cards = PlanCards(context, self)
        self._document = self.cards.document
        self.name = RecordName(self.tr("Name of the run"), self)
        self.recommended = RecommendationCard(context, self)
        self._draft = Draft(context, self.cards, self.networks)
        self._follower = RecommendationFollower(
            context, self._draft, self.cards, self.networks, self.recommended
        )
        self.baseline = BaselineCard(context, self)
        self.changes = ChangeChips(context, self)
        self.own_defaults = HintLabel(parent=self)
        self.more = MoreLine(context.theme, parent=self)
        self._settings = QWidget(self)
        self.forecast = Forecast(self)
        self.expected = ExpectedTimeLabel(context, self)
        self.speed = SpeedLine(context, self)
        self.preflight = PreflightCard(context, self)
        text, tip = (
            self.tr("Train"),
            self.tr("Starts the run. It continues if you close the window."),
        )
        self.train_button = push_button(
            text,
            context.theme,
            kind="primary",
            icon="play",
            parent=self,
            tip=tip,
            on_click=self._on_train,
        )
        self._requesting = JobRequest(context, self, request_training, self, self.name)
        self._settle = Debounce(SETTLE_MS, self._check, self)
        self._document.set_values({"dataset": "", "network": self.networks.choice().network})
        self._lay_out()
        self._connect()
        self._show_own_defaults()
        self._fill_datasets()
        explain(self.dataset_box, self.tr("The images that the network trains on."))

    def first_stops(self) -> Sequence[QWidget]:
        """Return where Tab goes first: data, recommendation, Train; then to all others."""
        return [self.dataset_box, *self.recommended.buttons, self.train_button]

    def choose_dataset(self, record_id: str) -> None:
        """Plan a run on that dataset."""
        index = self.dataset_box.findData(record_id)
        if index >= 0:
            self.dataset_box.setCurrentIndex(index)

    def choose_network(self, name: str, weights: str = "") -> None:
        """Plan a run with a network.

        Args:
            name: Its name in the zoo, or the id of a saved one.
            weights: File of weights to start from; empty for none.
        """
        self._follower.stop()
        self.more.set_open(shown=True)
        if weights:
            self._document.set_values({"weights": weights})
        if name in ZOO:
            self._choose_dataset_for(ZOO[name].output)
        self.networks.select(name)
        self._on_network()

    def _choose_dataset_for(self, output: Output) -> None:
        """Choose a dataset with masks, with boxes or without both, unless the chosen one is."""
        fitting = [
            entry.record.id
            for entry in self._context.jobs.entries(RecordKind.DATASET)
            if isinstance(entry.plan, DatasetRecipe)
            and output in TASKS[entry.plan.task].outputs
            and self.dataset_box.findData(entry.record.id) >= 0
        ]
        if fitting and self.dataset_box.currentData() not in fitting:
            self.choose_dataset(fitting[0])

    def clone(self, plan: TrainingPlan) -> None:
        """Fill everything in as in an earlier plan."""
        self.cards.fill_in(plan)
        self.networks.give(plan.network, plan.design)
        self.choose_dataset(plan.dataset)
        if self.dataset_box.currentData() != plan.dataset:  # it was deleted
            self._on_dataset()
        self._follower.stop()
        self.more.set_open(shown=True)
        self._on_network()

    def plan(self) -> TrainingPlan | None:
        """Return the current plan, or None while it has errors."""
        return self._draft.plan()

    def _lay_out(self) -> None:
        data = Card(self.tr("Data"), self)
        data.body.addWidget(self.dataset_box)
        network = Card(self.tr("Network"), self)
        network.body.addWidget(self.networks)
        left = ScrollColumn(SPACE.m, self)
        fill(left.column, data, self.recommended, self.changes, self.own_defaults)
        fill(left.column, self.baseline, self.more, self._settings, STRETCH)
        vbox(network, *self.cards.cards(self.tr("Recipe")), owner=self._settings, spacing=SPACE.m)
        self._settings.setVisible(self.more.is_open)
        left.setMinimumWidth(360)
        right = self._right()
        # Fields of two thousand pixels would be useless.
        left.setMaximumWidth(WIDEST)
        right.setMaximumWidth(WIDEST * 2 // 3)
        columns = hbox((left, 3000), SPACE.l, (right, 2000), STRETCH, spacing=0)
        header = PageHeader(self.tr("New run"))
        vbox(header, (columns, 1), owner=self, spacing=SPACE.l, margins=PAGE_MARGINS)

    def _right(self) -> ScrollColumn:
        right = ScrollColumn(SPACE.s, self)
        right.setMinimumWidth(224)
        # No warning pushes the button down, out of a small window.
        fill(right.column, self.name, self.train_button, self.expected, self.forecast)
        # Last, so that nothing else moves when it comes and goes.
        fill(right.column, SPACE.s, self.speed, self.preflight, self.preview, STRETCH)
        right.room_changed.connect(self.preview.set_room)
        return right

    def _connect(self) -> None:
        self._context.jobs.listed.connect(self._on_listed)
        self.dataset_box.currentIndexChanged.connect(self._on_dataset)
        self.more.toggled.connect(self._settings.setVisible)
        self.networks.chosen.connect(self._on_network)
        self.changes.removed.connect(self._on_restored)
        self._context.settings.run_defaults_changed.connect(self._show_own_defaults)
        self.cards.changed.connect(self._on_edited)
        self._follower.network_changed.connect(self._on_network)
        self._follower.shown.connect(self._on_recommendations)
        self._follower.missing.connect(partial(self.more.set_open, shown=True))
        self.baseline.measured.connect(self._settle.start)
        self.baseline.measured.connect(self._follower.recommend)
        self.baseline.started.connect(self.started)
        self.preflight.batch_requested.connect(partial(self._on_found, "batch_size"))
        self.preflight.measured.connect(self._settle.start)
        self.preflight.rate_requested.connect(partial(self._on_found, "learning_rate"))
        self.speed.requested.connect(self._on_settings)
        self._requesting.accepted.connect(self.started)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._fill_datasets()
        if RecordKind.RUN in kinds:
            self._suggest_name()  # another name may be taken, or free, now

    def _fill_datasets(self) -> None:
        chosen = self.dataset_box.currentData()
        datasets = self._context.jobs.completed(RecordKind.DATASET)
        self.dataset_box.set_entries((entry.name, entry.record.id) for entry in datasets)
        if self.dataset_box.currentData() != chosen or self._draft.summary is None:
            self._on_dataset()

    def _on_dataset(self, _index: int = 0) -> None:
        record_id = self.dataset_box.currentData()
        entry = self._context.jobs.get(RecordKind.DATASET, record_id) if record_id else None
        self._draft.summary = None
        self._follower.set_dataset(record_id or "")
        self._take_dataset(record_id or "")
        self._on_edited()
        if entry is not None:
            work = partial(dataset_summary, entry.record.folder)
            self._context.background.run(self, work, partial(self._on_summary, record_id))

    def _take_dataset(self, record_id: str) -> None:
        self.baseline.show_dataset(record_id)
        if record_id != self._document.value("dataset")[0]:
            # A version, which only a clone names, is one of its own dataset.
            self._document.set_values({"dataset": record_id, "dataset_version": None})

    def _on_summary(self, record_id: str, summary: DatasetSummary) -> None:
        if record_id != self.dataset_box.currentData():
            return  # another one was chosen meanwhile
        self._draft.summary = summary
        task = TASKS[summary.task]
        self.networks.fit_to(summary.shape, len(summary.classes), task)
        self.cards.fit_to(summary)
        self.cards.fit_task(task)
        self._draft.fill_defaults()
        self.baseline.setVisible(not task.no_baseline)
        self.cards.take_augmentation()
        self._on_network()
        self._follower.recommend()

    def _show_preview(self) -> None:
        plan = self.plan()
        entry = self._context.jobs.get(RecordKind.DATASET, plan.dataset) if plan else None
        if self._draft.summary is None or plan is None or entry is None:
            # A field that is being typed into is no reason to take the pictures away.
            if self._draft.summary is None:
                self.preview.show_request(None)
            return
        dataset = (entry.record.folder, plan.dataset_version)
        self.preview.show_request(PreviewRequest(*dataset, plan.augmentation, plan.seed, 0))

    def _on_network(self) -> None:
        self._document.set_values({"network": self.networks.choice().network})
        self._suggest_name()
        self._on_edited()

    def _on_edited(self) -> None:
        if self._draft.summary is not None:
            self.cards.fit_to(self._draft.summary)
        self._show_preview()
        plan = self.plan()
        self.forecast.show_plan(plan, self._draft.summary)
        self.preflight.show_plan(plan if self._draft.summary is not None else None)
        self.recommended.show_plan(plan)
        self._show_changes(plan)
        images = 0 if self._draft.summary is None else self._draft.summary.count["train"]
        self.cards.show_curve(plan, images)
        self._show_ready()
        self._settle.start()

    def _on_recommendations(self) -> None:
        self._show_changes(self.plan())

    def _show_changes(self, plan: TrainingPlan | None) -> None:
        """Say beside "More" how many settings differ from the recommended way."""
        recommendations = self.recommended.recommendations
        if plan is None or self._draft.summary is None or not recommendations:
            self.more.show_count(0)
            self.changes.hide()
            return
        followed = next((way for way in recommendations if way.is_followed_by(plan)), None)
        usual = self._draft.recommended((followed or recommendations[0]).suggestion)
        names = changed_names(plan, usual)
        self.more.show_count(len(names))
        self.changes.show_changes(plan, usual, names)
        self._usual = usual

    def _on_restored(self, name: str) -> None:
        """Restore the recommended value of a setting."""
        plan = self.plan()
        if plan is not None and self._usual is not None:
            plan = restored(plan, self._usual, name)
            self.cards.fill_in(plan)
            self.networks.give(plan.network, plan.design)
            self._on_network()

    def _show_own_defaults(self) -> None:
        """Say which defaults of the settings win over the recommendation."""
        own = own_default_names(self._context.settings)
        names = ", ".join(in_sentence(translated(setting_label(name))) for name in own)
        text = self.tr("Your default values win over the recommendation: {names}.")
        self.own_defaults.show_text(text.format(names=names) if own else "")

    def _show_ready(self) -> None:
        reason = ""
        if self._draft.summary is None:
            reason = self.tr("Choose a dataset first.")
        elif self.cards.has_problems():
            reason = self.tr("Fix the marked fields first.")
        elif self._is_refused:
            reason = self.tr("Fix the errors under “Summary” first.")
        reason = translated(self._context.workspace.refusal(RecordKind.RUN)) or reason
        if self.cards.has_problems():
            self.more.set_open(shown=True)
        show_start(self.train_button, self.tr("Train"), is_asked=False)
        allow(self.train_button, reason)

    def _check(self) -> None:
        plan = self.plan()
        self.speed.show_plan(plan if self._draft.summary is not None else None)
        self.expected.show_plan(plan, self._draft.summary)
        if plan is None or self._draft.summary is None:
            self._show_problems([])
            return
        work = partial(check_plan, self._context.workspace, plan, self._draft.summary)
        self._context.background.run(self, work, self._on_outlook)

    def _on_outlook(self, outlook: PlanOutlook) -> None:
        if outlook.plan == self.plan():
            self._show_problems(outlook.problems)
            self.cards.show_outlook(outlook)

    def _show_problems(self, problems: Sequence[Problem]) -> None:
        self._is_refused = any(problem.serious for problem in problems)
        self.forecast.show_problems(problems)
        self._show_ready()

    def _on_found(self, name: str, value: float) -> None:
        self._on_settings({name: value})

    def _on_settings(self, values: dict[str, object]) -> None:
        self._draft.set_measured(values)
        self._on_edited()

    def _suggest_name(self) -> None:
        preferred = f"{self.networks.choice().network}-{self.dataset_box.currentText()}"
        runs = self._context.jobs.entries(RecordKind.RUN)
        self.name.suggest(preferred.replace("_", "-"), [entry.name for entry in runs])

    def _on_train(self) -> None:
        plan = self.plan()
        if plan is not None:
            self._requesting.ask(plan)

    def set_asking(self, *, is_asking: bool) -> None:
        """Disable the button while the run is being requested."""
        if is_asking:
            show_start(self.train_button, "", is_asked=True)
        else:
            self._show_ready()

    def show_refused(self, error: StudioError) -> None:
        """Show why the run was refused."""
        self.forecast.show_problems([Problem(error.where, error.message, error.hint)])
