"""A workspace of another user must not start jobs by itself, or lead out of its folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import platformdirs
import pytest

from helpers.command_line import caller
from helpers.digits import Digits
from helpers.pictures import picture_folder
from helpers.workers import ENDLESS, LaunchScripts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import ExportedFile
from studio.engine.exporting.requests import MEASURED, save_measured
from studio.engine.jobs import control, queue
from studio.engine.jobs.events import DamagedLine, Event, QueueChanged, StateChanged, decoder
from studio.engine.jobs.job import JOURNAL_FILE, Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.scheduling import Why
from studio.engine.jobs.states import State
from studio.engine.training.job_types import RUN
from studio.engine.training.trained_models import model_file
from studio.engine.workspace import RecordKind, Workspace

DECODE = decoder(RUN.events)


@pytest.fixture
def recipe(tmp_path: Path) -> DatasetRecipe:
    return DatasetRecipe(source=str(picture_folder(tmp_path / "pictures", 3)), width=8, height=8)


@pytest.fixture
def foreign(workspace: Workspace, recipe: DatasetRecipe, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A job that another user has queued."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(queue, "machine_key", lambda: b"somebody else")
        return JobQueue(workspace).submit(recipe, "theirs")


def test_a_job_of_another_computer_waits_for_confirmation(
    workspace: Workspace,
    foreign: Job,
    recipe: DatasetRecipe,
    launch_scripts: LaunchScripts,
    capsys: pytest.CaptureFixture[str],
) -> None:
    launcher = launch_scripts(ENDLESS)
    queue = JobQueue(workspace)
    for _ in range(3):
        queue.dispatch()
    foreign.refresh()

    assert foreign.history.state == State.QUEUED
    assert (foreign.history.held, foreign.history.foreign) == (True, True)
    assert [entry.wait and entry.wait.why for entry in queue.entries()] == [Why.UNCONFIRMED]
    assert "another computer" in caller(capsys, workspace.root)("queue", "list").out
    assert launcher.processes == []

    control.release(queue, foreign)
    queue.dispatch()
    foreign.refresh()

    assert foreign.history.state.has_worker


def test_a_foreign_job_is_marked_once(workspace: Workspace, foreign: Job) -> None:
    JobQueue(workspace).dispatch()
    journal = (foreign.record.folder / JOURNAL_FILE).read_bytes()

    for other in (JobQueue(workspace), JobQueue(workspace)):
        for _ in range(3):
            other.dispatch()
            other.entries()

    assert journal.count(b"\n") == 1
    assert (foreign.record.folder / JOURNAL_FILE).read_bytes() == journal


def test_a_read_only_workspace_shows_a_foreign_job_and_is_not_changed(
    workspace: Workspace, foreign: Job
) -> None:
    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}

    before = files()
    reader = JobQueue(Workspace(workspace.root, read_only=True))
    assert [each.wait and each.wait.why for each in reader.entries()] == [Why.UNCONFIRMED]
    reader.dispatch()
    assert files() == before


def test_a_read_only_workspace_is_listed_and_nothing_in_it_starts_or_ends(
    workspace: Workspace, recipe: DatasetRecipe
) -> None:
    """One job waits; the worker of the other one is gone."""
    waits, lost = (JobQueue(workspace).submit(recipe, name) for name in ("waits", "lost"))
    lost.append(StateChanged(state=State.RUNNING, attempt=1))
    before = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}

    reader = JobQueue(Workspace(workspace.root, read_only=True))
    listed = [entry.job.record.id for entry in reader.entries()]
    reader.dispatch()

    assert listed == [lost.record.id, waits.record.id]
    after = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}
    assert after == before


def test_a_job_of_ones_own_starts_at_once(
    workspace: Workspace, recipe: DatasetRecipe, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(ENDLESS)
    job = JobQueue(workspace).submit(recipe, "mine")

    JobQueue(workspace).dispatch()
    job.refresh()

    assert job.history.state.has_worker
    assert not job.history.foreign


@pytest.mark.parametrize(
    "event",
    [
        None,
        QueueChanged(held=False, foreign=False),
        QueueChanged(held=False, foreign=True),
        QueueChanged(held=True),
    ],
)
def test_a_journal_cannot_confirm_itself(
    workspace: Workspace, foreign: Job, launch_scripts: LaunchScripts, event: Event | None
) -> None:
    launch_scripts(ENDLESS)
    if event is not None:
        foreign.append(event)

    JobQueue(workspace).dispatch()
    foreign.refresh()

    assert foreign.history.state == State.QUEUED
    assert (foreign.history.held, foreign.history.foreign) == (True, True)


def test_a_plan_that_was_changed_since_waits_again(
    workspace: Workspace, recipe: DatasetRecipe, launch_scripts: LaunchScripts
) -> None:
    launch_scripts(ENDLESS)
    job = JobQueue(workspace).submit(recipe, "mine")
    plan = json.loads(job.record.plan_file.read_text(encoding="utf-8"))
    job.record.plan_file.write_text(json.dumps(plan | {"source": "http://intranet/"}))

    JobQueue(workspace).dispatch()
    job.refresh()

    assert job.history.state == State.QUEUED
    assert job.history.foreign


def test_the_key_is_made_once_and_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_config_path", lambda name: tmp_path / name)

    first, second = (queue.machine_key.__wrapped__() for _ in "ab")

    assert first == second
    assert len(first) == 32
    (file,) = (tmp_path / "Studio").iterdir()
    assert file.stat().st_mode & 0o077 == 0


def test_a_key_that_cannot_be_stored_is_derived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Studio").write_text("a file where the folder should be")
    monkeypatch.setattr(platformdirs, "user_config_path", lambda name: tmp_path / name)

    assert queue.machine_key.__wrapped__() == queue.machine_key.__wrapped__()


_OUTSIDE = ["../../x", "/etc/passwd", "a/../../x", "", ".", "C:\\x", "a\\..\\b", "a//b", "x\0"]


@pytest.mark.parametrize("path", _OUTSIDE)
def test_paths_of_a_journal_stay_in_its_folder(path: str) -> None:
    line = json.dumps({"t": 1.0, "event": "artifact", "name": "model", "path": path}).encode()

    with pytest.raises(DamagedLine):
        DECODE(line)
    assert DECODE(line.replace(json.dumps(path).encode(), b'"a/b.keras"')) is not None


def test_a_link_out_of_a_record_is_refused(untouched: Digits, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    run = untouched.run.record
    shutil.copytree(run.folder, workspace.root / "runs" / run.id)
    copy = workspace.find(RecordKind.RUN, run.name)
    secret = tmp_path / "secret.keras"
    secret.write_bytes(b"secret")
    model_file(copy).unlink()
    model_file(copy).symlink_to(secret)

    with pytest.raises(StudioError, match="outside its folder"):
        model_file(copy)


def test_keeping_copies_only_files_of_the_export(tmp_path: Path) -> None:
    private, record = tmp_path / "private", tmp_path / "record"
    private.mkdir()
    (private / "key").write_text("secret")
    record.mkdir()
    file = ExportedFile(format="keras", precision="float32", path=str(private))

    with pytest.raises(StudioError, match="no longer exist"):
        save_measured(record, [file], tmp_path / "out")
    (record / MEASURED).mkdir()
    (record / MEASURED / "private").symlink_to(private)
    with pytest.raises(StudioError, match="no longer exist"):
        save_measured(record, [file], tmp_path / "out")
