"""Fits the network of a plan, journals, and keeps what is worth it.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import math

import keras

from studio.engine.compute.build import build
from studio.engine.compute.cost import steps_per_call
from studio.engine.compute.device import device_name
from studio.engine.compute.journaling import JournalCallback, StopAsked
from studio.engine.compute.keeper import ModelKeeper
from studio.engine.compute.optimizers import make_optimizer, rates_of
from studio.engine.compute.pipeline import ClearFailures, EpochOrder, SplitBatches
from studio.engine.datasets.augment.augmenter import Augmenter
from studio.engine.datasets.store import Store
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import TrainingBegan
from studio.engine.jobs.states import State
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.plan import TrainingPlan


def fit(context: JobContext, plan: TrainingPlan, store: Store, spec: NetworkSpec) -> State:
    """Train, with what is best or last on the disk in the end, whatever the end is.

    Returns:
        `COMPLETED`, or `STOPPED` when somebody asked for that.

    Raises:
        NotFiniteError: The loss is not a number any more.
        BadDataError: An image of the dataset is damaged.
        DiskFullError: There was no space for the model.
    """
    augmenter = Augmenter(plan.augmentation, plan.seed)
    soft = augmenter.mixes
    batches = SplitBatches(store, "train", plan.batch_size, plan.seed, augmenter)
    validation = SplitBatches(store, "val", plan.batch_size, None, soft=soft)
    kind = "" if soft else "Sparse"
    rates = rates_of(plan, plan.epochs * len(batches))
    model = build(spec, seed=plan.seed)
    model.compile(
        optimizer=make_optimizer(plan, rates),
        loss=getattr(keras.losses, f"{kind}CategoricalCrossentropy")(),
        metrics=[getattr(keras.metrics, f"{kind}CategoricalAccuracy")(name="accuracy")],
        steps_per_execution=_steps_per_call(plan, model, len(batches)),
    )
    context.emit(
        TrainingBegan(
            epochs=plan.epochs,
            steps_per_epoch=len(batches),
            train_images=batches.count,
            val_images=validation.count,
            parameters=model.count_params(),
            trainable_parameters=sum(math.prod(w.shape) for w in model.trainable_weights),
            backend=plan.backend,
            device=device_name(),
        ),
        durable=True,
    )
    keeper = ModelKeeper(context, spec, plan.keep)
    try:
        with ClearFailures(batches, validation):
            model.fit(
                batches,
                validation_data=validation if validation.count else None,
                epochs=plan.epochs,
                shuffle=False,
                verbose=0,
                callbacks=[EpochOrder(batches), JournalCallback(context, batches, keeper, rates)],
            )
        state = State.COMPLETED
    except StopAsked:
        state = State.STOPPED
        if not keeper.has_weights:
            keeper.take(model)
    finally:
        keeper.save()
    return state


def _steps_per_call(plan: TrainingPlan, model: keras.Model, steps_per_epoch: int) -> int:
    # Only there was it measured; PyTorch refuses more than one.
    if plan.backend != "tensorflow":
        return 1
    return steps_per_call(model, plan.batch_size, steps_per_epoch)
