"""Deleted records: found again, restored, deleted forever; models outlive their dataset."""

from __future__ import annotations

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.command_line import caller
from helpers.digits import Digits, copy_of, do_here
from helpers.runs import fake_run
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.exporting.certificate import files_of
from studio.engine.exporting.plan import ExportPlan
from studio.engine.inference.models import model_of_run
from studio.engine.jobs.job import Job
from studio.engine.jobs.liveness import holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.references import users_of
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import (
    TrashEntry,
    delete_forever,
    find_trashed,
    request_trash,
    restore_all,
    size_of,
    trash_all,
    trash_entries,
)
from studio.engine.progress import Cancelled, SilentProgress
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.training.trained_models import FOLDER, training_data
from studio.engine.workspace import InTrashError, RecordKind, Workspace

RUN, DATASET = RecordKind.RUN, RecordKind.DATASET


def test_the_trash_is_searched_by_name_and_id(workspace: Workspace) -> None:
    old = workspace.trash(workspace.create(RUN, "one", "{}"))
    os.utime(old.folder, (1e9, 1e9))
    new = workspace.trash(workspace.create(RUN, "ONE", "{}"))

    assert find_trashed(workspace, "one", RUN).record == new
    assert find_trashed(workspace, old.id).record == old
    assert [entry.record for entry in trash_entries(workspace)] == [new, old]
    with pytest.raises(StudioError, match='no run called "onne" in the trash') as caught:
        find_trashed(workspace, "onne", RUN)
    assert caught.value.hint.casefold() == 'did you mean "one"?'


def test_a_waiting_job_that_is_restored_waits_again(workspace: Workspace) -> None:
    queue = JobQueue(workspace)
    waiting = fake_run(workspace, "waits", [], State.QUEUED)
    running = fake_run(workspace, "runs", [0.5], State.RUNNING)
    with holding(running.folder):
        trashed = trash_all(queue, [waiting, running])
        with pytest.raises(StudioError, match="running"):
            trash_all(queue, [running])
    assert [each.id for each in trashed] == [waiting.id]
    restore_all(workspace, trashed)
    assert Job.read(waiting).history.state == State.QUEUED


def test_a_run_whose_dataset_is_in_the_trash_is_refused_with_its_name(
    workspace: Workspace,
) -> None:
    queue, dataset = JobQueue(workspace), workspace.create(DATASET, "flowers", "{}")
    run = fake_run(workspace, "lenet", [0.5], State.PAUSED, dataset=dataset.id)
    assert [user.name for user in users_of(workspace, dataset)] == ["lenet"]
    assert users_of(workspace, run) == []
    trashed = request_trash(queue, dataset)

    with pytest.raises(InTrashError, match='The dataset "flowers" is in the trash') as caught:
        queue.restart(Job(run))

    assert Job.read(run).history.state == State.PAUSED
    assert caught.value.record == trashed
    with pytest.raises(InTrashError):
        workspace.require(DATASET, dataset.id)
    workspace.restore(caught.value.record)
    queue.restart(Job(run))
    assert Job.read(run).history.state == State.QUEUED


def test_a_name_of_two_kinds_needs_the_kind(workspace: Workspace) -> None:
    run = workspace.trash(workspace.create(RUN, "one", "{}"))
    workspace.trash(workspace.create(DATASET, "one", "{}"))

    with pytest.raises(StudioError, match='kinds called "one": dataset, run'):
        find_trashed(workspace, "one")
    assert find_trashed(workspace, "one", RUN).record == run


def test_only_what_is_in_the_trash_is_deleted_forever(workspace: Workspace) -> None:
    record = workspace.create(RUN, "one", "{}")
    with pytest.raises(StudioError, match="is not in the trash"):
        workspace.delete_forever(record)
    assert record.folder.is_dir()

    trashed = workspace.trash(record)
    assert size_of(trashed) > 0
    delete_forever(workspace, trash_entries(workspace), SilentProgress())
    workspace.delete_forever(trashed)  # as another process that was slower

    assert not trashed.folder.exists()
    assert trash_entries(workspace) == []


def test_deleting_forever_can_be_cancelled(workspace: Workspace) -> None:
    for name in "abc":
        workspace.trash(workspace.create(RUN, name, "{}"))
    gone: list[TrashEntry] = []

    class OnlyOne(SilentProgress):
        def check(self) -> None:
            if gone:
                raise Cancelled

    with pytest.raises(Cancelled):
        delete_forever(workspace, trash_entries(workspace), OnlyOne(), gone.append)

    assert len(gone) == 1
    assert len(trash_entries(workspace)) == 2


@pytest.fixture(scope="module")
def orphan(untouched: Digits, tmp_path_factory: pytest.TempPathFactory) -> Digits:
    """A run whose dataset was deleted forever."""
    own = copy_of(untouched, tmp_path_factory.mktemp("orphan") / "w", with_run=True)
    request_trash(JobQueue(own.workspace), own.dataset.record)
    delete_forever(own.workspace, trash_entries(own.workspace), SilentProgress())
    return own


def test_a_model_predicts_without_its_dataset(orphan: Digits, untouched: Digits) -> None:
    before = model_of_run(untouched.workspace, untouched.run.record)
    after = model_of_run(orphan.workspace, orphan.run.record)

    assert after.classes == before.classes
    assert before.recipe is not None
    assert after.recipe is not None
    assert after.recipe.changed(encoding=before.recipe.encoding) == before.recipe
    data = training_data(orphan.workspace, orphan.run.record)
    assert not data.is_complete
    store, whole = Store.open(data.folder), Store.open(untouched.dataset.record.folder)
    assert 16 <= len(store.images) <= 256
    assert set(np.unique(store.labels)) == set(range(len(whole.classes)))
    assert dataset_summary(data.folder).count == whole.counts()
    assert size_of(orphan.run.record) - size_of(untouched.run.record) < 3_000_000


