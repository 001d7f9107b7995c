"""Passes the events of a run on to TensorBoard, MLflow and others, without the run waiting for it.

TensorBoard: event files in the folder `tensorboard` of the record, for `tensorboard --logdir
RECORD/tensorboard`, or for the folder of all runs. Training and validation are two "runs" there,
so that they share a chart. Every gathered line of steps, at most ten a second, gives one point,
the mean of its steps; the figures of epochs are those of the journal. No TensorFlow is needed.

MLflow: a server, or a folder of MLflow, receives settings, figures of epochs and the end. A server
that does not answer costs nothing but its figures: they are kept, and sent when it answers again.
A run that is resumed after a pause is resumed there, too.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from studio.engine.errors import StudioError
from studio.engine.files import remove_folder, user_path, write_atomically
from studio.engine.jobs.events import Event, UsageSampled
from studio.engine.jobs.job import JobContext
from studio.engine.jobs.process_group import own_group
from studio.engine.jobs.states import State
from studio.engine.messages import Text, message
from studio.engine.tasks.metric import VALIDATION as PREFIX
from studio.engine.training.history import EpochDone, StepsDone, TrainingBegan, ValidationDone
from studio.engine.training.loggers import LOGGERS, RunLogger
from studio.engine.training.plan import TrainingPlan

CLOSE_SECONDS = 15.0
"""Seconds that the end of a run waits for events that were not passed on yet."""


class QueuedListener:
    """Handles events in a separate thread; an error there is reported once and stops nothing else.

    Args:
        context: The running job.
        name: Name for error messages.
    """

    def __init__(self, context: JobContext, name: str) -> None:
        self._context = context
        self._name = name
        self._queue: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._is_silent = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def open(self) -> None:
        """Start listening."""
        self._thread.start()
        self._context.add_listener(self._queue.put)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Write the pending metrics; those not written within this many seconds are lost."""
        self._queue.put(None)
        self._thread.join(seconds)
        self._is_silent = True  # the journal is about to be closed

    def take(self, event: Event) -> None:
        """Pass an event on."""
        raise NotImplementedError

    def finish(self) -> None:
        """Pass on what is left; nothing more will come."""

    def _run(self) -> None:
        while (event := self._queue.get()) is not None:
            self._try(self.take, event)
        self._try(self.finish)

    def _try(self, work: Callable[..., None], *given: Event) -> None:
        try:
            work(*given)
        except Exception as error:  # noqa: BLE001 - of libraries; training must not care
            self._report(error)

    def _report(self, error: Exception) -> None:
        if self._is_silent:
            return
        self._is_silent = True
        try:
            self._context.warn(_unavailable(self._name, error))
        except (StudioError, OSError):
            return  # the training meets the same error at its next event


def _unavailable(name: str, error: Exception) -> Text:
    return message(
        "{logbook} is unavailable ({kind}: {reason}); training continues.",
        logbook=name,
        kind=type(error).__name__,
        reason=(str(error).splitlines() or [""])[0],
    )


FOLDER = "tensorboard"
TRAIN, VALIDATION = "train", "validation"
FLUSH_SECONDS = 5.0
_NOT_NEEDED = ("torch", "boto3", "google.cloud")
"""Packages that tensorboardX imports if installed: seconds and half a gigabyte for nothing."""

_GPU_FIGURES = {
    "utilization": "utilization_percent",
    "memory_used": "memory_bytes",
    "temperature": "celsius",
    "power": "watts",
}


