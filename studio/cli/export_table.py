"""Exports as tables and sentences of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from studio.cli.output import Output, percent, rate
from studio.engine.exporting.certificate import Certificate
from studio.engine.exporting.formats import FORMATS
from studio.engine.exporting.results import (
    ExportedFile,
    base_of,
    compared,
    load_note,
    relative_words,
)

_HEADERS = [
    "file",
    "accuracy",
    "points",
    "differ",
    "size",
    "ms",
    "95 %",
    "CPU ms",
    "against Keras",
    "images/s",
    "good",
]
_SHOWN_PATHS = 5


def print_exports(
    output: Output, files: Sequence[ExportedFile], *, is_kept: bool, run: str
) -> None:
    """Print what an export gave.

    Args:
        output: Where to.
        files: The files.
        is_kept: Whether they lie where the user wants them.
        run: Name of the run, for what to type next.
    """
    done = [(each, each.certificate) for each in files if each.certificate is not None]
    output.table(_HEADERS, [_row(each, made) for each, made in done])
    for each in files:
        if each.problem:
            output.note(f"{each.format} {each.precision}: {each.problem}")
    for each, made in done:
        base = base_of(each, files)
        if base is not None and base.certificate is not None:
            told = compared(made, base.certificate).sentence
            output.say(f"{_label(each)}, against {_label(base)}: {told}")
    _print_load(output, done)
    for each, made in done:
        _print_disagreements(output, each, made)
        for text in made.shortcomings:
            output.say(f"NOT CERTIFIED: {_label(each)}: {text}")
    if done:
        _print_end(output, done, is_kept=is_kept, run=run)


def _print_load(output: Output, done: list[tuple[ExportedFile, Certificate]]) -> None:
    """Warn once of other programs, by the busiest measurement."""
    busiest = max(
        (made for _, made in done), key=lambda made: made.others_share or 0, default=None
    )
    if busiest is not None and busiest.was_busy:
        output.say(load_note(busiest))


def _print_end(
    output: Output, done: list[tuple[ExportedFile, Certificate]], *, is_kept: bool, run: str
) -> None:
    file, first = done[0]
    output.say(
        f"Compared with the trained model on {first.count:,} {first.split} images, each file by "
        f"its own runtime in a process of its own, on this machine's CPU ({first.machine})."
    )
    if not is_kept:
        chosen = f"--format {file.format} --precision {file.precision}"
        output.say(
            f"Nothing is kept. Keep one: studio export {shlex.quote(run)} {chosen} --to DIR"
        )
        return
    for each, _ in done:
        output.write(f"Written to {each.path}")
    if not file.path.endswith(".zip"):
        output.write(f"Try: python {shlex.quote(file.path + '/predict.py')} PICTURE")


def _row(file: ExportedFile, made: Certificate) -> list[str]:
    p95, pace = made.latency_p95_ms, made.images_per_second
    return [
        f"{file.format} {file.precision}",
        percent(made.accuracy),
        f"{made.accuracy_change * 100:+.2f}",
        f"{made.disagreements:,}",
        f"{made.size_bytes / 1000:,.1f} kB",
        f"{made.latency_ms:.3f}",
        "–" if p95 is None else f"{p95:.3f}",
        "–" if made.cpu_ms is None else f"{made.cpu_ms:.3f}",
        "–" if made.relative_latency is None else relative_words(made),
        "–" if pace is None else rate(pace),
        "yes" if made.certified else "NO",
    ]


def _print_disagreements(output: Output, file: ExportedFile, made: Certificate) -> None:
    if not made.disagreements:
        return
    shown = [f"{each.path} ({each.file}, not {each.model})" for each in made.disagreeing]
    more = made.disagreements - _SHOWN_PATHS
    ending = f" and {more} more" if more > 0 else ""
    output.say(f"{_label(file)} says otherwise on {', '.join(shown[:_SHOWN_PATHS])}{ending}")


def _label(file: ExportedFile) -> str:
    return f"{FORMATS[file.format].label} {file.precision}"
