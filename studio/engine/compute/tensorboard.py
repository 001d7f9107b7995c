"""Writes the figures of a run as event files, for TensorBoard.

They lie in the folder `tensorboard` of the record: `tensorboard --logdir RECORD/tensorboard`, or
the folder of all runs. Training and validation are two "runs" there, so that they share a chart.
Every gathered line of steps, at most ten a second, gives one point, the mean of its steps; the
figures of epochs are those of the journal. No TensorFlow is needed.
"""

from __future__ import annotations

import importlib
import math
import sys
import time
from pathlib import Path
from types import ModuleType

from studio.engine.compute.listening import QueuedListener
from studio.engine.files import remove_folder
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import Event, UsageSampled
from studio.engine.tasks.metric import VALIDATION as PREFIX
from studio.engine.training.history import EpochDone, StepsDone, TrainingBegan, ValidationDone

FOLDER = "tensorboard"
TRAIN, VALIDATION = "train", "validation"
FLUSH_SECONDS = 5.0
_NOT_NEEDED = ("torch", "boto3", "google.cloud")
"""What tensorboardX imports where it is installed: seconds, and half a gigabyte, for nothing."""

_GPU_FIGURES = {
    "utilization": "utilization_percent",
    "memory_used": "memory_bytes",
    "temperature": "celsius",
    "power": "watts",
}


class TensorBoard(QueuedListener):
    """Writes what a run tells into event files.

    A run that goes on writes new files; TensorBoard forgets what the old ones say of the steps
    that are done again. One that starts again removes the old ones.

    Args:
        context: The running job.
    """

    def __init__(self, context: JobContext) -> None:
        super().__init__(context, "TensorBoard")
        self._library = _library()
        self._writers: dict[str, _Writer] = {}
        self._opened = self._step = 0

    def take(self, event: Event) -> None:
        """Write an event, if it has figures."""
        if isinstance(event, TrainingBegan):
            self._begin(event)
        elif not self._writers:
            return
        elif isinstance(event, StepsDone):
            self._step = event.last
            self._write(TRAIN, event.last, event.t, _of_steps(event))
        elif isinstance(event, EpochDone):
            self._step = event.step
            self._write(TRAIN, event.step, event.t, _on_training(event))
            self._write(VALIDATION, event.step, event.t, _of_validation(event))
            self._flush()
        elif isinstance(event, ValidationDone):
            self._write(VALIDATION, event.step, event.t, _of_validation(event))
        elif isinstance(event, UsageSampled):
            self._write(TRAIN, self._step, event.t, _of_usage(event))

    def finish(self) -> None:
        """Close the files."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def _begin(self, event: TrainingBegan) -> None:
        self.finish()
        folder = self._context.folder / FOLDER
        if event.first_step == 1:
            remove_folder(folder, ignore_errors=True)
        self._opened += 1
        self._step = event.first_step - 1
        for run in (TRAIN, VALIDATION):
            (folder / run).mkdir(parents=True, exist_ok=True)
            # Names have the second in them: a run that goes on at once must not take the same.
            suffix = f".{self._context.attempt}.{self._opened}"
            self._writers[run] = _Writer(self._library, folder / run, suffix)
            if event.first_step > 1:
                self._writers[run].purge(event.first_step)

    def _write(self, run: str, step: int, at: float, figures: dict[str, float]) -> None:
        self._writers[run].write(step, at, figures)

    def _flush(self) -> None:
        for writer in self._writers.values():
            writer.flush()


class _Writer:
    """One event file."""

    def __init__(self, library: ModuleType, folder: Path, suffix: str) -> None:
        self._library = library
        self._proto = library.event_pb2
        self._file = library.EventsWriter(str(folder / "events"), suffix)
        self._flushed = time.monotonic()

    def write(self, step: int, at: float, figures: dict[str, float]) -> None:
        event = self._proto.Event(step=step, wall_time=at)
        for tag, value in figures.items():
            if math.isfinite(value):
                event.summary.value.add(tag=tag, simple_value=value)
        if len(event.summary.value):
            self._file.write_event(event)
        if time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def purge(self, step: int) -> None:
        """Void what earlier files of the folder say of this step and later ones."""
        log = self._proto.SessionLog(status=self._proto.SessionLog.START)
        self._file.write_event(self._proto.Event(step=step, session_log=log))

    def flush(self) -> None:
        self._file.flush()
        self._flushed = time.monotonic()

    def close(self) -> None:
        self._file.close()


def _library() -> ModuleType:
    hidden = [name for name in _NOT_NEEDED if name not in sys.modules]
    # None makes an import fail as if nothing were installed.
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None bars the import
    try:
        return importlib.import_module("tensorboardX.event_file_writer")
    finally:
        for name in hidden:
            del sys.modules[name]


def _of_steps(event: StepsDone) -> dict[str, float]:
    return {
        **{f"steps/{name}": _mean(values) for name, values in event.metrics.items()},
        "learning_rate": event.learning_rate,
        "images_per_second": event.images_per_second,
    }


def _on_training(event: EpochDone) -> dict[str, float]:
    items = event.metrics.items()
    return {name: value for name, value in items if not name.startswith(PREFIX)}


def _of_validation(event: EpochDone | ValidationDone) -> dict[str, float]:
    items = event.metrics.items()
    return {name.removeprefix(PREFIX): value for name, value in items if name.startswith(PREFIX)}


def _of_usage(event: UsageSampled) -> dict[str, float]:
    figures = {
        "machine/cpu_percent": event.machine_cpu,
        "machine/memory_percent": event.machine_memory,
        "machine/disk_free_bytes": event.disk_free,
        "worker/cpu_percent": event.cpu,
        "worker/memory_bytes": event.memory,
    }
    for part in ("waiting", "computing", "validating", "writing"):
        figures[f"time/{part}"] = getattr(event, part) / event.seconds if event.seconds else 0.0
    for number, gpu in enumerate(event.gpus):
        for name, told in _GPU_FIGURES.items():
            figures[f"gpu_{number}/{told}"] = getattr(gpu, name)
    return figures


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan
