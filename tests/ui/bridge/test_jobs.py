"""The records of a workspace as the window knows them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from helpers.runs import append_events, fake_run
from studio.engine.datasets.audit.findings import AuditPlan
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Artifact, Note, Result, StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge import describe
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Following, Jobs
from studio.ui.documents.record import RecordChange, RunDocument
from studio.ui.widgets.labels import state_word


@pytest.fixture
def jobs(qtbot: QtBot, workspace: Workspace) -> Iterator[Jobs]:
    background = Background()
    made = Jobs(workspace, background)
    yield made
    made.close()
    background.close()


def names(jobs: Jobs) -> list[str]:
    return [entry.name for entry in jobs.entries(RecordKind.RUN)]


def test_nothing_is_known_until_everything_is(
    qtbot: QtBot, jobs: Jobs, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.engine.jobs.supervisor.BATCH", 2)
    runs = [fake_run(workspace, f"run {number}", [0.5]) for number in range(5)]
    received: list[object] = []

    def on_reading(count: int) -> None:
        assert jobs.get(RecordKind.RUN, runs[0].id) is None
        assert not jobs.all_entries()
        received.append(count)

    jobs.changed.connect(lambda entry, _change: received.append(entry))
    jobs.reading.connect(on_reading)
    jobs.loaded.connect(lambda: received.append(names(jobs)))
    jobs.listed.connect(received.append)
    with qtbot.waitSignal(jobs.listed):
        jobs.start()
    newest_first = [f"run {number}" for number in (4, 3, 2, 1, 0)]
    assert received == [2, 4, newest_first, frozenset(RecordKind)]


def test_lists_are_notified_once_of_their_content(
    qtbot: QtBot, jobs: Jobs, workspace: Workspace
) -> None:
    old = fake_run(workspace, "old", [0.5])
    run = fake_run(workspace, "run", [], State.RUNNING)
    with qtbot.waitSignal(jobs.listed):
        jobs.start()
    listed: list[frozenset[RecordKind]] = []
    jobs.listed.connect(listed.append)

    with qtbot.waitSignal(jobs.changed):
        append_events(run, [Note(message="half way")])
    assert not listed, "no list shows how far a run is"
    with qtbot.waitSignal(jobs.listed):
        append_events(run, [Artifact(name="model", path="model.keras")])
    with qtbot.waitSignal(jobs.listed):
        append_events(run, [StateChanged(state=State.COMPLETED)])
    with qtbot.waitSignal(jobs.listed):
        newest = fake_run(workspace, "newest", [0.5])
    assert names(jobs) == ["newest", "run", "old"]
    with qtbot.waitSignal(jobs.listed):
        workspace.trash(run)
    with qtbot.waitSignal(jobs.listed):
        workspace.rename(newest, "renamed")
    assert names(jobs) == ["renamed", "old"]
    assert jobs.get(RecordKind.RUN, old.id) is not None
    assert jobs.get(RecordKind.RUN, run.id) is None
    assert set(listed) == {frozenset({RecordKind.RUN})}


def test_what_waits_and_works_is_known_apart(
    qtbot: QtBot, jobs: Jobs, workspace: Workspace
) -> None:
    fake_run(workspace, "over", [0.5])
    going = fake_run(workspace, "going", [0.5], State.RUNNING)
    with qtbot.waitSignal(jobs.loaded):
        jobs.start()
    assert [entry.name for entry in jobs.active()] == ["going"]
    with qtbot.waitSignal(jobs.changed):
        append_events(going, [StateChanged(state=State.COMPLETED)])
    assert jobs.active() == []
    with qtbot.waitSignal(jobs.changed):
        append_events(going, [StateChanged(state=State.RUNNING, attempt=2)])
    assert [entry.name for entry in jobs.active()] == ["going"]


def test_a_stop_shows_at_once_however_late_the_worker_answers(
    qtbot: QtBot, jobs: Jobs, workspace: Workspace
) -> None:
    deaf = fake_run(workspace, "deaf", [], State.RUNNING)
    with qtbot.waitSignal(jobs.loaded):
        jobs.start()
    entry = jobs.get(RecordKind.RUN, deaf.id)
    assert entry is not None
    seen: list[State] = []
    jobs.changed.connect(lambda changed, _change: seen.append(changed.state))
    jobs.stop(entry)
    assert seen == [State.STOPPING], "before the event loop turns once"
    assert jobs.active() == [entry]
    assert describe.detail(entry) == "Stopping…"
    append_events(deaf, [Note(message="still at work")])
    qtbot.waitUntil(lambda: bool(entry.history.notes))
    assert entry.state == State.STOPPING
    append_events(deaf, [StateChanged(state=State.STOPPED)])
    qtbot.waitUntil(lambda: entry.state == State.STOPPED)
    assert entry.request is None


def test_a_stop_that_fails_is_taken_back(
    qtbot: QtBot, jobs: Jobs, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: JobQueue, _job: Job) -> None:
        raise StudioError("The queue is busy.")

    going = fake_run(workspace, "going", [], State.RUNNING)
    with qtbot.waitSignal(jobs.loaded):
        jobs.start()
    entry = jobs.get(RecordKind.RUN, going.id)
    assert entry is not None
    monkeypatch.setattr(JobQueue, "stop", refuse)
    with qtbot.waitSignal(jobs._background.failed):
        jobs.stop(entry)
    assert entry.state == State.RUNNING
    assert entry.request is None


def test_a_worker_that_only_starts_says_so(qtbot: QtBot, jobs: Jobs, workspace: Workspace) -> None:
    plan = TrainingPlan(dataset="none", backend="jax")
    run = workspace.create(RecordKind.RUN, "run", plan.to_json())
    append_events(run, [StateChanged(state=State.STARTING, attempt=1)])
    with qtbot.waitSignal(jobs.loaded):
        jobs.start()
    entry = jobs.get(RecordKind.RUN, run.id)
    assert entry is not None
    assert describe.detail(entry) == "Starting JAX…"
    jobs.pause(entry)
    assert describe.detail(entry) == "Pausing…"
    assert state_word(entry.shown_state) == "Pausing"


@pytest.mark.parametrize(
    ("kind", "values", "text"),
    [
        (RecordKind.AUDIT, {"counts": {"dark": 3, "blank": 0, "tiny": 1}}, "2 findings"),
        (RecordKind.AUDIT, {"counts": {"dark": 0}}, "no findings"),
        (RecordKind.DATASET, {"count": {"train": 40, "val": 20}, "skipped": 1}, "60 images"),
        (RecordKind.DATASET, {"count": 1}, "1 image"),
        (RecordKind.DATASET, {}, ""),
    ],
)
def test_what_an_audit_and_an_import_found_is_said_when_they_end(
    qtbot: QtBot,
    jobs: Jobs,
    workspace: Workspace,
    kind: RecordKind,
    values: dict[str, object],
    text: str,
) -> None:
    """The notice said that an audit was done, and not whether it found anything."""
    plan = AuditPlan(dataset="d") if kind == RecordKind.AUDIT else DatasetRecipe(source="s")
    record = workspace.create(kind, "photos", plan.to_json())
    append_events(record, [Result(values=values), StateChanged(state=State.COMPLETED)])
    with qtbot.waitSignal(jobs.loaded):
        jobs.start()
    entry = jobs.get(kind, record.id)
    assert entry is not None
    assert describe.result(entry, jobs) == text


def test_a_record_notifies_only_its_own_observers(
    qtbot: QtBot, jobs: Jobs, workspace: Workspace
) -> None:
    records = [fake_run(workspace, name, [], State.RUNNING) for name in ("shown", "other")]
    with qtbot.waitSignal(jobs.listed):
        jobs.start()
    shown, other = (jobs.get(RecordKind.RUN, record.id) for record in records)
    assert shown is not None
    assert other is not None
    received: list[tuple[str, RecordChange]] = []
    owner = QObject()
    following: Following[RunDocument] = Following(
        owner, lambda entry, change: received.append((entry.name, change))
    )
    following.show(shown)
    append_events(records[1], [Note(message="of no interest")])
    with qtbot.waitSignal(jobs.changed):
        append_events(records[0], [StateChanged(state=State.COMPLETED)])
    qtbot.waitUntil(lambda: bool(other.history.notes))
    ((name, change),) = received
    assert (name, change.is_state, change.is_new) == ("shown", True, False)
    assert [type(event) for event in change.events] == [StateChanged]
    with qtbot.waitSignal(jobs.changed):
        workspace.rename(records[0], "better")
    assert received[-1] == ("better", RecordChange(is_info=True))
    following.show(other)
    with qtbot.waitSignal(jobs.changed):
        workspace.trash(records[0])
    assert len(received) == 2, "it is no longer shown"
    shiboken6.delete(owner)
    with qtbot.waitSignal(jobs.changed):
        append_events(records[1], [Note(message="more")])
    assert len(received) == 2, "who asked is gone"


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize(
    ("device", "text"),
    [
        ("ray", "Ray cluster"),
        ("box:gpu:1", "box: GPU 1"),
        ("box:auto", "box: auto"),
        ("cluster:slurm", "cluster: SLURM"),
    ],
)
def test_a_device_elsewhere_has_its_place(device: str, text: str) -> None:
    assert describe.on_devices([device]) == text
