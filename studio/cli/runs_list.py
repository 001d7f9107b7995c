"""`studio runs list`: filters, order, number of rows."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import partial

from studio.cli.following import duration
from studio.cli.verb import Session, argument, figure
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.jobs.states import State
from studio.engine.listing import run_row
from studio.engine.messages import in_sentence
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.training.run_settings import value_in
from studio.engine.training.summaries import RunSummary, run_summaries
from studio.engine.workspace import RecordKind

DEFAULT_ROWS = 50
"""Rows of the table when no number is given."""
_DESCENDING = ":desc"
_BEFORE = ("name", "state", "network", "dataset", "group", "tags", "epochs")


class _ListedRun:
    """A run and the name of its dataset."""

    def __init__(self, summary: RunSummary, dataset: str) -> None:
        self.summary = summary
        self.info = summary.info
        self.dataset = dataset


_OWN_KEYS: dict[str, Callable[[_ListedRun], object]] = {
    "name": lambda run: run.info.name.casefold(),
    "state": lambda run: list(State).index(run.summary.state),
    "network": lambda run: run.summary.network,
    "dataset": lambda run: run.dataset.casefold(),
    "group": lambda run: run.info.group.casefold() or None,
    "started": lambda run: run.info.created.timestamp(),
    "epochs": lambda run: run.summary.epochs,
    "time": lambda run: run.summary.seconds,
}


def _functions() -> dict[str, Callable[[_ListedRun], object]]:
    """Return what runs can be sorted by, with the metrics of all tasks."""

    def best(run: _ListedRun, name: str) -> float:
        return run.summary.best_value(name)

    return _OWN_KEYS | {name: partial(best, name=name) for name in MEASURED_METRICS}


def _sort_option(parser: argparse.ArgumentParser) -> None:
    """Add `--sort`: metrics of other packages are known when the option is added."""
    parser.add_argument(
        "--sort",
        metavar="KEY[:desc][,KEY…]",
        help=f"by {', '.join(_functions())}, or any setting, such as learning_rate [started]",
    )


def _row_count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of runs. Give 0 for all.')
    return int(text)


run_list_options = (
    argument("--state", metavar="{" + ",".join(State) + "}", help="only runs in this state"),
    argument(
        "--tag",
        metavar="T",
        action="append",
        default=[],
        help="only runs with this tag; repeated, with all of them",
    ),
    argument("--group", metavar="G", help="only runs of this group; '' for those without a group"),
    argument("--text", metavar="WORDS", help="only runs that contain all these words"),
    _sort_option,
    argument(
        "--limit",
        type=_row_count,
        metavar="N",
        help="only N runs: the newest, or the first with --sort; 0 for all [50; all with --json]",
    ),
)


def run_list(session: Session) -> object:
    """List runs, oldest first or sorted."""
    options = session.options
    if options.state is not None and options.state not in list(State):
        raise StudioError(
            f'There is no state "{options.state}".', did_you_mean(options.state, State)
        )
    session.queue.dispatch()
    everything = _runs(session)
    runs = [run for run in everything if _is_requested(run, options)]
    for key, descending in reversed(_sort_keys(options.sort)):
        runs = _sorted(runs, key, descending=descending)
    matching = len(runs)
    runs = _limited(runs, session)
    output = session.output
    if runs:
        primaries = dict.fromkeys(run.summary.measured_task.primary for run in runs)
        best = [f"best {in_sentence(metric.label)}" for metric in primaries]
        output.table(
            [*_BEFORE, *best, "loss", "time"], [_row(run, tuple(primaries)) for run in runs]
        )
        if len(runs) < matching:
            which = "first" if options.sort else "newest"
            output.note(f"The {which} {len(runs)} of {matching:,} runs. For all: --limit 0")
    elif everything:
        output.say(f"None of {len(everything)} runs matches.")
    else:
        output.say("No runs yet. Try: studio train --dataset NAME --network lenet")
    return [run_row(run.summary, run.dataset) for run in runs] if output.as_json else None


def _limited(runs: list[_ListedRun], session: Session) -> list[_ListedRun]:
    """Return the rows to show: programs that read JSON get all unless they ask for fewer."""
    limit = session.options.limit
    if limit is None:
        limit = 0 if session.output.as_json else DEFAULT_ROWS
    if not limit:
        return runs
    return runs[:limit] if session.options.sort else runs[-limit:]


def _runs(session: Session) -> list[_ListedRun]:
    """Return all runs, oldest first."""
    names = {record.id: info.name for record, info in session.workspace.infos(RecordKind.DATASET)}

    def left_out(name: str, error: StudioError) -> None:
        session.output.note(f"{name} is left out: {error}")

    return [
        _ListedRun(each, names.get(each.dataset, each.dataset))
        for each in run_summaries(session.workspace, left_out)
    ]


def _is_requested(run: _ListedRun, options: argparse.Namespace) -> bool:
    info = run.info
    if options.state is not None and run.summary.state != options.state:
        return False
    tags = {tag.casefold() for tag in info.tags}
    if any(tag.casefold() not in tags for tag in options.tag):
        return False
    if options.group is not None and info.group.casefold() != options.group.casefold():
        return False
    parts = (info.name, run.summary.network, run.dataset, info.group, *info.tags, info.notes)
    text = "\n".join(parts).casefold()
    return all(word in text for word in (options.text or "").casefold().split())


def _sort_keys(text: str | None) -> list[tuple[str, bool]]:
    words = [] if text is None else [word.strip() for word in text.split(",")]
    return [(word.removesuffix(_DESCENDING), word.endswith(_DESCENDING)) for word in words]


def _sorted(runs: list[_ListedRun], key: str, *, descending: bool) -> list[_ListedRun]:
    """Stable; runs without a value come last, whichever the direction."""
    pairs = list(zip(_values(runs, key), runs, strict=True))
    there = [pair for pair in pairs if not _is_missing(pair[0])]
    if any(isinstance(value, str | tuple) for value, _ in there):
        there = [(str(value), run) for value, run in there]
    there.sort(key=lambda pair: pair[0], reverse=descending)  # type: ignore[arg-type,return-value]  # all of one kind
    return [run for _, run in there] + [run for value, run in pairs if _is_missing(value)]


def _values(runs: list[_ListedRun], key: str) -> list[object]:
    value_of = _functions().get(key)
    if value_of is not None:
        return [value_of(run) for run in runs]
    known: set[str] = set()
    values = []
    for run in runs:  # one after the other: those of ten thousand runs fill the memory
        settings = run.summary.settings
        known.update(settings)
        values.append(value_in(settings, key))
    if runs and key not in known:
        hint = did_you_mean(key, {*_functions(), *known})
        raise StudioError(f'Runs cannot be sorted by "{key}".', hint)
    return values


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _row(run: _ListedRun, primaries: tuple[MetricSpec, ...]) -> list[str]:
    summary = run.summary
    seconds = summary.seconds
    return [
        run.info.name,
        summary.state.value,
        summary.network,
        run.dataset,
        run.info.group,
        ", ".join(run.info.tags),
        f"{summary.epochs}/{summary.settings['epochs']}",
        *(metric.text(summary.best_value(metric.name)) for metric in primaries),
        figure(summary.best_value("loss")),
        "–" if math.isnan(seconds) else duration(seconds, f"{seconds:.1f} s"),
    ]
