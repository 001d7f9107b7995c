"""The learning rate of every step: the policy, with warm-up before it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from studio.engine.training.schedules import SCHEDULES
from studio.engine.training.schedules.schedule import Policy


def rate_at(
    name: str,
    parameters: Policy | Mapping[str, object],
    base_rate: float,
    step: int,
    total_steps: int,
    warmup_percent: float = 0.0,
) -> float:
    """The learning rate of one step.

    Warm-up rises in a straight line and reaches the base rate at its last step (P. Goyal et al.,
    "Accurate, large minibatch SGD", 2017, arXiv:1706.02677, section 2.2); the policy then runs
    over the steps that are left, so that the curve has no jump.

    Args:
        name: A name of `SCHEDULES`.
        parameters: Its parameters, or the plain data to build them from.
        base_rate: Rate at the start, or at the end of warm-up.
        step: Steps done before this one, from 0. Beyond the last the rate stays as it ends.
        total_steps: Steps of the whole training.
        warmup_percent: Share of training that warms up, 0 to 100.

    Raises:
        StudioError: There is no such policy, or its parameters do not fit.
    """
    schedule = SCHEDULES[name]
    policy = policy_from(name, parameters)
    warmup_steps = math.ceil(total_steps * warmup_percent / 100 - 1e-9)
    if step < warmup_steps:
        return base_rate * (step + 1) / warmup_steps
    progress = (step - warmup_steps) / max(total_steps - warmup_steps, 1)
    return schedule.rate(policy, base_rate, min(progress, 1.0))


def curve(
    name: str,
    parameters: Policy | Mapping[str, object],
    base_rate: float,
    total_steps: int,
    warmup_percent: float = 0.0,
    points: int = 1000,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The rates of all steps, or of evenly spread ones when there are many, to be drawn.

    Args:
        name: A name of `SCHEDULES`.
        parameters: Its parameters, or the plain data to build them from.
        base_rate: Rate at the start, or at the end of warm-up.
        total_steps: Steps of the whole training, at least 1.
        warmup_percent: Share of training that warms up, 0 to 100.
        points: Most points to give, at least 2; the first and the last step are always there.

    Returns:
        Steps and their rates, two arrays of one length.

    Raises:
        StudioError: There is no such policy, or its parameters do not fit.
    """
    policy = policy_from(name, parameters)
    count = min(points, total_steps)
    steps = np.linspace(0, total_steps - 1, count).round().astype(np.int64)
    rates = [
        rate_at(name, policy, base_rate, int(step), total_steps, warmup_percent) for step in steps
    ]
    return steps, np.array(rates, dtype=np.float64)


def policy_from(name: str, parameters: Policy | Mapping[str, object]) -> Policy:
    """The parameters of a policy, checked, from plain data.

    Raises:
        StudioError: There is no such policy, or its parameters do not fit.
    """
    if isinstance(parameters, Policy):
        return parameters
    return SCHEDULES[name].parameters.parse(dict(parameters))
