"""Requests for benchmarks, and finding them; shared by the window and the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from studio.engine.benchmarks.history import (
    BenchmarkHistory,
    BenchmarkJob,
    CellChanged,
    LatencyChanged,
)
from studio.engine.benchmarks.operations import OperationsPlan
from studio.engine.benchmarks.plan import StudyPlan, study_problems
from studio.engine.benchmarks.prediction import LatencyResult, PredictPlan, variants_of
from studio.engine.benchmarks.results import FAILED, Cell, CellMeasurement, cells_of
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem, StudioError, raise_if_serious
from studio.engine.inference.models import named_model
from studio.engine.jobs import control
from studio.engine.jobs.devices import machine_devices
from studio.engine.jobs.events import Event
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, joined, message
from studio.engine.workspace import RecordKind, Workspace

Measured = TypeVar("Measured", bound=CellMeasurement)


def benchmark_problems(workspace: Workspace, plan: StudyPlan) -> list[Problem]:
    """Return all errors and warnings about a study.

    Args:
        workspace: Holds the dataset of the plan.
        plan: The study.
    """
    # It loads the whole zoo.
    summary: DatasetSummary | None = None
    if plan.dataset:
        record = workspace.record(RecordKind.DATASET, plan.dataset)
        if record is None:
            return [
                Problem(
                    "dataset",
                    message('there is no dataset "{dataset}".', dataset=plan.dataset),
                )
            ]
        try:
            BenchmarkJob(record).require_completed("a benchmark")
            summary = dataset_summary(record.folder, plan.dataset_version)
        except StudioError as error:
            return [Problem("dataset", error.message, error.hint)]
    problems = study_problems(plan, summary)
    there = [device.name for device in machine_devices()]
    missing = [device for device in plan.devices if device not in there]
    if missing and not any(each.where == "devices" for each in problems):
        is_whole = len(missing) == len(plan.devices)
        problems.append(
            Problem(
                "devices",
                message("this machine has no {device}.", device=missing[0])
                if is_whole
                else message(
                    "this machine has no {device}; its cells will fail.", device=missing[0]
                ),
                message("Available: {datasets}.", datasets=", ".join(there)),
                serious=is_whole,
            )
        )
    return problems


def request_benchmark(queue: JobQueue, plan: StudyPlan, name: str) -> BenchmarkJob:
    """Submit a training benchmark, on the newest version of its dataset unless the plan names one.

    Args:
        queue: Queue of the workspace.
        plan: The study.
        name: Name of the record.

    Raises:
        StudioError: The plan has errors (all are named), or the name is taken.
    """
    record = queue.workspace.record(RecordKind.DATASET, plan.dataset) if plan.dataset else None
    if record is not None and plan.dataset_version is None:
        plan = plan.changed(dataset_version=current_version(record.folder))
    raise_if_serious(benchmark_problems(queue.workspace, plan))
    return queue.submit(plan, name).with_history(BenchmarkHistory)


def request_operations(queue: JobQueue, plan: OperationsPlan, name: str) -> BenchmarkJob:
    """Submit a benchmark of operations.

    Args:
        queue: Queue of the workspace.
        plan: Operations, sizes and devices.
        name: Name of the record.

    Raises:
        StudioError: A window is larger than an image, or the name is taken.
    """
    smallest = min(plan.sizes)
    for field, window in (("kernel", plan.kernel), ("pool", plan.pool)):
        if window > smallest:
            raise StudioError(
                "{field}: a window of {window} pixels does not fit into an image of {size}.",
                "Choose larger sizes.",
                field,
                field=field,
                window=window,
                size=smallest,
            )
    return queue.submit(plan, name, or_similar=True).with_history(BenchmarkHistory)


def request_predictions(queue: JobQueue, plan: PredictPlan, name: str) -> BenchmarkJob:
    """Submit a latency benchmark of a network in every format.

    Args:
        queue: Queue of the workspace.
        plan: Model, formats and batch sizes.
        name: Name of the record.

    Raises:
        StudioError: There is no such model, no such format or precision, the packages of all
            formats are missing, or the name is taken.
    """
    named_model(queue.workspace, plan.model)
    variants, missing = variants_of(plan)
    if not variants:
        raise StudioError(
            "None of the formats can be written here: {reasons}.",
            message("Install it: {install}", install=missing[0].install),
            "formats",
            reasons=joined(
                [
                    message("{format}: {reason}", format=each.what, reason=as_message(each.reason))
                    for each in missing
                ],
                "; ",
            ),
        )
    return queue.submit(plan, name).with_history(BenchmarkHistory)


def resume_benchmark(queue: JobQueue, job: BenchmarkJob, *, retry_failed: bool = False) -> None:
    """Continue a study of trainings or of predictions.

    Args:
        queue: The queue.
        job: The study.
        retry_failed: Measure again what failed, timed out or did not fit; also of a study that is
            completed.

    Raises:
        StudioError: It was not interrupted, or there is nothing left to measure.
    """
    job.refresh()
    history = job.history
    repeated: list[Event] = []
    if retry_failed and history.state.is_at_rest:
        repeated = _reset_failures(history)
    if history.state == State.COMPLETED and not repeated:
        failed = len(_reset_failures(history))
        text = message(
            'The benchmark "{name}" is completed; there is nothing left to measure.',
            name=job.record.name,
        )
        hint = (
            message(
                "{count} cells failed: resume it with --retry-failed.",
                one="{count} cell failed: resume it with --retry-failed.",
                count=failed,
            )
            if failed
            else ""
        )
        raise StudioError(text, hint)
    if history.state != State.COMPLETED and not control.can_resume(history):
        raise StudioError(
            'The benchmark "{benchmark}" is {state}, so it cannot be resumed.',
            benchmark=job.record.name,
            state=history.state.label,
        )
    if repeated:
        with queue.changing(job):
            for event in repeated:
                job.append(event)
    queue.restart(job)


def _reset_failures(history: BenchmarkHistory) -> list[Event]:
    """Return events that reset all failed measurements."""
    cells = [each for each in history.cells.values() if each.outcome.state in FAILED]
    results = [each for each in history.latencies.values() if each.outcome.state in FAILED]
    return [
        *(CellChanged(cell=each.reset()) for each in cells),
        *(LatencyChanged(latency=each.reset()) for each in results),
    ]


def latency_results(history: BenchmarkHistory) -> list[LatencyResult]:
    """Return all measurements of a benchmark of predictions from its journal."""
    return _settled(history.latencies.values(), history)


def cells_of_job(job: BenchmarkJob) -> list[Cell]:
    """Return all cells of a study whose journal was read.

    Raises:
        StudioError: Its plan cannot be read.
    """
    return cells_known(job.plan(StudyPlan), job.history)


def cells_known(plan: StudyPlan, history: BenchmarkHistory) -> list[Cell]:
    """Return all cells of a study, measured or not.

    Args:
        plan: The study.
        history: Replayed journal of the study.
    """
    return _settled(cells_of(plan, history.cells), history)


def _settled(measurements: Iterable[Measured], history: BenchmarkHistory) -> list[Measured]:
    """Return the measurements, with a reset of those that a dead worker left unfinished."""
    is_interrupted = not history.state.has_worker
    return [
        each.reset() if is_interrupted and each.outcome.state == "running" else each
        for each in measurements
    ]


def studies_with(workspace: Workspace, network: str) -> list[tuple[BenchmarkJob, list[Cell]]]:
    """Return the studies that measured a network, newest first.

    Unreadable studies are skipped.

    Args:
        workspace: Holds the benchmarks.
        network: Name of the network.
    """
    found = []
    for record, _ in workspace.infos(RecordKind.BENCHMARK):
        job = BenchmarkJob.read(record)
        try:
            cells = cells_of_job(job)
        except StudioError:
            continue
        if any(cell.network == network and cell.image_seconds for cell in cells):
            found.append((job, cells))
    return found[::-1]
