"""Nothing gets better any more, though a good deal is left to learn."""

from __future__ import annotations

import numpy as np

from studio.engine.training.doctor.signs import Finding, Illness, Signs, number, slower

_FEWEST = 9
_PART = 3
"""The last such part of the epochs is looked at, by its two halves."""
SAME = 0.98
"""Loss of its second half against its first, from which on it does not fall."""
_GAIN = 0.01
"""Score gained between them, below which it does not rise."""
GOOD = 0.9
"""Score from which on standing still is being done."""
_LOW = 0.2
"""The same for the loss, as a share of where it began."""
_RATE_GONE = 0.3
"""Below this share of its highest value the rate itself says that training ends."""


def find(signs: Signs) -> Finding | None:
    """Loss and scores of the last third that stand still, high above zero."""
    if signs.epochs < _FEWEST or not np.isfinite(signs.loss).all():
        return None
    late = slice(-(max(signs.epochs // _PART, 4)), None)
    if not _stands_still(signs, late) or _is_done(signs, late):
        return None
    if signs.rates[-1] < _RATE_GONE * np.nanmax(signs.rates):
        return None
    losses = signs.loss[late]
    first = signs.epochs - len(losses) + 1
    has_val = bool(np.isfinite(signs.val_score[late]).any())
    score = signs.val_score[late] if has_val else signs.score[late]
    which = "validation" if has_val else "training"
    loss = number(float(np.median(losses)))
    evidence = f"From epoch {first} to {signs.epochs} training loss stayed near {loss}."
    if np.isfinite(score).any():
        evidence = (
            f"From epoch {first} to {signs.epochs} training loss stayed near {loss} and {which} "
            f"{signs.score_text(float(np.nanmedian(score)))}."
        )
    changes: dict[str, object] = {"learning_rate": slower(signs, 3.0)}
    advice = "Try three times the learning rate, or a network that can learn more."
    if signs.plan.schedule == "constant":
        changes = {"schedule": "cosine", "schedule_options": {}}
        advice = "Let the learning rate fall along a cosine; if that is not enough, begin higher."
    return Finding(
        "plateau",
        "Training stands still",
        evidence,
        advice,
        changes,
        float(first - 1),
        float(signs.epochs),
    )


def _stands_still(signs: Signs, late: slice) -> bool:
    """True if neither the training loss nor a score is better in the second half."""
    before, now = halves(signs.loss[late])
    return not now < SAME * before and no_score_rises(signs, late)


def no_score_rises(signs: Signs, late: slice) -> bool:
    """True if neither score is better in the second half of some epochs."""
    pairs = [halves(each[late]) for each in (signs.score, signs.val_score)]
    # Where nothing was measured the gain is NaN, which is no gain.
    return not any(now - before > _GAIN for before, now in pairs)


def halves(values: np.ndarray) -> tuple[float, float]:
    """Return the medians of the two halves of the known values; NaN for fewer than two."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return float("nan"), float("nan")
    half = len(known) // 2
    return float(np.median(known[:half])), float(np.median(known[half:]))


def _is_done(signs: Signs, late: slice) -> bool:
    """True if there is little left to learn."""
    known = np.concatenate([signs.score[late], signs.val_score[late]])
    known = known[np.isfinite(known)]
    loss = float(np.median(signs.loss[late]))
    low = bool(np.isfinite(signs.start)) and loss < _LOW * signs.start
    return low or bool(len(known) and known.max() >= GOOD)


PLATEAU = Illness("plateau", find, ("flat_score",))
