"""What is asked for is checked before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.digits import Digits
from helpers.pictures import small_recipe
from studio.engine.datasets.requests import request_import
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import request_export
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.trash import request_trash
from studio.engine.jobs.types import JOB_KINDS, job_type, read_plan, type_of_plan
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import training_problems
from studio.engine.training.trained_models import model_file
from studio.engine.workspace import RecordKind, Workspace


def test_every_kind_of_record_but_those_of_people_is_a_kind_of_job() -> None:
    made_by_people = {RecordKind.NETWORK, RecordKind.LABELING}
    assert set(JOB_KINDS) == set(RecordKind) - made_by_people
    assert all(kind.slots is None or kind.slots >= 1 for kind in map(job_type, JOB_KINDS))
    assert type_of_plan(TrainingPlan(dataset="d")) is job_type(RecordKind.RUN)


def test_an_import_needs_a_source(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="no file or folder"):
        request_import(JobQueue(workspace), small_recipe(tmp_path / "none"), "one")
    assert workspace.records(RecordKind.DATASET) == []


def test_all_problems_of_a_training_come_at_once(digits: Digits) -> None:
    plan = TrainingPlan(
        dataset=digits.dataset.record.id,
        network="no such",
        batch_size=60_000,
        schedule="step",
        schedule_options={"gamma": -1, "nonsense": 1},
    )

    problems = training_problems(digits.workspace, plan)

    assert [problem.where for problem in problems] == [
        "network",
        "schedule_options.gamma",
        "schedule_options.nonsense",
        "batch_size",
    ]
    assert training_problems(digits.workspace, digits.run.plan(TrainingPlan)) == []


def test_a_head_is_kept_of_a_run_alone(digits: Digits) -> None:
    plan = digits.run.plan(TrainingPlan).changed(keep_head=True)

    (problem,) = training_problems(digits.workspace, plan)

    assert (problem.where, problem.serious) == ("keep_head", True)
    of_the_run = plan.changed(weights=f"run:{digits.run.record.id}")
    assert training_problems(digits.workspace, of_the_run) == []


def test_an_incomplete_dataset_cannot_be_trained_on(workspace: Workspace, tmp_path: Path) -> None:
    queue = JobQueue(workspace)
    waiting = queue.submit(small_recipe(tmp_path), "waits")

    (problem,) = training_problems(workspace, TrainingPlan(dataset=waiting.record.id))
    assert "is queued" in problem.message
    (problem,) = training_problems(workspace, TrainingPlan(dataset="none-000000"))
    assert "no dataset" in problem.message


def test_actions_that_need_a_model_say_so(workspace: Workspace, tmp_path: Path) -> None:
    queue = JobQueue(workspace)
    run = queue.submit(TrainingPlan(dataset="none"), "waits").record.id

    with pytest.raises(StudioError, match="no model yet"):
        request_evaluation(queue, EvaluationPlan(run=run))
    with pytest.raises(StudioError, match="no model yet"):
        request_export(queue, ExportPlan(run=run, to=str(tmp_path)))
    with pytest.raises(StudioError, match="no run"):
        request_evaluation(queue, EvaluationPlan(run="none-000000"))


def test_the_same_measurement_may_be_asked_for_again(own_run: Digits) -> None:
    queue, plan = JobQueue(own_run.workspace), EvaluationPlan(run=own_run.run.record.id)

    names = [request_evaluation(queue, plan).record.name for _ in range(3)]

    assert names == ["lenet", "lenet-2", "lenet-3"]
    assert model_file(own_run.run.record).is_file()


def test_a_dataset_that_a_waiting_run_needs_stays(own_run: Digits) -> None:
    queue = JobQueue(own_run.workspace)
    job = queue.submit(TrainingPlan(dataset=own_run.dataset.record.id), "waits")

    with pytest.raises(StudioError, match='The run "waits" is queued and needs'):
        request_trash(queue, own_run.dataset.record)
    queue.stop(job)
    request_trash(queue, own_run.dataset.record)

    assert own_run.workspace.records(RecordKind.DATASET) == []


def test_a_damaged_plan_is_reported(workspace: Workspace) -> None:
    record = workspace.create(RecordKind.RUN, "bad", "{")

    with pytest.raises(StudioError, match=r"plan\.json cannot be read"):
        read_plan(record)
    record.plan_file.write_text('{"dataset": "d", "from the future": 1}')
    with pytest.raises(StudioError, match="from the future"):
        read_plan(record)
    record.plan_file.unlink()
    with pytest.raises(StudioError, match="cannot be read"):
        read_plan(record)


def test_showing_what_is_not_completed_is_refused(workspace: Workspace) -> None:
    job = Job(workspace.create(RecordKind.DATASET, "waits", "{}"))

    with pytest.raises(StudioError, match=r"is queued, but showing it needs.*Wait"):
        job.require_completed("showing it")
    assert job.history.state == State.QUEUED
