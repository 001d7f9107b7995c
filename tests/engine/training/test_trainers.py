"""A plan's trainer knows how often images are used, and what to do with too little memory."""

from __future__ import annotations

import pytest

from studio.engine.training.plan import TrainingPlan
from studio.engine.training.precision import FULL
from studio.engine.training.trainers import MAX_ACCUMULATED, trainer_of

PLAN = TrainingPlan(dataset="d").changed(epochs=3, batch_size=8, precision="mixed_float16")
SOLVED = PLAN.changed(head_solver="logistic_regression", freeze="all")


def test_gradient_descent_takes_a_step_for_each_batch() -> None:
    trainer = trainer_of(PLAN)

    assert trainer.steps(PLAN, 17) == 9
    assert trainer.passes(PLAN) == 3
    assert trainer.precision(PLAN) == "mixed_float16"
    assert trainer.note(PLAN) is None
    assert not list(trainer.problems(PLAN))


def test_a_fit_on_features_takes_no_step() -> None:
    trainer = trainer_of(SOLVED)

    assert trainer.steps(SOLVED, 17) == 0
    assert trainer.passes(SOLVED) == 1
    assert trainer.precision(SOLVED) == FULL
    assert "no steps to time" in str(trainer.note(SOLVED))
    assert not list(trainer.problems(SOLVED))


@pytest.mark.parametrize(
    "changes", [{"freeze": "none"}, {"augmentation": {"horizontal_flip": True}}], ids=str
)
def test_features_that_change_are_a_problem(changes: dict[str, object]) -> None:
    plan = SOLVED.changed(**changes)
    assert [each.where for each in trainer_of(plan).problems(plan)] == ["head_solver"]


def test_a_plan_in_less_memory_has_smaller_batches() -> None:
    changes = trainer_of(PLAN).in_less_memory(PLAN)

    assert changes == {"batch_size": 4, "gradient_accumulation_steps": 2}
    smallest = PLAN.changed(batch_size=1)
    assert not trainer_of(smallest).in_less_memory(smallest)
    longest = PLAN.changed(gradient_accumulation_steps=MAX_ACCUMULATED)
    assert not trainer_of(longest).in_less_memory(longest)
    assert not trainer_of(SOLVED).in_less_memory(SOLVED)
