"""Parameters that several optimizers have, each said once."""

from __future__ import annotations

from typing import Any

from studio.engine.plans import plan_field


def decay_field(  # the result is any, as that of `plan_field`
    default: float, label: str, text: str, *, why: str
) -> Any:  # noqa: ANN401
    """A share of a running mean that every step keeps."""
    return plan_field(default, label=label, help=text, why=why, level="expert", ge=0, lt=1)


def beta_1_field(default: float = 0.9) -> Any:  # noqa: ANN401 - as `plan_field`
    """Share of the running mean of gradients."""
    return decay_field(
        default,
        "Beta 1",
        "Share of the mean gradient that every step keeps.",
        why="The momentum of this optimizer: closer to 1 is calmer, 0.5 to 0.8 follows sooner.",
    )


def beta_2_field(default: float = 0.999) -> Any:  # noqa: ANN401 - as `plan_field`
    """Share of the running mean of squared gradients."""
    return decay_field(
        default,
        "Beta 2",
        "Share of the mean squared gradient that is kept.",
        why="0.95 to 0.99 when the loss jumps late: large gradients are noticed sooner.",
    )


def epsilon_field(default: float = 1e-7) -> Any:  # noqa: ANN401 - as `plan_field`
    """What keeps a division from being one by zero."""
    return plan_field(
        default,
        label="Epsilon",
        help="Added to what is divided by; larger values calm the first steps.",
        why="1e-4 where 16-bit numbers become infinite; up to 0.1 where steps are wild.",
        level="expert",
        gt=0,
        le=1,
        scale="log",
    )


def accumulator_field() -> Any:  # noqa: ANN401 - as `plan_field`
    """What sums of squared gradients begin at."""
    return plan_field(
        0.1,
        label="First sum",
        help="What the sum of squared gradients begins at; larger values calm the first steps.",
        why="Raise it when the first steps make the loss jump; 0.1 is usual.",
        level="expert",
        ge=0,
        le=1e6,
    )


def momentum_field(default: float = 0.0) -> Any:  # noqa: ANN401 - as `plan_field`
    """Share of the step before."""
    return plan_field(
        default,
        label="Momentum",
        help="Share of the previous step that is kept.",
        why="0.9 goes faster and more straight through valleys.",
        ge=0,
        lt=1,
    )
