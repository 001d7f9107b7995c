"""`studio export`: write a model as files that work without Studio, in one format or several."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studio.cli.following import wait_for
from studio.cli.options import as_phrase
from studio.cli.verb import CommandOutput, Session, rate
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import (
    Certificate,
    ExportedFile,
    base_of,
    compared,
    files_of,
    load_note,
    relative_words,
)
from studio.engine.exporting.formats import ALL, FORMATS, PRECISIONS, Variant, chosen_variants
from studio.engine.exporting.plan import ARCHIVES, ExportPlan, Tolerance
from studio.engine.exporting.requests import request_export
from studio.engine.files import user_path
from studio.engine.jobs.states import State
from studio.engine.messages import in_sentence
from studio.engine.plans import fields_of
from studio.engine.workspace import RecordKind

# Exports as tables and sentences of the command line.

_HEADERS = [
    "different",
    "size",
    "ms",
    "95 %",
    "CPU ms",
    "against Keras",
    "images/s",
    "certified",
]
_SHOWN_PATHS = 5


def print_exports(
    output: CommandOutput, files: Sequence[ExportedFile], *, is_saved: bool, run: str
) -> None:
    """Print the files of an export.

    Args:
        output: Output of the command.
        files: The files.
        is_saved: True if they are in the folder of the user.
        run: Name of the run, for the next command.
    """
    done = [(each, each.certificate) for each in files if each.certificate is not None]
    named = [in_sentence(made.main.spec.label) for _, made in done[:1] if made.main is not None]
    heading = ["file", *(word for name in named for word in (name, "change")), *_HEADERS]
    output.table(heading, [_row(each, made) for each, made in done])
    for each in files:
        if each.problem:
            output.note(f"{each.format} {each.precision}: {each.problem}")
    for each, made in done:
        base = base_of(each, files)
        if base is not None and base.certificate is not None:
            comparison = compared(made, base.certificate).sentence
            output.say(f"{_label(each)}, against {_label(base)}: {comparison}")
    _print_load(output, done)
    for each, made in done:
        _print_disagreements(output, each, made)
        for text in made.shortcomings:
            output.say(f"NOT CERTIFIED: {_label(each)}: {text}")
    if done:
        _print_end(output, done, is_saved=is_saved, run=run)


def _print_load(output: CommandOutput, done: list[tuple[ExportedFile, Certificate]]) -> None:
    """Warn once of other programs, by the busiest measurement."""
    busiest = max(
        (made for _, made in done), key=lambda made: made.others_share or 0, default=None
    )
    if busiest is not None and busiest.was_busy:
        output.say(load_note(busiest))


def _print_end(
    output: CommandOutput,
    done: list[tuple[ExportedFile, Certificate]],
    *,
    is_saved: bool,
    run: str,
) -> None:
    file, first = done[0]
    output.say(
        f"Compared with the trained model on {first.count:,} {first.split} images, each file by "
        f"its own runtime in a separate process, on this machine's CPU ({first.machine})."
    )
    if not is_saved:
        chosen = f"--format {file.format} --precision {file.precision}"
        output.say(
            f"No file was saved. Save one: studio export {shlex.quote(run)} {chosen} --to DIR"
        )
        return
    for each, _ in done:
        output.write(f"Written to {each.path}")
    if not file.path.endswith(".zip"):
        output.write(f"Try: python {shlex.quote(file.path + '/predict.py')} IMAGE")


def _row(file: ExportedFile, made: Certificate) -> list[str]:
    p95, speed = made.latency_p95_ms, made.images_per_second
    return [
        f"{file.format} {file.precision}",
        *(text for each in made.compared[:1] for text in (each.value_text, each.change_text)),
        f"{made.disagreements:,}",
        f"{made.size_bytes / 1000:,.1f} kB",
        f"{made.latency_ms:.3f}",
        "–" if p95 is None else f"{p95:.3f}",
        "–" if made.cpu_ms is None else f"{made.cpu_ms:.3f}",
        "–" if made.relative_latency is None else relative_words(made),
        "–" if speed is None else rate(speed),
        "yes" if made.certified else "NO",
    ]


def _print_disagreements(output: CommandOutput, file: ExportedFile, made: Certificate) -> None:
    if not made.disagreements:
        return
    shown = [f"{each.path} ({each.file}, not {each.model})" for each in made.disagreeing]
    more = made.disagreements - _SHOWN_PATHS
    ending = f" and {more} more" if more > 0 else ""
    output.say(f"{_label(file)} predicts differently on {', '.join(shown[:_SHOWN_PATHS])}{ending}")


def _label(file: ExportedFile) -> str:
    return f"{FORMATS[file.format].label} {file.precision}"


def run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `run`."""
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
        help="destination folder; without it the files are only measured",
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
    parser.add_argument(
        "--no-decoding",
        action="store_true",
        help="ONNX and SavedModel files return the outputs of the network, not boxes or outlines",
    )
    for field in fields_of(Tolerance):
        text = f"{as_phrase(field.help)} [{field.default:g}]".replace("%", "%%")
        option = {"points": "--tolerance"}.get(field.name, f"--{field.name}")
        metavar = "POINTS" if field.name == "points" else "P"
        parser.add_argument(option, dest=field.name, default=None, metavar=metavar, help=text)


def run(session: Session) -> object:
    """Export a run, print what was measured, and return its document."""
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
    more = {
        "tolerance": tolerance,
        "archive": options.archive,
        "decodes": not options.no_decoding,
    }
    document = export_run(session, run.id, variants, options.to, more)
    print_exports(output, files_of(document), is_saved=bool(options.to), run=run.name)
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
        variants: The files to write.
        to: Folder of the exports; None to measure only.
        more: Other fields of the plan.

    Raises:
        StudioError: It failed or was stopped, or a file to be saved is not
            certified; in that case the document is printed before.
    """
    location = str(user_path(to).absolute()) if to else ""
    names = [variant.name for variant in variants]
    plan = ExportPlan.parse({"run": run_id, "variants": names, "to": location, **(more or {})})
    job = request_export(session.queue, plan)
    title = f"Exporting as {variants[0].label}" if len(variants) == 1 else "Exporting"
    try:
        history = wait_for(session, job, title)
    except StudioError:
        files = files_of(job.history.result)
        if files:
            run = session.workspace.find(RecordKind.RUN, run_id).name
            print_exports(session.output, files, is_saved=bool(to), run=run)
            session.output.document(job.history.result)
        raise
    if history.state != State.COMPLETED:
        raise StudioError(f"The export was {history.state.value}.")
    return history.result


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
