"""`studio evaluations list|show`: evaluations that were made here or in the window."""

from __future__ import annotations

from studio.cli.evaluate import say_report, say_targets
from studio.cli.record_edit import only_run, records_of_run
from studio.cli.verb import Session, Verb, argument, metric_text
from studio.engine.errors import StudioError
from studio.engine.evaluation.open_report import open_evaluation
from studio.engine.evaluation.report import (
    EvaluationPlan,
    Report,
    TargetReport,
    metrics_of,
    read_report,
)
from studio.engine.evaluation.report_page import json_document
from studio.engine.jobs.job import Job
from studio.engine.messages import in_sentence
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.workspace import RecordInfo, RecordKind

_KIND = RecordKind.EVALUATION


def _run_of(job: Job) -> str:
    return job.plan(EvaluationPlan).run


def _list(session: Session) -> object:
    document, rows = [], []
    for job, info in records_of_run(session, _KIND, _run_of):
        report = read_report(job.record.folder)
        document.append(_document(job, info, report))
        facts = ["–", "–", "–"] if report is None else _facts(report)
        rows.append([info.name, job.history.state.value, *facts])
    if rows:
        session.output.table(["evaluation", "state", "dataset", "images", "main metric"], rows)
    else:
        session.output.say("No evaluations yet. Try: studio evaluate RUN")
    return document


def _document(
    job: Job, info: RecordInfo, report: Report | TargetReport | None
) -> dict[str, object]:
    found: dict[str, object] = {
        "name": info.name,
        "id": info.id,
        "state": job.history.state.value,
        "created": info.created.isoformat(),
    }
    if report is None:
        return found
    subject = report.subject
    return found | {
        "model": subject.title,
        "dataset": subject.dataset_name,
        "split": subject.split,
        "count": report.count,
        "metrics": metrics_of(report),
        "intervals": dict(report.intervals),
    }


def _facts(report: Report | TargetReport) -> list[str]:
    """Return the cells of a report: dataset, number of images, and main metric."""
    task = TASKS[report.task] if isinstance(report, TargetReport) else DEFAULT_TASK
    spec = task.reporter.whole[0]
    value = metrics_of(report)[spec.name]
    text = "–" if value is None else metric_text(spec, value)
    return [
        report.subject.dataset_name,
        f"{report.count:,} {report.subject.split}",
        f"{in_sentence(spec.label)} {text}",
    ]


def _show(session: Session) -> object:
    record = session.workspace.find(_KIND, session.options.name)
    report = read_report(record.folder)
    if report is None:
        state = Job.read(record).history.state.value
        raise StudioError(
            f"The evaluation {record.name} is {state} and has no report.",
            "Its log may say why: studio logs NAME --kind evaluation",
        )
    if isinstance(report, TargetReport):
        return say_targets(session.output, report)
    say_report(session.output, report)
    return json_document(open_evaluation(record.folder)) if session.output.as_json else None


VERBS = (
    Verb("list", "list evaluations with their main metric", only_run, _list),
    Verb(
        "show",
        "show the report of an evaluation again",
        argument("name", metavar="EVALUATION", help="name or id of the evaluation"),
        _show,
    ),
)
