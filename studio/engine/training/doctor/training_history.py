"""Figures of a run for its diagnosis, and the findings that may come of them. No Keras."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats
from studio.engine.datasets.origins.facts import OriginFacts
from studio.engine.errors import StudioError
from studio.engine.messages import as_message, message
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.metric import VALIDATION
from studio.engine.tasks.task import Task
from studio.engine.training.history import RunHistory
from studio.engine.training.insights import TargetAnswers, insight_path, read_insight
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

LATE_INSIGHTS = 3
"""Number of the last insights that are read."""
MAX_IMAGES = 2000
"""Validation images of an insight that are measured: a label takes a millisecond for this many."""

FIRST_STEPS = 3
"""Steps whose mean loss is that of a network which knows nothing yet."""
_KNOWS_NOTHING = 0.7
"""Share of the loss of guessing above which the first steps count as guessing."""


@dataclass(frozen=True, slots=True)
class ValidationFigures:
    """Scores of the predictions of a validation; unknown ones are empty arrays.

    Attributes:
        images: Images of each class, or with each label, K.
        right: Correctly predicted ones, shape (K,).
        scores: The score of all outputs together, then of each output; the same for `constant`.
        constant: Scores of the best answer that is the same for all images.
        predicted: Share of all pixels that are predicted as each class, K; empty without masks.
    """

    images: NDArray[np.int64]
    right: NDArray[np.int64]
    scores: Floats
    constant: Floats
    predicted: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of_confusion(cls, matrix: NDArray[np.int32]) -> ValidationFigures:
        """Return those of a confusion matrix, true class (row) by predicted class (column)."""
        images, right = matrix.sum(axis=1, dtype=np.int64), np.diagonal(matrix).astype(np.int64)
        total = max(int(images.sum()), 1)
        scores = np.array([right.sum() / total]), np.array([images.max(initial=0) / total])
        return cls(images, right, *scores)


@dataclass(frozen=True, slots=True)
class RunDataset:
    """Facts about the dataset of a run.

    Attributes:
        classes: Names of the outputs; empty if they are not known.
        origins: Origins of the images; None if they are not known.
    """

    classes: tuple[str, ...] = ()
    origins: OriginFacts | None = None


@dataclass(frozen=True)
class TrainingHistory:
    """Measurements of a run; arrays of E have an entry for each completed epoch, NaN for gaps.

    Attributes:
        plan: The requested plan with later changes.
        steps_per_epoch: Steps per epoch of training.
        step_loss: Loss of every step so far.
        loss: Training loss, E; and `score`, a metric of the task that is 1 if all is correct.
        val_loss: Validation loss, E; and `val_score`.
        rates: Learning rate, E.
        not_finite: True if the run ended because its loss was NaN or infinite.
        confusions: Confusion matrices of the last validations, oldest first; K x K each, true
            class by predicted class. Empty if they are not stored.
        classes: Names of the K outputs; empty if unknown.
        task: Task of the run.
        validations: The last validations, oldest first, of a task without confusion matrices.
        late_steps: Steps of the last insights, ascending.
        origins: Origins of the images of the dataset; None if they are not known.
    """

    plan: TrainingPlan
    steps_per_epoch: int
    step_loss: Floats
    loss: Floats
    score: Floats
    val_loss: Floats
    val_score: Floats
    rates: Floats
    not_finite: bool = False
    confusions: tuple[NDArray[np.int32], ...] = ()
    classes: tuple[str, ...] = ()
    task: Task = DEFAULT_TASK
    validations: tuple[ValidationFigures, ...] = ()
    late_steps: tuple[int, ...] = ()
    origins: OriginFacts | None = None

    @classmethod
    def of(cls, run: RunHistory, plan: TrainingPlan) -> TrainingHistory:
        """Copy the figures of a journal; takes about a millisecond per million steps.

        Args:
            run: The journal, read.
            plan: The plan of the run, without its later changes.
        """
        score = run.task.score_metric
        names = ("loss", score, "val_loss", f"{VALIDATION}{score}")
        rows = [(*(each.value(name) for name in names), each.learning_rate) for each in run.epochs]
        figures = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        loss, train_score, val_loss, val_score, rates = figures
        return cls(
            plan.changed(**run.changes) if run.changes else plan,
            run.training.steps_per_epoch if run.training else 1,
            np.array(run.steps_of("loss"), dtype=np.float64),
            loss,
            train_score,
            val_loss,
            val_score,
            rates,
            not_finite=run.category == "not_finite",
            task=run.task,
            late_steps=tuple(each.step for each in run.insights[-LATE_INSIGHTS:]),
        )

    def with_answers(self, folder: Path, dataset: RunDataset | None = None) -> TrainingHistory:
        """Return the same with the outputs of the network; reads files, which may be deleted.

        Args:
            folder: Folder of the run.
            dataset: Facts about its dataset; None if they are not known.
        """
        confusions, validations = [], []
        for step in self.late_steps:
            try:
                insight = read_insight(insight_path(folder, step))
            except StudioError:
                continue
            if len(insight.answers.rows):
                confusions.append(insight.confusion())
            if len(insight.targets.rows):
                validations.append(_figures(self.task, insight.targets))
        return dataclasses.replace(
            self,
            confusions=tuple(confusions),
            validations=tuple(validations),
            classes=() if dataset is None else dataset.classes,
            origins=None if dataset is None else dataset.origins,
        )

    @property
    def late(self) -> tuple[ValidationFigures, ...]:
        """The last validations, oldest first."""
        return self.validations or tuple(map(ValidationFigures.of_confusion, self.confusions))

    @property
    def loss_name(self) -> str:
        """Name of the task's loss for use within a sentence."""
        return as_message(self.task.loss.label)

    def score_text(self, score: float) -> str:
        """Return a score as displayed, after the name of its metric: `accuracy near 93 %`."""
        metric = self.task.score
        if metric is None:
            return ""
        return message(
            "{metric:lower} near {value}",
            metric=as_message(metric.label),
            value=metric.text(score),
        )

    def accepted(self, changes: dict[str, object]) -> dict[str, object]:
        """Return the changes of the plan that its task does not refuse."""
        refused = self.task.refusals
        return {
            name: value
            for name, value in changes.items()
            if name not in refused and f"{name}={value}" not in refused
        }

    def name(self, output: int) -> str:
        """Return the name of a class, label or quantity."""
        if output < len(self.classes):
            return self.classes[output]
        name = as_message(self.task.output_names[0])
        return message("{output} {number}", output=name, number=output + 1)

    @property
    def epochs(self) -> int:
        """Number of completed epochs."""
        return len(self.loss)

    @functools.cached_property
    def start(self) -> float:
        """The loss before training; NaN if it is unknown.

        That of guessing, log K, since steps of a rate that is too high are too high at once; that
        of the first steps where the classes are not known, the loss is another one, or the weights
        knew something already.
        """
        first = self.step_loss[:FIRST_STEPS]
        first = first[np.isfinite(first)]
        begun = float(first.mean()) if len(first) else math.nan
        has_classes = len(self.classes) > 1 and self.task.capabilities.chance_loss
        chance_loss = math.log(len(self.classes)) if has_classes else math.inf
        plain = not self.plan.focal_gamma and self.plan.class_balancing != "class_weights"
        return chance_loss if plain and begun >= _KNOWS_NOTHING * chance_loss else begun

    def measured(self) -> tuple[NDArray[np.intp], Floats]:
        """Return the epochs (from 0) that ended with a validation, and their validation losses."""
        indices = np.flatnonzero(np.isfinite(self.val_loss))
        return indices, self.val_loss[indices]


