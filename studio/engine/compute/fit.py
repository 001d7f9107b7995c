"""Fits the network of a plan, journals, and keeps what is worth it.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import math

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.auxiliary import OWN_LOSS, WithAuxiliary
from studio.engine.compute.averaging import averaged
from studio.engine.compute.build import build
from studio.engine.compute.cost import steps_per_call
from studio.engine.compute.device import device_name
from studio.engine.compute.journaling import JournalCallback, StopAsked
from studio.engine.compute.keeper import ModelKeeper
from studio.engine.compute.losses import loss_of
from studio.engine.compute.multipliers import multipliers_of
from studio.engine.compute.on_features import Lesson, on_features, solve_head
from studio.engine.compute.optimizers import RateTable, make_optimizer, rates_of
from studio.engine.compute.pipeline import ClearFailures, EpochOrder, SplitBatches
from studio.engine.compute.precision import computing_in, scaled_for
from studio.engine.compute.weights import start_from
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.store import Store
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import TrainingBegan
from studio.engine.jobs.states import State
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.balance import class_weights
from studio.engine.training.parts import FULL
from studio.engine.training.plan import GRADIENT, TrainingPlan

TOP = 5
"""Guesses of which one may be right; said where there are more classes than that."""


def fit(context: JobContext, plan: TrainingPlan, store: Store, spec: NetworkSpec) -> State:
    """Train, with what is best or last on the disk in the end, whatever the end is.

    Returns:
        `COMPLETED`, or `STOPPED` when somebody asked for that.

    Raises:
        NotFiniteError: The loss is not a number any more.
        BadDataError: An image of the dataset is damaged.
        DiskFullError: There was no space for the model.
    """
    with computing_in(plan.precision if plan.head_solver == GRADIENT else FULL):
        network = build(spec, seed=plan.seed, auxiliary=True)
    start_from(context, plan, network, spec)
    if plan.head_solver != GRADIENT:
        return solve_head(context, plan, store, spec, network)
    lesson = on_features(context, plan, store, spec, network)
    part = network if lesson is None else lesson.model
    if lesson is None:
        model = WithAuxiliary(network, spec) if spec.auxiliary else network
        lesson = Lesson(model, *_batches(plan, store), ModelKeeper(context, spec, plan.keep))
    rates = rates_of(plan, plan.epochs * len(lesson.batches))
    optimizer = scaled_for(plan.precision, make_optimizer(plan, rates, multipliers_of(part, spec)))
    steps = _steps_per_call(plan, part, len(lesson.batches))
    soft = lesson.batches.is_soft
    loss = loss_of(plan, len(store.classes), _weights(plan, store), soft=soft)
    top_5 = len(store.classes) > TOP
    _compile(lesson.model, optimizer, loss, steps, soft=soft, top_5=top_5)
    context.emit(_beginning(plan, network, lesson), durable=True)
    try:
        _learn(context, plan, lesson, rates)
        state = State.COMPLETED
    except StopAsked:
        state = State.STOPPED
        if not lesson.keeper.has_weights:
            with averaged(lesson.model):
                lesson.keeper.take(lesson.model)
    finally:
        lesson.keeper.save()
    return state


def _learn(context: JobContext, plan: TrainingPlan, lesson: Lesson, rates: RateTable) -> None:
    batches, validation = lesson.batches, lesson.validation
    journal = JournalCallback(context, plan, lesson, rates)
    with ClearFailures(batches, validation):
        lesson.model.fit(
            batches,
            epochs=plan.epochs,
            shuffle=False,
            verbose=0,
            callbacks=[EpochOrder(batches), journal],
        )


def _batches(plan: TrainingPlan, store: Store) -> tuple[SplitBatches, SplitBatches]:
    """What is learned from, and what is measured on."""
    augmenter = Augmenter(plan.augmentation, plan.seed)
    balanced = plan.balance == "sampling"
    batches = SplitBatches(
        store, "train", plan.batch_size, plan.order_seed, augmenter, balanced=balanced
    )
    return batches, SplitBatches(store, "val", plan.batch_size, None, soft=augmenter.mixes)


def _weights(plan: TrainingPlan, store: Store) -> NDArray[np.float64] | None:
    """What an image of each class counts in the loss."""
    if plan.balance != "class_weights":
        return None
    return class_weights(store.labels[store.rows("train")], len(store.classes))


def _compile(
    model: keras.Model,
    optimizer: keras.Optimizer,
    loss: keras.losses.Loss,
    steps: int,
    *,
    soft: bool,
    top_5: bool,
) -> None:
    """Tell a model how it learns; labels are shares of the classes where they are soft."""
    sparse = "" if soft else "Sparse"
    metrics = [getattr(keras.metrics, f"{sparse}CategoricalAccuracy")(name="accuracy")]
    if top_5:
        metrics.append(getattr(keras.metrics, f"{sparse}TopKCategoricalAccuracy")(TOP, "top_5"))
    if isinstance(model, WithAuxiliary):
        metrics.append(keras.metrics.MeanMetricWrapper(loss.call, name=OWN_LOSS))
    model.compile(
        optimizer=optimizer,
        loss=loss,
        metrics=metrics,
        steps_per_execution=steps,
        auto_scale_loss=False,  # the optimizer does, where it is needed
    )


def _beginning(plan: TrainingPlan, network: keras.Model, lesson: Lesson) -> TrainingBegan:
    return TrainingBegan(
        epochs=plan.epochs,
        steps_per_epoch=len(lesson.batches),
        train_images=lesson.batches.count,
        val_images=lesson.validation.count,
        parameters=network.count_params(),
        trainable_parameters=sum(math.prod(w.shape) for w in network.trainable_weights),
        backend=plan.backend,
        device=device_name(),
    )


def _steps_per_call(plan: TrainingPlan, model: keras.Model, steps_per_epoch: int) -> int:
    # Only there was it measured; PyTorch refuses more than one.
    if plan.backend != "tensorflow":
        return 1
    return steps_per_call(model, plan.batch_size, steps_per_epoch)
