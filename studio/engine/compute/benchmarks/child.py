"""The process of one cell of a study. Started as `studio measure FOLDER NUMBER`.

It leaves a file that says how it ended, for the worker that leads the study.
"""

from __future__ import annotations

import contextlib
import math
import os
import statistics
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.benchmarks import results
from studio.engine.benchmarks.plan import CellKey, StudyPlan, cell_keys, input_shape
from studio.engine.compute.backends.prepare import is_out_of_memory, prepare_backend
from studio.engine.datasets.store import Store
from studio.engine.documents import write_document
from studio.engine.errors import StudioError
from studio.engine.jobs.devices import DeviceRequest
from studio.engine.jobs.events import GpuSample
from studio.engine.jobs.job import Job
from studio.engine.jobs.machine import GpuMeter
from studio.engine.messages import message
from studio.engine.networks.fitting import TargetScale, answering
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import first_task
from studio.engine.tasks.task import Task
from studio.engine.timing import ProcessorLoad
from studio.engine.training.dataset_statistics import target_scale
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace

# Utilization and power of this process's GPU during a measurement, from its driver.

POLL_SECONDS = 0.2


class GpuGauge:
    """Looks at the first GPU of this process again and again, in a thread.

    Args:
        on: True if there is one.
        meter: Asks the driver.
    """

    def __init__(self, *, on: bool, meter: GpuMeter | None = None) -> None:
        self._meter = (meter or GpuMeter.of_process()) if on else None
        self._samples: list[GpuSample] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="gauge", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def utilization(self) -> float | None:
        """Mean of the percent of the time in which it computed; None if unknown."""
        return _mean(sample.utilization for sample in self._samples)

    @property
    def power(self) -> float | None:
        """Mean power in watts; None if unknown."""
        return _mean(sample.power for sample in self._samples)

    @property
    def peak_power(self) -> float | None:
        """The highest power that was seen, in watts; None if unknown."""
        known = [each.power for each in self._samples if math.isfinite(each.power)]
        return max(known, default=None)

    def _poll(self) -> None:
        while self._meter is not None and not self._ended.wait(POLL_SECONDS):
            self._samples += self._meter.sample()[:1]


def _mean(values: Iterable[float]) -> float | None:
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if known else None


# Measures one cell of a study: trains a network for a while and takes the time of every step.

if TYPE_CHECKING:
    import keras

WARM_UP_STEPS = 2
"""The first compiles, the second still asks for memory."""


class CellData(NamedTuple):
    """Training data of a cell.

    Attributes:
        images: Pixels, shape (image, height, width, channel).
        targets: Targets of the images, shape (image, …).
        classes: Number of classes.
        task: Task of the targets.
        loss: Loss of the network.
        scale: Scale of the targets, for tasks with numbers.
        prepared: Makes of targets what the loss takes.
    """

    images: Pixels
    targets: NDArray[Any]
    classes: int
    task: Task
    loss: keras.losses.Loss
    scale: TargetScale | None = None
    prepared: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray


def measure(
    workspace: Workspace, folder: Path, plan: StudyPlan, number: int, until: float
) -> results.CellFigures | None:
    """Measure a cell in this process, which must have imported no Keras before.

    The steps are left beside the study. A step is timed from images in the machine's memory to the
    loss as a number, so that transfers count and the device has come to its end.

    Args:
        workspace: Workspace of the dataset.
        folder: Folder of the study.
        plan: The study.
        number: Number of the cell.
        until: Deadline, by `time.monotonic`.

    Returns:
        The figures, of fewer steps where the time was over before; None without any step.

    Raises:
        StudioError: The network, the backend or the device cannot be used.
    """
    key = cell_keys(plan)[number]
    request = DeviceRequest("cpu" if key.device == "cpu" else "gpu")
    prepare_backend(key.backend, deterministic=False, seed=plan.seed, threads=None, device=request)
    return _timed(folder, plan, number, cell_data(workspace, plan, key), until)


