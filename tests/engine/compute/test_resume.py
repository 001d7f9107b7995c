"""A run that was interrupted ends with the same bits as one that was not."""

from __future__ import annotations

import errno
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import pytest

from helpers.digits import Digits, SharedRuns, do_here, go_on_here
from helpers.resuming import assert_same, everything, plan_of
from helpers.sampling import sample
from helpers.waiting import wait_until
from studio.engine.compute.checkpoint import load_checkpoint
from studio.engine.compute.journaling import JournalFollower
from studio.engine.datasets.augment.augmenter import AUGMENT_VERSION
from studio.engine.errors import BadDataError, StudioError
from studio.engine.jobs import control as job_control
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import InputShape, NetworkSpec
from studio.engine.training import control
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.parts import RESUME_FILE
from studio.engine.training.plan import TrainingPlan

AUGMENTED = {"rotation": 20.0, "horizontal_flip": True}
STEPS = 13
"""Of an epoch of `plan_of`."""


def _normalized() -> NetworkSpec:
    """A small convolution with batch normalization and dropout."""
    net = GraphBuilder("normalized", InputShape(height=28, width=28, channels=1), 10)
    net.add("rescaling", scale=1 / 255)
    net.add("conv2d", "conv", filters=4, stride=4)  # in 16 bits a CPU is slow
    net.add("batch_normalization").add("activation", activation="relu")
    net.add("global_average_pool").add("dropout", rate=0.2)
    net.add("dense", "predictions", units=10, activation="softmax")
    return net.spec()


def _pause(_queue: JobQueue, job: RunJob) -> None:
    if job.history.state.has_worker:
        job_control.pause(job)


def _past(steps: int) -> Callable[[RunHistory], bool]:
    return lambda history: len(history.steps_of("loss")) >= steps


def _reported(words: str) -> Callable[[RunHistory], bool]:
    return lambda history: any(words in note.message for note in history.notes)


@pytest.mark.parametrize(
    "values",
    sample(
        [
            {"optimizer": "adamw", "schedule": "cosine", "warmup_percent": 10.0},
            {"ema_momentum": 0.9, "augmentation": AUGMENTED},
            {
                "validation_interval_epochs": 0.4,
                "plateau_patience": 1,
                "min_delta": 0.5,
                "early_stopping_patience": 7,
                "insights": True,
            },
            {"augmentation": {**AUGMENTED, "brightness": 10.0, "run_on": "device"}},
            {"gradient_accumulation_steps": 3, "class_balancing": "sampling", "optimizer": "sgd"},
            {"network": "normalized", "design": _normalized(), "precision": "mixed_float16"},
        ],
        1,
    ),
    ids=["schedule", "averages", "watched", "augmented on the device", "accumulated", "mixed"],
)
def test_a_paused_run_resumes_exactly(
    own_digits: Digits, runs: SharedRuns, values: dict[str, Any]
) -> None:
    workspace, plan = own_digits.workspace, plan_of(own_digits, **values)
    whole = runs.of(plan)
    job = JobQueue(workspace).submit(plan, "paused").with_history(RunHistory)

    # It hears the first at its next step; `test_resume_kills` ends runs at any moment.
    again = "optimizer" in values
    pauses = 0
    for steps in (0, *(0,) * again, STEPS + 2):
        go_on_here(workspace, job, _past(steps), _pause)
        if job.history.state == State.COMPLETED:
            break
        assert job.history.state == State.PAUSED, job.history.detail
        pauses += 1

    if job.history.state == State.PAUSED:
        go_on_here(workspace, job)
    assert pauses >= 1 + again
    assert job.history.state == State.COMPLETED
    assert_same(whole, job)
    for epoch in job.history.epochs:  # also of a resumed one
        speed = epoch.images_per_second
        assert math.isnan(speed) or speed * epoch.seconds > plan.batch_size / 2


def test_more_epochs_are_as_if_they_had_been_asked_for_at_once(
    own_digits: Digits, runs: SharedRuns
) -> None:
    workspace = own_digits.workspace
    whole = runs.of(plan_of(own_digits, epochs=3))
    job = do_here(workspace, plan_of(own_digits, epochs=1), "extended")
    before = job.record.plan_file.read_text()

    control.extend(JobQueue(workspace), job, 2)
    go_on_here(workspace, job)

    assert job.history.state == State.COMPLETED, job.history.reason
    assert job.history.training is not None
    assert (job.history.training.epochs, len(job.history.epochs)) == (3, 3)
    assert job.record.plan_file.read_text() == before
    assert_same(whole, job)


