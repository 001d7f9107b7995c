"""Fits the network of a plan, journals, and keeps what is worth it.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace

import keras

from studio.engine.compute.auxiliary import OWN_LOSS, WithAuxiliary, network_in
from studio.engine.compute.build import build, computing_in, scaled_for
from studio.engine.compute.distribution import spread
from studio.engine.compute.graph import steps_per_call
from studio.engine.compute.insights import CompiledParts, KeptInsights
from studio.engine.compute.journaling import JournalFollower, StopAsked
from studio.engine.compute.keeper import ModelKeeper, forget_checkpoints
from studio.engine.compute.loop import Loop
from studio.engine.compute.meters import Meters, Stopwatch
from studio.engine.compute.on_features import (
    FeatureBatches,
    Lesson,
    on_features,
    solve_head,
    training_began,
)
from studio.engine.compute.optimizers import RateTable, make_optimizer, multipliers_of, rates_of
from studio.engine.compute.pipeline import SplitBatches, WithAugmentation, augments_on_device
from studio.engine.compute.resume import ResumePoint, course_of, load_point
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.validation import averaged
from studio.engine.compute.weights import freeze_folded, start_from
from studio.engine.datasets.augment.augmenter import AUGMENT_VERSION, Augmenter
from studio.engine.datasets.store import Store
from studio.engine.jobs.devices import parse_device_request
from studio.engine.jobs.events import Note
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.states import State
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.history import RunContext
from studio.engine.training.parts import FULL
from studio.engine.training.plan import GRADIENT, TrainingPlan

_OTHER_IMAGES = (
    "This run began with an older Studio, whose augmentation rounded otherwise: augmented images "
    "may differ by a few gray levels from here on, so it does not go on bit for bit."
)


def fit(context: RunContext, plan: TrainingPlan, store: Store, spec: NetworkSpec) -> State:
    """Train, with what is best or last on the disk in the end, whatever the end is.

    Returns:
        `COMPLETED`, or `STOPPED` or `PAUSED` when somebody asked for that.

    Raises:
        NotFiniteError: The loss is not a number any more.
        BadDataError: An image of the dataset is damaged.
        DiskFullError: There was no space for the model.
    """
    key = reuse_key(plan, store, spec)
    COMPILED.drop_unless(key)
    point = load_point(context.folder)
    with computing_in(plan.precision if plan.head_solver == GRADIENT else FULL):
        network = build(spec, seed=plan.seed, auxiliary=True)
    if point is None:
        forget_checkpoints(context.folder)
        start_from(context, plan, network, spec)
    else:
        point.restore_network(network)
        freeze_folded(network)
    if plan.head_solver != GRADIENT:
        return solve_head(context, plan, store, spec, network)
    training = COMPILED.reused(key, _compiled(context, plan, store, spec, network))
    point = _restored(context, plan, training, point)
    state = _trained(context, plan, store, training, point)
    COMPILED.keep(key, training)
    return state


def _compiled(
    context: RunContext, plan: TrainingPlan, store: Store, spec: NetworkSpec, network: keras.Model
) -> CompiledTraining:
    lesson = _looked_into(context, plan, store, lesson_of(context, plan, store, spec, network))
    rates = rates_of(plan, plan.epochs * len(lesson.batches))
    compile_lesson(plan, store, spec, lesson, rates)
    return CompiledTraining(network, lesson, rates)


def _restored(
    context: RunContext, plan: TrainingPlan, training: CompiledTraining, point: ResumePoint | None
) -> ResumePoint:
    """Give what is compiled the state of a point; the beginning of a new run without one."""
    if point is None:
        return ResumePoint(course_of(plan))
    lesson = training.lesson
    is_older = point.course.augmentation != AUGMENT_VERSION
    if is_older and not Augmenter(plan.augmentation, plan.seed).is_idle:
        context.emit(Note(level="warning", message=_OTHER_IMAGES))
    point = point.fitted_to(plan, len(lesson.batches))
    point.restore_training(lesson.model, lesson.batches[0])
    lesson.keeper.restore(point.kept)
    training.rates.cut_to(point.course.rate_factor)
    return point


def _trained(
    context: RunContext,
    plan: TrainingPlan,
    store: Store,
    training: CompiledTraining,
    point: ResumePoint,
) -> State:
    network, lesson = training.network, training.lesson
    first, steps = point.course.step + 1, len(lesson.batches)
    event = training_began(plan, store, network, first=first, epochs=plan.epochs, steps=steps)
    context.emit(event, durable=True)
    journal = JournalFollower(context, plan, lesson, training.rates, point, network)
    watch = Stopwatch()
    try:
        with Meters(context, watch):
            _learn(plan, lesson, journal, point, watch)
        state = State.COMPLETED
    except StopAsked as asked:
        state = State.PAUSED if asked.ending == "pause" else State.STOPPED
        if state == State.STOPPED and not lesson.keeper.has_weights:
            with averaged(lesson.model):
                lesson.keeper.take(lesson.model)
    finally:
        lesson.keeper.save()
    return state


def lesson_of(
    context: JobContext, plan: TrainingPlan, store: Store, spec: NetworkSpec, network: keras.Model
) -> Lesson:
    """Build the training setup: the network on images, or its last part on features."""
    lesson = on_features(context, plan, store, spec, network)
    if lesson is not None:
        return lesson
    shared = spread(network, plan.device)
    model = shared
    if augments_on_device(plan):
        model = WithAugmentation(shared, spec, plan.augmentation.fill)
    elif spec.auxiliary:
        model = WithAuxiliary(shared, spec)
    return Lesson(model, *_batches(plan, store), ModelKeeper(context, spec, plan.keep))


def _looked_into(context: RunContext, plan: TrainingPlan, store: Store, lesson: Lesson) -> Lesson:
    """A lesson whose validations are looked into, where the plan wants that."""
    if not plan.insights:
        return lesson
    parts = lesson.model, lesson.batches, lesson.validation
    return replace(lesson, insights=KeptInsights(context, plan, store, *parts))


def compile_lesson(
    plan: TrainingPlan, store: Store, spec: NetworkSpec, lesson: Lesson, rates: RateTable
) -> None:
    """Tell what learns how it learns.

    Args:
        plan: The plan.
        store: The dataset, whose classes count in the loss.
        spec: The whole network.
        lesson: What learns.
        rates: The learning rate of every step.
    """
    part = network_in(lesson.model)
    optimizer = scaled_for(plan.precision, make_optimizer(plan, rates, multipliers_of(part, spec)))
    steps = _steps_per_call(plan, part, len(lesson.batches))
    learning, mixed = learning_of(store), lesson.batches.is_mixed
    loss = learning.loss(plan, mixed=mixed)
    metrics = learning.metrics(mixed=mixed)
    if spec.auxiliary and isinstance(lesson.model, WithAuxiliary):
        metrics.append(keras.metrics.MeanMetricWrapper(loss.call, name=OWN_LOSS))
    lesson.model.compile(
        optimizer=optimizer,
        loss=loss,
        metrics=[*metrics, *lesson.insights.metrics],
        steps_per_execution=steps,
        auto_scale_loss=False,  # the optimizer does, where it is needed
    )
    # Otherwise the first step makes its variables while TensorFlow traces it, one by one and
    # slowly, after which everything is traced once more.
    optimizer.build(lesson.model.trainable_variables)
    if keras.backend.backend() != "tensorflow":
        # The variables of the metrics must exist before the first step is compiled.
        lesson.model._symbolic_build(data_batch=lesson.batches[0])  # noqa: SLF001 - no public way


def _learn(
    plan: TrainingPlan,
    lesson: Lesson,
    journal: JournalFollower,
    point: ResumePoint,
    watch: Stopwatch,
) -> None:
    """Train from a moment on to the end."""
    course = point.course
    if course.epoch >= plan.epochs or (journal.is_over and not course.batch):
        return  # it was killed between its last saving and its last word
    loop = Loop(lesson.model, lesson.batches, watch)
    loop.train(journal, course.epoch, plan.epochs, course.batch)
    journal.save()


def _batches(plan: TrainingPlan, store: Store) -> tuple[SplitBatches, SplitBatches]:
    """Return the training batches and the validation batches."""
    on_device = augments_on_device(plan)
    augmenter = Augmenter(plan.augmentation, plan.seed, on_device=on_device)
    balanced = plan.class_balancing == "sampling"
    batches = SplitBatches(
        store, "train", plan.batch_size, plan.order_seed, augmenter, balanced=balanced
    )
    return batches, SplitBatches(store, "val", plan.batch_size, None, mixed=augmenter.mixes)


def _steps_per_call(plan: TrainingPlan, model: keras.Model, steps_per_epoch: int) -> int:
    # Only there was it measured; PyTorch refuses more than one.
    if plan.backend != "tensorflow":
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
        lesson: What learns, compiled, and from what.
        rates: The learning rates, which its optimizer follows.
    """

    network: keras.Model
    lesson: Lesson
    rates: RateTable


