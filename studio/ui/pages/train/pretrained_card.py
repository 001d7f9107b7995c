"""Pretrained weights: a recipe by one click, where the weights come from, what stays frozen."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFormLayout, QLabel, QRadioButton, QWidget

from studio.engine.errors import StudioError
from studio.engine.exporting.requests import kept_exports
from studio.engine.inference.questions import expand
from studio.engine.networks.catalog import backbone_of
from studio.engine.networks.parts import blocks_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.advisor import Advice
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recipes import RECIPES
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.engine_text import plan_text
from studio.ui.pages.train.freeze_slider import FreezeSlider
from studio.ui.pages.train.outlook import Outlook
from studio.ui.pages.train.weights_box import WeightsBox
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel


class PretrainedCard(Card):
    """Edits `weights` and `freeze` of a training plan; a recipe sets more than these.

    Signals:
        changed: The user has changed the weights or what is frozen.
        recipe_wanted: Name of the recipe that was pressed.
    """

    changed = Signal()
    recipe_wanted = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Pretrained weights"))
        self._context = context
        self._spec: NetworkSpec | None = None
        self._buttons: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self.advice = HintLabel(parent=self)
        self.weights = WeightsBox(context.jobs, self)
        self.freeze = FreezeSlider(self)
        self.unknown = HintLabel("", "advice", self)
        self._lay_out()
        for signal in (self.weights.changed, self.freeze.changed):
            signal.connect(self.changed)
        self._read_exports()
        context.jobs.listed.connect(self._on_listed)
        explain(self.weights, self.tr("Weights that know images already need far fewer of yours."))

    def values(self) -> dict[str, object]:
        """What it says of a plan."""
        return {"weights": self.weights.source, "freeze": self.freeze.freeze}

    def button(self, recipe: str) -> QRadioButton:
        """The button of a recipe."""
        return self._buttons[recipe]

    def show_plan(self, plan: TrainingPlan) -> None:
        """Show what a plan says."""
        self.weights.set_source(plan.weights)
        self.freeze.set_freeze(plan.freeze)

    def show_outlook(self, outlook: Outlook) -> None:
        """Show which recipe the plan is, what can be frozen, and what is recommended."""
        if outlook.network is not None and outlook.network != self._spec:
            self._spec = outlook.network
            self._find_blocks(outlook.network)
        self._group.setExclusive(False)
        for name, button in self._buttons.items():
            button.setChecked(name == outlook.recipe)
            self._allow(name, self._why_not(name, outlook))
        self._group.setExclusive(True)
        self._show_advice(outlook.advice)

    def _why_not(self, recipe: str, outlook: Outlook) -> str:
        if outlook.network is None:
            return self.tr("Choose images that this network takes first.")
        has_weights = bool(outlook.plan.weights or backbone_of(outlook.network))
        if RECIPES[recipe].is_pretrained and not has_weights:
            return self.tr("Choose weights to start from first: a file, or an earlier run.")
        return ""

    def _allow(self, recipe: str, why_not: str) -> None:
        button = self._buttons[recipe]
        button.setEnabled(not why_not)
        button.setToolTip(why_not or plan_text(RECIPES[recipe].summary))

    def _show_advice(self, advice: Advice | None) -> None:
        for recipe in RECIPES:
            words = plan_text(recipe.label)
            if advice is not None and advice.recipe is recipe:
                words = self.tr("{recipe} (recommended)").format(recipe=words)
            self._buttons[recipe.name].setText(words)
        reasons = () if advice is None else (*advice.reasons, *advice.hints)
        self.advice.show_text(" ".join(reasons))

    def _lay_out(self) -> None:
        for recipe in RECIPES:
            button = QRadioButton(plan_text(recipe.label), self)
            button.setAccessibleDescription(plan_text(recipe.summary))
            button.clicked.connect(partial(self._on_recipe, recipe.name))
            self._group.addButton(button)
            self._buttons[recipe.name] = button
            self._allow(recipe.name, self.tr("Choose a dataset first."))
            self.body.addWidget(button)
        self.body.addWidget(self.advice)
        fields = QFormLayout()
        fields.setHorizontalSpacing(SPACE.l)
        fields.setVerticalSpacing(SPACE.s)
        for word, widget in (
            (self.tr("Start from"), self.weights),
            (self.tr("Freeze"), self.freeze),
        ):
            label = QLabel(word, self)
            label.setBuddy(widget)
            fields.addRow(label, widget)
        self.body.addLayout(fields)
        self.body.addWidget(self.unknown)

    def _on_recipe(self, name: str, _checked: bool = True) -> None:
        self.recipe_wanted.emit(name)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.EXPORT in kinds:
            self._read_exports()

    def _read_exports(self) -> None:
        work = partial(kept_exports, self._context.workspace)
        self._context.background.run(self, work, self.weights.set_exports)

    def _find_blocks(self, spec: NetworkSpec) -> None:
        """Say what can be frozen; the blocks inside a backbone are known to Keras alone."""
        has_backbone = bool(backbone_of(spec))
        why_not = self.tr("There are ImageNet weights for the networks called “Pretrained” alone.")
        self.weights.set_imagenet("" if has_backbone else why_not)
        self.freeze.set_blocks(blocks_of(spec))
        if sum(node.layer == "backbone" for node in spec.nodes) == 1:  # else names are not unique
            ask = partial(expand, self._context.engine, spec)
            self._context.background.run(self, ask, partial(self._follow, spec), self._on_unknown)

    def _follow(self, spec: NetworkSpec, answer: Future[NetworkSpec]) -> None:
        self._context.background.follow(
            self, answer, partial(self._on_expanded, spec), self._on_unknown
        )

    def _on_expanded(self, spec: NetworkSpec, expanded: NetworkSpec) -> None:
        if spec == self._spec:
            self.freeze.set_blocks(blocks_of(expanded))
            self.unknown.show_text("")

    def _on_unknown(self, error: BaseException) -> None:
        self._spec = None  # asked again with the next change
        if isinstance(error, StudioError):
            words = self.tr("What can be frozen inside of it is not known now: {reason}")
            self.unknown.show_text(words.format(reason=error.message), "advice")
        else:
            self._context.navigator.show_failure(error)
