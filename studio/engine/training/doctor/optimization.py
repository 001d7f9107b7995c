"""Diagnoses of the optimization: divergence, a wrong learning rate, a plateau."""

from __future__ import annotations

import math

import numpy as np

from studio.engine.messages import message
from studio.engine.training.doctor.training_history import (
    OF_RESULTS,
    Diagnosis,
    RunFinding,
    TrainingHistory,
    number,
    slower,
)

_FEWEST_STEPS = 20
_BLOWN_UP = 2.0
"""A final loss of this many times the first one is divergence."""
_LATE = 10
"""The last such part of the steps says where the loss is now."""


def find_divergence(history: TrainingHistory) -> RunFinding | None:
    """Find a loss that is not finite, or twice the initial loss in late steps."""
    if history.not_finite:
        return _finding(history, _not_finite(history))
    if len(history.step_loss) < _FEWEST_STEPS or not np.isfinite(history.start):
        return None
    late = history.step_loss[-max(5, len(history.step_loss) // _LATE) :]
    late = late[np.isfinite(late)]
    if not len(late) or np.median(late) <= _BLOWN_UP * history.start:
        return None
    now = float(np.median(late))
    return _finding(
        history,
        message(
            "The training {loss:lower} is {value} after {steps:,} steps; at the start it was "
            "{start}.",
            loss=history.loss_name,
            value=number(now),
            steps=len(history.step_loss),
            start=number(history.start),
        ),
    )


def _not_finite(history: TrainingHistory) -> str:
    finite = np.flatnonzero(np.isfinite(history.step_loss))
    if not len(finite):
        return message(
            "The training {loss:lower} was undefined from the first step.",
            loss=history.loss_name,
        )
    last = int(finite[-1])
    return message(
        "The training {loss:lower} was {value} at step {step:,} and undefined after it.",
        loss=history.loss_name,
        value=number(float(history.step_loss[last])),
        step=last + 1,
    )


def _finding(history: TrainingHistory, evidence: str) -> RunFinding:
    end = len(history.step_loss) / max(history.steps_per_epoch, 1)
    finite = np.where(np.isfinite(history.step_loss), history.step_loss, np.inf)
    lowest = int(np.argmin(finite)) if len(finite) else 0
    changes: dict[str, object] = {"learning_rate": slower(history, 0.1)}
    if not history.plan.global_clipnorm:
        changes["global_clipnorm"] = 1.0
    return RunFinding(
        "divergence",
        "Training diverges",
        evidence,
        "Use a tenth of the learning rate, and clip gradients.",
        changes,
        min(lowest / max(history.steps_per_epoch, 1), end),
        end,
    )


DIVERGENCE = Diagnosis(
    "divergence",
    find_divergence,
    ("rate_too_high", "rate_too_low", "over_fitting", "plateau", *OF_RESULTS),
)


_HIGH_FEWEST_EPOCHS = 3
_STUCK = 0.5
"""A loss above this share of where it began has learned little."""
_FALLS = 0.95
"""Below this share of the half before, the loss of an epoch still falls."""
_JUMP = 1.6
"""Times the loss at the beginning: guessing costs about once that, whatever the batch."""
_FAR = 6.0
"""And this many standard errors of the batch mean above it, beyond chance."""
_RESTLESS = 2.0
"""Spread between steps, as a share of the loss, times the root of the batch size. Chance alone
makes it about 1: losses of single images are spread about as wide as they are high."""
_LEAST_SPREAD = 0.2


def find_rate_too_high(history: TrainingHistory) -> RunFinding | None:
    """Diagnose a high loss that does not fall and varies more than chance explains."""
    if history.epochs < _HIGH_FEWEST_EPOCHS or not np.isfinite(history.start):
        return None
    losses = history.loss[np.isfinite(history.loss)]
    if len(losses) < _HIGH_FEWEST_EPOCHS:
        return None
    half = len(losses) // 2
    before, now = float(np.median(losses[:half])), float(np.median(losses[half:]))
    if now < _STUCK * history.start or (now < _FALLS * before and now < history.start):
        return None
    steps = history.step_loss[np.isfinite(history.step_loss)]
    # A single odd batch, or the label of one image, is no jump.
    worst = float(np.sort(steps)[-min(3, len(steps))])
    spread = _spread(steps[-len(steps) // 2 :]) / max(now, 1e-12)
    batch = history.plan.batch_size * history.plan.gradient_accumulation_steps
    jumped = worst >= max(_JUMP, 1 + _FAR / math.sqrt(batch)) * history.start
    restless = spread >= max(_LEAST_SPREAD, _RESTLESS / math.sqrt(batch))
    if not jumped and not restless:
        return None
    if jumped:
        seen = message(
            "The training {loss:lower} rose to {highest}",
            loss=history.loss_name,
            highest=number(worst),
        )
    else:
        seen = message(
            "The training {loss:lower} jumps by {share:.0%} between steps",
            loss=history.loss_name,
            share=spread,
        )
    return RunFinding(
        "rate_too_high",
        "The learning rate is too high",
        message(
            "{observation} and is {now} after {epochs} epochs; at the start it was {start}.",
            observation=seen,
            now=number(float(losses[-1])),
            epochs=history.epochs,
            start=number(history.start),
        ),
        "Use a third of the learning rate."
        if now < 0.9 * history.start
        else "Use a tenth of the learning rate.",
        {"learning_rate": slower(history, 1 / 3 if now < 0.9 * history.start else 0.1)},
        0.0,
        float(history.epochs),
    )


def _spread(steps: np.ndarray) -> float:
    """Standard deviation of neighbors' differences, from their median: a trend does not count."""
    if len(steps) < 2:
        return 0.0
    differences = np.abs(np.diff(steps))
    return float(np.median(differences)) / 0.6745 / math.sqrt(2)


RATE_TOO_HIGH = Diagnosis(
    "rate_too_high", find_rate_too_high, ("rate_too_low", "plateau", "over_fitting", *OF_RESULTS)
)


_LOW_RATE_FEWEST_EPOCHS = 5
_DONE = 0.5
"""Fraction of the planned epochs: a large network may start slowly."""
_LEARNED_LITTLE = 0.6
"""A loss above this share of where it began, so late, has hardly learned."""
_HARDLY = 0.95
_FALLING = 0.75
"""Share of the epochs that brought the loss down."""
_STILL = 0.2
"""Fraction of the total gain in the last third of the epochs: a third if it is even."""


def find_rate_too_low(history: TrainingHistory) -> RunFinding | None:
    """Return a high loss late in the run that falls evenly, and still does."""
    enough = max(_LOW_RATE_FEWEST_EPOCHS, _DONE * history.plan.epochs)
    if (
        history.epochs < enough
        or not np.isfinite(history.loss).all()
        or not np.isfinite(history.start)
    ):
        return None
    losses = history.loss
    first, last = float(losses[0]), float(losses[-1])
    gained = first - last
    late = float(losses[-1 - history.epochs // 3]) - last
    falls = float(np.mean(np.diff(losses) < 0))
    even = falls >= _FALLING and gained > 0 and late >= _STILL * gained
    if not even or last < _LEARNED_LITTLE * max(first, history.start):
        return None
    factor = 10.0 if last > _HARDLY * first else 3.0
    rate = slower(history, factor)
    if rate <= history.plan.learning_rate:
        return None
    return RunFinding(
        "rate_too_low",
        "The learning rate is too low",
        message(
            "The training {loss:lower} decreased in {share:.0%} of the epochs, but only from "
            "{before} to {after} in {epochs} epochs, and still decreases.",
            loss=history.loss_name,
            share=falls,
            before=number(first),
            after=number(last),
            epochs=history.epochs,
        ),
        message("Use {factor:.0f} times the learning rate.", factor=factor),
        {"learning_rate": rate},
        0.0,
        float(history.epochs),
    )


RATE_TOO_LOW = Diagnosis(
    "rate_too_low", find_rate_too_low, ("plateau", "over_fitting", *OF_RESULTS)
)


_FEWEST = 9
_PART = 3
"""Fraction of the last epochs whose two halves are compared."""
SAME = 0.98
"""Loss of its second half against its first, from which on it does not fall."""
_GAIN = 0.01
"""Minimum gain between the halves that counts as an increase."""
GOOD = 0.9
"""Score from which on standing still is being done."""
_LOW = 0.2
"""The same for the loss, as a share of where it began."""
_RATE_GONE = 0.3
"""Below this share of its highest value the rate itself says that training ends."""


def find_plateau(history: TrainingHistory) -> RunFinding | None:
    """Loss and scores that stagnate in the last third, with a loss far above zero."""
    if history.epochs < _FEWEST or not np.isfinite(history.loss).all():
        return None
    late = slice(-(max(history.epochs // _PART, 4)), None)
    if not _stands_still(history, late) or _is_done(history, late):
        return None
    if history.rates[-1] < _RATE_GONE * np.nanmax(history.rates):
        return None
    losses = history.loss[late]
    first = history.epochs - len(losses) + 1
    has_val = bool(np.isfinite(history.val_score[late]).any())
    score = history.val_score[late] if has_val else history.score[late]
    loss = number(float(np.median(losses)))
    evidence = message(
        "From epoch {first} to {last} training {loss:lower} stayed near {value}.",
        first=first,
        last=history.epochs,
        loss=history.loss_name,
        value=loss,
    )
    if np.isfinite(score).any():
        evidence = message(
            "From epoch {first} to {last} training {loss:lower} stayed near {value} and "
            "validation {score}."
            if has_val
            else "From epoch {first} to {last} training {loss:lower} stayed near {value} and "
            "training {score}.",
            first=first,
            last=history.epochs,
            loss=history.loss_name,
            value=loss,
            score=history.score_text(float(np.nanmedian(score))),
        )
    changes: dict[str, object] = {"learning_rate": slower(history, 3.0)}
    advice = "Try three times the learning rate, or a network that can learn more."
    if history.plan.schedule == "constant":
        changes = {"schedule": "cosine", "schedule_options": {}}
        advice = "Use a cosine schedule; if that is not enough, start with a higher rate."
    return RunFinding(
        "plateau",
        "Training makes no progress",
        evidence,
        advice,
        changes,
        float(first - 1),
        float(history.epochs),
    )


def _stands_still(history: TrainingHistory, late: slice) -> bool:
    """Return True if neither the training loss nor a score is better in the second half."""
    before, now = halves(history.loss[late])
    return not now < SAME * before and no_score_rises(history, late)


def no_score_rises(history: TrainingHistory, late: slice) -> bool:
    """Return True if no score improves in the second half of some epochs.

    Args:
        history: The run.
        late: The epochs.
    """
    pairs = [halves(each[late]) for each in (history.score, history.val_score)]
    # Where nothing was measured the gain is NaN, which is no gain.
    return not any(now - before > _GAIN for before, now in pairs)


def halves(values: np.ndarray) -> tuple[float, float]:
    """Return the medians of the two halves of the known values; NaN for fewer than two."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return float("nan"), float("nan")
    half = len(known) // 2
    return float(np.median(known[:half])), float(np.median(known[half:]))


def _is_done(history: TrainingHistory, late: slice) -> bool:
    """Return True if the metrics can hardly improve further."""
    known = np.concatenate([history.score[late], history.val_score[late]])
    known = known[np.isfinite(known)]
    loss = float(np.median(history.loss[late]))
    low = bool(np.isfinite(history.start)) and loss < _LOW * history.start
    return low or bool(len(known) and known.max() >= GOOD)


PLATEAU = Diagnosis("plateau", find_plateau, ("flat_score",))
