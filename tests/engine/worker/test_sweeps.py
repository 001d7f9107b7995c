"""Sweeps with real processes, whose runs train nothing: every trial once, whatever dies."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from helpers.digits import do_here, go_on_here
from helpers.pictures import picture_folder, small_recipe
from helpers.sweep_workers import (
    EPOCH_SECONDS,
    FREE,
    KILLED,
    KILLED_ONCE,
    NEVER_ENDS,
    OUT_OF_MEMORY,
    WARM,
    launch,
)
from helpers.sweeps import Stage, kill, stop_process
from helpers.waiting import patience
from helpers.weights import weights_file
from studio.engine.datasets.edits import Exclude
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import read_summary
from studio.engine.datasets.versions import edit_dataset
from studio.engine.errors import StudioError
from studio.engine.jobs import commands, control
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.liveness import STARTING_SECONDS
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.sweeps import requests as sweeping
from studio.engine.sweeps import trial_order as sweep_order
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import SweepHistory, SweepJob, TrialChanged, TrialRun
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.sweeps.rows import best_of_sweep, rows_of
from studio.engine.sweeps.space import trial_plan
from studio.engine.sweeps.study import SweepStudy
from studio.engine.training.plan import STARTING_WEIGHTS, TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.worker.sweep_runner import SweepRunner
from studio.engine.workspace import RecordKind, Workspace

MLP = [((784, 256), (256,)), ((256, 128), (128,))]
"""Weights of a multilayer perceptron below its head."""


@pytest.fixture
def stage(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    recipe = small_recipe(picture_folder(tmp_path / "pictures", per_class=20))
    dataset = do_here(workspace, recipe, "small")
    assert dataset.history.state == State.COMPLETED
    monkeypatch.setattr(queue_module, "launch_worker", launch)
    stage = Stage(workspace, JobQueue(workspace), dataset.record.id)
    yield stage
    stage.end_everything()


def _states(job: SweepJob) -> list[str]:
    return [row.state.value for _, row in sorted(job.history.trials.items())]


def _has_run(history: SweepHistory) -> bool:
    return any(_has_run_of(history, number) for number in history.trials)


def _has_run_of(history: SweepHistory, number: int) -> bool:
    return any(run.id for run in history.trials[number].runs)


def test_every_combination_is_one_run_and_the_best_is_known(stage: Stage) -> None:
    plan = stage.plan("learning_rate=0.1,0.01,0.001", "batch_size=2,4", workers=2)

    job = stage.begin(plan)
    history = stage.finish(job)

    assert history.state == State.COMPLETED, history.reason
    assert _states(job) == ["completed"] * 6
    values = [tuple(row.values.values()) for row in history.trials.values()]
    assert sorted(values) == [(r, b) for r in (0.001, 0.01, 0.1) for b in (2, 4)]
    assert stage.trained() == [(f"S-{number}", [1, 2, 3]) for number in range(6)]
    infos = stage.workspace.infos(RecordKind.RUN)
    assert {info.group for _, info in infos} == {"S"}
    assert best_of_sweep(job) == [0]
    assert history.result["best"] == [0]
    assert history.trials[0].measured == pytest.approx((0.9 * 0.875,))
    assert history.progress is not None
    assert (history.progress.done, history.progress.total) == (6, 6)
    for record, _ in [(job.record, None), *infos]:
        assert "Keras" not in (record.folder / "worker.log").read_text()


@pytest.mark.thorough
def test_trials_start_from_the_copy_of_the_weights_in_the_sweep(
    stage: Stage, tmp_path: Path
) -> None:
    file = weights_file(tmp_path / "mlp.weights.h5", MLP)
    content = file.read_bytes()
    plan = stage.plan("learning_rate=0.1,0.01")
    plan = plan.changed(**{"base.weights": str(file)})
    job = request_sweep(stage.queue, plan, "S")
    file.unlink()

    stage.queue.dispatch()
    history = stage.finish(job)

    assert _states(job) == ["completed"] * 2, history.trials
    copy = job.record.folder / STARTING_WEIGHTS
    assert copy.read_bytes() == content
    for record in stage.workspace.records(RecordKind.RUN):
        assert SweepJob(record).plan(TrainingPlan).weights == str(copy)
        # The same file, which outlives the sweep and takes no space of its own.
        assert (record.folder / STARTING_WEIGHTS).samefile(copy)


def test_trials_follow_one_another_in_a_process_and_a_killed_one_costs_itself(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WARM, "yes")
    plan = stage.plan("learning_rate=0.1,0.01,0.001", f"batch_size=2,4,{KILLED_ONCE}", workers=2)

    job = stage.begin(plan)
    history = stage.finish(job)

    assert history.state == State.COMPLETED, history.reason
    assert _states(job) == ["completed"] * 9
    assert stage.trained() == [(f"S-{number}", [1, 2, 3]) for number in range(9)]
    # Three are killed, so at least twelve attempts were made.
    assert len(_processes(stage)) < 9


@pytest.mark.thorough
def test_a_sweep_is_stopped_while_processes_take_over_runs(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WARM, "yes")
    rates = ",".join(f"{rate / 100:g}" for rate in range(1, 41))
    job = stage.begin(stage.plan(f"learning_rate={rates}", workers=2))
    stage.reach(job, lambda history: len(history.trials) > 4, "trials follow one another")

    stage.queue.stop(job)
    history = stage.finish(job)

    assert history.state == State.STOPPED, history.reason
    assert not stage.queue.entries(), "nothing continues"


def _processes(stage: Stage) -> set[int]:
    found = set()
    for record in stage.workspace.records(RecordKind.RUN):
        run = SweepJob(record)
        run.refresh()
        assert run.history.started is not None
        found.add(run.history.started.pid)
    return found


@pytest.mark.thorough
def test_as_many_runs_at_once_as_were_asked_for(stage: Stage) -> None:
    plan = stage.plan("learning_rate=0.1,0.01,0.001", f"batch_size={NEVER_ENDS}", workers=2)
    job = stage.begin(plan)

    def working() -> int:
        runs = [SweepJob(record) for record in stage.workspace.records(RecordKind.RUN)]
        for run in runs:
            run.refresh()
        return sum(run.history.state == State.RUNNING for run in runs)

    stage.reach(job, lambda _: working() == 2, "two runs at once, on one CPU")
    assert len(job.history.trials) == 2


@pytest.mark.thorough
def test_trials_that_do_not_fit_into_memory_wait(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = tmp_path / "free"
    monkeypatch.setenv(FREE, str(free))
    free.write_text("0.5")
    short = stage.begin(stage.plan("learning_rate=0.1,0.01,0.001", workers=3))
    history = stage.finish(short)

    assert _states(short) == ["completed"] * 3, "one at a time, but all of them"
    runs = [stage.run(row).history for row in history.trials.values()]
    for before, after in itertools.pairwise(runs):
        assert (before.ended_at or 0) <= (after.started_at or 0)
    said = "waits for memory: it needs about 1.5 GB, and 0.0 GB are free while"
    assert [said in note.message for note in history.notes] == [True], "said once"

    plan = stage.plan("learning_rate=0.1,0.01", f"batch_size={NEVER_ENDS}", workers=2)
    job = stage.begin(plan, "T")
    stage.reach(job, lambda history: history.notes, "it says why the second waits")
    assert len(job.history.trials) == 1
    free.write_text("9")
    stage.reach(job, lambda history: len(history.trials) == 2, "now there is room")


@pytest.mark.thorough
def test_a_trial_that_goes_wrong_is_one_row(stage: Stage) -> None:
    sizes = f"batch_size={OUT_OF_MEMORY},{KILLED},{KILLED_ONCE},2"
    job = stage.begin(stage.plan(sizes, "learning_rate=0.1"))
    history = stage.finish(job)

    assert history.state == State.COMPLETED
    assert _states(job) == ["failed", "failed", "completed", "completed"]
    reasons = [row.reason for _, row in sorted(history.trials.items())]
    assert "out of memory" in reasons[0]
    assert "killed" in reasons[1]
    assert stage.run(history.trials[1]).history.attempt == 3
    assert dict(stage.trained())["S-2"] == [1, 2, 3]


@pytest.mark.thorough
def test_invalid_values_are_one_row(stage: Stage) -> None:
    job = stage.begin(stage.plan("network=lenet,mlp"))
    history = stage.finish(job)

    assert history.state == State.COMPLETED
    assert _states(job) == ["failed", "completed"]
    assert "LeNet-5 needs images of at least 12x12 pixels" in history.trials[0].reason
    assert [name for name, _ in stage.trained()] == ["S-1"]


@pytest.mark.thorough
def test_fields_of_the_recipe_of_the_dataset_vary(stage: Stage) -> None:
    workspace = stage.workspace

    def learned_from(job: SweepJob) -> list[tuple[str, int | None]]:
        runs = [stage.run(row) for _, row in sorted(job.history.trials.items())]
        plans = [run.plan(TrainingPlan) for run in runs]
        return [(plan.dataset, plan.dataset_version) for plan in plans]

    job = stage.begin(stage.plan("dataset.width=8,16", "learning_rate=0.1,0.01", workers=2))
    history = stage.finish(job)

    assert _states(job) == ["completed"] * 4, [row.reason for row in history.trials.values()]
    made = workspace.find(RecordKind.DATASET, "small width=16")
    assert [info.name for _, info in workspace.infos(RecordKind.DATASET)] == [
        "small",
        "small width=16",
    ]
    assert learned_from(job) == [(stage.dataset, 0)] * 2 + [(made.id, 0)] * 2
    before, after = (read_summary(made.folder.parent / each) for each in (stage.dataset, made.id))
    assert (after.width, after.height, after.count) == (16, 8, before.count)

    # Edits go with it, and it is not imported twice; not even when its images are gone.
    original = made.folder.parent / stage.dataset
    edit_dataset(original, [Exclude(rows="0-3")])
    source = Path(SweepJob(made).plan(DatasetRecipe).source)
    source.rename(source.with_name("elsewhere"))
    job = stage.begin(stage.plan("dataset.width=16"), "edited")
    history = stage.finish(job)

    assert _states(job) == ["completed"], history.trials[0].reason
    assert learned_from(job) == [(made.id, 1)]
    assert dataset_summary(made.folder, 1).count == dataset_summary(original, 1).count
    assert dataset_summary(made.folder, 1).total == before.total - 4
    with pytest.raises(StudioError, match='images of "small" are no longer at'):
        stage.begin(stage.plan("dataset.width=16,24"), "T")
    with pytest.raises(StudioError, match=r"edits of this dataset .* cannot be carried over"):
        stage.begin(stage.plan("dataset.seed=0,1"), "T")
    source.with_name("elsewhere").rename(source)
    (source / "a" / "more.png").write_bytes((source / "a" / "000.png").read_bytes())
    job = stage.begin(stage.plan("dataset.height=16"), "changed")
    history = stage.finish(job)
    assert _states(job) == ["failed"]
    assert "have changed since the import" in history.trials[0].reason


@pytest.mark.thorough
def test_a_failed_trial_is_done_again_in_its_row(stage: Stage) -> None:
    job = stage.begin(stage.plan(f"batch_size=2,{OUT_OF_MEMORY}"))
    stage.finish(job)
    with pytest.raises(StudioError, match="completed, so it cannot be rerun"):
        sweeping.rerun(stage.queue, job, 0)
    with pytest.raises(StudioError, match="no trial 7"):
        sweeping.rerun(stage.queue, job, 7)

    sweeping.rerun(stage.queue, job, 1)
    history = stage.finish(job)

    assert _states(job) == ["completed", "failed"]
    assert history.trials[1].reruns == 1
    assert [name for name, _ in stage.trained()] == ["S-0", "S-1", "S-1-2"]


@pytest.mark.thorough
def test_pruning_stops_runs(stage: Stage) -> None:
    plan = stage.plan("learning_rate=0.1,0.09,0.08,0.07,1e-5,1e-6", epochs=5, pruner="median")
    job = stage.begin(plan)
    history = stage.finish(job)

    assert history.state == State.COMPLETED
    assert _states(job) == ["completed"] * 4 + ["pruned"] * 2
    pruned = [row for row in history.trials.values() if row.state == State.PRUNED]
    trained = dict(stage.trained())
    assert [row.values["learning_rate"] for row in pruned] == [1e-5, 1e-6]
    for row in pruned:
        assert stage.run(row).history.state == State.STOPPED
        assert trained[row.runs[0].name] == [1]
        assert row.reason == "Others were better after epoch 1."


@pytest.mark.thorough
def test_seeds_repeat_a_trial_and_give_an_interval(stage: Stage) -> None:
    job = stage.begin(stage.plan("learning_rate=0.1,0.01", seeds=3))
    history = stage.finish(job)

    row = rows_of(stage.workspace, job)[0]
    assert row.runs == ("S-0", "S-0-seed1", "S-0-seed2")
    each = [run.measured[0] for run in history.trials[0].runs]
    assert each[1] - each[0] == pytest.approx(0.001)
    assert row.measured[0] == pytest.approx(sum(each) / 3)
    assert row.interval is not None
    assert row.interval[0] < row.measured[0] < row.interval[1]


@pytest.mark.thorough
def test_two_objectives_give_a_front(stage: Stage) -> None:
    plan = stage.plan(
        "learning_rate=0.1,0.01", "batch_size=2,4", objectives=["val_accuracy", "parameters"]
    )
    job = stage.begin(plan)
    history = stage.finish(job)

    assert history.trials[3].measured == pytest.approx((0.8 * 0.875, 40))
    assert best_of_sweep(job) == [0]
    size = stage.plan("learning_rate=0.1,0.001", objectives=["val_accuracy", "size", "seconds"])
    other = stage.begin(size, "T")
    stage.finish(other)
    assert other.history.trials[0].measured[1] == 2
    assert other.history.trials[0].measured[2] > 0


def test_a_paused_sweep_continues_where_it_stopped(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EPOCH_SECONDS, "0.05")
    job = stage.begin(stage.plan("learning_rate=0.1,0.01,0.001", epochs=20, workers=2))
    stage.reach(job, lambda history: history.trials, "the first trial")
    stage.reach(job, lambda _: any(epochs for _, epochs in stage.trained()), "the first epoch")

    control.pause(job)
    assert stage.finish(job).state == State.PAUSED
    rested = stage.trained()
    assert {stage.run(row).history.state for row in job.history.trials.values()} <= {
        State.PAUSED,
        State.STOPPED,  # waited for its turn
    }
    monkeypatch.setenv(EPOCH_SECONDS, "0.001")
    control.resume(stage.queue, job)
    assert stage.finish(job).state == State.COMPLETED

    assert any(epochs for _, epochs in rested)
    assert stage.trained() == [(f"S-{n}", list(range(1, 21))) for n in range(3)]


@pytest.mark.thorough
def test_a_stopped_sweep_continues_when_resumed(stage: Stage) -> None:
    job = stage.begin(stage.plan("learning_rate=0.1,0.01,0.001", f"batch_size={NEVER_ENDS}"))
    stage.reach(job, _has_run, "the first trial has a run")
    stage.queue.stop(job)
    assert stage.finish(job).state == State.STOPPED
    assert [row.state for row in rows_of(stage.workspace, job)] == [State.STOPPED]

    control.resume(stage.queue, job)
    stage.reach(job, lambda history: history.state == State.RUNNING, "it continues")
    run = stage.run(job.history.trials[0])
    stage.reach(run, lambda history: history.state == State.RUNNING, "its run continues")
    assert len(job.history.trials) == 1


@pytest.mark.thorough
def test_values_are_added_while_it_goes(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EPOCH_SECONDS, "0.05")
    job = stage.begin(stage.plan("learning_rate=0.1,0.01", epochs=4))
    stage.reach(job, lambda history: history.trials, "the first trial")

    sweeping.extend(stage.queue, job, parse_dimensions(["learning_rate=0.001,0.1"]))
    history = stage.finish(job)

    assert _states(job) == ["completed"] * 3
    assert stage.rates() == [0.1, 0.01, 0.001]
    assert history.changes["dimensions"][0]["values"] == [0.1, 0.01, 0.001]
    sweeping.extend(stage.queue, job, parse_dimensions(["learning_rate=0.5"]))
    stage.finish(job)
    assert stage.rates() == [0.1, 0.01, 0.001, 0.5]
    with pytest.raises(StudioError, match="does not vary"):
        sweeping.extend(stage.queue, job, parse_dimensions(["epochs=3"]))


def test_a_stopped_run_is_one_row(stage: Stage) -> None:
    job = stage.begin(stage.plan(f"batch_size={NEVER_ENDS},2"))
    stage.reach(job, _has_run, "its first trial has a run")
    run = stage.run(job.history.trials[0])
    stage.reach(run, lambda history: history.state == State.RUNNING, "it is at work")

    stage.queue.stop(run)
    history = stage.finish(job)

    assert history.state == State.COMPLETED
    assert _states(job) == ["stopped", "completed"]


@pytest.mark.thorough
def test_a_sweep_whose_runs_are_all_paused_is_paused(stage: Stage) -> None:
    job = stage.begin(stage.plan(f"batch_size={NEVER_ENDS},2"))
    stage.reach(job, _has_run, "its first trial has a run")
    run = stage.run(job.history.trials[0])
    stage.reach(run, lambda history: history.state == State.RUNNING, "it is at work")

    control.pause(run)

    assert stage.finish(job).state == State.PAUSED
    assert _states(job) == ["running"]


@pytest.mark.thorough
def test_a_sweep_without_a_number_of_trials_gives_up_when_all_fail(stage: Stage) -> None:
    plan = stage.plan("network=lenet", "learning_rate=0.01..0.1", sampler="random", hours=1)
    job = stage.begin(plan)
    history = stage.finish(job)

    assert history.state == State.FAILED
    assert "All trials failed (10)" in history.reason
    assert stage.trained() == []


def test_validation_images_are_needed_where_they_are_measured(
    stage: Stage, tmp_path: Path
) -> None:
    recipe = small_recipe(picture_folder(tmp_path / "others"), val_percent=0)
    stage.dataset = do_here(stage.workspace, recipe, "without").record.id

    with pytest.raises(StudioError, match="no validation images"):
        stage.begin(stage.plan("epochs=1,2"))
    assert stage.begin(stage.plan("epochs=1,2", objectives=["loss"])).record.name == "S"


def test_ranges_grow_to_both_sides() -> None:
    there = parse_dimensions(["learning_rate=0.01..0.1", "batch_size=8,16"])

    grown = sweeping.grow(there, parse_dimensions(["learning_rate=0.001..0.05"]))

    assert (grown[0].low, grown[0].high, grown[0].scale) == (0.001, 0.1, "log")
    assert grown[1] == there[1]
    for text in ("learning_rate=0.5", "batch_size=2..4"):
        with pytest.raises(StudioError, match="varies over a"):
            sweeping.grow(there, parse_dimensions([text]))


@pytest.mark.thorough
def test_a_budget_of_hours_begins_nothing_afterwards(stage: Stage) -> None:
    plan = stage.plan("learning_rate=1e-4..1", sampler="random", hours=1e-9)
    job = stage.begin(plan)

    assert stage.finish(job).state == State.COMPLETED
    assert job.history.trials == {}


@pytest.mark.thorough
def test_whatever_a_killed_conductor_left_half_done_is_found_again(stage: Stage) -> None:
    plan = stage.plan("learning_rate=0.1,0.01,1e-5,0.001")
    job = sweeping.request_sweep(stage.queue, plan, "S")
    study = SweepStudy(job.plan(SweepPlan), job.record.folder)
    asked = [found for _ in range(3) if (found := study.ask()) is not None]
    # Trial 0 was asked for, and not written down. Of trial 1 the name of its run was written,
    # and the run was asked for. Trial 2 was judged, and neither its run nor the study knew it.
    runs = {
        number: request_training(
            stage.queue, trial_plan(job.plan(SweepPlan), asked[number].values), f"S-{number}"
        )
        for number in (1, 2)
    }
    rows = [
        TrialChanged(
            number=1,
            values=asked[1].values,
            state=State.RUNNING,
            runs=(TrialRun(name="S-1"),),
        ),
        TrialChanged(
            number=2,
            values=asked[2].values,
            state=State.PRUNED,
            measured=(0.4,),
            runs=(TrialRun(name="S-2", id=runs[2].record.id),),
        ),
    ]
    with stage.queue.changing(job):
        for row in rows:
            job.append(row)
    history = stage.finish(job)

    assert _states(job) == ["completed", "completed", "pruned", "completed"]
    assert {name for name, _ in stage.trained()} == {"S-0", "S-1", "S-2", "S-3"}
    runs[2].refresh()
    assert runs[2].history.state == State.STOPPED
    assert history.trials[1].runs[0].id == runs[1].record.id
    assert SweepStudy(plan, job.record.folder).running() == []


def test_a_killed_conductor_restarts_automatically(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EPOCH_SECONDS, "0.1")
    job = stage.begin(stage.plan("learning_rate=0.1,0.01,0.001", epochs=8, workers=2))
    stage.reach(job, _has_run, "the first trial has a run")
    stage.reach(job, lambda _: any(epochs for _, epochs in stage.trained()), "the first epoch")

    kill(job)
    history = stage.finish(job)  # it is not asked for

    assert history.state == State.COMPLETED, history.reason
    assert history.attempt == 2
    assert "restarts automatically (1 of 2 times)" in history.notes[0].message
    assert _states(job) == ["completed"] * 3
    assert stage.trained() == [(f"S-{n}", list(range(1, 9))) for n in range(3)]
    assert {stage.run(row).history.attempt for row in history.trials.values()} == {1}


@pytest.mark.thorough
def test_a_conductor_that_dies_again_and_again_stays_away(stage: Stage) -> None:
    job = stage.begin(stage.plan(f"batch_size={NEVER_ENDS},2"))
    stage.reach(job, _has_run, "its first trial has a run")
    run = stage.run(job.history.trials[0])
    stage.reach(run, lambda history: history.state == State.RUNNING, "it is at work")
    control.pause(run)  # by a person: it stays so under any leader of the sweep
    stage.reach(run, lambda history: history.state == State.PAUSED, "it is paused")
    stage.reach(job, lambda history: history.state == State.PAUSED, "and so is the sweep")
    control.resume(stage.queue, job)
    stage.reach(run, lambda history: history.state == State.RUNNING, "it continues")

    for attempt in (2, 3, 4):
        stage.reach(job, partial(_is_running_as, attempt), "the sweep is led")
        kill(job)
    history = stage.finish(job)

    assert (history.state, history.attempt) == (State.LOST, 4)
    assert [note.message[-38:] for note in history.notes] == [
        "restarts automatically (1 of 2 times).",
        "restarts automatically (2 of 2 times).",
    ]

    control.resume(stage.queue, job)
    stage.reach(job, partial(_is_running_as, 5), "a person restarts it")
    commands.send(job.record.folder, "stop", job.history.attempt)
    kill(job)
    assert stage.finish(job).state == State.LOST, "it was to end"
    run.refresh()
    assert run.history.state == State.RUNNING, "runs continue without the sweep"


@pytest.mark.thorough
def test_what_was_asked_of_a_dead_conductor_is_done_by_the_next(stage: Stage) -> None:
    job = stage.begin(stage.plan(f"batch_size={OUT_OF_MEMORY},{NEVER_ENDS},2,3"))
    stage.reach(job, lambda history: len(history.trials) == 2, "the first trial failed")
    waiting = list(sweep_order.waiting_trials(job.current_plan(SweepPlan), job.history))
    assert [(each.number, each.values["batch_size"]) for each in waiting] == [(2, 2), (3, 3)]
    with pytest.raises(StudioError, match="Trial 0 is failed"):
        sweep_order.move_trial(stage.queue, job, 0)
    with pytest.raises(StudioError, match="Trial 9 of the sweep"):
        sweep_order.move_trial(stage.queue, job, 2, before=9)

    stop_process(job)  # it receives nothing now
    sweeping.rerun(stage.queue, job, 0)
    sweep_order.move_trial(stage.queue, job, 3, before=2)
    sweeping.extend(stage.queue, job, parse_dimensions(["batch_size=5"]))
    kill(job)
    stage.reach(job, partial(_is_running_as, 2), "the next one leads the sweep")
    stage.reach(job, lambda history: history.handled, "it did what was asked")

    waiting = list(sweep_order.waiting_trials(job.current_plan(SweepPlan), job.history))
    assert [(each.number, each.values["batch_size"]) for each in waiting] == [
        (2, 3),
        (3, 2),
        (4, 5),
    ]
    stage.reach(job, lambda history: _has_run_of(history, 1), "trial 1 has a run")
    stage.queue.stop(stage.run(job.history.trials[1]))
    history = stage.finish(job)
    sizes = [row.values["batch_size"] for _, row in sorted(history.trials.items())]
    assert sizes == [OUT_OF_MEMORY, NEVER_ENDS, 3, 2, 5]
    assert history.trials[0].reruns == 1
    assert history.handled == (job.record.folder / "commands.jsonl").stat().st_size


def test_a_late_request_is_not_lost(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    job = sweeping.request_sweep(stage.queue, stage.plan("batch_size=2,3"), "S")
    # A trial that the study does not know: its file is lost.
    with stage.queue.changing(job):
        job.append(TrialChanged(number=0, values={"batch_size": 2}, state=State.FAILED))
    reported: list[dict[int, State]] = []

    def report_results(runner: SweepRunner) -> None:
        reported.append({number: row.state for number, row in runner._rows.items()})
        if len(reported) == 1:  # everything is done, and no listener is left
            sweeping.rerun(stage.queue, SweepJob(job.record), 0)

    monkeypatch.setattr(SweepRunner, "report_results", report_results)
    history = go_on_here(stage.workspace, job).history

    assert history.state == State.COMPLETED, history.reason
    assert reported == [
        {0: State.FAILED, 1: State.COMPLETED},
        {0: State.COMPLETED, 1: State.COMPLETED},
    ]
    assert [history.trials[number].values["batch_size"] for number in (0, 1)] == [2, 3]
    assert history.trials[0].reruns == 1


def _is_running_as(attempt: int, history: SweepHistory) -> bool:
    return history.state == State.RUNNING and history.attempt == attempt


def _is_over_or_another(attempt: int, history: SweepHistory) -> bool:
    return history.state.is_at_rest or history.attempt > attempt


def _is_starting(history: SweepHistory) -> bool:
    return history.state in (State.QUEUED, State.STARTING)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("chance", range(2))
def test_a_conductor_that_is_killed_at_random_loses_and_repeats_nothing(
    stage: Stage, chance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EPOCH_SECONDS, "0.06")
    rng = random.Random(chance)
    plan = stage.plan("learning_rate=0.1,0.05,0.01,0.001", "batch_size=2,4", epochs=6, workers=2)
    job = stage.begin(plan)
    pause = threading.Event()
    for _ in range(6):
        stage.reach(job, lambda history: not _is_starting(history), "it is at work")
        pause.wait(rng.uniform(0, 1.3))  # any moment, that is what is tested
        kill(job)
        if rng.random() < 0.5 and job.history.trials:
            row = job.history.trials[max(job.history.trials)]
            if row.runs and row.runs[-1].id:
                kill(stage.run(row))
        before = job.history.attempt
        stage.reach(job, partial(_is_over_or_another, before), "its death was noticed")
        if job.history.state == State.COMPLETED:
            break
        if job.history.state == State.LOST:  # three times in a row without a trial that ended
            control.resume(stage.queue, job)
    # A run whose conductor was killed while it started it counts as starting for a minute.
    history = stage.finish(job, STARTING_SECONDS + patience(40))

    assert history.state == State.COMPLETED, history.reason
    assert history.attempt > 1
    assert _states(job) == ["completed"] * 8
    values = [tuple(row.values.values()) for row in history.trials.values()]
    assert len(set(values)) == 8
    assert [name for name, _ in stage.trained()] == [f"S-{number}" for number in range(8)]
    for name, epochs in stage.trained():
        assert sorted(set(epochs)) == list(range(1, 7)), name
        # What was not saved yet when a worker was killed is done again, once for each kill.
        assert len(epochs) <= 6 + 6
    reported = [row.measured[0] for row in history.trials.values()]
    assert all(0.5 < value < 0.9 for value in reported)
