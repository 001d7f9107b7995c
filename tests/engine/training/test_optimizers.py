"""Optimizers as data: what is listed, what is refused, what is advised."""

from __future__ import annotations

import typing

import pytest

from studio.engine.errors import Problem, StudioError
from studio.engine.plans import fields_of
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import OptimizerName, TrainingPlan
from studio.engine.training.requests import check_optimizer


def _problems(**values: object) -> dict[str, Problem]:
    plan = TrainingPlan.parse({"dataset": "d", **values})
    return {problem.where: problem for problem in check_optimizer(plan)}


def test_a_plan_can_name_every_optimizer() -> None:
    assert list(typing.get_args(OptimizerName)) == OPTIMIZERS.names()


@pytest.mark.parametrize("name", OPTIMIZERS.names())
def test_the_defaults_of_every_optimizer_are_sound(name: str) -> None:
    optimizer = OPTIMIZERS[name]
    problems = _problems(optimizer=name, learning_rate=optimizer.usual_rate)

    assert not problems or optimizer.fails_on
    assert all(field.help for field in fields_of(optimizer.parameters))
    assert optimizer.options({}).arguments()


def test_what_does_not_work_is_refused_with_the_reason() -> None:
    refused = _problems(optimizer="schedule_free_adamw")
    assert refused["optimizer"].serious
    assert "TensorFlow" in refused["optimizer"].message
    assert "optimizer" not in _problems(optimizer="schedule_free_adamw", backend="jax")
    assert _problems(optimizer="ftrl", learning_rate=0.1, head_rate=0.1)["optimizer"].serious
    assert not _problems(optimizer="sgd", learning_rate=0.01, head_rate=0.1)


def test_parameters_are_those_of_the_optimizer() -> None:
    assert "optimizer_options.momentum" in _problems(optimizer="adam", momentum=0.9)
    wrong = _problems(optimizer="adam", optimizer_options={"beta_1": 1.0, "rho": 0.5})
    assert set(wrong) == {"optimizer_options.beta_1", "optimizer_options.rho"}
    with pytest.raises(StudioError, match="beta_1"):
        OPTIMIZERS["adam"].options({"beta_1": 2})


def test_parameters_that_would_do_nothing_are_refused() -> None:
    plain = {"optimizer": "sgd", "optimizer_options": {"nesterov": True}}
    assert _problems(**plain)["optimizer_options.nesterov"].serious
    assert not _problems(
        optimizer="sgd", optimizer_options={"nesterov": True, "momentum": 0.9}, learning_rate=0.01
    )
    relative: dict[str, object] = {"optimizer": "adafactor", "learning_rate": 0.01}
    relative["optimizer_options"] = {"relative_step": True}
    assert not _problems(**relative)
    assert "optimizer_options.relative_step" in _problems(**relative, schedule="cosine")


@pytest.mark.parametrize(("rate", "word"), [(1.0, "high"), (1e-6, "low")])
def test_a_rate_far_from_usual_is_reported_but_not_refused(rate: float, word: str) -> None:
    found = _problems(optimizer="adam", learning_rate=rate)["learning_rate"]

    assert word in found.message
    assert not found.serious
