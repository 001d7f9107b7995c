"""Where corrected pictures are on their way to a better model, decided without Qt."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.engine.jobs.states import State
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.ui.bridge.jobs import JobEntry

if TYPE_CHECKING:
    from studio.engine.evaluation.mcnemar import Gain
    from studio.engine.review.corrections import Correction


class Step(enum.Enum):
    """What comes next."""

    NOTHING = enum.auto()
    IMPORTING = enum.auto()
    NOT_IMPORTED = enum.auto()
    READY = enum.auto()
    TRAINING = enum.auto()
    NOT_TRAINED = enum.auto()
    MEASURING = enum.auto()
    GAINED = enum.auto()


@dataclass(frozen=True, slots=True)
class Loop:
    """The newest dataset with corrected pictures, and the run that learned from it.

    Attributes:
        step: Where it is.
        dataset: The dataset.
        run: The run on it that began with another run's weights.
        gain: What that won.
    """

    step: Step = Step.NOTHING
    dataset: JobEntry | None = None
    run: JobEntry | None = None
    gain: Gain | None = None


def loop_of(
    corrections: Sequence[Correction],
    datasets: Iterable[JobEntry],
    runs: Iterable[JobEntry],
    gains: dict[str, Gain],
) -> Loop:
    """Where the newest dataset with corrected pictures is.

    Args:
        corrections: The whole queue.
        datasets: The known datasets, newest first.
        runs: The known runs, newest first.
        gains: What runs won, by their ids, as far as it was measured.
    """
    added = {each.dataset for each in corrections}
    dataset = next((entry for entry in datasets if entry.record.id in added), None)
    if dataset is None:
        return Loop()
    if dataset.state != State.COMPLETED:
        return Loop(Step.NOT_IMPORTED if dataset.state.is_finished else Step.IMPORTING, dataset)
    run = next((entry for entry in runs if _is_retraining(entry, dataset.record.id)), None)
    if run is None:
        return Loop(Step.READY, dataset)
    if run.state != State.COMPLETED:
        step = Step.NOT_TRAINED if run.state.is_finished else Step.TRAINING
        return Loop(step, dataset, run)
    gain = gains.get(run.record.id)
    return Loop(Step.MEASURING if gain is None else Step.GAINED, dataset, run, gain)


def _is_retraining(entry: JobEntry, dataset: str) -> bool:
    plan = entry.plan
    return (
        isinstance(plan, TrainingPlan)
        and plan.dataset == dataset
        and plan.weights.startswith(RUN_PREFIX)
    )