class TensorBoard(QueuedListener):
    """Writes the metrics of a run to event files.

    A resumed run writes new files; TensorBoard forgets what the old ones say of the steps
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
            # Names have the second in them: a run resumed at once must not reuse it.
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
        for name, figure in _GPU_FIGURES.items():
            figures[f"gpu_{number}/{figure}"] = getattr(gpu, name)
    return figures


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


FILE = "mlflow.json"
"""In the record: id of the MLflow run and the last epoch that was sent."""

EXPERIMENT = "Studio"
MAX_PARAMETERS = 100
"""In one request; MLflow takes no more."""
LONGEST = 500
"""Characters of a setting; older servers take no more."""

_FIGURES = ("learning_rate", "images_per_second", "seconds")
_STATUS = {
    State.COMPLETED: "FINISHED",
    State.STOPPED: "KILLED",
    State.PRUNED: "KILLED",
}
_PATIENCE = {
    # A thread waits for the server, but the worker should end soon after the training.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    # A folder needs no database; MLflow 3 asks for consent.
    "MLFLOW_ALLOW_FILE_STORE": "true",
}


class MlflowExport(QueuedListener):
    """Passes the epochs of a run on to MLflow.

    Args:
        context: The running job.
        plan: Its plan, which names the address or folder.

    Attributes:
        state: Final state of the run; `FAILED` until it is set.
    """

    def __init__(self, context: JobContext, plan: TrainingPlan) -> None:
        super().__init__(context, "MLflow")
        self._plan = plan
        self._path = context.folder / FILE
        self._client: Any = None
        self._run_id = ""
        self._last_sent_epoch = 0
        self._unsent: list[EpochDone] = []
        self.state = State.FAILED

    def take(self, event: Event) -> None:
        """Pass on an epoch, or begin."""
        if isinstance(event, TrainingBegan):
            known = self._known() if event.first_step > 1 else {}
            self._run_id, self._last_sent_epoch = (
                str(known.get("run", "")),
                int(known.get("epoch", 0)),
            )
            self._send()
        elif isinstance(event, EpochDone) and event.epoch > self._last_sent_epoch:
            self._unsent.append(event)
            self._send()

    def finish(self) -> None:
        """Say how it ended."""
        self._send()
        if self.state == State.PAUSED:
            self._client.update_run(self._run_id, status="SCHEDULED")
        else:
            self._client.set_terminated(self._run_id, _STATUS.get(self.state, "FAILED"))

    def _send(self) -> None:
        if self._client is None:
            self._client = _client(self._plan.mlflow)
            if self._run_id:
                self._client.update_run(self._run_id, status="RUNNING")
        if not self._run_id:
            self._run_id = self._begin()
        if not self._unsent:
            return
        from mlflow.entities import Metric  # noqa: PLC0415 - an extra

        metrics = [
            Metric(name, value, round(event.t * 1000), event.epoch)
            for event in self._unsent
            for name, value in _figures(event).items()
            if math.isfinite(value)
        ]
        self._client.log_batch(self._run_id, metrics=metrics)
        self._last_sent_epoch = self._unsent[-1].epoch
        self._unsent = []
        self._remember()

    def _begin(self) -> str:
        from mlflow.entities import Param  # noqa: PLC0415 - an extra

        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", EXPERIMENT)
        experiment = self._client.get_experiment_by_name(name)
        experiment_id = (
            self._client.create_experiment(name)
            if experiment is None
            else experiment.experiment_id
        )
        folder = self._context.folder
        tags = {"studio.record": folder.name, "studio.artifacts": folder.absolute().as_uri()}
        run = self._client.create_run(
            experiment_id, run_name=self._context.job.record.info().name, tags=tags
        )
        run_id = str(run.info.run_id)
        settings = [Param(key, value) for key, value in settings_of(self._plan).items()]
        for at in range(0, len(settings), MAX_PARAMETERS):
            self._client.log_batch(run_id, params=settings[at : at + MAX_PARAMETERS])
        self._run_id = run_id
        self._remember()
        return run_id

    def _known(self) -> dict[str, Any]:
        try:
            known: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if known.get("address") == self._plan.mlflow else {}

    def _remember(self) -> None:
        known = {"address": self._plan.mlflow, "run": self._run_id, "epoch": self._last_sent_epoch}
        write_atomically(self._path, json.dumps(known) + "\n")


def settings_of(plan: TrainingPlan) -> dict[str, str]:
    """Return all settings of a plan as texts, by dotted name; a designed network as its name."""
    found: dict[str, str] = {}

    def add(prefix: str, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if isinstance(value, dict):
                add(f"{prefix}{name}.", value)
            else:
                found[f"{prefix}{name}"] = str(value)[:LONGEST]

    add("", plan.model_dump(mode="json", exclude={"design"}))
    if plan.design is not None:
        found["design"] = plan.design.name[:LONGEST]
    return found


def _client(address: str) -> Any:  # noqa: ANN401 - of an extra
    for name, value in _PATIENCE.items():
        os.environ.setdefault(name, value)
    from mlflow.tracking import MlflowClient  # noqa: PLC0415 - an extra, and slow to import

    return MlflowClient(tracking_uri=tracking_uri(address))


def tracking_uri(address: str) -> str:
    """Return the address of a server as it is, a folder as an address."""
    # One letter before the colon is a drive of Windows.
    scheme, colon, _ = address.partition(":")
    if (colon and len(scheme) > 1) or address == "databricks":
        return address
    return user_path(address).absolute().as_uri()


def _figures(event: EpochDone) -> dict[str, float]:
    return {**event.metrics, **{name: getattr(event, name) for name in _FIGURES}}


class LoggerOfPackage(QueuedListener):
    """Passes the events of a run on to a logger of another package.

    Args:
        context: The running job.
        label: Shown name of the logger.
        logger: Follows this run.

    Attributes:
        state: Final state of the run; `FAILED` until it is set.
    """

    def __init__(self, context: JobContext, label: str, logger: RunLogger) -> None:
        super().__init__(context, label)
        self._logger = logger
        self.state = State.FAILED

    def take(self, event: Event) -> None:
        """Pass an event on."""
        self._logger.take(event)

    def finish(self) -> None:
        """Say how it ended."""
        self._logger.finish(self.state)


def _loggers_of_packages(context: JobContext, plan: TrainingPlan) -> Iterator[LoggerOfPackage]:
    """Yield those that want this run; what cannot be opened is reported."""
    for failure in LOGGERS.failures().values():
        context.warn(failure.message)
    for each in LOGGERS:
        try:
            logger = each.open(context.folder, plan)
        except Exception as error:  # noqa: BLE001 - code of others; training must not care
            context.warn(_unavailable(each.label, error))
        else:
            if logger is not None:
                yield LoggerOfPackage(context, each.label, logger)


class Logbooks:
    """Send all events to TensorBoard, MLflow and loggers of other packages while the block runs.

    Args:
        context: The running job.
        plan: Its plan.
    """

    def __init__(self, context: JobContext, plan: TrainingPlan) -> None:
        self._tensorboard: list[TensorBoard] = []
        self._with_state: list[MlflowExport | LoggerOfPackage] = []
        group = own_group()
        if group is not None and group.index:
            return  # the first process of the group does it
        self._tensorboard = [TensorBoard(context)] if plan.tensorboard else []
        self._with_state = [
            *([MlflowExport(context, plan)] if plan.mlflow else ()),
            *_loggers_of_packages(context, plan),
        ]

    @property
    def _listeners(self) -> list[QueuedListener]:
        return [*self._tensorboard, *self._with_state]

    def __enter__(self) -> Self:
        """Start sending events."""
        for each in self._listeners:
            each.open()
        return self

    def ended(self, state: State) -> None:
        """Say how the training ended; without it, it failed."""
        for each in self._with_state:
            each.state = state

    def __exit__(self, *_error: object) -> None:
        """Send the remaining events."""
        for each in self._listeners:
            each.close()
