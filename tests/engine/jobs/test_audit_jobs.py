"""The audit as a job: after an import, on demand, and its warnings at trainings."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.datasets.audit.findings import AuditPlan, AuditReport
from studio.engine.datasets.audit.fixes import fix_finding
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.requests import request_audit
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import StudioError
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import training_problems
from studio.engine.workspace import RecordKind, Workspace


def _imported(workspace: Workspace, tmp_path: Path, copies: int = 5) -> Job:
    source = picture_folder(tmp_path / "pictures", 40)
    for number in range(copies):
        shutil.copy(source / "a" / f"{number:03}.png", source / "a" / f"copy {number}.png")
    recipe = small_recipe(source, val_percent=30, test_percent=20)
    return do_here(workspace, recipe, "one")


def test_an_import_is_audited(workspace: Workspace, tmp_path: Path) -> None:
    job = _imported(workspace, tmp_path)

    report = AuditReport.read(job.record.folder)
    assert job.history.state == State.COMPLETED, job.history.reason
    assert job.history.result == {"count": 85, "skipped": 0}
    assert report is not None
    assert (report.dataset_version, report.images) == (0, 85)
    assert report.counts["exact_duplicates"] == 5
    assert report.statistics.width is not None
    duplicates = report.finding("exact_duplicates")
    assert duplicates is not None
    assert "identical files: 5" in duplicates.message


def test_stopping_the_audit_keeps_the_import(workspace: Workspace, tmp_path: Path) -> None:
    source = picture_folder(tmp_path / "pictures", 10)

    def audits(history: JobHistory) -> bool:
        return history.progress is not None and "every image" in history.progress.what

    job = do_here(workspace, small_recipe(source), "one", stop_when=audits)

    assert job.history.state == State.COMPLETED
    assert Store.open(job.record.folder).counts()["train"] == 16
    reported = [note.message for note in job.history.notes]
    assert reported in ([], ["The images are imported, but the audit was stopped."])
    assert (job.record.folder / AuditReport.FILE).exists() == (not reported)


def test_an_audit_that_cannot_be_done_keeps_the_import(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise StudioError("There is no space left.", "Free some.")

    monkeypatch.setattr("studio.engine.compute.dataset_jobs.audit_dataset", fail)
    job = _imported(workspace, tmp_path)

    assert job.history.state == State.COMPLETED
    assert "the audit failed: There is no space left" in job.history.notes[-1].message


def test_an_import_that_died_during_its_audit_continues_there(
    workspace: Workspace, tmp_path: Path
) -> None:
    from studio.engine.jobs.liveness import holding
    from studio.engine.worker import main as worker

    job = _imported(workspace, tmp_path)
    (job.record.folder / AuditReport.FILE).unlink()
    shutil.rmtree(tmp_path / "pictures")
    with holding(job.record.folder):
        job.append(StateChanged(state=State.LOST, attempt=1))
        job.append(StateChanged(state=State.STARTING, attempt=2))
        worker.work(workspace, job)
    job.refresh()

    assert job.history.state == State.COMPLETED, job.history.reason
    assert job.history.result == {"count": 85, "skipped": 0}
    assert AuditReport.read(job.record.folder) is not None


def test_an_audit_on_demand_is_of_the_newest_version(workspace: Workspace, tmp_path: Path) -> None:
    dataset = _imported(workspace, tmp_path)
    queue = JobQueue(workspace)
    edit_dataset(dataset.record.folder, [Exclude(rows="0-9")])
    asked = request_audit(queue, AuditPlan(dataset=dataset.record.id))
    assert asked.plan(AuditPlan).dataset_version == 1

    job = do_here(workspace, asked.plan(AuditPlan), "by hand")

    assert job.history.state == State.COMPLETED, job.history.reason
    assert job.history.result["version"] == 1
    report = AuditReport.read(dataset.record.folder)
    assert report is not None
    assert job.history.result["counts"] == report.counts
    assert report.images == 75


def test_what_cannot_be_audited(workspace: Workspace, tmp_path: Path) -> None:
    queue = JobQueue(workspace)
    with pytest.raises(StudioError, match="no dataset"):
        request_audit(queue, AuditPlan(dataset="none-000000"))
    waiting = queue.submit(small_recipe(tmp_path), "waits")
    with pytest.raises(
        StudioError, match="is queued, but an audit needs a completed one"
    ) as error:
        request_audit(queue, AuditPlan(dataset=waiting.record.id))
    assert error.value.hint == "Wait until it is done."
    failed = do_here(workspace, small_recipe(tmp_path / "nothing"), "fails")
    with pytest.raises(StudioError, match='"fails" has failed, but an audit needs') as error:
        request_audit(queue, AuditPlan(dataset=failed.record.id))
    assert error.value.hint == "Use another one, or start it again."
    job = do_here(workspace, AuditPlan(dataset="none-000000"), "gone")
    assert (job.history.state, job.history.category) == (State.FAILED, "bad_data")
    assert workspace.records(RecordKind.AUDIT)


def test_a_dataset_under_audit_is_not_trashed(workspace: Workspace, tmp_path: Path) -> None:
    dataset = _imported(workspace, tmp_path)
    queue = JobQueue(workspace)
    job = request_audit(queue, AuditPlan(dataset=dataset.record.id))
    with pytest.raises(StudioError, match='The audit "one" is queued and needs the dataset'):
        request_trash(queue, dataset.record)
    queue.stop(job)
    request_trash(queue, dataset.record)


def test_a_training_warns_of_leakage_until_it_is_fixed(
    workspace: Workspace, tmp_path: Path
) -> None:
    source = tmp_path / "pictures"
    picture_folder(source / "train", 60)
    random = np.random.default_rng(5)
    for number in range(6):
        pixels = random.integers(0, 255, (3, 8, 8), np.uint8)
        for folder, image in (("train/a", 0), ("val/b", 0), ("val/a", 1)):
            (source / folder).mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels[image]).save(source / folder / f"x{number}.png")
    dataset = do_here(workspace, small_recipe(source), "one")
    plan = TrainingPlan(dataset=dataset.record.id, network="perceptron")
    report = AuditReport.read(dataset.record.folder)
    leakage = None if report is None else report.finding("leakage")
    assert leakage is not None
    across = len({pair[1] for pair in leakage.pairs})
    assert across == 6

    (problem,) = training_problems(workspace, plan)
    assert not problem.serious
    assert problem.where == "dataset"
    assert f" {across} are the same" in problem.message

    fix_finding(dataset.record.folder, "leakage", "move")
    assert training_problems(workspace, plan) == []
    assert len(training_problems(workspace, plan.changed(dataset_version=0))) == 1
    (dataset.record.folder / AuditReport.FILE).write_text("{")
    (problem,) = training_problems(workspace, plan)
    assert "cannot be read" in problem.message
    assert not problem.serious