@dataclass(frozen=True, slots=True)
class RunFinding:
    """Something that is wrong with a run.

    Attributes:
        name: Stable name of the kind of finding.
        title: A few words.
        evidence: A sentence with the figures that say so.
        advice: Suggestion in a sentence.
        changes: Fields of the plan by dotted name, for `plan.changed(**changes)`; may be empty.
        first: The epoch, from 0 and with its fraction, from which on it is to be seen.
        last: The epoch up to which.
    """

    name: str
    title: str
    evidence: str
    advice: str
    changes: Mapping[str, object]
    first: float
    last: float


OF_RESULTS = ("one_class", "no_skill", "flat_score", "dead_class")
"""Diagnoses of results, which follow from a training that does not work at all."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A kind of finding.

    Attributes:
        name: Its stable name.
        find: Looks for it; None if there is no evidence, or not enough.
        hides: Names of diagnoses that follow from this one and are hidden by it.
    """

    name: str
    find: Callable[[TrainingHistory], RunFinding | None]
    hides: tuple[str, ...] = ()


def number(value: float) -> str:
    """Return a loss as displayed, with three significant digits."""
    if abs(value) >= 1000:
        return message("{value:,.0f}", value=value)
    if abs(value) >= 99.95:
        return message("{value:.0f}", value=value)
    return message("{value:#.3g}", value=value)


def slower(history: TrainingHistory, factor: float) -> float:
    """Return the learning rate times a factor, rounded to two digits, within the plan's range.

    Args:
        history: The run.
        factor: For example 0.1.
    """
    return float(f"{min(max(history.plan.learning_rate * factor, 1e-9), 10.0):.2g}")


def _figures(task: Task, answers: TargetAnswers) -> ValidationFigures:
    """Return scores of the predictions for at most `MAX_IMAGES` validation images."""
    reporter, every = task.reporter, -(-len(answers.rows) // MAX_IMAGES)
    truth, outputs = answers.truth[::every], answers.outputs[::every]

    def scores(given: NDArray[Any]) -> NDArray[np.float64]:
        found = reporter.measure(given, truth, Calibration())
        main = reporter.outputs[0].name if reporter.outputs else ""
        each = found.outputs.get(task.score_metric, found.outputs.get(main, np.zeros(0)))
        return np.array([found.whole.get(task.score_metric, np.nan), *each])

    return ValidationFigures(
        *reporter.recognized(outputs, truth),
        scores(outputs),
        scores(reporter.constant(truth)),
        reporter.predicted(outputs),
    )


def run_dataset(workspace: Workspace, plan: TrainingPlan) -> RunDataset:
    """Return facts about the dataset of a run; none if it no longer exists.

    Args:
        workspace: Holds the dataset.
        plan: Plan of the run.
    """
    from studio.engine.datasets.origins.counts import origin_facts  # noqa: PLC0415 - as below
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        return RunDataset()
    try:
        store = Store.open(record.folder, plan.dataset_version or 0)
        return RunDataset(tuple(store.classes), origin_facts(store.origins, store.split))
    except StudioError:
        return RunDataset()
