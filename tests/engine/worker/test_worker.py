"""Real workers: how they say what went wrong, and how they end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from helpers.digits import Digits, do_here, run_to_end
from helpers.pictures import picture_folder, small_recipe
from helpers.waiting import wait_until
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import (
    BadDataError,
    DiskFullError,
    NotFiniteError,
    OutOfMemoryError,
    StudioError,
)
from studio.engine.jobs import commands
from studio.engine.jobs.events import Event, Note, ProgressMade, StateChanged
from studio.engine.jobs.job import JOURNAL_FILE, Job, JobContext, JournalWriter, journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.progress import Cancelled
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.worker import main as worker
from studio.engine.worker import main as worker_main
from studio.engine.workspace import RecordKind, Workspace

RECIPE = DatasetRecipe(source="/none")


def _doing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, work: Callable[[JobContext], State]
) -> Job:
    monkeypatch.setattr(worker_main, "handler_of", lambda _job: work)
    return do_here(workspace, RECIPE, workspace.unused_name(RecordKind.DATASET, "one"))


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (StudioError("Said.", "Do this."), "user"),
        (BadDataError("Said.", "Do this."), "bad_data"),
        (DiskFullError("Said.", "Do this."), "disk_full"),
        (NotFiniteError("Said.", "Do this."), "not_finite"),
        (OutOfMemoryError("Said.", "Do this."), "out_of_memory"),
    ],
)
def test_expected_errors_keep_their_own_text(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, error: StudioError, category: str
) -> None:
    def fail(context: JobContext) -> State:
        raise error

    history = _doing(workspace, monkeypatch, fail).history

    assert (history.state, history.category) == (State.FAILED, category)
    assert (history.reason, history.hint, history.detail) == ("Said.", "Do this.", "")


def test_running_out_of_memory_anywhere_is_reported_as_such(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(context: JobContext) -> State:
        return State(str(bytearray(2**62)))

    history = _doing(workspace, monkeypatch, fail).history

    assert history.category == "out_of_memory"
    assert "smaller batch" in history.hint


def test_a_bug_is_reported_with_its_traceback(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(context: JobContext) -> State:
        raise ZeroDivisionError("caf\udce9")

    history = _doing(workspace, monkeypatch, fail).history

    assert (history.state, history.category) == (State.FAILED, "internal")
    assert "ZeroDivisionError: caf\\udce9" in history.reason
    assert "test_worker.py" in history.detail
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_what_is_cancelled_is_stopped(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancel(context: JobContext) -> State:
        context.warn("A warning.")
        raise Cancelled

    job = _doing(workspace, monkeypatch, cancel)

    assert job.history.state == State.STOPPED
    assert [note.message for note in job.history.notes] == ["A warning."]


def test_a_worker_keeps_space_for_its_end(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, int] = {}

    def work(context: JobContext) -> State:
        for path in context.folder.glob(".*"):
            found[path.name] = path.stat().st_size
        return State.COMPLETED

    job = _doing(workspace, monkeypatch, work)

    assert found == {".reserve": 2**16, ".stop": 0, ".pause": 0}
    assert not (job.record.folder / ".reserve").exists()


@pytest.mark.parametrize("name", ["stop", "pause"])
def test_a_full_disk_does_not_keep_a_worker_from_ending(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, name: Literal["stop", "pause"]
) -> None:
    append = JournalWriter.append

    def full(writer: JournalWriter, *events: Event, durable: bool = False) -> None:
        # Only the reserve for the last event is left.
        states = [each.state for each in events if isinstance(each, StateChanged)]
        if State.STOPPING in states:
            raise DiskFullError("There is no space left.")
        append(writer, *events, durable=durable)

    monkeypatch.setattr(JournalWriter, "append", full)

    def work(context: JobContext) -> State:
        commands.send(context.folder, name, context.attempt)
        while True:
            context.check()

    expected = State.STOPPED if name == "stop" else State.PAUSED
    assert _doing(workspace, monkeypatch, work).history.state == expected


def test_progress_is_throttled_and_its_end_always_reported(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(context: JobContext) -> State:
        for done in range(1, 5001):
            context.advance(done, 5000, "Working")
        return State.COMPLETED

    job = _doing(workspace, monkeypatch, work)

    reported = journal_reader(job.record).read()
    assert len(reported) < 30
    assert job.history.progress is not None
    assert job.history.progress.done == 5000


def test_a_new_stage_is_reported_at_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(context: JobContext) -> State:
        for stage in ("Searching", "Checking"):
            for done in range(5):
                context.advance(done, 4, stage)
        return State.COMPLETED

    job = _doing(workspace, monkeypatch, work)

    reported = [
        (event.what, event.done)
        for event in journal_reader(job.record).read()
        if isinstance(event, ProgressMade)
    ]
    assert reported == [("Searching", 0), ("Searching", 4), ("Checking", 0), ("Checking", 4)]


def test_a_bad_folder_fails_the_import(workspace: Workspace, tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "pictures", 3)
    for picture in (source / "a").iterdir():
        picture.write_bytes(b"no picture")

    job = do_here(workspace, small_recipe(source), "one")

    assert (job.history.state, job.history.category) == (State.FAILED, "bad_data")
    assert "has an image that can be read" in job.history.reason
    assert job.history.hint


def test_a_job_that_is_not_ours_is_left_alone(workspace: Workspace) -> None:
    queue = JobQueue(workspace)
    job = queue.submit(RECIPE, "one")
    folder = job.record.folder
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        assert worker.main(folder, 1) == worker.NOT_OURS, "it waits, not started yet"
        job.append(StateChanged(state=State.STARTING, attempt=2))
        assert worker.main(folder, 1) == worker.NOT_OURS, "another attempt"
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)
    job.refresh()
    assert job.history.state == State.STARTING


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no polite signal on Windows")
def test_sigterm_stops_a_training_and_keeps_the_model(own_digits: Digits) -> None:
    queue = JobQueue(own_digits.workspace)
    plan = TrainingPlan(dataset=own_digits.dataset.record.id, epochs=100_000)
    job = queue.submit(plan, "long").with_history(RunHistory)
    queue.dispatch()
    wait_until(lambda: job.refresh() and job.history.epochs, "an epoch is over")
    assert job.history.started is not None

    os.kill(job.history.started.pid, signal.SIGTERM)
    run_to_end(queue, job, 30)

    history = job.history
    assert history.state == State.STOPPED
    assert history.artifacts == {"model": "model.keras"}
    assert history.result["epoch"] <= len(history.epochs)
    journal = (job.record.folder / JOURNAL_FILE).read_bytes()
    for other in (queue, JobQueue(own_digits.workspace)):
        other.stop(job)
        other.dispatch()
    assert (job.record.folder / JOURNAL_FILE).read_bytes() == journal
    assert not any(isinstance(event, Note) for event in history.notes)
