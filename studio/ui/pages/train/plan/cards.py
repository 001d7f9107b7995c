"""The cards of the plan form: recipe, optimizer and learning-rate schedule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem
from studio.engine.plans import Plan, fields_of
from studio.engine.registry import Registry
from studio.engine.tasks.task import Task
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recipes import PRESETS, RECIPES
from studio.engine.training.schedules import SCHEDULES, Schedule, curve
from studio.ui.context import AppContext
from studio.ui.documents.plan import PlanDocument
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.pages.train.plan.augmentation import AugmentationCard
from studio.ui.pages.train.plan.network import PretrainedCard
from studio.ui.pages.train.plan.recommendation import PlanOutlook
from studio.ui.pages.train.state import count_steps, own_settings, recipe_fields
from studio.ui.shared.task_settings import TaskSettings
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import significant
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout, fill, hbox, text_label
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.small_charts import Sparkline
from studio.ui.widgets.tips import explain


class RegistryChoice(Protocol):
    """An entry of a registry from which a card chooses."""

    @property
    def name(self) -> str:
        """The stable name."""

    @property
    def label(self) -> str:
        """The shown name."""

    @property
    def summary(self) -> str:
        """Its use in one line."""

    @property
    def parameters(self) -> type[Plan]:
        """Plan of its parameters."""


C = TypeVar("C", bound=RegistryChoice)


class ChoiceCard(Card, Generic[C]):
    """Edits two fields of a plan: the name of a choice, and its parameters.

    Args:
        registry: The choices.
        field: The field with the name; the parameters are in `<field>_options`.
        title: Title of the card and name of its box.
        document: The plan.
        theme: Colors of the form.

    Attributes:
        form: The form of the parameters; None if there are none.

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
        self.form: PlanForm | None = None
        self.box = ComboBox(self, title)
        self.box.set_entries((translated(choice.label), choice.name) for choice in registry)
        plan_field = next(each for each in fields_of(TrainingPlan) if each.name == field)
        explain(self.box, translated(plan_field.why or plan_field.help))
        self._no_effect = HintLabel(parent=self)
        self._summary = HintLabel(parent=self)
        fill(self.body, self.box, self._no_effect, self._summary)
        self.box.activated.connect(self._on_chosen)
        self._show_parameters()
        document.observe(self._show_document)
        self._show_document()

    @property
    def choice(self) -> str:
        """Name of the choice."""
        return str(self.box.currentData())

    def values(self) -> dict[str, Any]:
        """Return its fields of the plan."""
        options = self.form.values() if self.form is not None else {}
        return {self._field: self.choice, f"{self._field}_options": options}

    def problems(self) -> list[Problem]:
        """Return the errors of the parameters."""
        return self.form.problems() if self.form is not None else []

    def _show_document(self) -> None:
        """Show the plan, except for changes of this card, whose input may be invalid."""
        reason = translated(self._document.without_effect.get(self._field, ""))
        self._no_effect.show_text(reason)
        self.box.setEnabled(not reason)
        if self.form is not None:
            self.form.setEnabled(not reason)
        found = {name: self._document.value(name)[0] for name in self.values()}
        if found == self._written:
            return
        self._written = found
        self.box.choose(found[self._field])
        self._show_parameters()
        options = found[f"{self._field}_options"]
        if self.form is not None and isinstance(options, Mapping):
            self.form.set_values(options)

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
        self._summary.show_text(translated(choice.summary))
        if self.form is not None:
            self.form.setParent(None)
            self.form.deleteLater()
            self.form = None
        if fields_of(choice.parameters):
            self.form = PlanForm(choice.parameters, theme=self._theme, parent=self)
            self.form.changed.connect(self._on_edited)
            self.form.setEnabled(self.box.isEnabled())
            self.body.insertWidget(self.body.indexOf(self._summary) + 1, self.form)


CURVE_POINTS = 120
CURVE_HEIGHT = 56