@pytest.mark.thorough
def test_a_model_is_exported_without_its_dataset(orphan: Digits, tmp_path: Path) -> None:
    plan = ExportPlan(
        run=orphan.run.record.id, variants=["keras:float32", "script"], to=str(tmp_path)
    )

    job = do_here(orphan.workspace, plan, "export")

    assert job.history.state == State.COMPLETED, job.history.reason
    keras, script = files_of(job.history.result)
    assert keras.certificate is not None
    assert (keras.certificate.certified, keras.certificate.disagreements) == (True, 0)
    assert "was deleted, and this needs its images" in script.problem
    counts = dataset_summary(orphan.run.record.folder / FOLDER).count
    readme = (Path(keras.path) / "README.md").read_text(encoding="utf-8")
    assert f"{counts['train']:,} training" in readme
    assert counts["train"] > 1000


def test_the_command_line_predicts_and_refuses_what_needs_images(
    orphan: Digits, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, orphan.workspace.root)
    picture = tmp_path / "a.png"
    Image.new("L", (28, 28), 200).save(picture)

    assert studio("predict", "lenet", picture, "--json").document[0]["predictions"]
    assert "was deleted, and this needs its images" in studio("evaluate", "lenet").mistake


def test_runs_of_one_version_share_what_they_keep(
    untouched: Digits, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = copy_of(untouched, tmp_path / "w", with_run=True)
    other_run = own.run.record.folder.with_name("lenet-twin00")
    shutil.copytree(own.run.record.folder, other_run)
    studio = caller(capsys, own.workspace.root)

    said = studio("datasets", "delete", "Ziffern ü", "--json").document

    assert said["runs"] == ["lenet", "lenet"]
    files = [folder / FOLDER / "images.h5" for folder in (own.run.record.folder, other_run)]
    assert files[0].read_bytes() == files[1].read_bytes()
    if os.name == "posix":
        assert files[0].samefile(files[1])
    back = studio("trash", "restore", "ziffern Ü", "--json").document
    assert [(row["kind"], row["name"]) for row in back] == [("dataset", "Ziffern ü")]
    assert training_data(own.workspace, own.run.record).is_complete


def test_a_damaged_dataset_can_be_deleted(untouched: Digits, tmp_path: Path) -> None:
    own = copy_of(untouched, tmp_path / "w", with_run=True)
    (own.dataset.record.folder / "images.h5").write_bytes(b"damaged")

    request_trash(JobQueue(own.workspace), own.dataset.record)

    assert own.workspace.record(DATASET, own.dataset.record.id) is None
    with pytest.raises(StudioError, match="needs its images"):
        model_of_run(own.workspace, own.run.record)


def test_the_trash_on_the_command_line(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = caller(capsys, workspace.root)
    for kind, name in ((RUN, "a"), (RUN, "b"), (DATASET, "c"), (RecordKind.SWEEP, "d")):
        workspace.trash(workspace.create(kind, name, "{}"))
    old = find_trashed(workspace, "b").record
    os.utime(old.folder, (1e9, 1e9))

    listed = studio("trash", "list", "--json").document
    sweeps = studio("trash", "list", "--kind", "sweep", "--json").document
    assert sorted(row["name"] for row in listed) == ["a", "b", "c", "d"]
    assert listed[-1]["name"] == "b"
    assert all(row["size_bytes"] > 0 for row in listed)
    assert [row["name"] for row in sweeps] == ["d"]
    workspace.create(RUN, "A", "{}")
    restored = studio("trash", "restore", "a")
    assert "a was restored as a-2." in restored.out
    assert "cannot be undone. Add --yes" in studio("trash", "empty").mistake
    assert studio("trash", "empty", "--older-than", "30", "--yes", "--json").document[
        "deleted"
    ] == [old.id]
    assert studio("trash", "delete", "c", "--yes").code == 0
    assert "no record called" in studio("trash", "restore", "c").mistake
    assert studio("trash", "empty", "--yes").code == 0
    assert "The trash is empty." in studio("trash", "list").out
    assert "must be at least 0" in studio("trash", "empty", "--older-than", "-1").mistake


def test_a_run_of_a_deleted_dataset_says_what_it_needs(orphan: Digits) -> None:
    plan = Job(orphan.run.record).plan(TrainingPlan)

    queue = JobQueue(orphan.workspace)

    with pytest.raises(StudioError, match="there is no dataset"):
        request_training(queue, plan, "again")


def test_of_two_deletions_at_once_one_wins(workspace: Workspace) -> None:
    record = fake_run(workspace, "twice", [0.5])
    start = threading.Barrier(3)

    def delete(_number: int) -> str:
        queue = JobQueue(Workspace.open(workspace.root))
        start.wait()
        try:
            return request_trash(queue, record).id
        except StudioError as error:
            return error.message

    with ThreadPoolExecutor(3) as pool:
        found = sorted(pool.map(delete, range(3)))

    assert found.count(record.id) == 1
    assert found.count(f'The run "{record.id}" was already deleted.') == 2
    assert [each.id for each in workspace.trashed(RecordKind.RUN)] == [record.id]


def test_of_two_restorations_one_wins(workspace: Workspace) -> None:
    trashed = request_trash(JobQueue(workspace), fake_run(workspace, "twice", [0.5]))
    workspace.restore(trashed)

    with pytest.raises(StudioError, match="is not in the trash"):
        workspace.restore(trashed)
