"""The plan that the form of a new run edits: defaults, recommended values, changes of the user."""

from __future__ import annotations

from collections.abc import Mapping

from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.tasks import TASKS
from studio.engine.training.offline_fallback import NETWORK_FIELDS
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.recommendation import Suggestion
from studio.engine.training.settings_checks import accepted
from studio.ui.context import AppContext
from studio.ui.pages.train.plan.cards import PlanCards
from studio.ui.pages.train.plan.network import NetworkPicker
from studio.ui.shared.training import own_default_names, own_defaults

_OF_DATASET = frozenset({"dataset", "dataset_version", "network", "design"})
"""Fields of a plan that have their own controls and are chosen for each dataset."""
_PAIRS = (("optimizer", "optimizer_options"), ("schedule", "schedule_options"))
"""Fields of a plan that only make sense together."""


class Draft:
    """The plan of a form, which separates what the form filled in from the user's changes.

    Args:
        context: Context of the window.
        cards: Controls of the settings.
        networks: Control of the network.

    Attributes:
        summary: Summary of the chosen dataset; None until it is known.
    """

    def __init__(self, context: AppContext, cards: PlanCards, networks: NetworkPicker) -> None:
        self._settings = context.settings
        self._cards = cards
        self._networks = networks
        self.summary: DatasetSummary | None = None
        # What the form has filled in by itself; what differs from it is the user's.
        self._filled = own_defaults(context.settings)
        cards.fill_in(self._filled)

    def plan(self) -> TrainingPlan | None:
        """Return the current plan, or None while it has errors."""
        plan = self._cards.plan()
        if plan is None:
            return None
        return plan.model_copy(update={"design": self._networks.choice().design})

    def fill_defaults(self) -> None:
        """Replace what was recommended for another dataset by the defaults."""
        start, own = self._defaults(), self._own_values()
        plan, _ = TrainingPlan.check({**start.model_dump(), **own})
        if plan is None:
            return
        # The form still has the changes of color that did not apply to gray images.
        shown = self._cards.augmentation.form.plan()
        if isinstance(shown, AugmentationPlan) and "augmentation" in own:
            plan = plan.model_copy(update={"augmentation": shown})
        self._cards.fill_in(plan.model_copy(update={"network": self._networks.choice().network}))
        self._filled = start

    def follow(self, suggestion: Suggestion) -> bool:
        """Fill in what a suggestion sets; return True if the plan changed."""
        before, start = self.plan(), self._defaults()
        own, _ = TrainingPlan.check({**start.model_dump(), **self._own_values()})
        if before is None or own is None or self.summary is None:
            return False
        plan = self._with(suggestion, own)
        self._filled = self._with(suggestion, start)
        if plan == before:
            return False
        self._cards.fill_in(plan)
        self._networks.give(plan.network, plan.design)
        return True

    def recognize(self, suggestion: Suggestion) -> None:
        """Take the values of a suggestion, which a copied plan follows, as filled in."""
        if self.summary is not None:
            self._filled = self.recommended(suggestion)

    def recommended(self, suggestion: Suggestion) -> TrainingPlan:
        """Return the plan that a suggestion leads to, without changes of the user."""
        return self._with(suggestion, self._defaults())

    def set_measured(self, values: Mapping[str, object]) -> None:
        """Set values that were measured for this dataset and are not taken to the next one."""
        self._cards.document.set_values(values)
        self._filled = self._filled.model_copy(update=dict(values))

    def _defaults(self) -> TrainingPlan:
        """Return the user's defaults for the chosen dataset, with nothing recommended."""
        names = ("dataset", "dataset_version")
        place = {name: self._cards.document.value(name)[0] for name in names}
        return own_defaults(self._settings).model_copy(update=place)

    def _own_values(self) -> dict[str, object]:
        """Return what the user has changed; recommended values are not among it."""
        filled, values = self._filled.model_dump(), self._cards.document.values()
        own = {name for name, value in filled.items() if values.get(name, value) != value}
        for pair in _PAIRS:
            own |= set(pair) if own & set(pair) else set()
        return {name: values[name] for name in own - _OF_DATASET if name in values}

    def _with(self, suggestion: Suggestion, plan: TrainingPlan) -> TrainingPlan:
        """Return a plan with what a suggestion sets, except for the user's defaults."""
        if self.summary is None:
            return plan
        own = own_defaults(self._settings)
        values = {name: getattr(own, name) for name in own_default_names(self._settings)}
        found = suggestion.apply(plan, self.summary)
        kept = {name: value for name, value in values.items() if name not in NETWORK_FIELDS}
        return accepted(found.changed(**kept), TASKS[self.summary.task])