def cell_data(workspace: Workspace, plan: StudyPlan, key: CellKey) -> CellData:
    """Return the images of a cell: shuffled ones of the dataset, repeated if too few, or noise.

    Args:
        workspace: Holds the dataset.
        plan: The study.
        key: Settings of the cell.

    Raises:
        BadDataError: The dataset was deleted or cannot be read.
    """
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.tasks import learning_class, learning_of  # noqa: PLC0415

    if not plan.dataset:
        shape = (plan.images, *input_shape(plan, key.network))
        output = ZOO[key.network].output
        noise = np.random.default_rng(plan.seed).integers(0, 256, shape, np.uint8)
        task = first_task(output)
        targets = task.geometry.first_class(shape[:3], output)
        loss = learning_class(task, output).plain_loss(*shape[1:3], plan.classes)
        return CellData(noise, targets, plan.classes, task, loss)
    record = workspace.require(RecordKind.DATASET, plan.dataset)
    store = Store.open(record.folder, plan.dataset_version or 0)
    shuffled = np.random.default_rng(plan.seed).permutation(store.rows("train"))
    # Each is read once, in the order of the file.
    rows, indices = np.unique(np.resize(shuffled, plan.images), return_inverse=True)
    learning = learning_of(store, ZOO[key.network].output)
    images, targets = np.asarray(store.images[rows]), np.asarray(learning.targets[rows])
    return CellData(
        images[indices],
        targets[indices],
        len(store.classes),
        store.task,
        learning.loss(TrainingPlan(dataset=plan.dataset, network=key.network), mixed=False),
        target_scale(store),
        learning.prepared,
    )


