"""The queue: order, slots, stopping, starting again, and workers that die in every way."""

from __future__ import annotations

import contextlib
import itertools
import re
import signal
import threading
from pathlib import Path

import psutil
import pytest

from helpers.pictures import picture_folder, small_recipe
from helpers.processes import kill_and_wait, run_python, run_together
from helpers.waiting import wait_until
from helpers.workers import ENDLESS, EXITS_AT_ONCE, NEVER_STARTS, LaunchScripts
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs import control, launch, liveness
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.events import Event, StateChanged
from studio.engine.jobs.job import JOURNAL_FILE, Job, journal_reader
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import QUEUE_FOLDER, JobQueue
from studio.engine.jobs.states import State
from studio.engine.plans import Plan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, Workspace

PLAN: Plan = TrainingPlan(dataset="none-000000")


@pytest.fixture
def queue(workspace: Workspace) -> JobQueue:
    return JobQueue(workspace)


def _state(job: Job) -> State:
    job.refresh()
    return job.history.state


def _reach(queue: JobQueue, job: Job, state: State) -> None:
    def reached() -> bool:
        queue.dispatch()
        return _state(job) == state

    wait_until(reached, f"{job.record.id} is {state.value}")


def _events(job: Job) -> list[Event]:
    return journal_reader(job.record).read()


def _states(job: Job) -> list[State]:
    return [event.state for event in _events(job) if isinstance(event, StateChanged)]


def test_jobs_run_one_after_another_without_anybody_looking(
    queue: JobQueue, tmp_path: Path
) -> None:
    source = picture_folder(tmp_path / "pictures")
    jobs = [queue.submit(small_recipe(source), f"number {index}") for index in range(3)]
    assert [_state(job) for job in jobs] == [State.QUEUED] * 3
    assert not queue.is_idle()

    queue.dispatch()
    queue.dispatch()

    # From here on every worker starts the next: the window could be closed.
    assert _state(jobs[0]).has_worker
    assert [_state(job) for job in jobs[1:]] == [State.QUEUED] * 2
    wait_until(lambda: all(_state(job) == State.COMPLETED for job in jobs), "all are completed")
    for job in jobs:
        assert _states(job) == [State.STARTING, State.RUNNING, State.COMPLETED]
    for before, after in itertools.pairwise(jobs):
        ended, began = before.history.ended_at, after.history.started_at
        assert ended is not None
        assert began is not None
        assert ended <= began


def test_each_kind_has_its_own_slots(queue: JobQueue, launch_scripts: LaunchScripts) -> None:
    launcher = launch_scripts(ENDLESS)
    training, second = queue.submit(PLAN, "one"), queue.submit(PLAN, "two")
    evaluation = queue.submit(EvaluationPlan(run="none"), "three")

    _reach(queue, training, State.RUNNING)
    _reach(queue, evaluation, State.RUNNING)

    assert _state(second) == State.QUEUED
    assert launcher.started == [(training.record.folder, 1), (evaluation.record.folder, 1)]


def test_a_waiting_job_is_stopped_at_once(
    queue: JobQueue, launch_scripts: LaunchScripts, workspace: Workspace
) -> None:
    launcher = launch_scripts(ENDLESS)
    job = queue.submit(PLAN, "one")

    queue.stop(Job(job.record))
    queue.dispatch()

    assert _state(job) == State.STOPPED
    assert job.history.attempt == 0
    assert "before it started" in job.history.reason
    assert launcher.started == []
    assert JobQueue(workspace).is_idle()

    queue.restart(job)
    _reach(queue, job, State.RUNNING)
    assert launcher.started == [(job.record.folder, 1)]


def test_a_running_job_stops_when_asked(queue: JobQueue, launch_scripts: LaunchScripts) -> None:
    launch_scripts(ENDLESS)
    job = queue.submit(PLAN, "one")
    _reach(queue, job, State.RUNNING)

    queue.stop(job)
    queue.stop(job)
    _reach(queue, job, State.STOPPED)

    assert _states(job) == [State.STARTING, State.RUNNING, State.STOPPING, State.STOPPED]
    queue.stop(job)
    assert _states(job)[-1] == State.STOPPED


