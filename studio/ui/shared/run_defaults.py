"""What new runs begin with: the usual values, or the user's own where there are any."""

from __future__ import annotations

from studio.engine.plans import fields_of
from studio.engine.training.plan import TrainingPlan
from studio.ui.settings import Settings


def own_defaults(settings: Settings) -> TrainingPlan:
    """A plan without a dataset; what another Studio kept and does not fit is left out."""
    usual = TrainingPlan(dataset="")
    names = {field.name for field in fields_of(TrainingPlan)}
    kept = {name: value for name, value in settings.run_defaults.items() if name in names}
    whole, problems = TrainingPlan.check({**usual.model_dump(), **kept})
    if whole is not None:
        return whole
    wrong = {problem.where.partition(".")[0] for problem in problems}
    rest = {name: value for name, value in kept.items() if name not in wrong}
    fitting, _ = TrainingPlan.check({**usual.model_dump(), **rest})
    return usual if fitting is None else fitting
