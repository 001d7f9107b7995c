"""Descriptions of jobs: title, progress, devices, reason for waiting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QCoreApplication

from studio.engine.jobs.devices import CPU, GPU_PREFIX, RAY
from studio.engine.jobs.executors.handed_over import is_cut_off
from studio.engine.jobs.executors.launchers import SLURM
from studio.engine.jobs.scheduling import Wait, Why
from studio.engine.jobs.states import State
from studio.engine.messages import in_sentence
from studio.engine.workspace import RecordKind
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.record_kinds import job_title
from studio.ui.widgets.figures import count, counted, metric_text, significant
from studio.ui.widgets.labels import apart

if TYPE_CHECKING:  # the window starts without the domains
    from studio.engine.tasks.metric import MetricSpec
    from studio.engine.training.history import RunHistory
    from studio.ui.bridge.jobs import Jobs
    from studio.ui.bridge.run_choices import RunChoice
    from studio.ui.documents.record import RunDocument

_tr = partial(QCoreApplication.translate, "describe")

_LIBRARIES: Final = {"tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
_WITHOUT_KERAS: Final = (RecordKind.DATASET, RecordKind.AUDIT, RecordKind.SWEEP)


def title(entry: RecordDocument) -> str:
    """Return the kind of a job and its name."""
    return job_title(entry.key[0], apart(entry.name))


def detail(entry: RecordDocument) -> str:
    """Return the progress of a job, or how it ended."""
    history = entry.history
    if entry.state == State.STOPPING:
        return _tr("Pausing…") if entry.request == "pause" else _tr("Stopping…")
    if history.state == State.QUEUED:
        return _tr("Waits for its turn")
    if history.state.is_finished and history.reason:
        return translated(history.reason)
    progress = history.progress
    if history.state.has_worker and progress is not None and is_cut_off(progress.what):
        return translated(progress.what)
    if entry.key[0] == RecordKind.RUN and progress is None:
        run = cast("RunHistory", history)
        return _work(entry) if run.training is None else _training(run)
    return _work(entry)


def result(entry: RecordDocument, jobs: Jobs) -> str:
    """Return the main figure of a completed job; an empty text if it has none.

    Args:
        entry: The completed job.
        jobs: The jobs of the workspace.
    """
    kind, found = entry.key[0], entry.history.result
    if kind == RecordKind.RUN:
        return _best(cast("RunHistory", entry.history))
    if kind == RecordKind.EVALUATION:
        return _measured(entry, jobs)
    if kind == RecordKind.DATASET:
        return _imported(found.get("count"))
    return _audited(found.get("counts")) if kind == RecordKind.AUDIT else ""


def has_model(run: RecordDocument, jobs: Jobs) -> bool:
    """Return True if a run has a model and the dataset that it needs.

    Args:
        run: The run.
        jobs: The jobs of the workspace.
    """
    from studio.ui.bridge.run_choices import RunChoices  # noqa: PLC0415 - as in `_starting`

    datasets = jobs.entries(RecordKind.DATASET)
    return RunChoices([cast("RunDocument", run)], datasets).pick() is not None


def waiting(wait: Wait | None, names: Mapping[str, str]) -> str:
    """Return the reason why a job waits.

    Args:
        wait: The reason; None if the job is about to start.
        names: Names of other jobs by the ids of their records.
    """
    if wait is None:
        return _tr("Waits for its turn")
    patterns = {
        Why.HELD: _tr("On hold until you release it"),
        Why.PAUSED: _tr("Waits because the queue is paused"),
        Why.UNCONFIRMED: _tr("Queued on another computer; waits until you release it"),
        Why.DEPENDENCY: _tr("Waits until {jobs} is completed"),
        Why.TURN: _tr("Waits for its turn after {jobs}"),
        Why.BUSY: _tr("Waits for {devices}, in use by {jobs}"),
        Why.RESERVED: _tr("Waits for {devices}, reserved for {jobs}"),
        Why.MISSING: _tr("Waits for {devices}, which this machine does not have"),
        Why.UNKNOWN: _tr("Waits: unknown device {devices}"),
    }
    jobs = [_tr("“{name}”").format(name=apart(names.get(each, each))) for each in wait.jobs]
    devices = [_requested(each) for each in wait.devices]
    both = _tr(" and ")
    return patterns[wait.why].format(devices=both.join(devices), jobs=both.join(jobs))


def on_devices(names: Sequence[str]) -> str:
    """Return short names of the devices of a job: “CPU”, “GPU 0, 1”."""
    gpus = [name for name in names if name.startswith(GPU_PREFIX)]
    numbers = [name.removeprefix(GPU_PREFIX) for name in gpus]
    words = [_tr("GPU {numbers}").format(numbers=", ".join(numbers))] if numbers else []
    words += [_tr("Ray cluster")] * (RAY in names)
    words += ["SLURM"] * (SLURM in names)
    words += [_on_machine(name) for name in names if ":" in name and name not in gpus]
    return ", ".join([_tr("CPU")] * (CPU in names) + words)


def _on_machine(name: str) -> str:
    """Return the short name of a device of another machine: “gpu-box: GPU 0”."""
    host, _, device = name.partition(":")
    return _tr("{machine}: {device}").format(
        machine=apart(host), device=on_devices([device]) or device
    )


def _requested(device: str) -> str:
    if device == CPU:
        return _tr("the CPU")
    if device == "gpu":
        return _tr("a GPU")
    if device.startswith("gpus:"):
        return _tr("{count} GPUs").format(count=device.removeprefix("gpus:"))
    return (
        on_devices([device])
        if device.startswith(GPU_PREFIX)
        else _tr("“{name}”").format(name=device)
    )


def model(choice: RunChoice) -> str:
    """Return the label of a model: name, best metric, dataset."""
    words = [apart(choice.name)]
    if choice.best is not None:
        words.append(metric_text(choice.metric, choice.best))
    if choice.dataset:
        words.append(apart(choice.dataset))
    if choice.is_training:
        words.append(_tr("still training"))
    return " · ".join(words)


def fallback_note() -> str:
    """Return why a network that was trained without its weights finds little."""
    return _tr(
        "The pretrained weights could not be downloaded, so a smaller network was trained from "
        "scratch. It is usually much less accurate. Start a new run with a connection, or choose "
        "a file of weights there."
    )


def _work(entry: RecordDocument) -> str:
    """Return the progress of a job without epochs, or that it is starting."""
    history = entry.history
    if history.progress is not None and history.progress.total:
        pattern = _tr("{done} of {total}")
        done, total = count(history.progress.done), count(history.progress.total)
        what = translated(history.progress.what)
        return " · ".join(filter(None, (what, pattern.format(done=done, total=total))))
    if history.progress is not None:
        return translated(history.progress.what)
    return _starting(entry) if history.state in (State.STARTING, State.RUNNING) else ""


def _starting(entry: RecordDocument) -> str:
    """Return the library that a worker loads before its first event, which takes seconds."""
    # What the rows of jobs need of a domain is imported once there is such a job.
    from studio.engine.training.plan import TrainingPlan  # noqa: PLC0415
    from studio.engine.training.preflight import PreflightPlan  # noqa: PLC0415

    plan = entry.plan.training if isinstance(entry.plan, PreflightPlan) else entry.plan
    if entry.key[0] in _WITHOUT_KERAS:
        return _tr("Starting…")
    library = _LIBRARIES[plan.backend] if isinstance(plan, TrainingPlan) else "Keras"
    return _tr("Starting {library}…").format(library=library)


def _best(history: RunHistory) -> str:
    from studio.engine.training.comparison import primary_metric  # noqa: PLC0415 - as above

    metric, best = primary_metric(history), history.best_epoch
    value = math.nan if best is None else best.value(metric.name)
    return _metric_words(metric, value)


def _measured(entry: RecordDocument, jobs: Jobs) -> str:
    from studio.engine.evaluation.report import EvaluationPlan  # noqa: PLC0415 - as above

    found, plan = entry.history.result, entry.plan
    run = jobs.get(RecordKind.RUN, plan.run) if isinstance(plan, EvaluationPlan) else None
    if not found or run is None:
        return ""
    metric = jobs.task_of(run).metrics[0]
    return _metric_words(metric, found.get("metrics", found).get(metric.name, math.nan))


def _imported(numbers: object) -> str:
    """Return the number of images, from that of each split or of all."""
    total = sum(numbers.values()) if isinstance(numbers, dict) else numbers
    one, many = _tr("1 image"), _tr("{n} images")
    return counted(total, one, many) if isinstance(total, int) else ""


def _audited(numbers: object) -> str:
    """Return the number of findings, from that of the images of each kind of them."""
    if not isinstance(numbers, dict):
        return ""
    found = sum(map(bool, numbers.values()))
    return counted(found, _tr("1 finding"), _tr("{n} findings")) if found else _tr("no findings")


def _metric_words(metric: MetricSpec, value: float) -> str:
    if not math.isfinite(value):
        return ""
    return f"{in_sentence(translated(metric.label))} {metric_text(metric, value)}"


def _training(history: RunHistory) -> str:
    if history.training is None or not history.epochs:
        return _tr("Validating") if history.is_validating_first else _tr("First epoch")
    from studio.engine.training.comparison import primary_metric  # noqa: PLC0415 - as above

    last = history.epochs[-1]
    words = [
        _tr("Epoch {epoch} of {epochs}").format(epoch=last.epoch, epochs=history.training.epochs),
        _tr("loss {value}").format(value=significant(last.value("loss"))),
    ]
    metric = primary_metric(history)
    words.append(
        f"{in_sentence(translated(metric.label))} {metric_text(metric, last.value(metric.name))}"
    )
    return " · ".join(words)
