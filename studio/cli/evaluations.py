"""`studio evaluations list|show`: evaluations that were made here or in the window."""

from __future__ import annotations

from studio.cli.evaluate import say_report
from studio.cli.record_edit import list_records, only_run
from studio.cli.verb import Session, Verb, argument
from studio.engine.errors import StudioError
from studio.engine.evaluation.opened import OpenedEvaluation
from studio.engine.evaluation.report import EvaluationPlan, Report
from studio.engine.jobs.job import Job
from studio.engine.listing import evaluation_facts
from studio.engine.messages import in_sentence
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind

_KIND = RecordKind.EVALUATION


def _run_of(job: Job) -> str:
    return job.plan(EvaluationPlan).run


def _list(session: Session) -> object:
    columns = ["dataset", "images", "main metric"]
    nothing = "No evaluations yet. Try: studio evaluate RUN"
    return list_records(session, _KIND, _run_of, columns, _content, nothing)


def _content(job: Job) -> tuple[dict[str, object], list[list[str]]]:
    """Return an evaluation as JSON data, and the cells of its line."""
    report = Report.read(job.record.folder)
    if report is None:
        return {}, [["–", "–", "–"]]
    return evaluation_facts(report), [_facts(report)]


def _facts(report: Report) -> list[str]:
    """Return the cells of a report: dataset, number of images, and main metric."""
    spec = TASKS[report.task].reporter.whole[0]
    return [
        report.subject.dataset_name,
        f"{report.count:,} {report.subject.split}",
        f"{in_sentence(spec.label)} {spec.text(report.metrics[spec.name])}",
    ]


def _show(session: Session) -> object:
    record = session.workspace.find(_KIND, session.options.name)
    report = Report.read(record.folder)
    if report is None:
        state = Job.read(record).history.state.value
        raise StudioError(
            f"The evaluation {record.name} is {state} and has no report.",
            "Its log may say why: studio logs NAME --kind evaluation",
        )
    say_report(session.output, report)
    if not session.output.as_json:
        return None
    return OpenedEvaluation.open(session.workspace, record.folder).document()


VERBS = (
    Verb("list", "list evaluations with their main metric", only_run, _list),
    Verb(
        "show",
        "show the report of an evaluation again",
        argument("name", metavar="EVALUATION", help="name or id of the evaluation"),
        _show,
    ),
)
