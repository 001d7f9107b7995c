"""The loss grows beyond all bounds, or is no number any more."""

from __future__ import annotations

import numpy as np

from studio.engine.training.doctor.signs import OF_RESULTS, Finding, Illness, Signs, number, slower

_FEWEST_STEPS = 20
_BLOWN_UP = 2.0
"""A loss that ends at so many times what it began with: guessing costs no more than once that."""
_LATE = 10
"""The last such part of the steps says where the loss is now."""


def find(signs: Signs) -> Finding | None:
    """Not finite, or late steps that cost twice as much as guessing did."""
    if signs.not_finite:
        return _finding(signs, _not_finite(signs))
    if len(signs.step_loss) < _FEWEST_STEPS or not np.isfinite(signs.start):
        return None
    late = signs.step_loss[-max(5, len(signs.step_loss) // _LATE) :]
    late = late[np.isfinite(late)]
    if not len(late) or np.median(late) <= _BLOWN_UP * signs.start:
        return None
    now = float(np.median(late))
    return _finding(
        signs,
        f"The training loss is at {number(now)} after {len(signs.step_loss):,} steps; before "
        f"anything was learned it was {number(signs.start)}.",
    )


def _not_finite(signs: Signs) -> str:
    finite = np.flatnonzero(np.isfinite(signs.step_loss))
    if not len(finite):
        return "The loss was no number from the first step on."
    last = int(finite[-1])
    return (
        f"The training loss was {number(float(signs.step_loss[last]))} at step {last + 1:,} and "
        "then no number any more."
    )


def _finding(signs: Signs, evidence: str) -> Finding:
    end = len(signs.step_loss) / max(signs.steps_per_epoch, 1)
    finite = np.where(np.isfinite(signs.step_loss), signs.step_loss, np.inf)
    lowest = int(np.argmin(finite)) if len(finite) else 0
    changes: dict[str, object] = {"learning_rate": slower(signs, 0.1)}
    if not signs.plan.clip_global_norm:
        changes["clip_global_norm"] = 1.0
    return Finding(
        "divergence",
        "Training diverges",
        evidence,
        "Take a tenth of the learning rate, and let no single batch throw the weights far.",
        changes,
        min(lowest / max(signs.steps_per_epoch, 1), end),
        end,
    )


DIVERGENCE = Illness(
    "divergence", find, ("rate_too_high", "rate_too_low", "over_fitting", "plateau", *OF_RESULTS)
)
