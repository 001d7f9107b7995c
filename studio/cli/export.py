"""`studio export`: write a model as files that work without Studio."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from studio.cli.following import wait_for
from studio.cli.output import percent
from studio.cli.verb import Session, Verb
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.exporting.plan import ExportPlan
from studio.engine.jobs.requests import request_export
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="R", help="name of the run")
    parser.add_argument(
        "--format", default="keras", metavar="FORMAT", help=f"one of: {', '.join(FORMATS.names())}"
    )
    parser.add_argument("--to", required=True, metavar="DIR", help="folder for the new folder")


def _export(session: Session) -> object:
    options = session.options
    run = session.workspace.find(RecordKind.RUN, options.name)
    document = export_run(session, run.id, options.format, Path(options.to))
    certificate = document["certificate"]
    output = session.output
    output.say(f"Written to {document['path']}")
    output.say(
        f"{certificate['size_bytes'] / 1e6:.1f} MB, {certificate['latency_ms']:.2f} ms per image; "
        f"accuracy {percent(certificate['accuracy'])} on {certificate['count']:,} "
        f"{certificate['split']} images "
        f"(change {certificate['accuracy_change'] * 100:+.1f} points), "
        f"{certificate['disagreements']} different answers"
    )
    output.say(f"Try: python {document['path']}/predict.py PICTURE")
    return document


def export_run(session: Session, run_id: str, format_name: str, to: Path) -> dict[str, Any]:
    """Do an export job and wait for its path and certificate.

    Raises:
        StudioError: It cannot be done, or was stopped.
    """
    plan = ExportPlan.parse(
        {"run": run_id, "format": format_name, "to": str(to.expanduser().absolute())}
    )
    job = request_export(session.queue, plan)
    history = wait_for(session.queue, job, session.output, f"Exporting as {format_name}")
    if history.state != State.COMPLETED:
        raise StudioError(f"The export was {history.state.value}.")
    return history.result


EXPORT = Verb("export", "write a model as files that work without Studio", _configure, _export)
