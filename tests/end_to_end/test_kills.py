"""What survives when processes are killed with SIGKILL: runs, datasets, journals, curves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from helpers.digits import Digits, run_to_end
from helpers.processes import clean_environment, is_alive, kill_and_wait, python
from helpers.waiting import wait_until
from helpers.zygote import studio
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import JOURNAL_FILE, journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import JobMoved, JobSeen, Supervisor, Update
from studio.engine.training.history import RunHistory, RunJob, StepsDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is not a thing of Windows"),
]
STEPS_PER_EPOCH = 40


def _run(digits: Digits, name: str) -> RunJob:
    return RunJob(digits.workspace.find(RecordKind.RUN, name))


def _epochs(job: RunJob, count: int) -> None:
    def reached() -> bool:
        job.refresh()
        assert not job.history.state.is_finished, job.history.reason
        return len(job.history.epochs) >= count

    wait_until(reached, f"{count} epochs are over")


def _check_no_gap(job: RunJob, epochs: int) -> None:
    """Every step and every epoch was reported once, in one attempt, in order."""
    events = journal_reader(job.record).read()
    first = 1
    for event in events:
        if isinstance(event, StepsDone):
            assert event.first == first
            first = event.last + 1
    assert first - 1 == epochs * STEPS_PER_EPOCH == len(job.history.steps_of("loss"))
    assert [epoch.epoch for epoch in job.history.epochs] == list(range(1, epochs + 1))
    starts = [e for e in events if isinstance(e, StateChanged) and e.state == State.STARTING]
    assert len(starts) == 1


_SHELL = """
import subprocess, sys
done = subprocess.run([sys.executable, "-m", "studio", *sys.argv[1:]], stdout=subprocess.PIPE)
print(done.stdout.decode().strip())
sys.stdin.readline()
"""


@pytest.mark.thorough
def test_a_detached_training_outlives_the_shell_that_started_it(own_digits: Digits) -> None:
    epochs = 15
    words = ["--workspace", str(own_digits.workspace.root), "--json", "train", "--detach"]
    words += ["--dataset", "Ziffern ü", "--epochs", str(epochs), "--name", "läuft"]
    with python(_SHELL, *words) as shell:
        assert shell.stdout is not None
        assert json.loads(shell.stdout.readline())["state"] in ("starting", "running")
        job = _run(own_digits, "läuft")
        _epochs(job, 1)
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()

    assert job.history.started is not None
    assert is_alive(job.history.started.pid)
    wait_until(lambda: job.refresh() is not None and job.history.state.is_finished, "it ends")
    assert job.history.state == State.COMPLETED
    _check_no_gap(job, epochs)


@pytest.mark.thorough
def test_a_waiting_command_line_that_is_killed_leaves_its_run_alone(own_digits: Digits) -> None:
    epochs = 15
    words = ["--workspace", str(own_digits.workspace.root), "train", "--dataset", "Ziffern ü"]
    waiting = subprocess.Popen(
        [sys.executable, "-m", "studio", *words, "--epochs", str(epochs), "--name", "läuft"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=clean_environment(),
        start_new_session=True,
    )
    with waiting:
        runs = own_digits.workspace.root / "runs"
        wait_until(lambda: runs.is_dir() and any(runs.glob("[a-z]*")), "the run is there")
        job = _run(own_digits, "läuft")
        _epochs(job, 1)
        os.killpg(waiting.pid, signal.SIGKILL)

    wait_until(lambda: job.refresh() is not None and job.history.state.is_finished, "it ends")
    assert job.history.state == State.COMPLETED
    _check_no_gap(job, epochs)


def test_a_killed_worker_is_shown_as_lost_and_harms_nothing_else(own_run: Digits) -> None:
    common = ("--workspace", own_run.workspace.root, "--json")
    other = (own_run.run.record.folder / JOURNAL_FILE).read_bytes()
    train = ("train", "--dataset", "Ziffern ü", "--epochs", "100000", "--name")
    assert studio(*common, *train, "opfer", "--detach").returncode == 0
    job = _run(own_run, "opfer")
    _epochs(job, 2)
    assert job.history.started is not None

    kill_and_wait(job.history.started.pid)

    shown = json.loads(studio(*common, "runs", "show", "opfer").stdout)
    assert shown["state"] == "lost"
    assert "last responded" in shown["reason"]
    assert len(shown["epochs"]) >= 2
    journal = (job.record.folder / JOURNAL_FILE).read_bytes()
    history = RunHistory()
    history.apply(journal_reader(job.record).read())
    assert history.state == State.LOST
    assert len(history.steps_of("loss")) >= 2 * STEPS_PER_EPOCH
    assert journal.endswith(b"\n")

    # Everything else is as it was, and the queue continues.
    assert (own_run.run.record.folder / JOURNAL_FILE).read_bytes() == other
    assert len(Store.open(own_run.dataset.record.folder).images) == 1797
    listed = json.loads(studio(*common, "runs", "list").stdout)
    assert {run["name"]: run["state"] for run in listed} == {
        "lenet": "completed",
        "opfer": "lost",
    }
    queue = JobQueue(own_run.workspace)
    plan = TrainingPlan(dataset=own_run.dataset.record.id, epochs=1)
    assert (
        run_to_end(queue, queue.submit(plan, "danach").with_history(RunHistory)).history.state
        == State.COMPLETED
    )
    assert (job.record.folder / JOURNAL_FILE).read_bytes() == journal

    # And the lost run can be started again.
    queue.restart(job)
    queue.dispatch()
    wait_until(lambda: job.refresh() is not None and job.history.attempt == 2, "it starts again")
    wait_until(
        lambda: job.refresh() is not None and job.history.state == State.RUNNING, "it runs again"
    )
    queue.stop(job)
    assert run_to_end(queue, job).history.state == State.STOPPED


_WINDOW = """
import sys, threading
from pathlib import Path
from studio.engine.jobs.supervisor import Supervisor
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace
supervisor = Supervisor(Workspace.open(Path(sys.argv[1])), lambda updates: None)
supervisor.start()
plan = TrainingPlan(dataset=sys.argv[2], epochs=int(sys.argv[3]))
print(supervisor.queue.submit(plan, "run").record.id)
threading.Event().wait()
"""


@pytest.mark.thorough
def test_the_curve_has_no_gap_after_the_window_was_killed(own_digits: Digits) -> None:
    epochs = 15
    arguments = (own_digits.workspace.root, own_digits.dataset.record.id, str(epochs))
    with python(_WINDOW, *arguments) as window:
        assert window.stdout is not None
        record = own_digits.workspace.record(RecordKind.RUN, window.stdout.readline().strip())
        assert record is not None
        job = RunJob(record)
        _epochs(job, 2)
        kill_and_wait(window.pid)

    seen: list[RunHistory] = []
    at_opening: list[tuple[State, int]] = []

    def take(updates: list[Update]) -> None:
        for update in updates:
            if isinstance(update, JobSeen) and update.key[1] == record.id:
                history = update.history
                assert isinstance(history, RunHistory)
                at_opening.append((history.state, len(history.steps_of("loss"))))
                seen.append(history)
            elif isinstance(update, JobMoved) and update.key[1] == record.id:
                seen[0].apply(update.events)

    supervisor = Supervisor(own_digits.workspace, take)
    supervisor.start()
    try:
        wait_until(lambda: seen and seen[0].state.is_finished, "the run ends")
    finally:
        supervisor.close()

    assert at_opening[0][0] == State.RUNNING
    assert at_opening[0][1] >= 2 * STEPS_PER_EPOCH
    assert seen[0].state == State.COMPLETED
    job.refresh()
    assert seen[0].steps_of("loss") == job.history.steps_of("loss")
    _check_no_gap(job, epochs)
    assert (record.folder / "model.keras").is_file()
