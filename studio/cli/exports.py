"""`studio exports list|show`: exports that were made here or in the window."""

from __future__ import annotations

from studio.cli.export import print_exports
from studio.cli.record_edit import list_records, only_run
from studio.cli.verb import Session, Verb, argument
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import ExportedFile, files_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.job import Job
from studio.engine.listing import export_facts
from studio.engine.workspace import RecordKind

_KIND = RecordKind.EXPORT


def _run_of(job: Job) -> str:
    return job.plan(ExportPlan).run


def _list(session: Session) -> object:
    columns = ["file", "size", "certified", "folder"]
    nothing = "No exports yet. Try: studio export RUN --format onnx --to DIR"
    return list_records(session, _KIND, _run_of, columns, _content, nothing)


def _content(job: Job) -> tuple[dict[str, object], list[list[str]]]:
    """Return the files of an export as JSON data, and a line for each."""
    files = files_of(job.history.result)
    lines = [_facts(each) for each in files] or [["–", "–", "–", "–"]]
    return export_facts(files), lines


def _facts(file: ExportedFile) -> list[str]:
    name, made = f"{file.format} {file.precision}", file.certificate
    if made is None:
        return [name, "–", "NO", str(file.problem)]
    certified = "yes" if made.certified else "NO"
    return [name, f"{made.size_bytes / 1000:,.1f} kB", certified, file.path or "only measured"]


def _show(session: Session) -> object:
    job = Job.read(session.workspace.find(_KIND, session.options.name))
    files = files_of(job.history.result)
    if not files:
        raise StudioError(
            f"The export {job.record.name} is {job.history.state.value} and has no files.",
            "Its log may say why: studio logs NAME --kind export",
        )
    plan = job.plan(ExportPlan)
    run = session.workspace.record(RecordKind.RUN, plan.run)
    name = plan.run if run is None else run.name
    print_exports(session.output, files, is_saved=bool(plan.to), run=name)
    return job.history.result


VERBS = (
    Verb("list", "list exported files and their certificates", only_run, _list),
    Verb(
        "show",
        "show what was measured of an export again",
        argument("name", metavar="EXPORT", help="name or id of the export"),
        _show,
    ),
)
