"""Recommended settings of a plan, its summary, its expected time and faster settings."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QPushButton, QWidget

from studio.engine.baselines.requests import newest_baseline
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError
from studio.engine.networks.catalog import backbone_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks import DEFAULT_TASK, TASKS, known_task
from studio.engine.tasks.task import Task
from studio.engine.training.advisor import TrainingAdvice
from studio.engine.training.expected_time import ExpectedTime, expected_time
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import enlarged_to, network_for
from studio.engine.training.recipes import RECIPES
from studio.engine.training.recommendation import Suggestion, advice_for, recommendation
from studio.engine.training.requests import training_problems
from studio.engine.training.settings_checks import accepted
from studio.engine.workspace import Record, Workspace
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.language import sentence, translated
from studio.ui.pages.train.plan.detector_offer import DetectorOffer
from studio.ui.pages.train.state import count_steps
from studio.ui.shared.training import expected_text
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, size
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, FlowLayout, fill, remove_widget
from studio.ui.widgets.tips import explain

PLAIN = {"freeze": "none", "backbone_rate": 1.0, "head_rate": 1.0, "head_solver": "gradient"}
"""Defaults of the fields of a plan that change its network."""

_LETTERS: Final = 38
"""Most letters of a line of a button."""


@dataclass(frozen=True, slots=True)
class PlanOutlook:
    """The results of checking a plan.

    Attributes:
        plan: The plan.
        problems: Errors and suggestions.
        network: Its network with nothing frozen; None if it cannot be built.
        recipe: Name of the recipe that it follows; empty for none.
        advice: Recommended recipe for the dataset.
    """

    plan: TrainingPlan
    problems: list[Problem] = field(default_factory=list)
    network: NetworkSpec | None = None
    recipe: str = ""
    advice: TrainingAdvice | None = None

    @property
    def is_fitted(self) -> bool:
        """True if the whole network is fitted to frozen features, without training steps."""
        return self.network is not None and bool(known_task(self.network.task).output.trainer)


def check_plan(workspace: Workspace, plan: TrainingPlan, dataset: DatasetSummary) -> PlanOutlook:
    """Check a plan; for any thread."""
    problems = training_problems(workspace, plan)
    task = TASKS[dataset.task]
    try:
        plain = plan.model_copy(update=PLAIN)
        network = network_for(plain, dataset.shape, len(dataset.classes), task=task)
    except StudioError:  # it is among the problems
        return PlanOutlook(plan, problems)
    has_weights = bool(plan.weights) or bool(backbone_of(network))
    baseline = newest_baseline(workspace, plan.dataset)
    advice = advice_for(dataset, baseline, has_weights=has_weights)
    return PlanOutlook(plan, problems, network, recipe_of(plan, network, task), advice)


def recipe_of(plan: TrainingPlan, network: NetworkSpec, task: Task = DEFAULT_TASK) -> str:
    """Return the name of the recipe that a plan follows; empty for none."""
    recommendations = {each.name: accepted(each.apply(plan, network), task) for each in RECIPES}
    return next((name for name, way in recommendations.items() if way == plan), "")


class Forecast(Card):
    """A summary of the steps of a plan, with its errors and suggestions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Summary"))
        self._steps = QLabel(self, wordWrap=True)
        self._problems = HintLabel("", "problem", self)
        self._advice = HintLabel("", "advice", self)
        fill(self.body, self._steps, self._problems, self._advice, STRETCH)
        self.show_plan(None, None)

    def show_plan(self, plan: TrainingPlan | None, dataset: DatasetSummary | None) -> None:
        """Show the steps of a plan on a dataset, or what is missing."""
        if plan is None or dataset is None:
            no_data, has_errors = (
                self.tr("Choose a dataset."),
                self.tr("Fix the marked fields first."),
            )
            self._steps.setText(no_data if dataset is None else has_errors)
            return
        by_epochs = self.tr(
            "Training images: {images}, in batches of {batch}. Steps per epoch: {steps}, in "
            "total: {total}. Validation images: {val}."
        )
        in_one_pass = self.tr(
            "Training images: {images}, in one pass, without epochs. Validation images: {val}."
        )
        steps, total = count_steps(plan, dataset.count["train"])
        pattern = by_epochs if total else in_one_pass
        text = pattern.format(
            images=count(dataset.count["train"]),
            batch=count(plan.batch_size),
            steps=count(steps),
            total=count(total),
            val=count(dataset.count["val"]),
        )
        enlarged = enlarged_to(plan, dataset.shape[:2])
        if enlarged is not None:
            words = self.tr(
                "Images of {size} pixels are enlarged to {enlarged} for the pretrained weights."
            ).format(
                size=f"{dataset.width}x{dataset.height}", enlarged=f"{enlarged[1]}x{enlarged[0]}"
            )
            text = f"{text} {words}"
        self._steps.setText(text)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show errors and suggestions."""
        serious = [sentence(each.message, each.hint) for each in problems if each.serious]
        advice = [sentence(each.message, each.hint) for each in problems if not each.serious]
        self._problems.show_text("\n".join(serious), "problem")
        self._advice.show_text("\n".join(advice), "advice")


class ExpectedTimeLabel(QLabel):
    """The expected time of the plan of the form; empty while it is unknown."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = context.workspace
        self._estimating = Request(context.background, self)
        self.setProperty("role", "caption")
        self.setWordWrap(True)
        self.expected: ExpectedTime | None = None
        self._show(None)

    def show_plan(self, plan: TrainingPlan | None, dataset: DatasetSummary | None) -> None:
        """Estimate the time of a plan in the background.

        Args:
            plan: The plan; None while it has errors.
            dataset: Summary of its dataset; None until it is known.
        """
        if plan is None or dataset is None:
            self._estimating.drop()
            self._show(None)
        else:
            work = partial(expected_time, self._workspace, plan, dataset)
            self._estimating.run(work, self._show)

    def _show(self, expected: ExpectedTime | None) -> None:
        self.expected = expected
        if expected is None:
            self.setText("")
            self.setToolTip("")
            return
        time = expected_text(expected)
        if expected.source == "preflight":
            text = self.tr("Takes {time} according to the preflight check.")
            tip = self.tr("Measured by training some steps of this plan.")
        elif expected.source == "benchmark":
            text = self.tr("Takes {time}. The preflight check measures it.")
            tip = self.tr(
                "Estimated from the speed of the CPU and the multiply-adds of the network."
            )
        else:
            text = self.tr("Takes {time} according to earlier runs on this machine.")
            tip = self.tr("The preflight check measures it by training some steps.")
        self.setText(text.format(time=time))
        self.setAccessibleName(self.text())
        self.setToolTip(tip)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A suggestion, a plan that follows it, and the expected time of that."""

    suggestion: Suggestion
    plan: TrainingPlan
    expected: ExpectedTime | None = None

    def is_followed_by(self, plan: TrainingPlan) -> bool:
        """Return True if a plan has this network, these weights and this recipe."""
        names = ("network", "design", "weights", "freeze", "head_solver")
        return all(getattr(plan, name) == getattr(self.plan, name) for name in names)


def find_recommendations(
    workspace: Workspace, dataset: Record, summary: DatasetSummary, weights: str = ""
) -> list[Recommendation]:
    """Return the recommendations for a dataset; for any thread.

    Args:
        workspace: The workspace.
        dataset: The dataset.
        summary: Its summary.
        weights: A file of weights that the user has chosen; empty for none.

    Raises:
        StudioError: The dataset cannot be read.
    """
    start = TrainingPlan(dataset=dataset.id)
    found = []
    for suggestion in recommendation(workspace, dataset, weights):
        plan = suggestion.apply(start, summary)
        expected = expected_time(workspace, plan, summary)
        found.append(Recommendation(suggestion, plan, expected))
    return found


class RecommendationCard(Card):
    """A button for each recommendation; the one that the plan follows is checked.

    Attributes:
        recommendations: The recommendations, the best first.
        offer: Gets a detector pretrained on COCO.

    Signals:
        chosen: The suggestion to use.
    """

    chosen = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Recommendation"))
        self._context = context
        self.recommendations: list[Recommendation] = []
        self.buttons: list[QPushButton] = []
        self._group = QButtonGroup(self)
        self._row = FlowLayout(spacing=SPACE.s)
        self.reason = HintLabel(parent=self)
        self.offer = DetectorOffer(context, self)
        fill(self.body, self._row, self.reason, self.offer)
        self.hide()

    @property
    def is_followed(self) -> bool:
        """True if the plan follows one of them."""
        return any(button.isChecked() for button in self.buttons)

    def show_recommendations(self, recommendations: Sequence[Recommendation]) -> None:
        """Show other recommendations; the card is hidden if there are none."""
        if list(recommendations) == self.recommendations:
            return
        self.recommendations = list(recommendations)
        for button in self.buttons:
            self._group.removeButton(button)
            remove_widget(self._row, button)
        self.buttons = [self._button(at, way) for at, way in enumerate(self.recommendations)]
        self.setVisible(bool(self.recommendations))

    def show_plan(self, plan: TrainingPlan | None) -> None:
        """Check the button that a plan follows."""
        if plan is None or not self.recommendations:
            return
        followed = next((way for way in self.recommendations if way.is_followed_by(plan)), None)
        self._group.setExclusive(False)
        for way, button in zip(self.recommendations, self.buttons, strict=True):
            button.setChecked(way is followed)
        self._group.setExclusive(True)
        self.reason.show_text((followed or self.recommendations[0]).suggestion.reason)

    def _button(self, at: int, way: Recommendation) -> QPushButton:
        suggestion = way.suggestion
        notes = []
        if at == 0:
            notes.append(self.tr("recommended"))
        if suggestion.download_bytes:
            notes.append(self.tr("{size} download").format(size=size(suggestion.download_bytes)))
        if way.expected is not None:
            notes.append(expected_text(way.expected))
        # Several lines: one would be too wide for the smallest window.
        wrap = partial(textwrap.wrap, width=_LETTERS, break_on_hyphens=False)
        words = "\n".join([*wrap(translated(suggestion.title)), *wrap(", ".join(notes))])
        button = push_button(words, self._context.theme, parent=self)
        button.setCheckable(True)
        explain(button, translated(suggestion.reason))
        button.clicked.connect(partial(self._on_clicked, suggestion))
        self._group.addButton(button)
        self._row.addWidget(button)
        button.show()
        return button

    def _on_clicked(self, suggestion: Suggestion, _checked: bool = True) -> None:
        self.chosen.emit(suggestion)
