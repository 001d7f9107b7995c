"""Fits the network of a plan, journals, and keeps what is worth it.

Imported only after the backend of Keras is chosen (`backend.prepare_backend`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import keras

from studio.engine.compute.augmenting import WithAugmentation, augments_on_device
from studio.engine.compute.auxiliary import OWN_LOSS, WithAuxiliary, network_in
from studio.engine.compute.averaging import averaged
from studio.engine.compute.build import build
from studio.engine.compute.cost import steps_per_call
from studio.engine.compute.device import device_name
from studio.engine.compute.distribution import spread
from studio.engine.compute.insights import KeptInsights
from studio.engine.compute.journaling import JournalFollower, StopAsked
from studio.engine.compute.keeper import ModelKeeper, forget_checkpoints
from studio.engine.compute.loop import Loop
from studio.engine.compute.meters import Meters
from studio.engine.compute.on_features import Lesson, on_features, solve_head
from studio.engine.compute.optimizers import RateTable, make_optimizer, multipliers_of, rates_of
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.compute.precision import computing_in, scaled_for
from studio.engine.compute.resume import ResumePoint, course_of, load_point
from studio.engine.compute.reuse import COMPILED, CompiledTraining, reuse_key
from studio.engine.compute.stopwatch import Stopwatch
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.weights import freeze_folded, start_from
from studio.engine.datasets.augment.augmenter import AUGMENT_VERSION, Augmenter
from studio.engine.datasets.store import Store
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import Note
from studio.engine.jobs.states import State
from studio.engine.networks.spec import NetworkSpec
from studio.engine.training.history import RunContext, TrainingBegan
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
    state = _trained(context, plan, training, point)
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
    context: RunContext, plan: TrainingPlan, training: CompiledTraining, point: ResumePoint
) -> State:
    network, lesson = training.network, training.lesson
    context.emit(_beginning(plan, network, lesson, point), durable=True)
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
    """What learns, and from what: the network from images, or its last part from features."""
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
    """What is learned from, and what is measured on."""
    on_device = augments_on_device(plan)
    augmenter = Augmenter(plan.augmentation, plan.seed, on_device=on_device)
    balanced = plan.balance == "sampling"
    batches = SplitBatches(
        store, "train", plan.batch_size, plan.order_seed, augmenter, balanced=balanced
    )
    return batches, SplitBatches(store, "val", plan.batch_size, None, mixed=augmenter.mixes)


def _beginning(
    plan: TrainingPlan, network: keras.Model, lesson: Lesson, point: ResumePoint
) -> TrainingBegan:
    return TrainingBegan(
        task=lesson.batches.task.name,
        epochs=plan.epochs,
        steps_per_epoch=len(lesson.batches),
        train_images=lesson.batches.count,
        val_images=lesson.validation.count,
        parameters=network.count_params(),
        trainable_parameters=sum(math.prod(w.shape) for w in network.trainable_weights),
        backend=plan.backend,
        device=device_name(plan.device),
        first_step=point.course.step + 1,
    )


def _steps_per_call(plan: TrainingPlan, model: keras.Model, steps_per_epoch: int) -> int:
    # Only there was it measured; PyTorch refuses more than one.
    if plan.backend != "tensorflow":
        return 1
    return steps_per_call(model, plan.batch_size, steps_per_epoch)
