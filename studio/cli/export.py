"""`studio export`: write a model as files that work without Studio, in one format or several."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from studio.cli.export_table import print_exports
from studio.cli.following import wait_for
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS, PRECISIONS
from studio.engine.exporting.plan import ARCHIVES, ExportPlan, Tolerance
from studio.engine.exporting.requests import request_export
from studio.engine.exporting.results import files_of
from studio.engine.exporting.variants import ALL, Variant, chosen_variants
from studio.engine.files import user_path
from studio.engine.jobs.states import State
from studio.engine.plans import fields_of
from studio.engine.workspace import RecordKind


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="R", help="name of the run")
    parser.add_argument(
        "--format",
        default="keras",
        metavar="FORMAT,…",
        help=f"any of: {', '.join(FORMATS.names())}; or {ALL} [keras]",
    )
    parser.add_argument(
        "--precision",
        default="",
        metavar="PRECISION,…",
        help=f"any of: {', '.join(PRECISIONS)}; or {ALL} [float32; with --format {ALL}: {ALL}]",
    )
    parser.add_argument(
        "--to",
        metavar="DIR",
        help="folder for the new folders; without it they are measured, and none is kept",
    )
    parser.add_argument(
        "--archive",
        choices=ARCHIVES,
        default="",
        help="write one archive instead of a folder",
    )
    parser.add_argument(
        "--zip", dest="archive", action="store_const", const="zip", help=argparse.SUPPRESS
    )
    for field in fields_of(Tolerance):
        text = f"{field.help} [{field.default:g}]".replace("%", "%%")
        option = {"points": "--tolerance"}.get(field.name, f"--{field.name}")
        metavar = "POINTS" if field.name == "points" else "P"
        parser.add_argument(option, dest=field.name, default=None, metavar=metavar, help=text)


def _export(session: Session) -> object:
    options, output = session.options, session.output
    run = session.workspace.find(RecordKind.RUN, options.name)
    formats, precisions = _words(options.format), _words(options.precision)
    variants = chosen_variants(formats, precisions)
    if formats == [ALL]:
        for each in FORMATS:
            if each.missing():
                missing = ", ".join(each.missing())
                output.note(f"Without {each.label}: it needs {missing}. {each.install}")
    given = {name: getattr(options, name) for name in Tolerance.model_fields}
    tolerance = {name: value for name, value in given.items() if value is not None}
    document = export_run(
        session, run.id, variants, options.to, {"tolerance": tolerance, "archive": options.archive}
    )
    print_exports(output, files_of(document), is_kept=bool(options.to), run=run.name)
    return document


def export_run(
    session: Session,
    run_id: str,
    variants: list[Variant],
    to: str | Path | None,
    more: dict[str, object] | None = None,
) -> dict[str, Any]:
    """Do an export job and wait for its paths and certificates.

    Args:
        session: Where.
        run_id: The run.
        variants: What is written.
        to: Where the folders go; None to measure only.
        more: Other fields of the plan.

    Raises:
        StudioError: It cannot be done, was stopped, or a file that is to be kept is not
            certified; in that case the document is printed before.
    """
    place = str(user_path(to).absolute()) if to else ""
    names = [variant.name for variant in variants]
    plan = ExportPlan.parse({"run": run_id, "variants": names, "to": place, **(more or {})})
    job = request_export(session.queue, plan)
    title = f"Exporting as {variants[0].label}" if len(variants) == 1 else "Exporting"
    try:
        history = wait_for(session.queue, job, session.output, title)
    except StudioError:
        files = files_of(job.history.result)
        if files:
            run = session.workspace.find(RecordKind.RUN, run_id).name
            print_exports(session.output, files, is_kept=bool(to), run=run)
            session.output.document(job.history.result)
        raise
    if history.state != State.COMPLETED:
        raise StudioError(f"The export was {history.state.value}.")
    return history.result


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


EXPORT = Verb("export", "write a model as files that work without Studio", _configure, _export)
