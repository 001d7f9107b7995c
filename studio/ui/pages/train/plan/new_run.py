"""The form of a new run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QDate, QLocale, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.benchmarks.advice import SpeedHint, speed_hint
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.library import NetworkChoice
from studio.engine.networks.parts import NONE
from studio.engine.networks.zoo import ZOO
from studio.engine.plans import without_effect
from studio.engine.tasks import TASKS
from studio.engine.tasks.task import OutputKind
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.recommendation import Suggestion
from studio.engine.training.requests import request_training
from studio.engine.training.run_settings import differing, settings_of
from studio.engine.workspace import RecordKind
from studio.ui.bridge.background import Latest
from studio.ui.context import AppContext
from studio.ui.forms.more_line import MoreLine
from studio.ui.navigation import PlanBenchmark
from studio.ui.pages.train.plan.augmentation import AugmentationPreview, PreviewRequest, Shape
from studio.ui.pages.train.plan.cards import PlanCards
from studio.ui.pages.train.plan.network import NetworkPicker, network_of_source
from studio.ui.pages.train.plan.preflight import PreflightCard
from studio.ui.pages.train.plan.recommendation import (
    ExpectedTimeLabel,
    Forecast,
    Outlook,
    Recommendation,
    RecommendationCard,
    check_plan,
    find_recommendations,
)
from studio.ui.shared.baseline_card import BaselineCard
from studio.ui.shared.jobs import Ordering, show_start
from studio.ui.shared.records import RecordName
from studio.ui.shared.training import own_defaults
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, Debounce, fill, hbox, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader, ScrollColumn
from studio.ui.widgets.tips import allow, explain


class SpeedLine(QWidget):
    """Follows the form; says nothing where nothing was measured, or nothing would be faster.

    Signals:
        requested: Settings to apply: fields of a training plan by name.
    """

    requested = Signal(dict)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._plan: TrainingPlan | None = None
        self._hint: SpeedHint | None = None
        self._looking = Latest(context.background, self)
        self.text = HintLabel("", "help", self)
        button = partial(push_button, theme=context.theme, parent=self)
        tip = self.tr("Uses the fastest settings on this machine.")
        self.button = button(self.tr("Use these"), tip=tip, on_click=self._on_use)
        text = self.tr("Measure here…")
        tip = self.tr("Opens a new benchmark of this network. The best settings then appear here.")
        self.measure_button = button(
            text, kind="quiet", icon="benchmarks", tip=tip, on_click=self._on_measure
        )
        parts = (self.text, self.button, self.measure_button)
        vbox(*parts, owner=self, spacing=SPACE.s, margins=(0, 0, 0, SPACE.s))
        self.text.setToolTip(self.tr("Measured with another image size; results may differ."))
        self.measure_button.hide()
        self._show(None)

    def show_plan(self, plan: TrainingPlan | None) -> None:
        """Look for something faster than a plan; None while it holds something wrong."""
        self._plan = plan
        # Drawn networks are measured by a preflight alone.
        self.measure_button.setVisible(plan is not None and plan.design is None)
        if plan is None:
            self._looking.drop()
            self._show(None)
        else:
            self._looking.run(partial(speed_hint, self._context.workspace, plan), self._show)

    def _show(self, hint: SpeedHint | None) -> None:
        self._hint = hint
        for part in (self.text, self.button):
            part.setVisible(hint is not None)
        if hint is not None:
            self.text.show_text(self._words(hint))

    def _words(self, hint: SpeedHint) -> str:
        key, day, short = hint.key, hint.measured.date(), QLocale.FormatType.ShortFormat
        words = self.tr(
            "On this machine {network} trains fastest with batches of {batch}, {precision} and "
            "{backend} on {device} (measured {date}, “{study}”)"
        ).format(
            network=key.network,
            batch=count(key.batch),
            precision=key.precision,
            backend=key.backend,
            device=key.device,
            date=QLocale().toString(QDate(day.year, day.month, day.day), short),
            study=hint.study,
        )
        if hint.gain is None:
            return self.tr("{words}; your settings were not measured.").format(words=words)
        return self.tr("{words}: {gain} times as fast as your settings.").format(
            words=words, gain=significant(hint.gain, 2)
        )

    def _on_measure(self) -> None:
        if self._plan is not None:
            self._context.navigator.open(PlanBenchmark(self._plan.network, self._plan.dataset))

    def _on_use(self) -> None:
        if self._hint is not None:
            self.requested.emit(self._hint.values())


_OF_DATASET = frozenset({"dataset", "dataset_version", "network", "design"})
"""Fields of a plan that have their own controls and are chosen for each dataset."""
_PAIRS = (("optimizer", "optimizer_options"), ("schedule", "schedule_options"))
"""Fields of a plan that only make sense together."""
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
        self._summary: DatasetSummary | None = None
        # True if the last check of the plan found something that the queue would reject.
        self._is_refused = False
        self.dataset_box = ComboBox(self, self.tr("Dataset"))
        self.networks = NetworkPicker(context, self)
        self.preview = AugmentationPreview(context, self)
        self.cards = PlanCards(context, self)
        self._document = self.cards.document
        self.name = RecordName(self.tr("Name of the run"), self)
        self.recommended = RecommendationCard(context, self)
        # True as long as the form is as recommended, so that a new recommendation is taken over.
        self._follows = True
        # True from the choice of a weights file until its recipe is known.
        self._asks_for_recipe = False
        self.baseline = BaselineCard(context, self)
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
        self._ordering = Ordering(context, self, request_training, self, self.name)
        self._settle = Debounce(SETTLE_MS, self._check, self)
        # What the form has filled in by itself; what differs from it is the user's.
        self._filled = own_defaults(context.settings)
        self.cards.fill_in(self._filled)
        self._document.set_values({"dataset": "", "network": self.networks.choice().network})
        self._lay_out()
        self._connect()
        self._fill_datasets()
        explain(self.dataset_box, self.tr("The images that the network trains on."))

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
        self._follows = False
        self.more.set_open(shown=True)
        if weights:
            self._document.set_values({"weights": weights})
        if name in ZOO:
            self._choose_dataset_for(ZOO[name].output)
        self.networks.select(name)
        self._on_network()

    def _choose_dataset_for(self, output: OutputKind) -> None:
        """Choose a dataset with masks, with boxes or without both, unless the chosen one is."""
        fitting = [
            entry.record.id
            for entry in self._context.jobs.entries(RecordKind.DATASET)
            if isinstance(entry.plan, DatasetRecipe)
            and TASKS[entry.plan.task].output == output
            and self.dataset_box.findData(entry.record.id) >= 0
        ]
        if fitting and self.dataset_box.currentData() not in fitting:
            self.choose_dataset(fitting[0])

    def clone(self, plan: TrainingPlan) -> None:
        """Fill everything in as in an earlier plan."""
        self.cards.fill_in(plan)
        self.networks.give(plan.network, plan.design)
        self.choose_dataset(plan.dataset)
        self._follows = False
        self.more.set_open(shown=True)
        self._on_network()

    def plan(self) -> TrainingPlan | None:
        """Return the current plan, or None while it has errors."""
        plan = self.cards.plan()
        if plan is None:
            return None
        return plan.model_copy(update={"design": self.networks.choice().design})

    def _lay_out(self) -> None:
        data = Card(self.tr("Data"), self)
        data.body.addWidget(self.dataset_box)
        network = Card(self.tr("Network"), self)
        network.body.addWidget(self.networks)
        left = ScrollColumn(SPACE.m, self)
        fill(
            left.column, data, self.recommended, self.baseline, self.more, self._settings, STRETCH
        )
        vbox(network, *self.cards.cards(self.tr("Recipe")), owner=self._settings, spacing=SPACE.m)
        self._settings.setVisible(self.more.is_open)
        left.setMinimumWidth(416)
        right = self._right()
        # Fields of two thousand pixels would be useless.
        left.setMaximumWidth(WIDEST)
        right.setMaximumWidth(WIDEST * 2 // 3)
        columns = hbox((left, 3000), SPACE.l, (right, 2000), STRETCH, spacing=0)
        header = PageHeader(self.tr("New run"))
        vbox(header, (columns, 1), owner=self, spacing=SPACE.l, margins=PAGE_MARGINS)

    def _right(self) -> ScrollColumn:
        right = ScrollColumn(SPACE.s, self)
        right.setMinimumWidth(240)
        fill(right.column, self.forecast, self.name, self.train_button, self.expected)
        # Last, so that nothing else moves when it comes and goes.
        fill(right.column, SPACE.s, self.speed, self.preflight, self.preview, STRETCH)
        right.room_changed.connect(self.preview.set_room)
        return right

    def _connect(self) -> None:
        self._context.jobs.listed.connect(self._on_listed)
        self.dataset_box.currentIndexChanged.connect(self._on_dataset)
        self.more.toggled.connect(self._settings.setVisible)
        self.networks.chosen.connect(self._on_network)
        self.networks.box.activated.connect(self._on_own_choice)
        self.cards.changed.connect(self._on_own_choice)
        self.cards.changed.connect(self._on_edited)
        self.cards.pretrained.weights.changed.connect(self._on_weights)
        self.recommended.chosen.connect(self._on_suggestion)
        self.baseline.measured.connect(self._settle.start)
        self.baseline.measured.connect(self._recommend)
        self.baseline.started.connect(self.started)
        self.preflight.batch_requested.connect(partial(self._on_found, "batch_size"))
        self.preflight.measured.connect(self._settle.start)
        self.preflight.rate_requested.connect(partial(self._on_found, "learning_rate"))
        self.speed.requested.connect(self._on_settings)
        self._ordering.accepted.connect(self.started)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._fill_datasets()
        if RecordKind.RUN in kinds:
            self._suggest_name()  # another name may be taken, or free, now

    def _fill_datasets(self) -> None:
        chosen = self.dataset_box.currentData()
        datasets = self._context.jobs.completed(RecordKind.DATASET)
        self.dataset_box.set_entries((entry.name, entry.record.id) for entry in datasets)
        if self.dataset_box.currentData() != chosen or self._summary is None:
            self._on_dataset()

    def _on_dataset(self, _index: int = 0) -> None:
        record_id = self.dataset_box.currentData()
        entry = self._context.jobs.get(RecordKind.DATASET, record_id) if record_id else None
        self._summary = None
        # Who took a suggestion for one dataset wants one for the next, too.
        self._follows = self._follows or self.recommended.is_followed
        self.recommended.show_recommendations([])
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
        self._summary = summary
        task = TASKS[summary.task]
        self.networks.fit_to(_shape(summary), len(summary.classes), task)
        self.cards.fit_to(_shape(summary))
        self.cards.fit_task(task)
        self._fill_defaults()
        self.baseline.setVisible(task.has_baseline)
        self.cards.take_augmentation()
        self._on_network()
        self._recommend()

    def _defaults(self) -> TrainingPlan:
        """Return the user's defaults for the chosen dataset, with nothing recommended."""
        names = ("dataset", "dataset_version")
        place = {name: self._document.value(name)[0] for name in names}
        return own_defaults(self._context.settings).model_copy(update=place)

    def _own_values(self) -> dict[str, object]:
        """Return what the user has changed; recommended values are not among it."""
        filled, values = self._filled.model_dump(), self._document.values()
        own = {name for name, value in filled.items() if values.get(name, value) != value}
        for pair in _PAIRS:
            own |= set(pair) if own & set(pair) else set()
        return {name: values[name] for name in own - _OF_DATASET if name in values}

    def _own_plan(self, start: TrainingPlan) -> TrainingPlan | None:
        """Return a plan with what the user has changed; None if that is invalid."""
        return TrainingPlan.check({**start.model_dump(), **self._own_values()})[0]

    def _fill_defaults(self) -> None:
        """Replace what was recommended for another dataset by the defaults."""
        start = self._defaults()
        plan = self._own_plan(start)
        if plan is not None:
            # The form still has the changes of color that did not apply to gray images.
            shown = self.cards.augmentation.form.plan()
            if isinstance(shown, AugmentationPlan) and "augmentation" in self._own_values():
                plan = plan.model_copy(update={"augmentation": shown})
            self.cards.fill_in(plan.model_copy(update={"network": self.networks.choice().network}))
            self._filled = start

    def _recommend(self) -> None:
        """Look for the recommendation again, for another dataset or after a baseline."""
        record_id = self.dataset_box.currentData()
        entry = self._context.jobs.get(RecordKind.DATASET, record_id) if record_id else None
        if entry is not None and self._summary is not None:
            source = self.cards.pretrained.weights.source
            chosen = "" if source == IMAGENET or source.startswith(RUN_PREFIX) else source
            work = partial(
                find_recommendations, self._context.workspace, entry.record, self._summary, chosen
            )
            shown = partial(self._on_recommendations, record_id)
            self._context.background.run(self, work, shown, self._on_no_recommendations)

    def _on_recommendations(self, record_id: str, recommendations: list[Recommendation]) -> None:
        if record_id != self.dataset_box.currentData():
            return
        self.recommended.show_recommendations(recommendations)
        if not recommendations:
            self.more.set_open(shown=True)
        if self._follows and recommendations:
            self._follow(recommendations[0].suggestion)
        elif self._asks_for_recipe:
            self._use_recipe_for_weights(recommendations)
        else:
            self._recognize(recommendations)
        self.recommended.show_plan(self.plan())

    def _recognize(self, recommendations: list[Recommendation]) -> None:
        """Tell the values of a recommendation that a copied plan follows from the user's."""
        plan = self.plan()
        followed = [way for way in recommendations if plan and way.is_followed_by(plan)]
        if followed and self._summary is not None:
            self._filled = self._recommended(followed[0].suggestion, self._defaults())

    def _recommended(self, suggestion: Suggestion, plan: TrainingPlan) -> TrainingPlan:
        """Return a plan with what a suggestion sets, except for the user's defaults."""
        if self._summary is None:
            return plan
        preset = not self._context.settings.run_defaults
        return suggestion.apply(plan, self._summary, preset=preset)

    def _on_no_recommendations(self, error: BaseException) -> None:
        self.recommended.show_recommendations([])
        self.more.set_open(shown=True)
        if not isinstance(error, StudioError):  # the dataset's own problems are shown elsewhere
            self._context.navigator.show_failure(error)

    def _on_suggestion(self, suggestion: Suggestion) -> None:
        self._follows = False
        self._follow(suggestion)
        self.recommended.show_plan(self.plan())

    def _follow(self, suggestion: Suggestion) -> None:
        """Fill in what a suggestion sets."""
        before, start = self.plan(), self._defaults()
        own = self._own_plan(start)
        if before is None or own is None or self._summary is None:
            return
        plan = self._recommended(suggestion, own)
        self._filled = self._recommended(suggestion, start)
        if plan == before:
            return
        self.cards.fill_in(plan)
        self.networks.give(plan.network, plan.design)
        self._on_network()

    def _on_own_choice(self) -> None:
        self._follows = False

    def _on_weights(self) -> None:
        """Choose the network that the chosen weights belong to."""
        source = self.cards.pretrained.weights.source
        if self._summary is None or not source:
            return
        work = partial(network_of_source, self._context.workspace, source, self._summary)
        found = partial(self._on_weights_network, source)
        self._context.background.run(self, work, found, self._on_unknown_weights)

    def _on_weights_network(self, source: str, found: NetworkChoice | None) -> None:
        if found is None or source != self.cards.pretrained.weights.source:
            return
        if found != self.networks.choice():
            self.networks.give(found.network, found.design)
            self._on_network()
        plan = self.plan()
        # Who has chosen what is frozen keeps it.
        self._asks_for_recipe = plan is not None and plan.freeze == NONE
        self._recommend()

    def _use_recipe_for_weights(self, recommendations: list[Recommendation]) -> None:
        """Set the training recipe that is recommended for the chosen weights."""
        self._asks_for_recipe = False
        source = self.cards.pretrained.weights.source
        fitting = [way.suggestion for way in recommendations if way.suggestion.weights == source]
        if fitting:
            self._follow(fitting[0])

    def _on_unknown_weights(self, error: BaseException) -> None:
        if not isinstance(error, StudioError):  # what is wrong with a file, the check says
            self._context.navigator.show_failure(error)

    def _show_preview(self) -> None:
        plan = self.plan()
        entry = self._context.jobs.get(RecordKind.DATASET, plan.dataset) if plan else None
        if self._summary is None or plan is None or entry is None:
            # A field that is being typed into is no reason to take the pictures away.
            if self._summary is None:
                self.preview.show_request(None)
            return
        dataset = (entry.record.folder, plan.dataset_version)
        self.preview.show_request(PreviewRequest(*dataset, plan.augmentation, plan.seed, 0))

    def _on_network(self) -> None:
        self._document.set_values({"network": self.networks.choice().network})
        self._suggest_name()
        self._on_edited()

    def _on_edited(self) -> None:
        if self._summary is not None:
            self.cards.fit_to(_shape(self._summary))
        self._show_preview()
        plan = self.plan()
        self.forecast.show_plan(plan, self._summary)
        self.preflight.show_plan(plan if self._summary is not None else None)
        self.recommended.show_plan(plan)
        self._show_changes(plan)
        images = 0 if self._summary is None else self._summary.count["train"]
        self.cards.show_curve(plan, images)
        self._show_ready()
        self._settle.start()

    def _show_changes(self, plan: TrainingPlan | None) -> None:
        """Say beside "More" how many settings differ from the recommended way."""
        recommendations = self.recommended.recommendations
        if plan is None or self._summary is None or not recommendations:
            self.more.show_count(0)
            return
        recommended = self._recommended(recommendations[0].suggestion, self._defaults())
        names = set(differing([settings_of(plan, {}), settings_of(recommended, {})]))
        idle = without_effect(TrainingPlan, plan.model_dump())
        self.more.show_count(len(names - idle.keys()))

    def _show_ready(self) -> None:
        reason = ""
        if self._summary is None:
            reason = self.tr("Choose a dataset first.")
        elif self.cards.has_problems():
            reason = self.tr("Fix the marked fields first.")
        elif self._is_refused:
            reason = self.tr("Fix the errors under “Summary” first.")
        if self.cards.has_problems():
            self.more.set_open(shown=True)
        show_start(self.train_button, self.tr("Train"), is_asked=False)
        allow(self.train_button, reason)

    def _check(self) -> None:
        plan = self.plan()
        self.speed.show_plan(plan if self._summary is not None else None)
        self.expected.show_plan(plan, self._summary)
        if plan is None or self._summary is None:
            self._show_problems([])
            return
        work = partial(check_plan, self._context.workspace, plan, self._summary)
        self._context.background.run(self, work, self._on_outlook)

    def _on_outlook(self, outlook: Outlook) -> None:
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
        self._document.set_values(values)
        # Measured for this dataset, so it does not go to the next one.
        self._filled = self._filled.model_copy(update=values)
        self._on_edited()

    def _suggest_name(self) -> None:
        preferred = f"{self.networks.choice().network}-{self.dataset_box.currentText()}"
        runs = self._context.jobs.entries(RecordKind.RUN)
        self.name.suggest(preferred.replace("_", "-"), [entry.name for entry in runs])

    def _on_train(self) -> None:
        plan = self.plan()
        if plan is not None:
            self._ordering.ask(plan)

    def set_asking(self, *, is_asking: bool) -> None:
        """Disable the button while the run is being requested."""
        if is_asking:
            show_start(self.train_button, "", is_asked=True)
        else:
            self._show_ready()

    def show_refused(self, error: StudioError) -> None:
        """Show why the run was refused."""
        self.forecast.show_problems([Problem(error.where, error.message, error.hint)])


def _shape(summary: DatasetSummary) -> Shape:
    return summary.height, summary.width, summary.channels
