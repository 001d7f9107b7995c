"""The doctor on real runs: one that is well, and one for each diagnosis that a plan can cause."""

from __future__ import annotations

from typing import Any

import pytest

from helpers.digits import Digits, do_here
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.states import State
from studio.engine.training.doctor import RunFinding, TrainingHistory, diagnose, run_dataset
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace


def findings_of(workspace: Workspace, job: RunJob) -> dict[str, RunFinding]:
    plan = job.plan(TrainingPlan)
    history = TrainingHistory.of(job.history, plan)
    history = history.with_answers(job.record.folder, run_dataset(workspace, plan))
    return {finding.name: finding for finding in diagnose(history)}


def trained(digits: Digits, dataset: str, **settings: Any) -> dict[str, RunFinding]:
    job = do_here(digits.workspace, TrainingPlan(dataset=dataset, **settings), "ill")
    assert job.history.state in (State.COMPLETED, State.FAILED), job.history.reason
    return findings_of(digits.workspace, job)


def test_a_run_that_improves_gets_no_finding(digits: Digits) -> None:
    assert findings_of(digits.workspace, digits.run) == {}


@pytest.mark.thorough
def test_a_rate_a_hundred_times_too_high(own_digits: Digits) -> None:
    found = trained(own_digits, own_digits.dataset.record.id, epochs=4, learning_rate=0.1)
    assert len(found) == 1
    (finding,) = found.values()
    assert finding.name in ("rate_too_high", "divergence")
    assert finding.changes["learning_rate"] == pytest.approx(0.01)


@pytest.mark.slow
def test_a_rate_a_thousand_times_too_low(own_digits: Digits) -> None:
    found = trained(
        own_digits, own_digits.dataset.record.id, epochs=6, learning_rate=1e-6, batch_size=64
    )
    assert list(found) == ["rate_too_low"]
    assert found["rate_too_low"].changes["learning_rate"] == pytest.approx(1e-5)


@pytest.mark.thorough
def test_twenty_images_are_overfitted(own_digits: Digits) -> None:
    recipe = own_digits.dataset.plan(DatasetRecipe)
    recipe = recipe.changed(max_per_class=12, val_percent=80, test_percent=0)
    few = do_here(own_digits.workspace, recipe, "few")
    assert few.history.state == State.COMPLETED, few.history.reason
    found = trained(own_digits, few.record.id, epochs=24)
    assert list(found) == ["over_fitting"]
