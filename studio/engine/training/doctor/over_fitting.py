"""The network learns its training images by heart."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.augment.plan import PRESETS, AugmentationPlan
from studio.engine.training.doctor.signs import Finding, Illness, Signs, number
from studio.engine.training.plan import TrainingPlan

_FEWEST = 6
"""Validations before anything is said, and of those at least so many after the best one:"""
_AFTER = 3
_RISE = 1.15
"""The last validation losses against the best; less is within what luck does."""
_WOBBLES = 2.0
"""And the rise is so many times as large as the losses jump from one to the next, on average."""
_LEARNS = 0.8
"""Training loss now against that of the best epoch: it goes on falling."""
_GAP = 0.75
"""Training loss against validation loss."""
_STILL_BETTER = 0.01
"""Validation score gained since then, after which a rising loss only means being too sure."""


_BY_HEART = 0.97
"""Training score from which on little is left to learn from the training images,"""
_BEHIND = 0.15
"""and by how much the validation score is behind it,"""
_SLOW = 0.03
"""while it gains less than this in the last third of the validations."""
_LONG = 12


def find(signs: Signs) -> Finding | None:
    """Validation that gets worse, or that stands still far behind, while training gets better."""
    return _rising(signs) or _far_behind(signs)


def _rising(signs: Signs) -> Finding | None:
    """Validation loss that rises from its best while training loss falls."""
    places, losses = signs.measured()
    if len(losses) < _FEWEST:
        return None
    best = int(np.argmin(losses))
    after = losses[best + 1 :]
    if len(after) < _AFTER or not np.isfinite(signs.loss[places[[best, -1]]]).all():
        return None
    now = float(np.mean(after[-_AFTER:]))
    wobble = float(np.median(np.abs(np.diff(losses[best:], n=2)))) if len(after) > 2 else 0.0
    low, then, train = losses[best], *signs.loss[places[[best, -1]]]
    rises = now >= _RISE * low and now - low >= _WOBBLES * wobble
    learns = train <= _LEARNS * then and train <= _GAP * now
    if not rises or not learns or _still_better(signs, places, best):
        return None
    first, last = int(places[best]) + 1, int(places[-1]) + 1
    return _finding(
        signs,
        f"Validation loss rose from {number(float(low))} in epoch {first} to "
        f"{number(float(losses[-1]))} in epoch {last}, while training loss fell from "
        f"{number(float(then))} to {number(float(train))}.",
        first,
        last,
    )


def _far_behind(signs: Signs) -> Finding | None:
    """Training images that are nearly all right, and validation that no longer follows."""
    places, _ = signs.measured()
    if len(places) < _LONG:
        return None
    late = places[-(len(places) // 3) :]
    train, val = signs.score[late], signs.val_score[late]
    if not (np.isfinite(train).all() and np.isfinite(val).all()):
        return None
    reached, gained = float(np.median(val)), float(np.mean(val[-_AFTER:]) - np.mean(val[:_AFTER]))
    if train.min() < _BY_HEART or train[-1] - reached < _BEHIND or gained > _SLOW:
        return None
    first, last = int(late[0]) + 1, int(late[-1]) + 1
    return _finding(
        signs,
        f"From epoch {first} to {last} validation {signs.score_text(reached)} did not rise (loss "
        f"{number(float(signs.val_loss[late[-1]]))}), while training reached "
        f"{signs.score_text(float(train[-1]))} (loss "
        f"{number(float(signs.loss[late[-1]]))}).",
        first,
        last,
    )


def _finding(signs: Signs, evidence: str, first: int, last: int) -> Finding:
    return Finding(
        "over_fitting",
        "The network learns its training images by heart",
        evidence,
        _ADVICE,
        _changes(signs.plan),
        float(first),
        float(last),
    )


_ADVICE = (
    "Vary the training images, pull the weights towards zero, and stop when validation no longer "
    "gets better. More images help most."
)


def _still_better(signs: Signs, places: np.ndarray, best: int) -> bool:
    score = signs.val_score[places]
    late = score[best + 1 :][-_AFTER:]
    return bool(np.mean(late) > np.max(score[: best + 1]) + _STILL_BETTER)


def _changes(plan: TrainingPlan) -> dict[str, object]:
    changes: dict[str, object] = {}
    # What is done to all images alike stays; only what varies them counts.
    varied = plan.augmentation.model_copy(
        update={name: getattr(AugmentationPlan(), name) for name in _SAME_FOR_ALL}
    )
    if varied == AugmentationPlan():
        light = PRESETS["light"].values
        changes |= {f"augmentation.{name}": value for name, value in light.items()}
    if plan.weight_decay < _DECAY:
        changes["weight_decay"] = _DECAY
    if not plan.stop_patience:
        changes["stop_patience"] = _PATIENCE
    return changes


_SAME_FOR_ALL = ("subtract_mean", "whitening", "crop", "place")
_DECAY = 1e-4
_PATIENCE = 5

OVER_FITTING = Illness("over_fitting", find, ("plateau", "flat_score"))
