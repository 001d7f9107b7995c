"""Summaries of runs: what a list shows of each, stored so that old journals are not read again.

A summary is valid as long as the files it was made of have the same time and size. Those of a
workspace are one file in its folder `cache`, which may be deleted at any time. Runs that are not
at rest are always read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from studio import __version__
from studio.engine.errors import StudioError
from studio.engine.files import disk_full_is_clear, write_atomically
from studio.engine.jobs.job import JOURNAL_FILE
from studio.engine.jobs.states import State
from studio.engine.tasks import MEASURED_METRICS, known_task
from studio.engine.tasks.task import Task
from studio.engine.training.comparison import best_of
from studio.engine.training.history import PassportData, RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import Settings, settings_from_json, settings_of
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace
from studio.engine.workspace.records import RECORD_FILE

FILE: Final = "runs.json"
MAX_BYTES: Final = 256 * 2**20
"""A larger file is not ours, and is replaced."""

FileStamp = tuple[int, int]
"""Size in bytes and time of the last change in nanoseconds; -1 for a missing file."""


class RunSummary(BaseModel, frozen=True):
    """Summary of a run for lists.

    Attributes:
        info: Name, tags and notes.
        state: State of the run.
        task: Name of its task.
        network: Network of its plan.
        dataset: Id of its dataset.
        epochs: Number of finished epochs.
        best: Best value of each metric that was measured.
        spent: Seconds of work in ended attempts; None if it never began.
        running_since: Start of the current attempt, in seconds since 1970; None without one.
        settings_json: All settings by dotted name, as JSON; see `settings`.
        passport: Licenses of the weights that it started from; empty for random ones.
    """

    info: RecordInfo
    state: State
    task: str
    network: str
    dataset: str
    epochs: int
    best: Mapping[str, float]
    spent: float | None
    running_since: float | None
    settings_json: str
    passport: PassportData

    @classmethod
    def of(cls, info: RecordInfo, plan: TrainingPlan, history: RunHistory) -> RunSummary:
        """Summarize a run.

        Args:
            info: Its name and notes.
            plan: The plan with later changes.
            history: Its journal.
        """
        values = {name: best_of(history, metric) for name, metric in MEASURED_METRICS.items()}
        return cls(
            info=info,
            state=history.state,
            task=history.task.name,
            network=plan.network,
            dataset=plan.dataset,
            epochs=len(history.epochs),
            best={name: value for name, value in values.items() if math.isfinite(value)},
            spent=None if history.started_at is None else history.spent,
            running_since=history.running_since,
            settings_json=json.dumps(settings_of(plan, history.changes)),
            passport={} if history.weights is None else history.weights.passport,
        )

    @property
    def measured_task(self) -> Task:
        """The task; the usual one if the package that defines it is not installed."""
        return known_task(self.task)

    @property
    def seconds(self) -> float:
        """Duration of the run so far in seconds; NaN before it began or if clocks differ."""
        if self.spent is None:
            return math.nan
        current = 0.0 if self.running_since is None else time.time() - self.running_since
        return self.spent + current if self.spent >= 0 and current >= 0 else math.nan

    @property
    def settings(self) -> Settings:
        """All settings by dotted name, see `settings_of`."""
        return settings_from_json(self.settings_json)

    def best_value(self, metric: str) -> float:
        """Return the best value of a metric; NaN if it was not measured."""
        return self.best.get(metric, math.nan)


class _StoredSummary(BaseModel, frozen=True):
    stamps: tuple[FileStamp, ...]
    summary: RunSummary


class _StoredSummaries(BaseModel, frozen=True):
    """The file. Its key changes where a summary would contain something else."""

    key: str
    runs: dict[str, _StoredSummary]


def run_summaries(
    workspace: Workspace, left_out: Callable[[str, StudioError], None]
) -> list[RunSummary]:
    """Return the summaries of all runs, oldest first.

    Args:
        workspace: The workspace.
        left_out: Called with the name of each run whose plan cannot be read, and the error.
    """
    path = workspace.root / "cache" / FILE
    known = _read(path)
    found: dict[str, _StoredSummary] = {}
    for record in workspace.records(RecordKind.RUN):
        stamps = _stamps(record)
        stored = known.get(record.id)
        if stored is None or stored.stamps != stamps:
            stored = _summarized(record, stamps, left_out)
        if stored is not None:
            found[record.id] = stored
    stays = {id_: each for id_, each in found.items() if each.summary.state.is_at_rest}
    if stays != known and not workspace.read_only:
        _write(path, stays)
    summaries = [each.summary for each in found.values()]
    return sorted(summaries, key=lambda each: (each.info.created, each.info.id))


def _summarized(
    record: Record, stamps: tuple[FileStamp, ...], left_out: Callable[[str, StudioError], None]
) -> _StoredSummary | None:
    try:
        info = record.info()
    except StudioError:
        return None  # a damaged record must not hide the others, see `Workspace.infos`
    job = RunJob.read(record)
    try:
        plan = job.current_plan(TrainingPlan)
    except StudioError as error:
        left_out(info.name, error)
        return None
    return _StoredSummary(stamps=stamps, summary=RunSummary.of(info, plan, job.history))


def _stamps(record: Record) -> tuple[FileStamp, ...]:
    """Return the stamps of the files, before they are read: what is appended later differs."""
    names = (RECORD_FILE, record.kind.plan_name, JOURNAL_FILE)
    return tuple(_stamp(record.folder / name) for name in names)


def _stamp(path: Path) -> FileStamp:
    try:
        facts = path.stat()
    except OSError:
        return -1, -1
    return facts.st_size, facts.st_mtime_ns


def _key() -> str:
    """Return a text that differs where other metrics are known, or another Studio reads."""
    names = "\n".join((__version__, *sorted(MEASURED_METRICS), *RunSummary.model_fields))
    return hashlib.sha256(names.encode()).hexdigest()[:16]


def _read(path: Path) -> dict[str, _StoredSummary]:
    with contextlib.suppress(OSError, ValidationError):
        if path.stat().st_size <= MAX_BYTES:
            stored = _StoredSummaries.model_validate_json(path.read_bytes())
            return stored.runs if stored.key == _key() else {}
    return {}


def _write(path: Path, runs: dict[str, _StoredSummary]) -> None:
    # A full disk, or a folder of another user: then journals are read again.
    with contextlib.suppress(OSError, StudioError), disk_full_is_clear(path):
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, _StoredSummaries(key=_key(), runs=runs).model_dump_json())