def _timed(
    folder: Path, plan: StudyPlan, number: int, data: CellData, until: float
) -> results.CellFigures | None:
    # Keras may be imported only now that its backend is chosen.
    from studio.engine.compute.backends import chosen  # noqa: PLC0415
    from studio.engine.compute.distribution import device_name  # noqa: PLC0415
    from studio.engine.compute.memory import MachineMeter  # noqa: PLC0415

    key = cell_keys(plan)[number]
    model = _model(plan, key, data)
    per_epoch = plan.images // key.batch
    began = time.perf_counter()
    _warm_up(plan, model, data, key.batch)
    warm_up = time.perf_counter() - began
    process, device = MachineMeter(), chosen.backend().memory_meter()
    meters = [process] if device is None or device.device == "machine" else [process, device]
    for meter in meters:
        meter.begin()
    load, steps = ProcessorLoad(), []
    with GpuGauge(on=key.device != "cpu") as gauge:
        for step in _steps(model, data, key.batch, plan.epochs * per_epoch):
            steps.append(step)
            if time.monotonic() >= until:
                break
    peaks = [meter.peak() for meter in meters]
    results.write_steps(results.steps_file(folder, number), steps)
    if not steps:
        return None
    seconds = [step.seconds for step in steps]
    return results.CellFigures(
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


def _model(plan: StudyPlan, key: CellKey, data: CellData) -> keras.Model:
    # See `_timed`.
    import keras  # noqa: PLC0415

    from studio.engine.compute.build import build, computing_in, scaled_for  # noqa: PLC0415

    height, width, channels = data.images.shape[1:]
    spec = ZOO[key.network].build((height, width, channels), data.classes)
    spec = answering(spec, data.task, data.scale)
    precision = next(each for each in plan.precision if each == key.precision)
    with computing_in(precision):
        model = build(spec, seed=plan.seed)
    optimizer = scaled_for(precision, keras.optimizers.SGD(plan.learning_rate))
    optimizer.build(model.trainable_variables)  # see `fit.compile_setup`
    model.compile(
        optimizer=optimizer,
        loss=data.loss,
        auto_scale_loss=False,  # the optimizer does, where it is needed
    )
    return model


def _warm_up(plan: StudyPlan, model: keras.Model, data: CellData, batch: int) -> None:
    """Run steps that compile everything without changing the weights."""
    optimizer = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    optimizer.learning_rate = 0.0
    for _ in range(WARM_UP_STEPS):  # as they are timed: other calls would compile something else
        deque(_steps(model, data, batch, 1), maxlen=0)
    optimizer.learning_rate = plan.learning_rate


def _steps(
    model: keras.Model, data: CellData, batch: int, count: int
) -> Iterator[results.MeasuredStep]:
    per_epoch = len(data.images) // batch
    for number in range(count):
        at = number % per_epoch * batch
        images = data.images[at : at + batch]
        targets = data.prepared(data.targets[at : at + batch])
        model.reset_metrics()  # otherwise the loss is a mean over all steps
        began = time.perf_counter()
        loss = float(model.train_on_batch(images, targets, return_dict=True)["loss"])
        yield results.MeasuredStep(number + 1, loss, time.perf_counter() - began)


def _epoch_losses(steps: list[results.MeasuredStep], per_epoch: int) -> Iterator[float | None]:
    for first in range(0, len(steps), per_epoch):
        loss = statistics.fmean(step.loss for step in steps[first : first + per_epoch])
        yield loss if math.isfinite(loss) else None


_INPUT = 0
_FIRST_TO_GO = "1000"


def main(folder: Path, number: int) -> int:
    """Measure a cell and write its outcome.

    Args:
        folder: Folder of the study.
        number: Number of the cell.

    Returns:
        Exit code; 0 whenever the outcome was written.
    """
    began = time.monotonic()
    threading.Thread(target=_end_with_input, name="lifeline", daemon=True).start()
    # When memory runs out, the system is to end this process, and not the one that leads us.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    plan = Job(Record(RecordKind.BENCHMARK, folder)).plan(StudyPlan)
    workspace = Workspace(folder.parent.parent)
    outcome = outcome_of(workspace, folder, plan, number, began + 60 * plan.cell_minutes)
    write_document(results.outcome_file(folder, number), outcome)
    return 0


def outcome_of(
    workspace: Workspace, folder: Path, plan: StudyPlan, number: int, until: float
) -> results.CellOutcome:
    """Measure a cell, and report the outcome, including any error.

    Args:
        workspace: Workspace of the dataset.
        folder: Folder of the study; the steps are left there.
        plan: The study.
        number: Number of the cell.
        until: Deadline, by `time.monotonic`.
    """
    key = cell_keys(plan)[number]
    try:
        figures = measure(workspace, folder, plan, number, until)
    except StudioError as error:
        return results.CellOutcome(state="failed", reason=str(error))
    except MemoryError:
        return _no_memory(key.batch)
    except Exception as error:  # noqa: BLE001 - whatever it was, the study continues and shows it
        if is_out_of_memory(error):
            return _no_memory(key.batch)
        traceback.print_exc()
        lines = str(error).strip().splitlines() or [""]
        return results.CellOutcome(
            state="failed", reason=f"{type(error).__name__}: {lines[0][:300]}"
        )
    return _outcome(plan, figures, plan.epochs * (plan.images // key.batch))


def _outcome(
    plan: StudyPlan, figures: results.CellFigures | None, requested: int
) -> results.CellOutcome:
    if figures is None:
        minutes = message("{minutes:g} minutes", minutes=plan.cell_minutes)
        return results.CellOutcome(
            state="timed_out",
            reason=message("No step finished within {duration}.", duration=minutes),
        )
    reason = ""
    if figures.steps < requested:
        reason = message(
            "Its time limit ended after {count:,} of {total:,} steps.",
            count=figures.steps,
            total=requested,
        )
    return results.CellOutcome(state="measured", reason=reason, figures=figures)


def _no_memory(batch: int) -> results.CellOutcome:
    return results.CellOutcome(
        state="no_memory",
        reason=message("Batches of {batch_size} do not fit into memory.", batch_size=batch),
    )


def _end_with_input() -> None:
    # Not through `sys.stdin`: a thread that waits in that aborts the interpreter when it ends.
    while os.read(_INPUT, 1):
        pass
    os._exit(1)  # the parent died: no process would read the result
