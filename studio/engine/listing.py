"""Records and jobs as plain data: what `--json` prints and what the server returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.engine.datasets.requests import dataset_summary
from studio.engine.evaluation.report import Report
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import QueueEntry
from studio.engine.jobs.states import State
from studio.engine.labeling.project import Labeling
from studio.engine.plans import Plan, PlanField
from studio.engine.sweeps.history import SweepJob
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.rows import SweepRow, best_of_sweep, rows_of
from studio.engine.sweeps.trial_order import waiting_trials
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.summaries import RunSummary
from studio.engine.workspace import RecordInfo, RecordKind, Workspace

Listed = dict[str, object]


def dataset_row(job: Job, info: RecordInfo) -> Listed:
    """Return a dataset for lists.

    Args:
        job: Its import; the journal was read.
        info: Its name and notes.

    Raises:
        StudioError: Its files are damaged.
    """
    row: Listed = {"name": info.name, "id": info.id, "state": job.history.state.value}
    row |= info.details()
    if job.history.state != State.COMPLETED:
        return row
    summary = dataset_summary(job.record.folder)
    return row | {
        "task": summary.task,
        "count": summary.total,
        "classes": len(summary.classes),
        "outputs": summary.classes,
        "units": summary.units,
    }


def run_row(summary: RunSummary, dataset: str) -> Listed:
    """Return a run for lists.

    Args:
        summary: Its summary.
        dataset: Name of its dataset.
    """
    info = summary.info
    return {
        "name": info.name,
        "id": info.id,
        "state": summary.state.value,
        "network": summary.network,
        "dataset": dataset,
        **info.details(),
        "created": info.created.isoformat(),
        "epochs": summary.epochs,
        "seconds": summary.seconds,
        **{each.name: summary.best_value(each.name) for each in summary.measured_task.measured},
    }


def run_document(workspace: Workspace, job: RunJob) -> Listed:
    """Return a run with its plan and epochs.

    Args:
        workspace: Holds its dataset.
        job: The run; its journal was read.

    Raises:
        StudioError: Its plan is damaged.
    """
    history, plan, info = job.history, job.plan(TrainingPlan), job.record.info()
    dataset = workspace.record(RecordKind.DATASET, plan.dataset)
    return {
        **job.identity(),
        "reason": history.reason,
        "hint": history.hint,
        "attempt": history.attempt,
        **info.details(),
        "dataset": dataset.name if dataset else plan.dataset,
        "plan": plan.model_dump(mode="json"),
        "changes": history.changes,
        "steps": history.step_count,
        "epochs": [_epoch(each, history.task) for each in history.epochs],
        "best_epoch": history.best_epoch.epoch if history.best_epoch else None,
    }


def _epoch(epoch: EpochDone, task: Task) -> Listed:
    figures = ("epoch", "learning_rate", "seconds", "images_per_second")
    metrics = {each.name: epoch.value(each.name) for each in task.measured}
    # Each metric also has its own key, for scripts from the time before `metrics`.
    return {**epoch.model_dump(include=set(figures)), **metrics, "metrics": metrics}


def sweep_row(job: SweepJob, info: RecordInfo) -> Listed:
    """Return a sweep for lists.

    Args:
        job: The sweep; its journal was read.
        info: Its name and notes.

    Raises:
        StudioError: Its plan is damaged.
    """
    best, trials = best_of_sweep(job), job.history.trials
    return {
        "name": info.name,
        "id": info.id,
        "state": job.history.state.value,
        "trials": len(trials),
        "completed": sum(row.state == State.COMPLETED for row in trials.values()),
        "failed": sum(row.state == State.FAILED for row in trials.values()),
        "best": list(trials[best[0]].measured) if best else None,
        "created": info.created.isoformat(),
    }


def sweep_document(workspace: Workspace, job: SweepJob) -> Listed:
    """Return a sweep with its trials.

    Args:
        workspace: Holds its runs.
        job: The sweep; its journal was read.

    Raises:
        StudioError: Its plan is damaged.
    """
    plan, history = job.current_plan(SweepPlan), job.history
    rows, best = rows_of(workspace, job), best_of_sweep(job)
    by_number = {row.number: row for row in rows}
    return {
        **job.identity(),
        "reason": history.reason,
        "objectives": list(plan.objectives),
        "plan": plan.model_dump(mode="json"),
        "trials": [trial_document(row) for row in rows],
        "waiting": [
            {"number": each.number, "values": dict(each.values)}
            for each in waiting_trials(plan, history)
        ],
        "best": trial_document(by_number[best[0]]) if best else None,
        "front": best,
    }


def trial_document(row: SweepRow) -> Listed:
    """Return one trial; its value is a number for one objective, a list for several."""
    return {
        "number": row.number,
        "values": dict(row.values),
        "state": row.state.value,
        "value": _value(row.measured),
        "interval": None if row.interval is None else list(row.interval),
        "run": row.runs[0] if row.runs else None,
        "runs": list(row.runs),
        "reason": row.reason,
    }


def _value(measured: Sequence[float]) -> object:
    if not measured:
        return None
    return measured[0] if len(measured) == 1 else list(measured)


def evaluation_row(job: Job, info: RecordInfo) -> Listed:
    """Return an evaluation with its metrics, if it has a report.

    Args:
        job: The evaluation; its journal was read.
        info: Its name and notes.

    Raises:
        StudioError: The report is damaged.
    """
    report = Report.read(job.record.folder)
    return _job_row(job, info) | ({} if report is None else evaluation_facts(report))


def evaluation_facts(report: Report) -> Listed:
    """Return the model, images and metrics of a report."""
    subject = report.subject
    return {
        "model": subject.title,
        "dataset": subject.dataset_name,
        "split": subject.split,
        "count": report.count,
        "metrics": report.metrics,
        "intervals": dict(report.intervals),
    }


def export_row(job: Job, info: RecordInfo) -> Listed:
    """Return an export with its files.

    Args:
        job: The export; its journal was read.
        info: Its name and notes.
    """
    return _job_row(job, info) | export_facts(files_of(job.history.result))


def export_facts(files: Sequence[ExportedFile]) -> Listed:
    """Return the files of an export."""
    return {"files": [_exported(each) for each in files]}


def _exported(file: ExportedFile) -> Listed:
    made = file.certificate
    return {
        "format": file.format,
        "precision": file.precision,
        "path": file.path,
        "size_bytes": None if made is None else made.size_bytes,
        "certified": made is not None and made.certified,
        "problem": file.problem,
    }


def _job_row(job: Job, info: RecordInfo) -> Listed:
    return {
        "name": info.name,
        "id": info.id,
        "state": job.history.state.value,
        "created": info.created.isoformat(),
    }


def labeling_row(labeling: Labeling) -> Listed:
    """Return a labeling with its classes and numbers of labels."""
    counts = labeling.counts()
    return {
        "name": labeling.record.name,
        "task": labeling.task.name,
        "count": len(labeling.items),
        "labeled": labeling.labeled_count,
        "classes": [
            {"name": each.name, "color": each.color, "unit": each.unit, "labeled": count}
            for each, count in zip(labeling.classes, counts, strict=True)
        ],
        "annotators": labeling.annotators,
    }


def queue_row(entry: QueueEntry, names: Mapping[str, str]) -> Listed:
    """Return a job that waits or runs.

    Args:
        entry: The job.
        names: Names of jobs by their ids.
    """
    job, history = entry.job, entry.job.history
    return {
        "name": names[job.record.id],
        "id": job.record.id,
        "kind": job.record.kind.value,
        "state": history.state.value,
        "devices": list(entry.devices),
        "held": history.held and history.state == State.QUEUED,
        "reason": waiting_reason(entry, names),
    }


def waiting_reason(entry: QueueEntry, names: Mapping[str, str]) -> str:
    """Return why a job waits: for its turn here, or for a device that another user has.

    Args:
        entry: The job.
        names: Names of jobs by their ids.
    """
    if entry.wait is not None:
        return entry.wait.text(lambda each: names.get(each, each))
    history = entry.job.history
    if history.state == State.STARTING and history.progress is not None:
        return history.progress.what
    return ""


def field_row(field: PlanField) -> Listed:
    """Return a field of a plan."""
    default = field.default
    return {
        "name": field.name,
        "kind": field.kind.value,
        "label": field.label,
        "help": field.help,
        "unit": field.unit,
        "required": field.required,
        "default": default.model_dump(mode="json") if isinstance(default, Plan) else default,
        "choices": list(field.choices),
        "minimum": field.minimum,
        "maximum": field.maximum,
    }