def test_a_stop_for_an_old_attempt_does_not_end_a_new_one(
    queue: JobQueue, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(ENDLESS)
    job = queue.submit(PLAN, "one")
    _reach(queue, job, State.RUNNING)
    queue.stop(job)
    _reach(queue, job, State.STOPPED)

    queue.restart(job)
    _reach(queue, job, State.RUNNING)
    assert job.history.attempt == 2
    began = job.history.progress
    wait_until(lambda: job.refresh() and job.history.progress != began, "it works")

    assert job.history.state == State.RUNNING
    queue.stop(job)
    _reach(queue, job, State.STOPPED)


def test_a_worker_that_exits_at_once_is_lost_with_its_last_words(
    queue: JobQueue, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(EXITS_AT_ONCE)
    job = queue.submit(PLAN, "one")

    _reach(queue, job, State.LOST)

    assert "exit code 7" in job.history.reason
    assert "a word in the log" in job.history.detail
    queue.dispatch()
    assert _states(job) == [State.STARTING, State.LOST]


def test_a_worker_that_never_starts_is_given_up_and_may_not_begin_later(
    queue: JobQueue, launch_scripts: LaunchScripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch_scripts(NEVER_STARTS)
    job = queue.submit(PLAN, "one")
    queue.dispatch()
    queue.dispatch()
    assert _state(job) == State.STARTING

    monkeypatch.setattr(liveness, "STARTING_SECONDS", 0.0)
    _reach(queue, job, State.LOST)

    journal = (job.record.folder / JOURNAL_FILE).read_bytes()
    late = run_python(
        "import sys; from pathlib import Path; from studio.engine.worker.main import main;"
        "sys.exit(main(Path(sys.argv[1]), 1))",
        job.record.folder,
    )
    assert late.returncode == 3, late.stderr
    assert (job.record.folder / JOURNAL_FILE).read_bytes() == journal


def test_a_process_that_cannot_be_started_is_reported(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, attempt: int, devices: tuple[str, ...]) -> None:
        raise OSError("out of processes")

    monkeypatch.setattr(queue_module, "launch_worker", refuse)
    job = queue.submit(PLAN, "one")

    queue.dispatch()

    assert _state(job) == State.FAILED
    assert "out of processes" in job.history.reason
    assert job.history.category == "internal"


def test_ctrl_c_while_a_worker_is_launched_waits_for_it(
    queue: JobQueue, launch_scripts: LaunchScripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = launch_scripts(ENDLESS)

    def interrupt(*_words: object) -> bool:
        signal.raise_signal(signal.SIGINT)
        return False

    monkeypatch.setattr(launch, "hand_over", interrupt)
    queue.submit(PLAN, "one")
    # Processes in the background of a shell ignore Ctrl+C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            queue.dispatch()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)

    assert len(launcher.processes) == 1


@pytest.mark.parametrize("is_child", [True, False])
def test_a_killed_worker_is_lost_with_its_reason(
    queue: JobQueue, launch_scripts: LaunchScripts, workspace: Workspace, *, is_child: bool
) -> None:
    launcher = launch_scripts(ENDLESS)
    job = queue.submit(PLAN, "one")
    _reach(queue, job, State.RUNNING)
    kill_and_wait(launcher.processes[0].pid)
    assert _state(job) == State.RUNNING

    other = queue if is_child else JobQueue(workspace)
    _reach(other, job, State.LOST)

    expected = r"signal 9.*memory" if is_child else r"last responded at \d{4}-\d\d-\d\d"
    assert re.search(expected, job.history.reason)
    assert job.history.hint == "The results so far are kept."
    assert _states(job)[-2:] == [State.RUNNING, State.LOST]

    queue.restart(job)
    _reach(queue, job, State.RUNNING)
    assert job.history.attempt == 2


def test_a_run_is_resumed_while_its_killed_worker_still_holds_the_lock(
    queue: JobQueue, launch_scripts: LaunchScripts
) -> None:
    launcher = launch_scripts(ENDLESS)
    job = queue.submit(PLAN, "one")
    _reach(queue, job, State.RUNNING)
    kill_and_wait(launcher.processes[0].pid)
    with contextlib.ExitStack() as stack:
        # The system has not ended the process yet.
        stack.enter_context(holding(job.record.folder, seconds=5))
        release = threading.Timer(0.3, stack.pop_all().close)
        release.start()
        control.resume(queue, job)
        release.join()

    assert State.LOST in _states(job)
    _reach(queue, job, State.RUNNING)
    assert job.history.attempt == 2


def test_a_run_that_works_is_not_waited_for(
    queue: JobQueue, launch_scripts: LaunchScripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch_scripts(ENDLESS)
    monkeypatch.setattr(control, "RELEASE_SECONDS", 0.2)
    job = queue.submit(PLAN, "one")
    _reach(queue, job, State.RUNNING)

    with pytest.raises(StudioError, match="is running, so it cannot be resumed"):
        control.resume(queue, job)


def test_a_job_that_waits_behind_a_dead_one_gets_its_turn(
    queue: JobQueue, launch_scripts: LaunchScripts
) -> None:
    launcher = launch_scripts(ENDLESS)
    first, second = queue.submit(PLAN, "one"), queue.submit(PLAN, "two")
    _reach(queue, first, State.RUNNING)
    kill_and_wait(launcher.processes[0].pid)

    _reach(queue, second, State.RUNNING)

    assert _state(first) == State.LOST


def test_starting_again_is_not_lost_between_two_windows(
    queue: JobQueue,
    workspace: Workspace,
    launch_scripts: LaunchScripts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launch_scripts(ENDLESS)
    job = queue.submit(PLAN, "one")
    queue.stop(job)
    queue.dispatch()
    other = JobQueue(workspace)
    announce = queue._index.announce

    def announce_and_be_interrupted(record: Record, content: bytes) -> None:
        announce(record, content)
        other.dispatch()

    monkeypatch.setattr(queue._index, "announce", announce_and_be_interrupted)
    queue.restart(job)

    _reach(other, job, State.RUNNING)


def test_the_queue_gets_along_with_foreign_files_and_deleted_records(
    queue: JobQueue, workspace: Workspace, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(ENDLESS)
    folder = workspace.root / QUEUE_FOLDER
    for name in ("README", "1.run.none-000000", "2.nonsense.x", ".hidden", "3.run.."):
        (folder / name).touch()
    gone = queue.submit(PLAN, "gone")
    workspace.trash(gone.record)
    job = queue.submit(PLAN, "one")

    _reach(queue, job, State.RUNNING)


def test_ended_workers_are_collected(queue: JobQueue, launch_scripts: LaunchScripts) -> None:
    launcher = launch_scripts(ENDLESS)
    job = queue.submit(PLAN, "one")
    _reach(queue, job, State.RUNNING)
    queue.stop(job)

    def idle() -> bool:
        if not queue.is_idle():
            queue.dispatch()
        return queue.is_idle()

    wait_until(idle, "nothing waits or runs")
    assert not psutil.pid_exists(launcher.processes[0].pid)


_DISPATCH = """
import sys, threading
from pathlib import Path
from studio.engine.jobs.queue import JobQueue
from studio.engine.workspace import Workspace
queue = JobQueue(Workspace.open(Path(sys.argv[1])))
print("ready")
sys.stdin.readline()
pause = threading.Event()
while not queue.is_idle():
    queue.dispatch()
    pause.wait(0.001)
print("done")
"""


@pytest.mark.slow
def test_two_windows_start_every_job_once(queue: JobQueue, tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "pictures", 2)
    jobs = [queue.submit(small_recipe(source), f"number {index}") for index in range(4)]
    root = str(queue.workspace.root)

    assert run_together(_DISPATCH, [(root,), (root,)]) == ["done", "done"]

    for job in jobs:
        assert _states(job) == [State.STARTING, State.RUNNING, State.COMPLETED]


def test_a_worker_that_reported_its_end_says_nothing_about_the_next(
    workspace: Workspace, launch_scripts: LaunchScripts
) -> None:
    launcher = launch_scripts(NEVER_STARTS)
    ours, others = JobQueue(workspace), JobQueue(workspace)
    job = ours.submit(PLAN, "run")
    ours.dispatch()
    launcher.processes[0].kill()
    launcher.processes[0].wait()
    job.refresh()
    job.append(StateChanged(state=State.LOST, attempt=1))
    ours.restart(job)
    others.dispatch()

    ours.dispatch()

    assert _state(job) == State.STARTING, "the worker of another queue is just beginning"
    assert job.history.attempt == 2
