"""`studio runs …`: its verbs; list, show, follow, stop."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from studio.cli.following import elapsed, identity, stop_job, wait_for
from studio.cli.runs_control import CLONE, CONTROL, EDITS, FILES, find_run, run_name
from studio.cli.train import print_epochs
from studio.cli.verb import Session, Verb, argument, figure, metric_text
from studio.engine.errors import StudioError, did_you_mean
from studio.engine.jobs.states import State
from studio.engine.messages import in_sentence
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.comparison import best_of, seconds_of
from studio.engine.training.history import EpochDone, RunHistory, RunJob
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


_OWN_KEYS: dict[str, Callable[[_Run], object]] = {
    "name": lambda run: run.info.name.casefold(),
    "state": lambda run: list(State).index(run.history.state),
    "network": lambda run: run.plan.network,
    "dataset": lambda run: run.dataset.casefold(),
    "group": lambda run: run.info.group.casefold() or None,
    "started": lambda run: run.info.created.timestamp(),
    "epochs": lambda run: len(run.history.epochs),
    "time": lambda run: seconds_of(run.history),
}


def _functions() -> dict[str, Callable[[_Run], object]]:
    """Return what runs can be sorted by, with the metrics of all tasks."""

    def best(run: _Run, metric: MetricSpec) -> float | None:
        return best_of(run.history, metric)

    metrics = MEASURED_METRICS.items()
    return _OWN_KEYS | {name: partial(best, metric=metric) for name, metric in metrics}


def _sort_option(parser: argparse.ArgumentParser) -> None:
    """Add `--sort`: metrics of other packages are known when the option is added."""
    parser.add_argument(
        "--sort",
        metavar="KEY[:desc][,KEY…]",
        help=f"by {', '.join(_functions())}, or any setting, such as learning_rate [started]",
    )


_list_options = (
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
)


def _list(session: Session) -> object:
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
    if runs:
        primaries = dict.fromkeys(run.history.task.primary for run in runs)
        best = [f"best {in_sentence(metric.label)}" for metric in primaries]
        session.output.table(
            [*_BEFORE, *best, "loss", "time"],
            [_row(run, tuple(primaries)) for run in runs],
        )
    elif everything:
        session.output.say(f"None of {len(everything)} runs matches.")
    else:
        session.output.say("No runs yet. Try: studio train --dataset NAME --network lenet")
    return [_document(run) for run in runs]


def _runs(session: Session) -> list[_Run]:
    """Return all runs, oldest first."""
    names = {record.id: info.name for record, info in session.workspace.infos(RecordKind.DATASET)}
    found = []
    for record, info in session.workspace.infos(RecordKind.RUN):
        job = RunJob.read(record)
        try:
            plan = job.current_plan(TrainingPlan)
        except StudioError as error:
            session.output.note(f"{info.name} is left out: {error}")
            continue
        found.append(_Run(info, plan, job.history, names.get(plan.dataset, plan.dataset)))
    return found


def _is_requested(run: _Run, options: argparse.Namespace) -> bool:
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
    value_of = _functions().get(key)
    if value_of is not None:
        return [value_of(run) for run in runs]
    known = {name for run in runs for name in run.settings}
    if runs and key not in known:
        hint = did_you_mean(key, {*_functions(), *known})
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


def _show(session: Session) -> object:
    job = find_run(session)
    history, plan, name = job.history, job.plan(TrainingPlan), job.record.name
    dataset = session.workspace.record(RecordKind.DATASET, plan.dataset)
    dataset_name = dataset.name if dataset else plan.dataset
    output = session.output
    network = job.current_plan(TrainingPlan).network
    output.say(f"{name}: {history.state.value}, {network} on {dataset_name}, {elapsed(history)}")
    info = job.record.info()
    if info.group or info.tags:
        output.say(" · ".join([info.group or "no group", *info.tags]))
    if info.notes:
        output.say(info.notes)
    if history.reason:
        output.say(f"{history.reason} {history.hint}".strip())
    print_epochs(output, history)
    if job.damaged_lines:
        output.note(f"{job.damaged_lines} lines of its journal are damaged and were left out.")
    return {
        **identity(job),
        "reason": history.reason,
        "hint": history.hint,
        "attempt": history.attempt,
        "group": info.group,
        "tags": list(info.tags),
        "notes": info.notes,
        "dataset": dataset_name,
        "plan": plan.model_dump(mode="json"),
        "changes": history.changes,
        "steps": history.step_count,
        "epochs": [_epoch(each, history.task) for each in history.epochs],
        "best_epoch": history.best_epoch.epoch if history.best_epoch else None,
    }


def _epoch(epoch: EpochDone, task: Task) -> dict[str, object]:
    figures = ("epoch", "learning_rate", "seconds", "images_per_second")
    metrics = {each.name: epoch.value(each.name) for each in task.measured}
    # Each metric also has its own key, for scripts from the time before `metrics`.
    return {**epoch.model_dump(include=set(figures)), **metrics, "metrics": metrics}


def _follow(session: Session) -> object:
    job = find_run(session)
    history = wait_for(session, job, f"Training {job.record.name}")
    print_epochs(session.output, history)
    return {"name": job.record.name, "state": history.state.value}


def _stop(session: Session) -> object:
    return stop_job(session, find_run(session))


VERBS = (
    Verb("list", "list, filter and sort runs", _list_options, _list),
    Verb("show", "show the epochs of a run", run_name, _show),
    Verb("follow", "wait for a run and show its progress", run_name, _follow),
    Verb("stop", "stop a run and keep its model", run_name, _stop),
    *CONTROL,
    CLONE,
    Verb(
        "compare",
        "compare settings and metrics of runs",
        source="runs_compare:run_compare",
    ),
    Verb(
        "diagnose",
        "diagnose problems of a run and suggest fixes",
        source="runs_compare:run_diagnose",
    ),
    Verb(
        "export-csv",
        "write the metrics of a run as CSV",
        source="runs_compare:run_export_csv",
    ),
    *EDITS,
    *FILES,
)
