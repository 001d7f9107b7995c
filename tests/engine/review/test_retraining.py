"""From corrected pictures to a better model: the dataset, the run and its measured gain."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageOps

from helpers.digits import Digits, go_on_here
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.review.corrections import ReviewQueue
from studio.engine.review.retraining import (
    base_of,
    gain_of,
    request_adding,
    request_gain,
    request_retraining,
    waiting,
)
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan


def corrected(own: Digits, folder: Path, number: int) -> list[str]:
    """Put inverted digits, which no dataset contains, into the queue with their true classes."""
    store = Store.open(own.dataset.record.folder)
    review = ReviewQueue(own.workspace.root)
    ids = []
    for row in store.rows("train")[:number].tolist():
        path = folder / f"{row}.png"
        ImageOps.invert(Image.open(own.pictures / store.paths[row]).convert("L")).save(path)
        label = store.classes[int(store.labels[row])]
        ids.append(review.add(path, path.name, own.run.record.id, ("8", 0.9), label))
    return ids


def test_corrected_pictures_lead_to_a_run_with_a_measured_gain(
    own_run: Digits, tmp_path: Path
) -> None:
    own, queue = own_run, JobQueue(own_run.workspace)
    ids = corrected(own, tmp_path, 3)
    made = request_adding(queue, own.dataset.record.id, ids)
    assert waiting(own.workspace) == []
    go_on_here(own.workspace, made)
    assert made.history.state == State.COMPLETED, made.history.reason
    before = Store.open(own.dataset.record.folder).counts()
    after = Store.open(made.record.folder).counts()
    assert after == before | {"train": before["train"] + 3}

    run = request_retraining(queue, own.run.record.id, made.record.id)
    old, plan = own.run.plan(TrainingPlan), run.plan(TrainingPlan)
    assert plan.weights == f"run:{own.run.record.id}"
    assert plan.dataset == made.record.id
    assert plan.keep_head
    assert plan.learning_rate == pytest.approx(old.learning_rate / 10)
    assert plan.epochs == old.epochs // 2
    go_on_here(own.workspace, run)
    assert run.history.state == State.COMPLETED, run.history.reason
    assert base_of(run.record) == own.run.record.id
    first = RunJob(run.record)
    first.refresh()
    assert first.history.epochs[0].value("val_accuracy") > 0.85, "it begins with known weights"

    evaluations = request_gain(queue, run.record.id)
    assert len(evaluations) == 2
    assert request_gain(queue, run.record.id) == [], "both are waiting"
    assert gain_of(own.workspace, run.record.id) is None
    for each in evaluations:
        go_on_here(own.workspace, each)
    gain = gain_of(own.workspace, run.record.id)
    assert gain is not None
    assert gain.count == before["test"]
    assert gain.low <= gain.difference <= gain.high


def test_pictures_that_were_not_added_wait(own_digits: Digits, tmp_path: Path) -> None:
    own, queue = own_digits, JobQueue(own_digits.workspace)
    ids, review = corrected(own, tmp_path, 2), ReviewQueue(own.workspace.root)
    review.relabel(ids[:1], "no such class")
    with pytest.raises(StudioError, match='no class "no such class"'):
        request_adding(queue, own.dataset.record.id, ids)
    assert [each.id for each in waiting(own.workspace)] == ids

    queue.stop(request_adding(queue, own.dataset.record.id, ids[1:]))
    assert [each.id for each in waiting(own.workspace)] == ids


def test_what_is_gone_cannot_be_retrained(own_digits: Digits) -> None:
    queue = JobQueue(own_digits.workspace)
    with pytest.raises(StudioError, match="no longer exists"):
        request_retraining(queue, "gone", own_digits.dataset.record.id)
    with pytest.raises(StudioError, match="no images"):
        request_adding(queue, own_digits.dataset.record.id, ["none"])
    with pytest.raises(StudioError, match="no longer exists"):
        gain_of(own_digits.workspace, "gone")
