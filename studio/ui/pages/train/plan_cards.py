"""The settings of a run, all but its data and its network: a form and cards that make one plan."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.tasks.task import Task
from studio.engine.training.optimizers import OPTIMIZERS, Optimizer
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.presets import PRESETS
from studio.engine.training.recipes import RECIPES
from studio.ui.context import AppContext
from studio.ui.engine_text import plan_text
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.train.augmentation_card import AugmentationCard
from studio.ui.pages.train.augmentation_state import Shape
from studio.ui.pages.train.choice_card import ChoiceCard
from studio.ui.pages.train.outlook import Outlook
from studio.ui.pages.train.pretrained_card import PretrainedCard
from studio.ui.pages.train.schedule_card import ScheduleCard
from studio.ui.pages.train.state import count_steps, kept_as_defaults, recipe_fields
from studio.ui.shared.task_settings import TaskSettings
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button, push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.notice import Notice


class PlanCards(QObject):
    """Keeps the form and its cards of one mind.

    The form keeps what it does not show, so that its plan is the whole plan; the drawing of a
    network alone is not in it, because the form checks everything that it holds at every key.

    Signals:
        changed: The user has changed something; not emitted by `set_values` and `fill_in`.
    """

    changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._outlook: Outlook | None = None
        self.form = PlanForm(TrainingPlan, recipe_fields(), theme=context.theme, parent=parent)
        self._settings = TaskSettings(self.form)
        self.augmentation = AugmentationCard(context.theme, parent)
        self.pretrained = PretrainedCard(context, parent)
        self.schedule = ScheduleCard(context.theme, parent)
        self.optimizer = ChoiceCard(
            OPTIMIZERS, "optimizer", self.tr("Optimizer"), context.theme, parent
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
        self.form.changed.connect(self._show_idle)
        for name in ("plateau_factor", "least_gain"):
            self.form.row(name).put_note_below()
        self.form.changed.connect(self.changed)
        self._show_idle()
        self.augmentation.changed.connect(self._on_augmentation)
        for card in (self.optimizer, self.schedule):
            card.changed.connect(partial(self._on_choice, card))
        self.pretrained.changed.connect(self._on_pretrained)
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
        plan = self.form.plan()
        if self.augmentation.plan() is None or self.optimizer.problems():
            return None
        if self.schedule.problems():
            return None
        return plan if isinstance(plan, TrainingPlan) else None

    def has_problems(self) -> bool:
        """Whether a field holds something wrong."""
        parts = (self.form, self.augmentation, self.optimizer, self.schedule)
        return any(part.problems() for part in parts)

    def value(self, name: str) -> object:
        """What the plan says in one field, right or wrong."""
        return self.form.values()[name]

    def set_values(self, values: dict[str, object]) -> None:
        """Change fields that no card shows."""
        self.form.set_values(values)

    def start_from(self, weights: str) -> None:
        """Choose the weights to start from, as a plan says them."""
        self.pretrained.weights.set_source(weights)
        self.form.set_values(self.pretrained.values())

    def fill_in(self, plan: TrainingPlan) -> None:
        """Show a plan, with defaults for what the task refuses."""
        plan = self._settings.accepted(plan)
        self.form.set_values(plan.model_copy(update={"design": None}))
        self.augmentation.set_plan(plan.augmentation)
        self.optimizer.show_choice(plan.optimizer, plan.optimizer_options)
        self.schedule.set_plan(plan)
        self.pretrained.show_plan(plan)
        self.take_augmentation()
        self._show_idle()

    def fit_to(self, shape: Shape) -> None:
        """Tell the cards which images it is for."""
        plan = self.form.plan()
        if isinstance(plan, TrainingPlan):
            self.augmentation.fit_to(shape, plan.batch_size)

    def fit_task(self, task: Task) -> None:
        """Offer what means something for a task, and say why the rest does not."""
        self._settings.fit(task)
        self._show_idle()

    def take_augmentation(self) -> None:
        """Put what the card says into the plan; what it says depends on the images at hand."""
        plan = self.augmentation.plan()
        if plan is not None:
            self.form.set_values({"augmentation": plan.model_dump()})

    def show_curve(self, plan: TrainingPlan | None, train_images: int) -> None:
        """Draw the learning rate over the real number of steps."""
        steps = 0 if plan is None else count_steps(plan, train_images).total
        self.schedule.show_curve(plan, steps)

    def show_outlook(self, outlook: Outlook) -> None:
        """Show what is known of the plan now."""
        self._outlook = outlook
        self.pretrained.show_outlook(outlook)

    def _on_augmentation(self) -> None:
        self.take_augmentation()
        self.changed.emit()

    def _on_choice(self, card: ChoiceCard[Optimizer] | ScheduleCard) -> None:
        if not card.problems():
            self.form.set_values(card.values())
        self.changed.emit()

    def _on_pretrained(self) -> None:
        self.form.set_values(self.pretrained.values())
        self.changed.emit()

    def _show_idle(self) -> None:
        """Switch off what acts only beside another setting."""
        values = self.form.values()
        cuts, stops = (values.get(name) for name in ("plateau_patience", "stop_patience"))
        self.form.set_field_enabled(
            "plateau_factor", enabled=bool(cuts), reason=self.tr("The rate is never lowered.")
        )
        self.form.set_field_enabled(
            "least_gain",
            enabled=bool(cuts or stops),
            reason=self.tr("Nothing waits for a gain."),
        )

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
        values = {**self.form.values(), **PRESETS[name].changes()}
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
