"""The recommended way to train with its reason, and the alternatives beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recommendation import Suggestion, recommendation
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import size
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.hint_label import HintLabel


@dataclass(frozen=True, slots=True)
class Way:
    """A suggestion, and what a plan looks like that follows it."""

    suggestion: Suggestion
    plan: TrainingPlan

    def is_followed_by(self, plan: TrainingPlan) -> bool:
        """True if a plan has this network, these weights and what the recipe sets."""
        names = ("network", "design", "weights", "freeze", "head_solver")
        return all(getattr(plan, name) == getattr(self.plan, name) for name in names)


def find_ways(
    workspace: Workspace, dataset: Record, summary: DatasetSummary, weights: str = ""
) -> list[Way]:
    """Return the recommendation for a dataset; any thread.

    Args:
        workspace: Where it is.
        dataset: The dataset.
        summary: What it holds.
        weights: A file of weights that the user has chosen; empty for none.

    Raises:
        StudioError: The dataset cannot be read.
    """
    plan = TrainingPlan(dataset=dataset.id)
    return [
        Way(suggestion, suggestion.apply(plan, summary))
        for suggestion in recommendation(workspace, dataset, weights)
    ]


class RecommendationCard(Card):
    """A button for each way; the one that the plan follows is pressed.

    Signals:
        chosen: The suggestion that is to be used.
    """

    chosen = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Recommendation"))
        self._context = context
        self._ways: list[Way] = []
        self.buttons: list[QPushButton] = []
        self._group = QButtonGroup(self)
        self._row = FlowLayout(spacing=SPACE.s)
        self.reason = HintLabel(parent=self)
        self.body.addLayout(self._row)
        self.body.addWidget(self.reason)
        self.hide()

    @property
    def ways(self) -> Sequence[Way]:
        """What is shown, the recommended one first."""
        return self._ways

    @property
    def is_followed(self) -> bool:
        """True if the plan follows one of the suggestions."""
        return any(button.isChecked() for button in self.buttons)

    def show_ways(self, ways: Sequence[Way]) -> None:
        """Show other suggestions; none hides the card."""
        if list(ways) == self._ways:
            return
        self._ways = list(ways)
        for button in self.buttons:
            self._group.removeButton(button)
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = [self._button(at, way) for at, way in enumerate(self._ways)]
        self.setVisible(bool(self._ways))

    def show_plan(self, plan: TrainingPlan | None) -> None:
        """Mark the suggestion that a plan follows."""
        if plan is None or not self._ways:
            return
        followed = next((way for way in self._ways if way.is_followed_by(plan)), None)
        self._group.setExclusive(False)
        for way, button in zip(self._ways, self.buttons, strict=True):
            button.setChecked(way is followed)
        self._group.setExclusive(True)
        self.reason.show_text((followed or self._ways[0]).suggestion.reason)

    def _button(self, at: int, way: Way) -> QPushButton:
        suggestion = way.suggestion
        notes = []
        if at == 0:
            notes.append(self.tr("recommended"))
        if suggestion.download_bytes:
            notes.append(self.tr("{size} download").format(size=size(suggestion.download_bytes)))
        # On a line of their own: a button of one line is wider than the smallest window allows.
        words = "\n".join(filter(None, (engine_text(suggestion.title), ", ".join(notes))))
        button = push_button(words, self._context.theme, parent=self)
        button.setCheckable(True)
        explain(button, engine_text(suggestion.reason))
        button.clicked.connect(partial(self._on_clicked, suggestion))
        self._group.addButton(button)
        self._row.addWidget(button)
        button.show()
        return button

    def _on_clicked(self, suggestion: Suggestion, _checked: bool = True) -> None:
        self.chosen.emit(suggestion)
