"""Training of a plan's network, with its journal and its checkpoints.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import hashlib
import importlib
import json
from dataclasses import dataclass, replace
from typing import Protocol

import keras

from studio.engine.compute.auxiliary import OWN_LOSS, WithAuxiliary, network_in
from studio.engine.compute.backends import chosen, keras_internals
from studio.engine.compute.build import build, computing_in, scaled_for
from studio.engine.compute.checkpoint import Checkpoint, initial_progress, load_checkpoint
from studio.engine.compute.crops import WithCrops, cropped_network
from studio.engine.compute.distribution import spread
from studio.engine.compute.graph import steps_per_call
from studio.engine.compute.insights import CompiledParts, StoredInsights
from studio.engine.compute.journaling import JournalFollower, StopAsked
from studio.engine.compute.loop import Loop
from studio.engine.compute.meters import Meters, Stopwatch
from studio.engine.compute.model_checkpointer import ModelCheckpointer, forget_checkpoints
from studio.engine.compute.on_features import (
    FeatureBatches,
    TrainingSetup,
    on_features,
    training_began,
)
from studio.engine.compute.optimizers import RateTable, make_optimizer, multipliers_of, rates_of
from studio.engine.compute.pipeline import SplitBatches, WithAugmentation, augments_on_device
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.tasks.requested import (
    LearningRequest,
    requested_loss,
    requested_metrics,
)
from studio.engine.compute.validation import averaged
from studio.engine.compute.weights import freeze_folded, start_from
from studio.engine.datasets.augment.augmenter import AUGMENT_VERSION, Augmenter
from studio.engine.datasets.store import Store
from studio.engine.jobs.devices import parse_device_request
from studio.engine.jobs.events import Note
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.networks.heads import output_of
from studio.engine.networks.spec import NetworkSpec
from studio.engine.tasks.outputs import Output
from studio.engine.training.history import RunContext
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trainers import trainer_of

_OTHER_IMAGES = (
    "This run started in an older Studio with different rounding in augmentation: augmented "
    "images may differ by a few gray levels, so resuming is not bit-exact."
)


def fit(context: RunContext, plan: TrainingPlan, store: Store, spec: NetworkSpec) -> State:
    """Train a run; however it ends, the best or last weights are stored.

    Args:
        context: The running job.
        plan: Plan of the run.
        store: Its dataset.
        spec: Its network.

    Returns:
        `COMPLETED`, or `STOPPED` or `PAUSED` on request.

    Raises:
        NotFiniteError: The loss became infinite or undefined.
        BadDataError: An image of the dataset is damaged.
        DiskFullError: There was no space for the model.
    """
    COMPILED.drop_unless(reuse_key(plan, store, spec))
    checkpoint = load_checkpoint(context.folder)
    trainer = trainer_of(plan)
    with computing_in(trainer.precision(plan)):
        network = build(spec, seed=plan.seed, auxiliary=True)
    if checkpoint is None:
        forget_checkpoints(context.folder)
        start_from(context, plan, network, spec)
    else:
        checkpoint.restore_network(network)
        freeze_folded(network)
    module, _, name = trainer.fitting.partition(":")
    fitting: Fitting = getattr(importlib.import_module(module), name)
    return fitting(context, plan, store, spec, network, checkpoint)


class Fitting(Protocol):
    """The function of a `Trainer` that trains a built network."""

    def __call__(
        self,
        context: RunContext,
        plan: TrainingPlan,
        store: Store,
        spec: NetworkSpec,
        network: keras.Model,
        checkpoint: Checkpoint | None,
    ) -> State:
        """Train it.

        Args:
            context: The running job.
            plan: Plan of the run.
            store: Its dataset.
            spec: Its network.
            network: The built network with its first weights, or those of the checkpoint.
            checkpoint: State to resume from; None to begin.
        """


def descend(
    context: RunContext,
    plan: TrainingPlan,
    store: Store,
    spec: NetworkSpec,
    network: keras.Model,
    checkpoint: Checkpoint | None,
) -> State:
    """Train by gradient descent; see `Fitting`.

    Raises:
        NotFiniteError: The loss became infinite or undefined.
        BadDataError: An image of the dataset is damaged.
        DiskFullError: There was no space for the model.
    """
    key = reuse_key(plan, store, spec)
    training = COMPILED.reused(key, _compiled(context, plan, store, spec, network))
    checkpoint = _restored(context, plan, training, checkpoint)
    state = _trained(context, plan, store, training, checkpoint)
    COMPILED.keep(key, training)
    return state


def _compiled(
    context: RunContext, plan: TrainingPlan, store: Store, spec: NetworkSpec, network: keras.Model
) -> CompiledTraining:
    setup = training_setup(context, plan, store, spec, network)
    setup = _with_insights(context, plan, store, setup, output_of(spec))
    rates = rates_of(plan, plan.epochs * len(setup.batches))
    compile_setup(plan, store, spec, setup, rates)
    return CompiledTraining(network, setup, rates)


def _restored(
    context: RunContext,
    plan: TrainingPlan,
    training: CompiledTraining,
    checkpoint: Checkpoint | None,
) -> Checkpoint:
    """Restore the compiled training from a checkpoint; without one, start a new run."""
    if checkpoint is None:
        return Checkpoint(initial_progress(plan))
    setup = training.setup
    is_older = checkpoint.progress.augmentation != AUGMENT_VERSION
    if is_older and not Augmenter(plan.augmentation, plan.seed).is_idle:
        context.emit(Note(level="warning", message=_OTHER_IMAGES))
    checkpoint = checkpoint.fitted_to(plan, len(setup.batches))
    checkpoint.restore_training(setup.model, setup.batches[0])
    setup.checkpointer.restore(checkpoint.snapshot)
    training.rates.cut_to(checkpoint.progress.rate_factor)
    return checkpoint


def _trained(
    context: RunContext,
    plan: TrainingPlan,
    store: Store,
    training: CompiledTraining,
    checkpoint: Checkpoint,
) -> State:
    network, setup = training.network, training.setup
    first, steps = checkpoint.progress.step + 1, len(setup.batches)
    event = training_began(plan, store, network, first=first, epochs=plan.epochs, steps=steps)
    context.emit(event, durable=True)
    journal = JournalFollower(context, plan, setup, training.rates, checkpoint, network)
    stopwatch = Stopwatch()
    try:
        with Meters(context, stopwatch):
            _learn(plan, setup, journal, checkpoint, stopwatch)
        state = State.COMPLETED
    except StopAsked as asked:
        state = State.PAUSED if asked.ending == "pause" else State.STOPPED
        if state == State.STOPPED and not setup.checkpointer.has_weights:
            with averaged(setup.model):
                setup.checkpointer.take(setup.model)
    finally:
        setup.checkpointer.save()
    return state


def training_setup(
    context: JobContext, plan: TrainingPlan, store: Store, spec: NetworkSpec, network: keras.Model
) -> TrainingSetup:
    """Build the training setup: the network on images, or its head on cached features.

    Args:
        context: The running job.
        plan: Plan of the run.
        store: Its dataset.
        spec: Its network.
        network: The built network.
    """
    setup = on_features(context, plan, store, spec, network)
    if setup is not None:
        return setup
    shared = spread(network, plan.device)
    model = shared
    if augments_on_device(plan, store.task):
        model = WithAugmentation(shared, spec, plan.augmentation.fill, store.pixel_format)
    elif plan.augmentation.crop and output_of(spec).any_size:
        precision = trainer_of(plan).precision(plan)
        cropped = cropped_network(network, spec, plan.augmentation.crop, precision)
        model = WithCrops(shared, spec, spread(cropped, plan.device))
    elif spec.auxiliary:
        model = WithAuxiliary(shared, spec)
    return TrainingSetup(
        model, *_batches(plan, store, output_of(spec)), ModelCheckpointer(context, spec, plan.keep)
    )


def _with_insights(
    context: RunContext, plan: TrainingPlan, store: Store, setup: TrainingSetup, output: Output
) -> TrainingSetup:
    """Add the collection of insights to a setup if the plan requests it."""
    if not plan.insights:
        return setup
    parts = setup.model, setup.batches, setup.validation
    learning = learning_of(store, output)
    return replace(setup, insights=StoredInsights(context, plan, store, *parts, learning))


def compile_setup(
    plan: TrainingPlan, store: Store, spec: NetworkSpec, setup: TrainingSetup, rates: RateTable
) -> None:
    """Compile the model of a setup.

    Args:
        plan: The plan.
        store: The dataset, whose classes count in the loss.
        spec: The whole network.
        setup: Model, data and loss.
        rates: The learning rate of every step.
    """
    part = network_in(setup.model)
    optimizer = scaled_for(plan.precision, make_optimizer(plan, rates, multipliers_of(part, spec)))
    steps = _steps_per_call(plan, part, len(setup.batches))
    request = LearningRequest(plan, learning_of(store, output_of(spec)), setup.batches.is_mixed)
    loss, metrics = requested_loss(request), requested_metrics(request)
    if spec.auxiliary and isinstance(setup.model, WithAuxiliary):
        metrics.append(keras.metrics.MeanMetricWrapper(loss.call, name=OWN_LOSS))
    setup.model.compile(
        optimizer=optimizer,
        loss=loss,
        metrics=[*metrics, *setup.insights.metrics],
        steps_per_execution=steps,
        auto_scale_loss=False,  # the optimizer does, where it is needed
    )
    # Otherwise the first step makes its variables while TensorFlow traces it, one by one and
    # slowly, after which everything is traced once more.
    optimizer.build(setup.model.trainable_variables)
    if chosen.backend().needs_metrics_first:
        keras_internals.build_symbolically(setup.model, setup.batches[0])


def _learn(
    plan: TrainingPlan,
    setup: TrainingSetup,
    journal: JournalFollower,
    checkpoint: Checkpoint,
    stopwatch: Stopwatch,
) -> None:
    """Train from a checkpoint to the end."""
    progress = checkpoint.progress
    if progress.epoch >= plan.epochs or (journal.is_over and not progress.batch):
        return  # killed between its last checkpoint and its last event
    loop = Loop(setup.model, setup.batches, stopwatch)
    loop.train(journal, progress.epoch, plan.epochs, progress.batch)
    journal.save()


def _batches(
    plan: TrainingPlan, store: Store, output: Output
) -> tuple[SplitBatches, SplitBatches]:
    """Return the training batches and the validation batches for networks with an output."""
    on_device = augments_on_device(plan, store.task)
    augmenter = Augmenter(
        plan.augmentation,
        plan.seed,
        on_device=on_device,
        epochs=plan.epochs,
        pixels=store.pixel_format,
    )
    balanced = plan.class_balancing == "sampling"
    batches = SplitBatches(
        store, "train", plan.batch_size, plan.order_seed, augmenter, balanced=balanced
    )
    validation = SplitBatches(store, "val", plan.batch_size, None, mixed=augmenter.mixes)
    return batches.for_network(store, output), validation.for_network(store, output)


def _steps_per_call(plan: TrainingPlan, model: keras.Model, steps_per_epoch: int) -> int:
    if not chosen.backend().has_multi_step_calls:
        return 1
    return steps_per_call(model, plan.batch_size, steps_per_epoch)


_NOT_COMPILED = frozenset(
    {
        *("learning_rate", "schedule", "schedule_options", "warmup_percent", "seed", "shuffle"),
        *(
            "validation_interval_epochs",
            "snapshot_interval_epochs",
            "snapshots_to_keep",
            "checkpoint_interval_seconds",
            "keep",
        ),
        *("monitor", "min_delta", "early_stopping_patience", "plateau_patience", "plateau_factor"),
        *("runs_per_device", "measure_latency", "tensorboard", "mlflow"),
    }
)
"""Fields of a plan that no compiled step depends on; all others are a part of the key."""


@dataclass(slots=True)
class CompiledTraining:
    """A model ready to train.

    Attributes:
        network: The whole network.
        setup: Compiled model, data and loss.
        rates: The learning rates, which its optimizer follows.
    """

    network: keras.Model
    setup: TrainingSetup
    rates: RateTable


@dataclass(frozen=True, slots=True)
class _Compiled:
    """Compiled state that later runs reuse, without data or records of a run."""

    key: str
    network: keras.Model
    model: keras.Model
    rates: RateTable
    parts: CompiledParts | None
    clone: keras.Model | None


class CompiledModels:
    """Cache of the training compiled by the last run, until another run starts."""

    def __init__(self) -> None:
        self._last: _Compiled | None = None

    def drop_unless(self, key: str) -> None:
        """Release a model that does not fit a run, before that run builds its own."""
        if self._last is not None and self._last.key != key:
            self.clear()

    def clear(self) -> None:
        """Release the cached training."""
        self._last = None

    def reused(self, key: str, new: CompiledTraining) -> CompiledTraining:
        """Replace a new model by the one compiled before, with the state of the new one.

        Args:
            key: Key of the run that begins.
            new: Its own model: compiled, never called.

        Returns:
            The same without suitable parts. What is returned belongs to the run: nothing is kept
            while it trains.
        """
        last, self._last = self._last, None
        if last is None or last.key != key:
            return new
        ours, theirs = _state(new.setup.model), _state(last.model)
        if [_form(each) for each in ours] != [_form(each) for each in theirs]:
            return new
        for variable, value in zip(theirs, ours, strict=True):
            variable.assign(value)
        last.rates.follow(new.rates)
        new.setup.checkpointer.reuse(last.clone)
        if last.parts is not None:
            new.setup.insights.reuse(last.parts)
        return CompiledTraining(last.network, replace(new.setup, model=last.model), last.rates)

    def keep(self, key: str, used: CompiledTraining) -> None:
        """Cache the compiled training of a completed run.

        Args:
            key: See `reuse_key`.
            used: The training.
        """
        setup = used.setup
        # Features have a checkpointer that knows the network; their steps compile fast, too.
        if key and not isinstance(setup.batches, FeatureBatches):
            self._last = _Compiled(
                key,
                used.network,
                setup.model,
                used.rates,
                setup.insights.compiled,
                setup.checkpointer.clone,
            )
            chosen.backend().forget_functions()


def _state(model: keras.Model) -> list[keras.Variable]:
    """Return the initial state of a run: weights, random generators, optimizer, learning rates."""
    return [*model.variables, *model.optimizer.variables]


def _form(variable: keras.Variable) -> tuple[object, ...]:
    return tuple(variable.shape), str(variable.dtype), bool(variable.trainable)


COMPILED = CompiledModels()
"""Of this process."""


def reuse_key(plan: TrainingPlan, store: Store, spec: NetworkSpec) -> str:
    """Return a key that is equal for runs with equal compiled steps; empty if not reusable.

    Args:
        plan: Plan of the run.
        store: Its dataset.
        spec: Its network.
    """
    # What several devices share is bound to where it was made.
    if not chosen.backend().compiles or parse_device_request(plan.device).count > 1:
        return ""
    if not trainer_of(plan).steps(plan, 1):
        return ""
    asked = plan.model_dump(mode="json", exclude=set(_NOT_COMPILED))
    data = [str(store.path), store.created, store.version]
    text = json.dumps([asked, data, spec.to_json()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
