"""What is wrong, or unwise, about the optimizer of a plan and its learning rate."""

from __future__ import annotations

from dataclasses import replace

from studio.engine.errors import Problem
from studio.engine.training.optimizers import OPTIMIZERS
from studio.engine.training.plan import TrainingPlan

FAR = 30.0
"""A rate that many times above, or below, the usual one is worth a word."""


def check_optimizer(plan: TrainingPlan) -> list[Problem]:
    """Hold the optimizer of a plan against its parameters, its backend and its rates."""
    optimizer = OPTIMIZERS[plan.optimizer]
    problems = [
        _about_options(problem, plan.optimizer)
        for problem in optimizer.parameters.check(plan.optimizer_options)[1]
    ]
    reason = optimizer.fails_on.get(plan.backend)
    if reason is not None:
        problems.append(
            Problem(
                "optimizer",
                f"{optimizer.label} does not work here: {reason}.",
                "Choose AdamW, or another backend.",
            )
        )
    if not optimizer.takes_layer_rates and (plan.backbone_rate, plan.head_rate) != (1.0, 1.0):
        problems.append(
            Problem(
                "optimizer",
                f"{optimizer.label} cannot give layers rates of their own.",
                "Set the rates of backbone and head to 1, or choose another optimizer.",
            )
        )
    options = plan.optimizer_options
    if options.get("relative_step") is True and (
        plan.schedule != "constant" or plan.warmup_percent
    ):
        problems.append(
            Problem(
                "optimizer_options.relative_step",
                "the rate falls by itself only where nothing else changes it.",
                "Take the constant schedule without warm-up, or switch it off.",
            )
        )
    if options.get("nesterov") is True and plan.optimizer == "sgd" and not options.get("momentum"):
        problems.append(
            Problem(
                "optimizer_options.nesterov",
                "there is no momentum that could look ahead.",
                "Set the momentum, for example to 0.9.",
            )
        )
    return problems + _check_rate(plan)


def _check_rate(plan: TrainingPlan) -> list[Problem]:
    optimizer = OPTIMIZERS[plan.optimizer]
    low, high = optimizer.usual_rates
    if low <= plan.learning_rate <= high:
        return []
    side = "high" if plan.learning_rate > high else "low"
    return [
        Problem(
            "learning_rate",
            f"{plan.learning_rate:g} is very {side} for {optimizer.label}.",
            f"Usual are {low:g} to {high:g}; most networks learn with about "
            f"{optimizer.usual_rate:g}.",
            serious=False,
        )
    ]


def _about_options(problem: Problem, optimizer: str) -> Problem:
    where = f"optimizer_options.{problem.where}".rstrip(".")
    if problem.where != "momentum" or "momentum" in OPTIMIZERS[optimizer].parameters.model_fields:
        return replace(problem, where=where)
    # It was a field of every plan once, and still is an option of the command line.
    return Problem(
        where,
        f"momentum is for SGD and RMSprop; {optimizer} has its own.",
        "Leave it out, or choose SGD.",
    )
