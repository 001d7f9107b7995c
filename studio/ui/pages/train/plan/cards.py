"""The cards of a plan: choices, the schedule, and what the plan needs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from studio.engine.errors import Problem
from studio.engine.plans import Plan, fields_of
from studio.engine.registry import Registry
from studio.engine.tasks.task import Task
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import GRADIENT, TrainingPlan
from studio.engine.training.recipes import PRESETS, RECIPES
from studio.engine.training.schedules import SCHEDULES, Schedule, curve
from studio.ui.context import AppContext
from studio.ui.documents.plan import PlanDocument
from studio.ui.engine_text import plan_text
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.train.plan.augmentation import AugmentationCard, Shape
from studio.ui.pages.train.plan.pretrained import PretrainedCard
from studio.ui.pages.train.plan.recommendation import Outlook
from studio.ui.pages.train.state import count_steps, kept_as_defaults, recipe_fields
from studio.ui.shared.task_settings import TaskSettings
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.small_charts import Sparkline
from studio.ui.widgets.tips import explain


class Choice(Protocol):
    """What a registry holds that such a card chooses from."""

    @property
    def name(self) -> str:
        """The stable name."""

    @property
    def label(self) -> str:
        """The shown name."""

    @property
    def summary(self) -> str:
        """One line: what it is good for."""

    @property
    def parameters(self) -> type[Plan]:
        """Plan of its parameters."""


C = TypeVar("C", bound=Choice)


class ChoiceCard(Card, Generic[C]):
    """Edits two fields of a plan: a name, and the parameters of what has that name.

    Args:
        registry: What there is to choose from.
        field: The field with the name; the parameters are in the one called `<field>_options`.
        title: Title of the card, and name of its box.
        document: The plan.
        theme: For what is painted.

    Signals:
        changed: The user has changed something.
    """

    changed = Signal()

    def __init__(
        self,
        registry: Registry[C],
        field: str,
        title: str,
        document: PlanDocument[TrainingPlan],
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", parent)
        self.set_title(title)
        self._registry = registry
        self._field = field
        self._document = document
        self._written: dict[str, object] = {}
        self._theme = theme
        self._form: PlanForm | None = None
        self.box = ComboBox(self)
        self.box.setAccessibleName(title)
        for choice in registry:
            self.box.addItem(plan_text(choice.label), choice.name)
        plan_field = next(each for each in fields_of(TrainingPlan) if each.name == field)
        explain(self.box, plan_text(plan_field.why or plan_field.help))
        self._no_effect = HintLabel(parent=self)
        self._summary = HintLabel(parent=self)
        for widget in (self.box, self._no_effect, self._summary):
            self.body.addWidget(widget)
        self.box.activated.connect(self._on_chosen)
        self._show_parameters()
        document.observe(self._show_document)
        self._show_document()

    @property
    def choice(self) -> str:
        """The name of what is chosen."""
        return str(self.box.currentData())

    @property
    def form(self) -> PlanForm | None:
        """The parameters; None where there are none."""
        return self._form

    def values(self) -> dict[str, Any]:
        """What it says of a plan."""
        options = self._form.values() if self._form is not None else {}
        return {self._field: self.choice, f"{self._field}_options": options}

    def problems(self) -> list[Problem]:
        """What is wrong with the parameters."""
        return self._form.problems() if self._form is not None else []

    def _show_document(self) -> None:
        """Show the plan, unless it is as this card left it: what is typed here may be wrong."""
        reason = plan_text(self._document.without_effect.get(self._field, ""))
        self._no_effect.show_text(reason)
        self.box.setEnabled(not reason)
        if self._form is not None:
            self._form.setEnabled(not reason)
        found = {name: self._document.value(name)[0] for name in self.values()}
        if found == self._written:
            return
        self._written = found
        self.box.setCurrentIndex(self.box.findData(found[self._field]))
        self._show_parameters()
        options = found[f"{self._field}_options"]
        if self._form is not None and isinstance(options, Mapping):
            self._form.set_values(options)

    def _on_chosen(self, _index: int) -> None:
        self._show_parameters()
        self._on_edited()

    def _on_edited(self) -> None:
        if not self.problems():
            self._written = self.values()
            self._document.set_values(self._written)
        self.changed.emit()

    def _show_parameters(self) -> None:
        choice = self._registry[self.choice]
        self._summary.show_text(plan_text(choice.summary))
        if self._form is not None:
            self._form.setParent(None)
            self._form.deleteLater()
            self._form = None
        if fields_of(choice.parameters):
            self._form = PlanForm(choice.parameters, theme=self._theme, parent=self)
            self._form.changed.connect(self._on_edited)
            self._form.setEnabled(self.box.isEnabled())
            self.body.insertWidget(self.body.indexOf(self._summary) + 1, self._form)


CURVE_POINTS = 120
CURVE_HEIGHT = 56


class ScheduleCard(ChoiceCard[Schedule]):
    """Edits `schedule` and `schedule_options` of a training plan, and draws the rates."""

    def __init__(
        self, document: PlanDocument[TrainingPlan], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(SCHEDULES, "schedule", "", document, theme, parent)
        title = self.tr("Learning-rate schedule")
        self.set_title(title)
        self.box.setAccessibleName(title)
        self._curve = Sparkline(theme, self)
        self._curve.setMinimumHeight(CURVE_HEIGHT)
        self._curve.setAccessibleName(self.tr("Learning rate over the training"))
        self._ends = QLabel(self)
        self._ends.setProperty("role", "caption")
        self._ends.setWordWrap(True)
        self.body.addWidget(self._curve)
        self.body.addWidget(self._ends)
        self.show_curve(None, 0)

    @property
    def curve(self) -> Sparkline:
        """The rates from the first step to the last."""
        return self._curve

    def show_curve(self, plan: TrainingPlan | None, steps: int) -> None:
        """Draw the rates of a plan over its real number of steps; nothing where there is none."""
        for widget in (self._curve, self._ends):
            widget.setVisible(plan is not None and steps > 0)
        if plan is None or not steps:
            return
        _, rates = curve(
            plan.schedule,
            plan.schedule_options,
            plan.learning_rate,
            steps,
            plan.warmup_percent,
            CURVE_POINTS,
        )
        self._show_rates([float(rate) for rate in rates])

    def _show_rates(self, rates: Sequence[float]) -> None:
        self._curve.set_values(rates)
        if min(rates) == max(rates):
            self._ends.setText(self.tr("{rate} all along").format(rate=significant(rates[0], 3)))
            return
        self._ends.setText(
            self.tr("{first} at the start, {highest} at most, {last} at the end").format(
                first=significant(rates[0], 3),
                highest=significant(max(rates), 3),
                last=significant(rates[-1], 3),
            )
        )


class PlanCards(QObject):
    """Form and cards that edit one document.

    The document holds the whole plan but for the drawing of a network, because it is checked at
    every key.

    Attributes:
        document: The plan that is edited.

    Signals:
        changed: The user has changed something; not emitted by `fill_in`.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._outlook: Outlook | None = None
        self.document = PlanDocument(TrainingPlan)
        self.document.set_values(TrainingPlan(dataset=""))
        self.form = PlanForm(self.document, recipe_fields(), theme=context.theme, parent=parent)
        self._settings = TaskSettings(self.form)
        self.augmentation = AugmentationCard(context.theme, parent)
        self.pretrained = PretrainedCard(context, self.document, parent)
        self.schedule = ScheduleCard(self.document, context.theme, parent)
        self.optimizer = ChoiceCard(
            OPTIMIZERS, "optimizer", self.tr("Optimizer"), self.document, context.theme, parent
        )
        self.presets = {
            preset.name: push_button(plan_text(preset.label), context.theme, parent=parent)
            for preset in PRESETS
        }
        self._context = context
        self.keep_button = icon_button(
            "save", self.tr("Use these as my defaults"), context.theme, parent=parent
        )
        self.keep_button.clicked.connect(self._on_keep)
        self.augmentation.changed.connect(self._on_augmentation)
        for part in (self.form, self.optimizer, self.schedule, self.pretrained):
            part.changed.connect(self.changed)
        self.pretrained.recipe_wanted.connect(self._on_recipe)

    def cards(self, recipe_title: str) -> list[Card]:
        """All of them, in the order in which they are shown; the form in a card of its own."""
        recipe = Card(recipe_title)
        recipe.body.addLayout(self._presets())
        recipe.body.addWidget(self.form)
        return [self.pretrained, self.augmentation, recipe, self.optimizer, self.schedule]

    def _presets(self) -> QHBoxLayout:
        choices = FlowLayout(spacing=SPACE.s)
        for name, button in self.presets.items():
            button.setToolTip(plan_text(PRESETS[name].summary))
            button.clicked.connect(partial(self._on_preset, name))
            choices.addWidget(button)
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addLayout(choices, 1)
        row.addWidget(self.keep_button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def plan(self) -> TrainingPlan | None:
        """The plan as it stands, without a drawing; None while something is wrong."""
        return None if self.has_problems() else self.document.plan

    def has_problems(self) -> bool:
        """Whether a field holds something wrong."""
        parts = (self.form, self.augmentation, self.optimizer, self.schedule)
        return any(part.problems() for part in parts)

    def fill_in(self, plan: TrainingPlan) -> None:
        """Show a plan, with defaults for what the task refuses."""
        plan = self._settings.accepted(plan)
        self.document.set_values(plan.model_copy(update={"design": None}))
        self.augmentation.set_plan(plan.augmentation)
        self.take_augmentation()

    def fit_to(self, shape: Shape) -> None:
        """Tell the cards which images it is for."""
        if self.document.plan is not None:
            self.augmentation.fit_to(shape, self.document.plan.batch_size)

    def fit_task(self, task: Task) -> None:
        """Offer what means something for a task, and say why the rest does not."""
        self._settings.fit(task)

    def take_augmentation(self) -> None:
        """Put what the card says into the plan; what it says depends on the images at hand."""
        plan = self.augmentation.plan()
        if plan is not None:
            self.document.set_values({"augmentation": plan.model_dump()})

    def show_curve(self, plan: TrainingPlan | None, train_images: int) -> None:
        """Draw the learning rate over the real number of steps."""
        is_stepwise = plan is not None and plan.head_solver == GRADIENT
        steps = count_steps(plan, train_images).total if plan is not None and is_stepwise else 0
        self.schedule.show_curve(plan, steps)

    def show_outlook(self, outlook: Outlook) -> None:
        """Show what is known of the plan now."""
        self._outlook = outlook
        self.pretrained.show_outlook(outlook)

    def _on_augmentation(self) -> None:
        self.take_augmentation()
        self.changed.emit()

    def _on_keep(self) -> None:
        """Let new runs begin so; network, data and what is right for these alone are left out."""
        plan, settings = self.plan(), self._context.settings
        if plan is None:
            text = self.tr("Put the marked fields right first.")
            self._context.navigator.notify(Notice("warning", text, key="run-defaults"))
            return
        before = settings.run_defaults
        settings.run_defaults = kept_as_defaults(plan)
        self._context.navigator.notify(
            Notice(
                "success",
                self.tr("New runs begin with these settings from now on."),
                key="run-defaults",
                action_text=self.tr("Undo"),
                action=partial(setattr, settings, "run_defaults", before),
            )
        )

    def _on_preset(self, name: str) -> None:
        # What is wrong with a plan may be what the preset sets.
        values = {**self.document.values(), **PRESETS[name].changes()}
        plan, _ = TrainingPlan.check(values)
        if plan is not None:
            self.fill_in(plan)
            self.changed.emit()

    def _on_recipe(self, name: str) -> None:
        plan = self.plan()
        if plan is not None and self._outlook is not None and self._outlook.network is not None:
            self.fill_in(RECIPES[name].apply(plan, self._outlook.network))
            self.changed.emit()
        elif self._outlook is not None:
            # A field holds something wrong: the buttons go back to what the plan is.
            self.pretrained.show_outlook(self._outlook)
