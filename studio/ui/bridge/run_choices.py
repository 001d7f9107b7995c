"""Choice of the runs that can be used as a model, without Qt; shown by `run_chooser`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Final

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.files import one_form
from studio.engine.jobs.states import State
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.artifacts import MODEL_ARTIFACT, checkpoints_of
from studio.engine.training.comparison import primary_metric
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Jobs
from studio.ui.documents.record import RecordDocument, RunDocument

MAX_LISTED: Final = 50
"""Maximum number of listed runs; others are found by name."""


@dataclass(frozen=True, slots=True)
class RunChoice:
    """A run with a model.

    Attributes:
        id: Id of the run's record.
        name: The name a person gave it.
        folder: The run's record folder.
        best: The best value of its metric; None when nothing was measured.
        is_training: True if its model may still be replaced by a better one.
        dataset: Name of its dataset; empty if that was deleted.
        dataset_folder: The dataset's record folder, or None when that was deleted.
        recipe: Conversion of pictures, or None if the dataset was deleted.
        checkpoints: The epochs whose weights were kept beside the model's, ascending.
        metric: Main metric of the run.
        is_fallback: True if a smaller network was trained, see `is_fallback`.
    """

    id: str
    name: str
    folder: Path
    best: float | None
    is_training: bool
    dataset: str = ""
    dataset_folder: Path | None = None
    recipe: DatasetRecipe | None = None
    checkpoints: tuple[float, ...] = ()
    metric: MetricSpec = DEFAULT_TASK.primary
    is_fallback: bool = False

    @property
    def is_usable(self) -> bool:
        """True if its dataset exists, which has the class names and the image size."""
        return self.dataset_folder is not None


def task_of(model: RunChoice | None) -> Task:
    """Return the task that a model was trained for; the default one without its dataset."""
    recipe = None if model is None else model.recipe
    return DEFAULT_TASK if recipe is None else TASKS[recipe.task]


def is_fallback(run: RunDocument) -> bool:
    """Return True if a smaller network was trained, as no weights could be downloaded.

    Args:
        run: The run.
    """
    plan = run.plan
    may_fall_back = isinstance(plan, TrainingPlan) and plan.offline_fallback
    return may_fall_back and run.history.changes.get("weights") == ""


def runs_on(jobs: Jobs, dataset: str, version: int | None = None) -> list[RunDocument]:
    """Return the runs that were trained on a dataset, newest first.

    Args:
        jobs: The jobs of the workspace.
        dataset: Id of the dataset.
        version: Only runs of this version; None for all.
    """
    return [
        run
        for run in jobs.entries(RecordKind.RUN)
        if isinstance(run.plan, TrainingPlan)
        and run.plan.dataset == dataset
        and version in (None, run.plan.dataset_version or 0)
    ]


class RunChoices:
    """The runs with a model: the best completed one, then the newest, and last what still trains.

    There may be thousands: each is read when needed.

    Args:
        runs: Runs, newest first; those without a model are left out.
        datasets: The datasets that there are.
    """

    def __init__(self, runs: Iterable[RunDocument], datasets: Iterable[RecordDocument]) -> None:
        self._datasets = {dataset.record.id: dataset for dataset in datasets}
        found = {
            run.record.id: (run, run.plan)
            for run in runs
            if MODEL_ARTIFACT in run.history.artifacts and isinstance(run.plan, TrainingPlan)
        }
        best = self._best(found)
        going = {run_id for run_id, (run, _) in found.items() if run.state.has_worker}
        self._completed = [
            run_id for run_id, (run, _) in found.items() if run.state == State.COMPLETED
        ]
        ids = sorted(found, key=lambda run_id: (run_id != best, run_id in going))
        self._runs = {run_id: found[run_id] for run_id in ids}

    @classmethod
    def of(cls, jobs: Jobs) -> RunChoices:
        """Return the current choices."""
        return cls(jobs.entries(RecordKind.RUN), jobs.entries(RecordKind.DATASET))

    def __len__(self) -> int:
        return len(self._runs)

    def first(self, most: int) -> list[RunChoice]:
        """Return the first of them, at most this many."""
        return [self._choice(*run) for run in islice(self._runs.values(), most)]

    def listed(self, chosen: str) -> tuple[list[RunChoice], bool]:
        """Return the choices for a list, and True if there are more.

        Args:
            chosen: Id of a run that is listed in any case, if it is a choice.
        """
        listed, also = self.first(MAX_LISTED), self.get(chosen)
        if also is not None and all(also.id != each.id for each in listed):
            listed.append(also)
        return listed, len(self) > len(listed)

    def get(self, run_id: str) -> RunChoice | None:
        """Return the run of that id, or None when it has no model or is gone."""
        return self._choice(*self._runs[run_id]) if run_id in self._runs else None

    def pick(self, *preferred: str) -> RunChoice | None:
        """Return the first usable choice, else the first usable run, else None."""
        runs = (self._runs[run_id] for run_id in preferred if run_id in self._runs)
        for run, plan in chain(runs, self._runs.values()):
            if plan.dataset in self._datasets:
                return self._choice(run, plan)
        return None

    def newest_completed(self) -> str:
        """Return the id of the newest completed run that can be used; empty if there is none."""
        usable = (
            run_id for run_id in self._completed if self._runs[run_id][1].dataset in self._datasets
        )
        return next(usable, "")

    def find(self, words: str, most: int) -> tuple[list[RunChoice], int]:
        """Return the usable runs whose names, or their datasets' names, contain all words.

        Args:
            words: Words, or parts of words, in any order; empty matches all.
            most: Maximum number to return.

        Returns:
            The choices, and the number of further matches.
        """
        parts = _plain(words).split()
        found = [
            (run, plan)
            for run, plan in self._runs.values()
            if (dataset := self._datasets.get(plan.dataset)) is not None
            and all(part in _plain(f"{run.name} {dataset.name}") for part in parts)
        ]
        return [self._choice(*run) for run in found[:most]], max(0, len(found) - most)

    def _best(self, found: Mapping[str, tuple[RunDocument, TrainingPlan]]) -> str:
        """Return the best completed run whose dataset is there, else the newest run.

        Values of different metrics say nothing about each other: only runs with the metric of the
        newest completed run are compared.
        """
        ranks = {}
        for run_id, (run, plan) in found.items():
            value = _best_value(run.history)
            if (
                run.state == State.COMPLETED
                and plan.dataset in self._datasets
                and value is not None
            ):
                metric = primary_metric(run.history)
                ranks[run_id] = (metric, metric.sign * value)
        newest = next((metric for metric, _ in ranks.values()), None)
        alike = {run_id: value for run_id, (metric, value) in ranks.items() if metric == newest}
        return max(alike, key=alike.__getitem__, default=next(iter(found), ""))

    def _choice(self, run: RunDocument, plan: TrainingPlan) -> RunChoice:
        dataset = self._datasets.get(plan.dataset)
        recipe = dataset.plan if dataset is not None else None
        return RunChoice(
            id=run.record.id,
            name=run.name,
            folder=run.record.folder,
            best=_best_value(run.history),
            is_training=run.state.has_worker,
            dataset=dataset.name if dataset is not None else "",
            dataset_folder=dataset.record.folder if dataset is not None else None,
            recipe=recipe if isinstance(recipe, DatasetRecipe) else None,
            checkpoints=tuple(checkpoints_of(run.history)),
            metric=primary_metric(run.history),
            is_fallback=is_fallback(run),
        )


def _plain(words: str) -> str:
    return one_form(words).casefold()


def _best_value(history: RunHistory) -> float | None:
    # None and not NaN: choices are compared to see whether anything changed.
    best = history.best_epoch
    value = math.nan if best is None else best.value(primary_metric(history).name)
    return None if math.isnan(value) else value
