"""Linear heads that solvers fit to the features of images: for classes, and for targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Features, Labels, Rows
from studio.engine.baselines.cache import FeatureTable
from studio.engine.compute.solvers import (
    ONE_THREAD,
    SOLVERS,
    LinearHead,
    Solution,
    Validation,
    solve,
    solve_targets,
)
from studio.engine.datasets.store import Store
from studio.engine.evaluation.outcomes import outcomes_of
from studio.engine.messages import as_message, message
from studio.engine.networks.spec import HEAD
from studio.engine.tasks.metric import VALIDATION
from studio.engine.training.dataset_statistics import target_scale
from studio.engine.training.plan import SOLVER_LABELS, TrainingPlan

if TYPE_CHECKING:
    from studio.engine.compute.tasks.learning import Learning


@dataclass(frozen=True, slots=True)
class HeadFeatures:
    """Features of images, and the part of a network that takes them.

    Attributes:
        table: Features of the training and validation images.
        store: The dataset.
        head: The part, with the layer that is fitted.
    """

    table: FeatureTable
    store: Store
    head: keras.Model

    def set_weights(self, head: LinearHead) -> None:
        """Put a fitted head into the network."""
        weights = [each.astype(np.float32) for each in (head.kernel, head.bias)]
        self.head.get_layer(HEAD).set_weights(weights)


@dataclass(frozen=True, slots=True)
class FittedHead:
    """A fitted head.

    Attributes:
        found: The head as it was before it was refitted on validation images, too.
        metrics: Metrics on training and validation images.
        scores: Scores of all validation images, shape (n, classes), to store as insight; one or
            no array.
        notes: Sentences about the fit; computed when they are read.
    """

    found: Solution
    metrics: dict[str, float]
    scores: tuple[NDArray[np.floating], ...] = ()
    notes: Iterable[str] = ()


def fit_class_head(plan: TrainingPlan, features: HeadFeatures) -> FittedHead:
    """Fit a head whose outputs are probabilities of classes, and put it into the network.

    Args:
        plan: Names the solver.
        features: Features of the images.

    Raises:
        BadDataError: There are fewer than two classes, or a feature is not finite.
    """
    store, table = features.store, features.table
    train, val = store.rows("train"), store.rows("val")
    labels, classes = store.labels, len(store.classes)
    validation = Validation(table[val], labels[val])
    found = solve(
        plan.head_solver,
        table[train],
        labels[train],
        classes,
        plan.seed,
        plan.head_strength or None,
        validation,
    )
    head = found.head
    if plan.head_refit and len(val):
        every = np.concatenate([train, val])
        args = (table[every], labels[every], classes, plan.seed, found.strength)
        head = solve(found.solver, *args).head
    features.set_weights(head)
    learned = outcomes_of(found.head.probabilities(table[train]), labels[train], classes)
    metrics = {"loss": learned.loss, "accuracy": learned.accuracy}
    if not len(val):
        return FittedHead(found, metrics, (np.zeros((0, classes)),))
    scores = found.head.probabilities(table[val])
    seen = outcomes_of(scores, labels[val], classes)
    metrics |= {"val_loss": seen.loss, "val_accuracy": seen.accuracy}
    training = table[train], labels[train]
    notes = _notes(plan, found, seen.accuracy, training, validation, classes)
    return FittedHead(found, metrics, (scores,), notes)


def fit_target_head(plan: TrainingPlan, features: HeadFeatures, learning: Learning) -> FittedHead:
    """Fit a head for several targets of each image, and put it into the network.

    Args:
        plan: Names the solver.
        features: Features of the images.
        learning: Loss and metrics of training.

    Raises:
        BadDataError: A feature is not finite.
    """
    store, table = features.store, features.table
    train, val = store.rows("train"), store.rows("val")
    targets = store.targets.astype(np.float64)
    scale = target_scale(store)
    if scale is not None:  # the layer behind the head turns its outputs into units
        targets = (targets - np.array(scale.mean)) / np.array(scale.deviation)
    strength, solver = plan.head_strength or None, plan.head_solver
    validation = (table[val], targets[val])
    found = solve_targets(solver, table[train], targets[train], plan.seed, strength, validation)
    features.set_weights(found.head)

    def measured(rows: Rows) -> dict[str, float]:
        return _metrics_of(learning, plan, features.head, table[rows], learning.targets[rows])

    metrics = measured(train)
    if len(val):
        metrics |= {f"{VALIDATION}{name}": value for name, value in measured(val).items()}
    if plan.head_refit and len(val):
        every = np.concatenate([train, val])
        refit = solve_targets(solver, table[every], targets[every], plan.seed, found.strength)
        features.set_weights(refit.head)
    return FittedHead(found, metrics)


def _metrics_of(
    learning: Learning,
    plan: TrainingPlan,
    head: keras.Model,
    features: NDArray[Any],
    targets: NDArray[Any],
) -> dict[str, float]:
    """Evaluate a head on some images, with the metrics of training."""
    outputs = np.asarray(head(features, training=False))
    loss = learning.loss(plan, mixed=False)(targets, outputs)
    found = {"loss": float(loss)}
    for metric in learning.metrics(mixed=False):
        metric.update_state(targets, outputs)
        found[metric.name] = float(metric.result())
    return found


def _notes(
    plan: TrainingPlan,
    found: Solution,
    accuracy: float,
    training: tuple[Features, Labels],
    validation: Validation,
    classes: int,
) -> Iterator[str]:
    other = _other_solver(plan, found, training, validation, classes)
    yield from _compared(plan, found, accuracy, other)


def _other_solver(
    plan: TrainingPlan,
    found: Solution,
    training: tuple[Features, Labels],
    validation: Validation,
    classes: int,
) -> tuple[str, float] | None:
    """Return the name and validation accuracy of the other solver.

    None if it takes too long, or was compared with this one before.
    """
    features, labels = training
    if found.compared or features.size > ONE_THREAD or not validation.suits(labels):
        return None
    name = next(each for each in SOLVERS if each != found.solver)
    found = solve(name, features, labels, classes, plan.seed, validation=validation)
    right = found.head.predict(validation.features) == validation.labels
    return name, float(right.mean())


def _compared(
    plan: TrainingPlan, found: Solution, accuracy: float, other: tuple[str, float] | None
) -> Iterator[str]:
    """Sentences on the other solver, and on what the validation figures mean."""
    if found.compared:
        yield _chosen(found)
    if other is not None:
        name, reached = other
        label, own = SOLVER_LABELS[name], SOLVER_LABELS[found.solver]
        if reached > accuracy:
            yield message(
                "{other} gets {reached:.1%} of the validation images right, {own} {accuracy:.1%}: "
                "{other} is recommended (head_solver={name}).",
                other=as_message(label),
                reached=reached,
                own=as_message(own),
                accuracy=accuracy,
                name=name,
            )
        else:
            yield message(
                "{own} is the better solver here: {other} gets {reached:.1%} of the validation "
                "images right, {own} {accuracy:.1%}.",
                own=as_message(own),
                other=as_message(label),
                reached=reached,
                accuracy=accuracy,
            )
    if plan.head_refit:
        yield (
            "The head was refitted on training and validation images; the validation metrics are "
            "from before."
        )
    elif found.selected_on == "validation":
        yield "C was selected on the validation images, so a test split gives a fairer figure."


def _chosen(found: Solution) -> str:
    """Return a sentence about the solver that was chosen, and the one that was not."""
    other = next(name for name in found.compared if name != found.solver)
    return message(
        "In cross-validation on the training images, {own} gets {accuracy:.1%} right and {other} "
        "{reached:.1%}: {own} is used.",
        own=as_message(SOLVER_LABELS[found.solver]),
        accuracy=found.compared[found.solver],
        other=as_message(SOLVER_LABELS[other]),
        reached=found.compared[other],
    )
