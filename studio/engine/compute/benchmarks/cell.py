"""Measures one cell of a study: trains a network for a while and takes the time of every step."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.benchmarks.checks import input_shape
from studio.engine.benchmarks.plan import Spot, StudyPlan, spots_of
from studio.engine.benchmarks.results import Figures, steps_file
from studio.engine.benchmarks.tables import Step, write_steps
from studio.engine.compute.backend import prepare_backend
from studio.engine.compute.benchmarks.gauge import GpuGauge
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.jobs.device_request import DeviceRequest
from studio.engine.networks.zoo import ZOO
from studio.engine.processor_load import ProcessorLoad
from studio.engine.workspace import RecordKind, Workspace

if TYPE_CHECKING:
    import keras

WARM_UP_STEPS = 2
"""The first compiles, the second still asks for memory."""


class Lesson(NamedTuple):
    """What a cell learns from: pixels as uint8 (image, height, width, channel), and labels."""

    images: NDArray[np.uint8]
    labels: NDArray[np.int32]
    classes: int


def measure(
    workspace: Workspace, folder: Path, plan: StudyPlan, number: int, until: float
) -> Figures | None:
    """Measure a cell in this process, which must have imported no Keras before.

    The steps are left beside the study. A step is timed from images in the machine's memory to the
    loss as a number, so that transfers count and the device has come to its end.

    Args:
        workspace: Where the dataset is.
        folder: Of the study.
        plan: The study.
        number: Of the cell.
        until: When its time is over, by `time.monotonic`.

    Returns:
        The figures, of fewer steps where the time was over before; None without any step.

    Raises:
        StudioError: The network, the backend or the device cannot be used.
    """
    spot = spots_of(plan)[number]
    lesson = lesson_of(workspace, plan, spot)
    wish = DeviceRequest("cpu" if spot.device == "cpu" else "gpu")
    prepare_backend(spot.backend, deterministic=False, seed=plan.seed, threads=None, device=wish)
    return _timed(folder, plan, number, lesson, until)


def lesson_of(workspace: Workspace, plan: StudyPlan, spot: Spot) -> Lesson:
    """The images of a cell: those of its dataset, shuffled, again where they are few; or noise.

    Raises:
        BadDataError: The dataset was deleted or cannot be read.
    """
    if not plan.dataset:
        shape = (plan.images, *input_shape(plan, spot.network))
        noise = np.random.default_rng(plan.seed).integers(0, 256, shape, np.uint8)
        return Lesson(noise, np.zeros(plan.images, np.int32), plan.classes)
    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        raise BadDataError(f'The dataset "{plan.dataset}" was deleted.', where="dataset")
    store = Store.open(record.folder, plan.dataset_version or 0)
    shuffled = np.random.default_rng(plan.seed).permutation(store.rows("train"))
    # Each is read once, in the order of the file.
    rows, places = np.unique(np.resize(shuffled, plan.images), return_inverse=True)
    labels = store.labels[rows].astype(np.int32)
    return Lesson(np.asarray(store.images[rows])[places], labels[places], len(store.classes))


def _timed(
    folder: Path, plan: StudyPlan, number: int, lesson: Lesson, until: float
) -> Figures | None:
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.device import device_name  # noqa: PLC0415
    from studio.engine.compute.memory import MachineMeter, memory_meter  # noqa: PLC0415

    spot = spots_of(plan)[number]
    model = _model(plan, spot, lesson)
    per_epoch = plan.images // spot.batch
    began = time.perf_counter()
    _warm_up(plan, model, lesson, spot.batch)
    warm_up = time.perf_counter() - began
    process, device = MachineMeter(), memory_meter()
    meters = [process] if device is None or device.device == "machine" else [process, device]
    for meter in meters:
        meter.begin()
    load, steps = ProcessorLoad(), []
    with GpuGauge(on=spot.device != "cpu") as gauge:
        for step in _steps(model, lesson, spot.batch, plan.epochs * per_epoch):
            steps.append(step)
            if time.monotonic() >= until:
                break
    peaks = [meter.peak() for meter in meters]
    write_steps(steps_file(folder, number), steps)
    if not steps:
        return None
    seconds = [step.seconds for step in steps]
    return Figures(
        steps=len(steps),
        step_seconds=statistics.fmean(seconds),
        median_step_seconds=statistics.median(seconds),
        warm_up_seconds=warm_up,
        epoch_losses=tuple(_epoch_losses(steps, per_epoch)),
        process_bytes=peaks[0],
        device_bytes=peaks[1] if len(peaks) > 1 else None,
        utilization=gauge.utilization,
        power=gauge.power,
        peak_power=gauge.peak_power,
        others_share=load.of_others(),
        device_name=device_name(),
    )


def _model(plan: StudyPlan, spot: Spot, lesson: Lesson) -> keras.Model:
    # See `_timed`.
    import keras  # noqa: PLC0415

    from studio.engine.compute.build import build  # noqa: PLC0415
    from studio.engine.compute.precision import computing_in, scaled_for  # noqa: PLC0415

    height, width, channels = lesson.images.shape[1:]
    spec = ZOO[spot.network].build((height, width, channels), lesson.classes)
    precision = next(each for each in plan.precision if each == spot.precision)
    with computing_in(precision):
        model = build(spec, seed=plan.seed)
    optimizer = scaled_for(precision, keras.optimizers.SGD(plan.learning_rate))
    optimizer.build(model.trainable_variables)  # see `fit.compile_lesson`
    model.compile(
        optimizer=optimizer,
        loss=keras.losses.SparseCategoricalCrossentropy(),
        auto_scale_loss=False,  # the optimizer does, where it is needed
    )
    return model


def _warm_up(plan: StudyPlan, model: keras.Model, lesson: Lesson, batch: int) -> None:
    """Do steps that compile everything and teach nothing: the losses begin with the next."""
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    optimizer.learning_rate = 0.0
    for _ in range(WARM_UP_STEPS):  # as they are timed: other calls would compile something else
        deque(_steps(model, lesson, batch, 1), maxlen=0)
    optimizer.learning_rate = plan.learning_rate


def _steps(model: keras.Model, lesson: Lesson, batch: int, count: int) -> Iterator[Step]:
    per_epoch = len(lesson.images) // batch
    for number in range(count):
        at = number % per_epoch * batch
        images, labels = lesson.images[at : at + batch], lesson.labels[at : at + batch]
        model.reset_metrics()  # otherwise the loss is a mean over all steps
        began = time.perf_counter()
        loss = float(model.train_on_batch(images, labels, return_dict=True)["loss"])
        yield Step(number + 1, loss, time.perf_counter() - began)


def _epoch_losses(steps: list[Step], per_epoch: int) -> Iterator[float | None]:
    for first in range(0, len(steps), per_epoch):
        loss = statistics.fmean(step.loss for step in steps[first : first + per_epoch])
        yield loss if math.isfinite(loss) else None
