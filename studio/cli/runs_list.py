"""`studio runs list`: all runs, or some of them, in any order."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

from studio.cli.following import elapsed
from studio.cli.verb import Session, Verb, figure, metric_text
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.jobs.states import State
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec, in_sentence
from studio.engine.training.comparison import best_of, seconds_of
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import Settings, setting_value, settings_of
from studio.engine.workspace import RecordInfo, RecordKind

_DESCENDING = ":desc"
_BEFORE = ("name", "state", "network", "dataset", "group", "tags", "epochs")


@dataclass(frozen=True, slots=True)
class _Run:
    info: RecordInfo
    plan: TrainingPlan
    history: RunHistory
    dataset: str

    @property
    def settings(self) -> Settings:
        return settings_of(self.plan, self.history.changes)


_KEYS: dict[str, Callable[[_Run], object]] = {
    "name": lambda run: run.info.name.casefold(),
    "state": lambda run: list(State).index(run.history.state),
    "network": lambda run: run.plan.network,
    "dataset": lambda run: run.dataset.casefold(),
    "group": lambda run: run.info.group.casefold() or None,
    "started": lambda run: run.info.created.timestamp(),
    "epochs": lambda run: len(run.history.epochs),
    "time": lambda run: seconds_of(run.history),
    **{
        metric.name: lambda run, metric=metric: best_of(run.history, metric)  # type: ignore[misc]  # bound
        for metric in MEASURED_METRICS.values()
    },
}


def _configure(parser: argparse.ArgumentParser) -> None:
    states = ",".join(State)
    parser.add_argument("--state", metavar=f"{{{states}}}", help="only runs in this state")
    parser.add_argument(
        "--tag",
        metavar="T",
        action="append",
        default=[],
        help="only runs with this tag; repeated, with all of them",
    )
    parser.add_argument(
        "--group", metavar="G", help="only runs of this group; '' for those of none"
    )
    parser.add_argument("--text", metavar="WORDS", help="only runs with all these words somewhere")
    parser.add_argument(
        "--sort",
        metavar="KEY[:desc][,KEY…]",
        help=f"by {', '.join(_KEYS)}, or any setting, such as learning_rate [started]",
    )


def _list(session: Session) -> object:
    options = session.options
    if options.state is not None and options.state not in list(State):
        raise StudioError(
            f'There is no state "{options.state}".', did_you_mean(options.state, State)
        )
    session.queue.dispatch()
    everything = _runs(session)
    runs = [run for run in everything if _is_wanted(run, options)]
    for key, descending in reversed(_sort_keys(options.sort)):
        runs = _sorted(runs, key, descending=descending)
    if runs:
        primaries = dict.fromkeys(run.history.task.primary for run in runs)
        best = [f"best {in_sentence(metric.label)}" for metric in primaries]
        session.output.table(
            [*_BEFORE, *best, "loss", "time"],
            [_row(run, tuple(primaries)) for run in runs],
        )
    elif everything:
        session.output.say(f"None of {len(everything)} runs is like that.")
    else:
        session.output.say("No runs yet. Try: studio train --dataset NAME --network lenet")
    return [_document(run) for run in runs]


def _runs(session: Session) -> list[_Run]:
    """All runs, oldest first."""
    names = {record.id: info.name for record, info in session.workspace.infos(RecordKind.DATASET)}
    found = []
    for record, info in session.workspace.infos(RecordKind.RUN):
        job = RunJob.read(record)
        try:
            plan = job.plan(TrainingPlan)
        except StudioError as error:
            session.output.note(f"{info.name} is left out: {error}")
            continue
        found.append(_Run(info, plan, job.history, names.get(plan.dataset, plan.dataset)))
    return found


def _is_wanted(run: _Run, options: argparse.Namespace) -> bool:
    info = run.info
    if options.state is not None and run.history.state != options.state:
        return False
    tags = {tag.casefold() for tag in info.tags}
    if any(tag.casefold() not in tags for tag in options.tag):
        return False
    if options.group is not None and info.group.casefold() != options.group.casefold():
        return False
    parts = (info.name, run.plan.network, run.dataset, info.group, *info.tags, info.notes)
    text = "\n".join(parts).casefold()
    return all(word in text for word in (options.text or "").casefold().split())


def _sort_keys(text: str | None) -> list[tuple[str, bool]]:
    words = [] if text is None else [word.strip() for word in text.split(",")]
    return [(word.removesuffix(_DESCENDING), word.endswith(_DESCENDING)) for word in words]


def _sorted(runs: list[_Run], key: str, *, descending: bool) -> list[_Run]:
    """Stable; runs without a value come last, whichever the direction."""
    pairs = list(zip(_values(runs, key), runs, strict=True))
    there = [pair for pair in pairs if not _is_missing(pair[0])]
    if any(isinstance(value, str | tuple) for value, _ in there):
        there = [(str(value), run) for value, run in there]
    there.sort(key=lambda pair: pair[0], reverse=descending)  # type: ignore[arg-type,return-value]  # all of one kind
    return [run for _, run in there] + [run for value, run in pairs if _is_missing(value)]


def _values(runs: list[_Run], key: str) -> list[object]:
    value_of = _KEYS.get(key)
    if value_of is not None:
        return [value_of(run) for run in runs]
    known = {name for run in runs for name in run.settings}
    if runs and key not in known:
        hint = did_you_mean(key, {*_KEYS, *known})
        raise StudioError(f'Runs cannot be sorted by "{key}".', hint)
    return [setting_value(run.plan, run.history.changes, key) for run in runs]


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _row(run: _Run, primaries: tuple[MetricSpec, ...]) -> list[str]:
    history = run.history
    return [
        run.info.name,
        history.state.value,
        run.plan.network,
        run.dataset,
        run.info.group,
        ", ".join(run.info.tags),
        f"{len(history.epochs)}/{run.settings['epochs']}",
        *(metric_text(metric, best_of(history, metric)) for metric in primaries),
        figure(best_of(history, MEASURED_METRICS["loss"])),
        elapsed(history),
    ]


def _document(run: _Run) -> dict[str, object]:
    history = run.history
    return {
        "name": run.info.name,
        "id": run.info.id,
        "state": history.state.value,
        "network": run.plan.network,
        "dataset": run.dataset,
        "group": run.info.group,
        "tags": list(run.info.tags),
        "notes": run.info.notes,
        "created": run.info.created.isoformat(),
        "epochs": len(history.epochs),
        "seconds": seconds_of(history),
        **{metric.name: best_of(history, metric) for metric in history.task.measured},
    }


LIST = Verb("list", "list the runs: all of them, or some, in any order", _configure, _list)
