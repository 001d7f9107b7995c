"""Which runs can be used as a model, decided without Qt; shown by `run_chooser`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.replay import JobHistory
from studio.engine.jobs.requests import MODEL_ARTIFACT, checkpoints_of
from studio.engine.training.plan import TrainingPlan
from studio.ui.bridge.jobs import JobEntry


@dataclass(frozen=True, slots=True)
class RunChoice:
    """A run with a model.

    Attributes:
        id: Of the run's record.
        name: The name a person gave it.
        folder: The run's record folder.
        accuracy: Best validation accuracy, 0 to 1; None when nothing was measured.
        is_training: Whether its model may still be replaced by a better one.
        dataset: Name of the dataset it learned from; empty when that was deleted.
        dataset_folder: The dataset's record folder, or None when that was deleted.
        recipe: How pictures are prepared for it, or None when the dataset was deleted.
        checkpoints: The epochs whose weights were kept beside the model's, ascending.
    """

    id: str
    name: str
    folder: Path
    accuracy: float | None
    is_training: bool
    dataset: str = ""
    dataset_folder: Path | None = None
    recipe: DatasetRecipe | None = None
    checkpoints: tuple[float, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether its dataset is still there: it holds the class names and the image size."""
        return self.dataset_folder is not None


def run_choice(run: JobEntry, datasets: Mapping[str, JobEntry]) -> RunChoice | None:
    """A run as a choice, or None while it has no model.

    Args:
        run: The run.
        datasets: The known datasets by their ids.
    """
    if MODEL_ARTIFACT not in run.history.artifacts or not isinstance(run.plan, TrainingPlan):
        return None
    dataset = datasets.get(run.plan.dataset)
    recipe = dataset.plan if dataset is not None else None
    return RunChoice(
        id=run.record.id,
        name=run.name,
        folder=run.record.folder,
        accuracy=_accuracy(run.history),
        is_training=run.state.has_worker,
        dataset=dataset.name if dataset is not None else "",
        dataset_folder=dataset.record.folder if dataset is not None else None,
        recipe=recipe if isinstance(recipe, DatasetRecipe) else None,
        checkpoints=tuple(checkpoints_of(run.history)),
    )


def run_choices(runs: Iterable[JobEntry], datasets: Iterable[JobEntry]) -> list[RunChoice]:
    """All runs with a model, in the order given."""
    by_id = {dataset.record.id: dataset for dataset in datasets}
    found = (run_choice(run, by_id) for run in runs)
    return [choice for choice in found if choice is not None]


def pick(choices: list[RunChoice], *wishes: str) -> RunChoice | None:
    """The first wish that can be used, else the first choice that can, else None."""
    usable = {choice.id: choice for choice in choices if choice.is_usable}
    for wish in wishes:
        if wish in usable:
            return usable[wish]
    return next(iter(usable.values()), None)


def _accuracy(history: JobHistory) -> float | None:
    # None and not NaN: choices are compared to see whether anything changed.
    best = history.best_epoch
    return None if best is None or math.isnan(best.val_accuracy) else best.val_accuracy