@dataclass(frozen=True, slots=True)
class _Compiled:
    """Compiled state that is reused by later runs; holds no data and no record of a run."""

    key: str
    network: keras.Model
    model: keras.Model
    rates: RateTable
    parts: CompiledParts | None
    twin: keras.Model | None


class CompiledModels:
    """Keeps what the last run compiled, until another has begun."""

    def __init__(self) -> None:
        self._last: _Compiled | None = None

    def drop_unless(self, key: str) -> None:
        """Let go of a model that does not suit a run, before that run builds its own."""
        if self._last is not None and self._last.key != key:
            self.clear()

    def clear(self) -> None:
        """Let go of what is kept."""
        self._last = None

    def reused(self, key: str, new: CompiledTraining) -> CompiledTraining:
        """Put what was compiled before in the place of a new model, with the state of that.

        Args:
            key: Of the run that begins.
            new: Its own model: compiled, never called.

        Returns:
            The same where nothing suits. What is returned belongs to the run: nothing is kept
            while it trains.
        """
        last, self._last = self._last, None
        if last is None or last.key != key:
            return new
        ours, theirs = _state(new.lesson.model), _state(last.model)
        if [_form(each) for each in ours] != [_form(each) for each in theirs]:
            return new
        for variable, value in zip(theirs, ours, strict=True):
            variable.assign(value)
        last.rates.follow(new.rates)
        new.lesson.keeper.reuse(last.twin)
        if last.parts is not None:
            new.lesson.insights.reuse(last.parts)
        return CompiledTraining(last.network, replace(new.lesson, model=last.model), last.rates)

    def keep(self, key: str, used: CompiledTraining) -> None:
        """Keep what a run that ended well has compiled."""
        lesson = used.lesson
        # Features have a keeper that knows the network; their steps compile fast, too.
        if key and not isinstance(lesson.batches, FeatureBatches):
            self._last = _Compiled(
                key,
                used.network,
                lesson.model,
                used.rates,
                lesson.insights.compiled,
                lesson.keeper.twin,
            )
            _let_go_of_images()