@pytest.mark.thorough
def test_a_run_that_stopped_early_trains_further_when_extended(own_digits: Digits) -> None:
    plan = plan_of(own_digits, epochs=10, early_stopping_patience=1, min_delta=0.9)
    job = do_here(own_digits.workspace, plan, "early")
    ended = len(job.history.epochs)
    assert ended < 10

    control.extend(JobQueue(own_digits.workspace), job, 1)
    go_on_here(own_digits.workspace, job)

    assert job.history.state == State.COMPLETED
    assert len(job.history.epochs) == ended + 1


def test_another_rate_counts_from_the_next_step_on(own_digits: Digits) -> None:
    plan = plan_of(own_digits, epochs=50_000, schedule="polynomial")
    job = JobQueue(own_digits.workspace).submit(plan, "faster").with_history(RunHistory)

    def request(queue: JobQueue, seen: RunJob) -> None:
        control.change_rate(seen, 0.005)
        _until(
            seen, lambda history: any("rate is 0.005" in note.message for note in history.notes)
        )
        # At once, so that a kill does not undo it.
        _until(seen, lambda history: history.saved is not None)
        queue.stop(seen)

    go_on_here(own_digits.workspace, job, _past(3), request)

    assert job.history.state == State.STOPPED
    assert job.history.steps is not None
    assert job.history.steps.learning_rate == pytest.approx(0.005, rel=0.05)
    checkpoint = load_checkpoint(job.record.folder)
    assert checkpoint is not None
    assert checkpoint.progress.rate_factor == pytest.approx(5.0, rel=0.05)
    assert everything(job)["optimizer/rate_factor"] == pytest.approx(5.0, rel=0.05)


def test_everything_is_saved_when_that_is_asked_for(own_digits: Digits) -> None:
    job = (
        JobQueue(own_digits.workspace)
        .submit(plan_of(own_digits, epochs=50_000), "saved")
        .with_history(RunHistory)
    )

    def request(queue: JobQueue, seen: RunJob) -> None:
        assert seen.history.saved is None
        control.save_now(seen)
        _until(seen, lambda history: history.saved is not None)
        assert (seen.record.folder / RESUME_FILE).exists()
        queue.stop(seen)

    go_on_here(own_digits.workspace, job, _past(1), request)

    assert job.history.state == State.STOPPED


def _until(job: RunJob, condition: Callable[[RunHistory], bool]) -> None:
    def holds() -> bool:
        job.refresh()
        assert job.history.state.has_worker, job.history.reason
        return condition(job.history)

    wait_until(holds, "what was requested")


