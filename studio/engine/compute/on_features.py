"""Trains what is behind the frozen part of a network, on features that are computed once.

Same journal, same model in the end; only the pixels go through the frozen layers once instead of
in every epoch. Where the first layer that learns is linear, the features are standardized for
it, and what it learned is turned back whenever weights are kept.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Rows
from studio.engine.baselines.cache import FeatureCache, FeatureTable
from studio.engine.compute.build import node_of
from studio.engine.compute.checkpoint import Checkpoint
from studio.engine.compute.distribution import device_name, spread
from studio.engine.compute.features import Cut, cut_before, cut_behind_frozen, features_of, key_of
from studio.engine.compute.insights import Insights, store_solved
from studio.engine.compute.model_checkpointer import ModelCheckpointer
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.compute.solvers import (
    LinearHead,
    Scaling,
    Solution,
)
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.tasks.linear_heads import HeadFeatures
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Note
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message
from studio.engine.networks.fitting import head_of
from studio.engine.networks.spec import HEAD, NetworkSpec
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone, RunContext, StepsDone, TrainingBegan
from studio.engine.training.plan import SOLVER_LABELS, TrainingPlan
from studio.engine.training.precision import FULL

SMALL_BYTES = 512 * 2**10
WIDE = 8
"""Features of an image that take more than both, bytes and times those of its pixels, are computed
in every epoch: reading them would take as long as the first layers do."""

SCALED_BY = 2000
"""Number of images for mean and deviation of features; more change little."""


class FeatureBatches(SplitBatches):
    """Batches of a split that hold features in the place of pixels.

    Args:
        table: Has the features of all rows of the split.
        scaling: Scaling of the features over their last axis; None for none.
        store: As for `SplitBatches`, and so are the others.
        split: See there.
        batch_size: See there.
        seed: See there.
        balanced: See there.
    """

    def __init__(
        self,
        table: FeatureTable,
        scaling: Scaling | None,
        store: Store,
        split: str,
        batch_size: int,
        seed: int | None,
        *,
        balanced: bool = False,
    ) -> None:
        self._table = table
        self._scaling = scaling
        super().__init__(store, split, batch_size, seed, balanced=balanced)

    def _read(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        features = self._table[rows]
        return features if self._scaling is None else self._scaling.apply(features)


class WholeModelCheckpointer(ModelCheckpointer):
    """Keeps the whole network while only a part of it is in training.

    Args:
        context: The running job.
        spec: The network.
        keep: `"best"` or `"last"`.
        network: The network, which shares its layers with the part.
        scaled: The layer that gets scaled features; None for none.
        scaling: Scaling of the features.
    """

    def __init__(
        self,
        context: JobContext,
        spec: NetworkSpec,
        keep: str,
        network: keras.Model,
        scaled: keras.Layer | None,
        scaling: Scaling | None,
    ) -> None:
        super().__init__(context, spec, keep)
        self._network = network
        self._scaled = scaled
        self._scaling = scaling

    def take(self, model: keras.Model) -> None:
        """Capture the weights of the whole network, converted to features that are not scaled."""
        if hasattr(model, "jax_state_sync"):
            model.jax_state_sync()  # the part is in training, the whole shares its variables
        super().take(self._network)
        if self._scaled is None or self._scaling is None or self._weights is None:
            return
        kernel, bias = self._weights[self._scaled.name]
        flat = kernel.reshape(-1, kernel.shape[-1]).astype(np.float64)
        head = self._scaling.folded(LinearHead(flat, bias.astype(np.float64)))
        self._weights[self._scaled.name] = [
            head.kernel.reshape(kernel.shape).astype(np.float32),
            head.bias.astype(np.float32),
        ]


@dataclass(frozen=True, slots=True)
class TrainingSetup:
    """Model and data of a training.

    Attributes:
        model: The network, or the part of it that learns.
        batches: Training images, or features of them.
        validation: Validation images, or features of them.
        checkpointer: Stores weights of the whole network.
        insights: Stores its validations.
    """

    model: keras.Model
    batches: SplitBatches
    validation: SplitBatches
    checkpointer: ModelCheckpointer
    insights: Insights = field(default_factory=Insights)


def on_features(
    context: JobContext, plan: TrainingPlan, store: Store, spec: NetworkSpec, network: keras.Model
) -> TrainingSetup | None:
    """Prepare training on cached features, if it is equivalent to training on images.

    Args:
        context: The running job.
        plan: Plan of the run.
        store: Its dataset.
        spec: Its network.
        network: The built network.

    Returns:
        None if images are augmented, nothing is frozen, the features are too large, or several
        nodes train.

    Raises:
        BadDataError: An image of the dataset is damaged.
        Cancelled: The job was asked to end.
    """
    if not Augmenter(plan.augmentation, plan.seed).is_idle or plan.precision != FULL:
        return None  # kept features are of 32 bits
    if plan.nodes > 1:
        return None  # what one of them has kept already would let it run ahead of the others
    cut = cut_behind_frozen(network)
    if cut is None or _is_wide(cut, store):
        return None
    rows = np.concatenate([store.rows("train"), store.rows("val")])
    try:
        table, computed = _stored(context, plan, store, spec, cut, rows)
    except StudioError as error:
        context.emit(
            Note(
                message=message(
                    "{reason} So they are recomputed in every epoch.", reason=error.message
                )
            )
        )
        return None
    scaled = _first_linear(cut, spec)
    scaling = None if scaled is None else _scaling_of(table, store.rows("train"))
    shape = "x".join(map(str, cut.shape))
    origin = "computed once" if computed else "cached"
    context.emit(
        Note(
            message=message(
                "The frozen layers do not change, so training uses their features ({count} per "
                "image, {sizes}), which is many times faster.",
                count=shape,
                sizes=as_message(origin),
            )
        )
    )
    size = plan.batch_size
    return TrainingSetup(
        spread(cut.head, plan.device),
        FeatureBatches(
            table,
            scaling,
            store,
            "train",
            size,
            plan.order_seed,
            balanced=plan.class_balancing == "sampling",
        ),
        FeatureBatches(table, scaling, store, "val", size, None),
        WholeModelCheckpointer(context, spec, plan.keep, network, scaled, scaling),
    )


def solve_head(
    context: RunContext,
    plan: TrainingPlan,
    store: Store,
    spec: NetworkSpec,
    network: keras.Model,
    checkpoint: Checkpoint | None = None,  # noqa: ARG001 - a fit begins again
) -> State:
    """Fit the linear head of a network in closed form; journal one epoch. See `fit.Fitting`.

    Raises:
        StudioError: The features are too large to be cached.
        BadDataError: An image is damaged, or there are fewer than two classes.
        Cancelled: The job was asked to end.
    """
    cut = cut_before(network, HEAD)
    train, val = store.rows("train"), store.rows("val")
    table, _ = _stored(context, plan, store, spec, cut, np.concatenate([train, val]))
    context.emit(training_began(plan, store, network), durable=True)
    began = time.perf_counter()
    fitted = learning_of(store).fit_head(plan, HeadFeatures(table, store, cut.head))
    seconds = time.perf_counter() - began
    checkpointer = ModelCheckpointer(context, spec, plan.keep)
    checkpointer.consider(network, is_best=True)
    if plan.insights:
        for scores in fitted.scores:
            weights = network.get_layer(HEAD).get_weights()
            store_solved(context, store, plan.seed, scores, {HEAD: weights})
    _journal_epoch(context, store.task, fitted.metrics, len(train), seconds)
    context.emit(Note(message=_summary(fitted.found, cut, len(train))))
    for sentence in fitted.notes:
        context.emit(Note(message=sentence))
    checkpointer.save()
    return State.COMPLETED


def _journal_epoch(
    context: RunContext, task: Task, metrics: dict[str, float], images: int, seconds: float
) -> None:
    """Journal the solved head as the only step of an epoch.

    Args:
        context: The run.
        task: Task of the dataset.
        metrics: On training and validation images.
        images: Training images.
        seconds: Time it took.
    """
    speed = images / max(seconds, 1e-9)
    context.emit(
        StepsDone(
            first=1,
            last=1,
            metrics={name: [metrics[name]] for name in task.step_metrics},
            learning_rate=math.nan,
            images_per_second=speed,
        )
    )
    context.emit(
        EpochDone(
            epoch=1,
            step=1,
            metrics=metrics,
            learning_rate=math.nan,
            seconds=seconds,
            images_per_second=speed,
            is_best=True,
        )
    )


def _is_wide(cut: Cut, store: Store) -> bool:
    return 4 * math.prod(cut.shape) > max(SMALL_BYTES, WIDE * math.prod(store.shape))


def _stored(
    context: JobContext,
    plan: TrainingPlan,
    store: Store,
    spec: NetworkSpec,
    cut: Cut,
    rows: Rows,
) -> tuple[FeatureTable, bool]:
    """Return the features of some rows, and whether any had to be computed."""
    cache = FeatureCache.of(context.workspace.root)
    key = key_of(plan.dataset, store, spec, cut)
    computed = bool(len(cache.open(key).missing(rows)))
    return features_of(cache, key, cut.features, store, rows, context), computed


def _first_linear(cut: Cut, spec: NetworkSpec) -> keras.Layer | None:
    """Return the layer that takes the features, if standardizing them can be folded into it.

    Only of the head: weights from elsewhere were learned on features as they are.
    """
    head = head_of(spec)
    for layer in cut.head.layers:
        if isinstance(layer, keras.layers.InputLayer | keras.layers.Dropout):
            continue
        is_dense = isinstance(layer, keras.layers.Dense) and len(cut.shape) == 1
        is_pointwise = isinstance(layer, keras.layers.Conv2D) and (
            (layer.kernel_size, layer.groups) == ((1, 1), 1)
        )
        is_new = node_of(layer) in head
        return layer if is_new and (is_dense or is_pointwise) and layer.use_bias else None
    return None


def _scaling_of(table: FeatureTable, rows: Rows) -> Scaling:
    """Return the mean and deviation of each feature, of a grid over all its places."""
    if len(rows) > SCALED_BY:
        rows = rows[np.linspace(0, len(rows) - 1, SCALED_BY).astype(np.int64)]
    return Scaling.of(table[rows].reshape(-1, table.shape[-1]))


def training_began(
    plan: TrainingPlan,
    store: Store,
    network: keras.Model,
    *,
    first: int = 1,
    epochs: int = 1,
    steps: int = 1,
) -> TrainingBegan:
    """Return the event that a training journals before its first step.

    Args:
        plan: Its plan.
        store: The dataset.
        network: The whole network.
        first: The first step that is done, from 1.
        epochs: Epochs of the training.
        steps: Steps of an epoch.
    """
    return TrainingBegan(
        task=store.task.name,
        epochs=epochs,
        steps_per_epoch=steps,
        train_images=len(store.rows("train")),
        val_images=len(store.rows("val")),
        parameters=network.count_params(),
        trainable_parameters=sum(math.prod(w.shape) for w in network.trainable_weights),
        backend=plan.backend,
        device=device_name(plan.device),
        first_step=first,
    )


def _summary(found: Solution, cut: Cut, images: int) -> str:
    fit = message(
        "{solver} on {features:,} standardized features of {images:,} images, with C = {c:g}",
        solver=as_message(SOLVER_LABELS[found.solver]),
        features=cut.shape[0],
        images=images,
        c=found.strength,
    )
    if not found.converged:
        fit = message("{fit}, before it converged", fit=fit)
    return message(
        "{fit}. Epochs, batch size, learning rate and optimizer had no effect.", fit=fit
    )
