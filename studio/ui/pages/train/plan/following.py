"""Recommendations in the form of a new run: find them, follow them, adapt them to weights."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.networks.backbones import IMAGENET
from studio.engine.networks.library import NetworkChoice
from studio.engine.networks.parts import NONE
from studio.engine.tasks import TASKS
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.training.recommendation import Suggestion
from studio.engine.workspace import Record, RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.train.plan.cards import PlanCards
from studio.ui.pages.train.plan.draft import Draft
from studio.ui.pages.train.plan.network import NetworkPicker, network_of_source
from studio.ui.pages.train.plan.recommendation import (
    Recommendation,
    RecommendationCard,
    find_recommendations,
)


class RecommendationFollower(QObject):
    """Fills recommendations into the form until the user chooses something else.

    Args:
        context: Context of the window.
        draft: The plan of the form.
        cards: Controls of the settings.
        networks: Control of the network.
        card: Shows the recommendations.

    Signals:
        network_changed: The form has another network, weights or recipe.
        missing: No recommendation exists, so that the user has to choose.
        shown: Other recommendations are shown, from which the plan may differ otherwise.
    """

    network_changed = Signal()
    missing = Signal()
    shown = Signal()

    def __init__(
        self,
        context: AppContext,
        draft: Draft,
        cards: PlanCards,
        networks: NetworkPicker,
        card: RecommendationCard,
    ) -> None:
        super().__init__(card)
        self._context = context
        self._draft = draft
        self._cards = cards
        self._networks = networks
        self._card = card
        self._dataset = ""
        # True as long as the form is as recommended, so that a new recommendation is taken over.
        self._follows = True
        # True from the choice of a weights file until its recipe is known.
        self._needs_recipe = False
        self._needs_detector = False
        networks.box.activated.connect(self.stop)
        cards.changed.connect(self.stop)
        cards.pretrained.weights.changed.connect(self._on_weights)
        card.chosen.connect(self._on_suggestion)
        card.offer.made.connect(self._on_detector)

    def stop(self) -> None:
        """Keep the values of the form when other recommendations come."""
        self._follows = False

    def set_dataset(self, record_id: str) -> None:
        """Forget the recommendations for the dataset before; empty for none."""
        self._dataset = record_id
        # The next dataset gets its own suggestion if one was followed for this dataset.
        self._follows = self._follows or self._card.is_followed
        self._card.show_recommendations([])

    def recommend(self) -> None:
        """Find the recommendations again, for another dataset or after a baseline."""
        record, summary = self._record(), self._draft.summary
        if record is None or summary is None:
            return
        source = self._cards.pretrained.weights.source
        chosen = "" if source == IMAGENET or source.startswith(RUN_PREFIX) else source
        work = partial(find_recommendations, self._context.workspace, record, summary, chosen)
        shown = partial(self._on_recommendations, record.id)
        self._context.background.run(self, work, shown, self._on_no_recommendations)

    def _record(self) -> Record | None:
        if not self._dataset:
            return None
        entry = self._context.jobs.get(RecordKind.DATASET, self._dataset)
        return entry.record if entry is not None else None

    def _on_recommendations(self, record_id: str, recommendations: list[Recommendation]) -> None:
        if record_id != self._dataset:
            return
        self._card.show_recommendations(recommendations)
        summary = self._draft.summary
        self._card.offer.show_task(None if summary is None else TASKS[summary.task])
        if not recommendations:
            self.missing.emit()
        of_detector = [way for way in recommendations if way.suggestion.design is not None]
        if self._needs_detector and of_detector:
            self._needs_detector = False
            self._on_suggestion(of_detector[0].suggestion)
        elif self._follows and recommendations:
            self._follow(recommendations[0].suggestion)
        elif self._needs_recipe:
            self._use_recipe_for_weights(recommendations)
        else:
            self._recognize(recommendations)
        self._card.show_plan(self._draft.plan())
        self.shown.emit()

    def _on_detector(self) -> None:
        """Follow the recommendation of the detector that is here now."""
        self._needs_detector = True
        self.recommend()

    def _recognize(self, recommendations: list[Recommendation]) -> None:
        """Tell the values of a recommendation that a copied plan follows from the user's."""
        plan = self._draft.plan()
        followed = [way for way in recommendations if plan and way.is_followed_by(plan)]
        if followed:
            self._draft.recognize(followed[0].suggestion)

    def _on_no_recommendations(self, error: BaseException) -> None:
        self._card.show_recommendations([])
        self.missing.emit()
        if not isinstance(error, StudioError):  # the dataset's own problems are shown elsewhere
            self._context.navigator.show_failure(error)

    def _on_suggestion(self, suggestion: Suggestion) -> None:
        self.stop()
        self._follow(suggestion)
        self._card.show_plan(self._draft.plan())

    def _follow(self, suggestion: Suggestion) -> None:
        if self._draft.follow(suggestion):
            self.network_changed.emit()

    def _on_weights(self) -> None:
        """Choose the network that the chosen weights belong to."""
        source = self._cards.pretrained.weights.source
        if not source:
            return
        work = partial(network_of_source, self._context.workspace, source)
        found = partial(self._on_weights_network, source)
        self._context.background.run(self, work, found, self._on_unknown_weights)

    def _on_weights_network(self, source: str, found: NetworkChoice | None) -> None:
        if found is None or source != self._cards.pretrained.weights.source:
            return
        if found != self._networks.choice():
            self._networks.give(found.network, found.design)
            self.network_changed.emit()
        plan = self._draft.plan()
        # A choice of frozen layers by the user is kept.
        self._needs_recipe = plan is not None and plan.freeze == NONE
        self.recommend()

    def _use_recipe_for_weights(self, recommendations: list[Recommendation]) -> None:
        """Set the training recipe that is recommended for the chosen weights."""
        self._needs_recipe = False
        source = self._cards.pretrained.weights.source
        fitting = [way.suggestion for way in recommendations if way.suggestion.weights == source]
        if fitting:
            self._follow(fitting[0])

    def _on_unknown_weights(self, error: BaseException) -> None:
        if not isinstance(error, StudioError):  # the check shows what is wrong with a file
            self._context.navigator.show_failure(error)