def test_without_memory_batches_become_smaller(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = JournalFollower.call_ended

    def full(self: JournalFollower, done: int, logs: dict[str, float]) -> None:
        if self._plan.batch_size > 30 and self._step >= STEPS + 4:
            raise MemoryError("OOM: out of memory while allocating a tensor")
        ends(self, done, logs)

    monkeypatch.setattr(JournalFollower, "call_ended", full)
    job = do_here(
        own_digits.workspace,
        plan_of(own_digits, checkpoint_interval_seconds=0.0, epochs=2),
        "small",
    )

    history = job.history
    assert history.state == State.COMPLETED, history.detail
    assert history.changes == {"batch_size": 25, "gradient_accumulation_steps": 4}
    assert any("did not fit into memory" in note.message for note in history.notes)
    assert history.training is not None
    per_epoch = history.training.steps_per_epoch
    assert per_epoch == -(-history.training.train_images // 25)
    assert [epoch.epoch for epoch in history.epochs] == [1, 2]
    assert history.epochs[0].step == per_epoch  # renumbered
    assert len(history.steps_of("loss")) == 2 * per_epoch
    assert np.isfinite(history.steps_of("loss")).all()
    assert everything(job)["optimizer/iteration"] == 2 * per_epoch


@pytest.mark.thorough
def test_a_single_image_without_memory_is_the_end(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_values: object) -> None:
        raise MemoryError("out of memory")

    monkeypatch.setattr(JournalFollower, "call_ended", full)
    job = do_here(own_digits.workspace, plan_of(own_digits, batch_size=2), "none")

    assert (job.history.state, job.history.category) == (State.FAILED, "out_of_memory")
    assert "batches of 1 " in job.history.reason


def test_what_is_saved_is_never_broken_by_a_loss_that_is_no_number(own_digits: Digits) -> None:
    # From the change on every step multiplies the weights by 1 - 10, until they overflow.
    plan = plan_of(
        own_digits, optimizer="sgd", weight_decay=1.0, checkpoint_interval_seconds=0.0, epochs=5000
    )
    job = JobQueue(own_digits.workspace).submit(plan, "wild").with_history(RunHistory)

    def request(_queue: JobQueue, seen: RunJob) -> None:
        control.change_rate(seen, 10.0)

    go_on_here(own_digits.workspace, job, _past(STEPS), request)

    assert (job.history.state, job.history.category) == (State.FAILED, "not_finite")
    assert job.history.saved is not None
    assert job.history.saved.step < len(job.history.steps_of("loss"))
    arrays = everything(job)
    assert all(np.isfinite(value).all() for value in arrays.values() if value.dtype.kind == "f")
    control.resume(JobQueue(own_digits.workspace), job, 0.01)
    assert job.history.changes == {"learning_rate": 0.01}


def test_a_full_disk_pauses(
    own_digits: Digits, runs: SharedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = own_digits.workspace
    whole = runs.of(plan_of(own_digits))
    writes, save = 0, np.savez

    def full(*args: Any, **values: Any) -> None:
        nonlocal writes
        writes += 1
        if writes > STEPS:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(*args, **values)

    monkeypatch.setattr(np, "savez", full)
    job = do_here(workspace, plan_of(own_digits, checkpoint_interval_seconds=0.0), "full")
    assert (job.history.state, job.history.category) == (State.PAUSED, "disk_full")
    assert "no space left" in job.history.reason
    assert "resume" in job.history.hint
    assert not list(job.record.folder.glob(".res*"))
    monkeypatch.undo()

    go_on_here(workspace, job)

    assert job.history.state == State.COMPLETED
    for name, value in everything(whole).items():
        assert value.tobytes() == everything(job)[name].tobytes(), name


@pytest.mark.thorough
def test_a_device_that_died_leaves_a_run_that_can_resume(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_args: object, **_values: object) -> None:
        raise RuntimeError("INTERNAL: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure")

    monkeypatch.setattr(JournalFollower, "call_ended", dies)
    job = do_here(own_digits.workspace, plan_of(own_digits), "dead")

    assert job.history.state == State.LOST
    assert "device failed" in job.history.reason
    assert job_control.can_resume(job.history)


def test_a_damaged_file_is_reported_and_left_alone(own_digits: Digits) -> None:
    job = do_here(own_digits.workspace, plan_of(own_digits, epochs=1), "damaged")
    path = job.record.folder / RESUME_FILE
    path.write_bytes(path.read_bytes()[:-100])
    damaged = path.read_bytes()
    with pytest.raises(BadDataError, match="cannot be read") as caught:
        load_checkpoint(job.record.folder)
    # The traceback holds whatever was left open: on Windows the file could not be replaced.
    assert str(path) not in {each.path for each in psutil.Process().open_files()}, caught

    control.extend(JobQueue(own_digits.workspace), job, 1)
    go_on_here(own_digits.workspace, job)

    assert (job.history.state, job.history.category) == (State.FAILED, "bad_data")
    assert path.read_bytes() == damaged


def test_what_cannot_be_done_is_refused_with_the_reason(own_run: Digits) -> None:
    queue, job = JobQueue(own_run.workspace), own_run.run
    refusals: tuple[tuple[Callable[[], None], str], ...] = (
        (lambda: job_control.pause(job), "completed, so it cannot be paused"),
        (lambda: control.save_now(job), "cannot be saved"),
        (lambda: control.change_rate(job, 0.1), "its learning rate cannot be changed"),
        (lambda: control.change_rate(job, 11.0), "received 11"),
        (lambda: control.change_rate(job, 0.0), "received 0"),
        (lambda: control.resume(queue, job), "cannot be resumed"),
        (lambda: control.extend(queue, job, 0), "received 0"),
    )
    for refused, message in refusals:
        with pytest.raises(StudioError, match=message):
            refused()
    (job.record.folder / RESUME_FILE).unlink()
    with pytest.raises(StudioError, match="no checkpoint to resume"):
        control.extend(queue, job, 1)
    assert isinstance(job.current_plan(TrainingPlan), TrainingPlan)


@pytest.mark.thorough
def test_a_run_with_old_augmented_images_says_that_new_ones_follow(own_digits: Digits) -> None:
    workspace = own_digits.workspace
    plan = plan_of(own_digits, augmentation=AUGMENTED)
    job = JobQueue(workspace).submit(plan, "older").with_history(RunHistory)
    go_on_here(workspace, job, _past(2), _pause)
    checkpoint = load_checkpoint(job.record.folder)
    assert checkpoint is not None
    assert checkpoint.progress.augmentation == AUGMENT_VERSION
    path = job.record.folder / RESUME_FILE
    older = checkpoint.progress.model_copy(update={"augmentation": 1})
    with np.load(path) as file:
        arrays = dict(file)
    arrays["header"] = np.frombuffer(older.model_dump_json().encode(), np.uint8)
    np.savez(path, **arrays)

    go_on_here(workspace, job)

    assert job.history.state == State.COMPLETED
    assert [note.message for note in job.history.notes if "older Studio" in note.message]
