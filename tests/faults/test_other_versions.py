"""Workspaces, plans and journals of another Studio: refused clearly, or read as far as known."""

from __future__ import annotations

import json

import pytest

from helpers.runs import append_events, fake_run
from studio.engine.errors import StudioError
from studio.engine.jobs.events import Note, StateChanged
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import JobSeen, RecordDamaged, Supervisor, Update
from studio.engine.jobs.types import read_plan
from studio.engine.networks import library
from studio.engine.networks.zoo import ZOO
from studio.engine.workspace import RecordKind, Workspace
from studio.engine.workspace.records import RECORD_FILE


def test_a_plan_of_a_newer_studio_is_refused_with_what_to_do(workspace: Workspace) -> None:
    record = fake_run(workspace, "new", [0.5])
    plan = json.loads(record.plan_file.read_text("utf-8"))
    record.plan_file.write_text(json.dumps({**plan, "version": 2}), "utf-8")
    with pytest.raises(StudioError, match=r"newer Studio \(format 2.*Update Studio"):
        read_plan(record)


def test_a_network_of_a_newer_studio_is_refused_with_what_to_do(workspace: Workspace) -> None:
    saved = library.save(workspace, ZOO["mlp"].build((8, 8, 1), 3), "mine")
    text = saved.record.plan_file.read_text("utf-8")
    saved.record.plan_file.write_text(text.replace('"version": 1', '"version": 7'), "utf-8")
    with pytest.raises(StudioError, match=r"newer Studio \(format 7.*Update Studio"):
        library.load(workspace, "mine")


def test_what_is_of_another_version_hides_nothing_else(workspace: Workspace) -> None:
    """The window tells of it once and shows the rest."""
    newer = fake_run(workspace, "newer", [0.5])
    newer.plan_file.write_text('{"version": 2, "quantum": true}', "utf-8")
    older = fake_run(workspace, "older", [0.5])
    # The first Studio knew neither notes nor tags nor groups.
    info = json.loads((older.folder / RECORD_FILE).read_text("utf-8"))
    old = {key: info[key] for key in ("id", "kind", "name", "created")}
    (older.folder / RECORD_FILE).write_text(json.dumps({**old, "mood": "fine"}), "utf-8")
    updates: list[Update] = []
    supervisor = Supervisor(workspace, updates.extend)
    supervisor._poll(updates)
    seen = {update.info.name for update in updates if isinstance(update, JobSeen)}
    reported = [update.error for update in updates if isinstance(update, RecordDamaged)]
    assert seen == {"older"}
    assert len(reported) == 1
    assert "newer Studio" in str(reported[0])
    assert older.info().tags == ()


def test_lines_of_a_newer_journal_are_passed_over(workspace: Workspace) -> None:
    record = fake_run(workspace, "run", [0.5, 0.7], State.RUNNING)
    with (record.folder / JOURNAL_FILE).open("ab") as journal:
        journal.write(b'{"event":"telepathy","t":1.0,"thought":"hm"}\n')
        journal.write(b'{"event":"note","t":1.0,"message":"x","mood":"fine"}\n')
        journal.write(b'{"event":"state","t":1.0,"state":"dreaming"}\n')
    append_events(record, [Note(message="after"), StateChanged(state=State.COMPLETED)])
    job = Job(record)
    job.refresh()
    assert job.history.state == State.COMPLETED
    assert [note.message for note in job.history.notes] == ["x", "after"]
    assert job.damaged_lines == 1, "an unknown state; the new kind of event does not count"
    assert workspace.find(RecordKind.RUN, "run") == record