def _state(model: keras.Model) -> list[keras.Variable]:
    """All that a run may begin with: weights, random generators, optimizer, learning rates."""
    return [*model.variables, *model.optimizer.variables]


def _let_go_of_images() -> None:
    """Drop the functions that read the images of validations, which are over.

    TensorFlow keeps them in the graph around all others, and each compiled step keeps that.
    """
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf  # noqa: PLC0415 - it is the backend

        graph = tf.compat.v1.get_default_graph()
        getattr(graph, "_py_funcs_used_in_graph", []).clear()


def _form(variable: keras.Variable) -> tuple[object, ...]:
    return tuple(variable.shape), str(variable.dtype), bool(variable.trainable)


COMPILED = CompiledModels()
"""Of this process."""


def reuse_key(plan: TrainingPlan, store: Store, spec: NetworkSpec) -> str:
    """Return what is equal for runs whose compiled steps are equal; empty where none may be."""
    # PyTorch compiles nothing. What several devices share is bound to where it was made.
    if plan.backend == "torch" or parse_device_request(plan.device).count > 1:
        return ""
    if plan.head_solver != GRADIENT:
        return ""
    asked = plan.model_dump(mode="json", exclude=set(_NOT_COMPILED))
    data = [str(store.path), store.created, store.version]
    text = json.dumps([asked, data, spec.to_json()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