class ScheduleCard(ChoiceCard[Schedule]):
    """Edits the learning-rate schedule of a plan and draws it.

    Attributes:
        curve: Learning rates from the first step to the last.
    """

    def __init__(
        self, document: PlanDocument[TrainingPlan], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(SCHEDULES, "schedule", "", document, theme, parent)
        title = self.tr("Learning-rate schedule")
        self.set_title(title)
        self.box.setAccessibleName(title)
        self.curve = Sparkline(theme, self)
        self.curve.setMinimumHeight(CURVE_HEIGHT)
        self.curve.setAccessibleName(self.tr("Learning rate by step"))
        self._ends = text_label("", "caption", self, wraps=True)
        fill(self.body, self.curve, self._ends)
        self.show_curve(None, 0)

    def show_curve(self, plan: TrainingPlan | None, steps: int) -> None:
        """Draw the learning rates of a plan over its steps; hidden if there are none."""
        for widget in (self.curve, self._ends):
            widget.setVisible(plan is not None and steps > 0)
        if plan is None or not steps:
            return
        schedule = (plan.schedule, plan.schedule_options, plan.learning_rate)
        _, rates = curve(*schedule, steps, plan.warmup_percent, CURVE_POINTS)
        self._show_rates([float(rate) for rate in rates])

    def _show_rates(self, rates: Sequence[float]) -> None:
        self.curve.set_values(rates)
        first, highest, last = (significant(rate, 3) for rate in (rates[0], max(rates), rates[-1]))
        if min(rates) == max(rates):
            self._ends.setText(self.tr("Constant {rate}").format(rate=first))
            return
        pattern = self.tr("Start {first}, maximum {highest}, end {last}")
        self._ends.setText(pattern.format(first=first, highest=highest, last=last))


class PlanCards(QObject):
    """The form and the cards that edit a plan.

    Attributes:
        document: The plan without its drawn network, which is too large to check at every key.

    Signals:
        changed: The user has changed something; not emitted by `fill_in`.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._outlook: PlanOutlook | None = None
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
            preset.name: push_button(translated(preset.label), context.theme, parent=parent)
            for preset in PRESETS
        }
        self._context = context
        keep = self.tr("Use these as my defaults")
        self.keep_button = icon_button(
            "save", keep, context.theme, parent=parent, on_click=self._on_keep
        )
        self.augmentation.changed.connect(self._on_augmentation)
        for part in (self.form, self.optimizer, self.schedule, self.pretrained):
            part.changed.connect(self.changed)
        self.pretrained.recipe_requested.connect(self._on_recipe)

    def cards(self, recipe_title: str) -> list[Card]:
        """Return the cards from top to bottom; the form is inside a separate card."""
        recipe = Card(recipe_title)
        fill(recipe.body, self._presets(), self.form)
        return [self.pretrained, self.augmentation, recipe, self.optimizer, self.schedule]

    def _presets(self) -> QHBoxLayout:
        choices = FlowLayout(spacing=SPACE.s)
        for name, button in self.presets.items():
            button.setToolTip(translated(PRESETS[name].summary))
            button.clicked.connect(partial(self._on_preset, name))
            choices.addWidget(button)
        keep = (self.keep_button, Qt.AlignmentFlag.AlignTop)
        return hbox((choices, 1), keep, spacing=SPACE.s)

    def plan(self) -> TrainingPlan | None:
        """Return the plan without a drawn network; None while it has errors."""
        return None if self.has_problems() else self.document.plan

    def has_problems(self) -> bool:
        """Return True if a field has an error."""
        parts = (self.form, self.augmentation, self.optimizer, self.schedule)
        return any(part.problems() for part in parts)

    def fill_in(self, plan: TrainingPlan) -> None:
        """Show a plan, with defaults for settings that the task refuses."""
        plan = self._settings.accepted(plan)
        self.document.set_values(plan.model_copy(update={"design": None}))
        self.augmentation.set_plan(plan.augmentation)
        self.take_augmentation()

    def fit_to(self, summary: DatasetSummary) -> None:
        """Adapt the cards to the images of a dataset."""
        if self.document.plan is not None:
            shape = summary.height, summary.width, summary.channels
            batch_size = self.document.plan.batch_size
            self.augmentation.fit_to(shape, batch_size, summary.pixel_format)

    def fit_task(self, task: Task) -> None:
        """Disable settings that a task refuses, with the reason."""
        self._settings.fit(task)
        self.augmentation.fit_task(task)

    def take_augmentation(self) -> None:
        """Copy the augmentation, which depends on the images, into the plan."""
        plan = self.augmentation.plan()
        if plan is not None:
            self.document.set_values({"augmentation": plan.model_dump()})

    def show_curve(self, plan: TrainingPlan | None, train_images: int) -> None:
        """Draw the learning rate over the steps of the training."""
        steps = 0 if plan is None else count_steps(plan, train_images)[1]
        self.schedule.show_curve(plan, steps)

    def show_outlook(self, outlook: PlanOutlook) -> None:
        """Show the results of checking the plan."""
        self._outlook = outlook
        self.pretrained.show_outlook(outlook)
        for button in self.presets.values():
            button.setVisible(not outlook.is_fitted)

    def _on_augmentation(self) -> None:
        self.take_augmentation()
        self.changed.emit()

    def _on_keep(self) -> None:
        """Store the settings as defaults of new runs, without network and dataset."""
        plan, settings = self.plan(), self._context.settings
        if plan is None:
            text = self.tr("Fix the marked fields first.")
            self._context.navigator.notify(Notice("warning", text, key="run-defaults"))
            return
        undo = partial(setattr, settings, "run_defaults", settings.run_defaults)
        settings.run_defaults = own_settings(plan)
        text, word = self.tr("New runs start with these settings."), self.tr("Undo")
        notice = Notice("success", text, "", "run-defaults", word, undo)
        self._context.navigator.notify(notice)

    def _on_preset(self, name: str) -> None:
        # The preset may fix an error of the plan.
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
            # With an error in a field, the buttons return to the recipe of the plan.
            self.pretrained.show_outlook(self._outlook)
