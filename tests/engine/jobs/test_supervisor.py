"""The thread that follows a workspace: everything once, in order, with any other readers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.pictures import picture_folder, small_recipe
from helpers.waiting import wait_until
from helpers.workers import ENDLESS, LaunchScripts
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job, journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import (
    InfoChanged,
    Inspected,
    JobGone,
    JobMoved,
    JobSeen,
    Key,
    RecordDamaged,
    Supervisor,
    Update,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

PLAN = TrainingPlan(dataset="none-000000")


class Window:
    """Does with updates what a window does, and remembers them."""

    def __init__(self, workspace: Workspace) -> None:
        self.batches: list[list[Update]] = []
        self.histories: dict[Key, JobHistory] = {}
        self.first: dict[Key, str] = {}
        self.moved: dict[Key, list[Event]] = {}
        self.names: dict[Key, str] = {}
        self.damaged: list[RecordDamaged] = []
        self.troubles: list[StudioError] = []
        self.has_polled = False
        self.supervisor = Supervisor(workspace, self._take)

    def _take(self, updates: list[Update]) -> None:
        self.batches.append(updates)
        for update in updates:
            if isinstance(update, JobSeen):
                assert update.key not in self.histories
                self.first[update.key] = repr(update.history)
                self.histories[update.key] = update.history
                self.moved[update.key] = []
                self.names[update.key] = update.info.name
            elif isinstance(update, JobMoved):
                assert update.events
                self.moved[update.key] += update.events
                self.histories[update.key].apply(update.events)
            elif isinstance(update, InfoChanged):
                self.names[update.key] = update.info.name
            elif isinstance(update, JobGone):
                del self.histories[update.key], self.names[update.key]
            elif isinstance(update, RecordDamaged):
                self.damaged.append(update)
            elif isinstance(update, Inspected):
                assert not self.has_polled
                self.has_polled = True
            else:
                self.troubles.append(update.error)

    def state(self, job: Job) -> State | None:
        history = self.histories.get((job.record.kind, job.record.id))
        return None if history is None else history.state


OpenWindow = Callable[[], Window]


@pytest.fixture
def open_window(workspace: Workspace) -> Iterator[OpenWindow]:
    windows: list[Window] = []

    def make() -> Window:
        windows.append(Window(workspace))
        windows[-1].supervisor.start()
        return windows[-1]

    yield make
    for window in windows:
        window.supervisor.close()


def _check_whole(window: Window, job: Job) -> None:
    """Every line of the journal came exactly once and in order."""
    key = (job.record.kind, job.record.id)
    events = journal_reader(job.record).read()
    moved = window.moved[key]
    assert moved == events[len(events) - len(moved) :]
    before = job.job_type.history()
    before.apply(events[: len(events) - len(moved)])
    assert window.first[key] == repr(before)
    job.refresh()
    assert repr(window.histories[key]) == repr(job.history)


def test_two_windows_see_the_same_whole_job(
    open_window: OpenWindow, workspace: Workspace, tmp_path: Path
) -> None:
    first = open_window()
    source = picture_folder(tmp_path / "pictures", 200)
    job = first.supervisor.queue.submit(small_recipe(source), "one")
    first.supervisor.wake()
    wait_until(lambda: first.state(job) == State.RUNNING, "the first window sees it run")

    second = open_window()
    wait_until(
        lambda: first.state(job) == second.state(job) == State.COMPLETED, "both see it completed"
    )

    _check_whole(first, job)
    _check_whole(second, job)
    history = first.histories[RecordKind.DATASET, job.record.id]
    assert history.result == {"count": 400, "skipped": 0}


def test_the_first_batch_comes_also_from_an_empty_workspace(open_window: OpenWindow) -> None:
    window = open_window()

    wait_until(lambda: window.has_polled, "it was looked through")

    assert window.batches == [[Inspected()]]


def test_names_and_deletions_are_notified(open_window: OpenWindow, workspace: Workspace) -> None:
    window = open_window()
    record = workspace.create(RecordKind.RUN, "one", PLAN.to_json())
    key = (RecordKind.RUN, record.id)
    window.supervisor.wake()
    wait_until(lambda: window.names.get(key) == "one", "the run is seen")

    workspace.rename(record, "two")
    wait_until(lambda: window.names.get(key) == "two", "the new name is seen")
    workspace.trash(record)
    wait_until(lambda: key not in window.names, "it is gone")
    workspace.restore(workspace.trashed(RecordKind.RUN)[0])
    wait_until(lambda: window.names.get(key) == "two", "it is back")


def test_a_damaged_record_is_reported_once_and_hides_nothing(
    open_window: OpenWindow, workspace: Workspace
) -> None:
    bad, good = (
        workspace.create(RecordKind.RUN, "bad", "{"),
        workspace.create(RecordKind.RUN, "good", PLAN.to_json()),
    )
    window = open_window()
    wait_until(lambda: window.damaged and window.names, "both are reported")

    window.supervisor.wake()
    workspace.rename(good, "still good")
    wait_until(lambda: "still good" in window.names.values(), "the other is followed")

    assert [update.key for update in window.damaged] == [(RecordKind.RUN, bad.id)]
    assert "plan.json" in window.damaged[0].error.message


def test_a_run_restarted_by_another_process_is_followed_again(
    open_window: OpenWindow, workspace: Workspace, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(ENDLESS)
    other = JobQueue(workspace)
    job = other.submit(PLAN, "one")
    other.stop(job)
    window = open_window()
    wait_until(lambda: window.state(job) == State.STOPPED, "it is seen")

    other.restart(job)
    wait_until(lambda: window.state(job) == State.RUNNING, "the window starts it")

    window.supervisor.queue.stop(job)
    wait_until(lambda: window.state(job) == State.STOPPED, "it stops")
    _check_whole(window, job)


def test_the_thread_survives_a_folder_that_goes_away_for_a_while(
    open_window: OpenWindow, workspace: Workspace
) -> None:
    window = open_window()
    wait_until(lambda: window.has_polled, "it was looked through")
    hidden = workspace.root.with_name("hidden")
    shutil.move(workspace.root, hidden)
    wait_until(lambda: window.troubles, "the trouble is reported")

    shutil.move(hidden, workspace.root)
    workspace.create(RecordKind.RUN, "one", PLAN.to_json())
    wait_until(lambda: "one" in window.names.values(), "it follows again")

    assert len(window.troubles) == 1
    assert "cannot be read" in window.troubles[0].message
    assert window.damaged == []
