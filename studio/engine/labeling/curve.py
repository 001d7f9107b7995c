"""The learning curve of a labeling: expected accuracy against the number of labels."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats
from studio.engine.labeling.model import Learned, Learner, Scaled, learn
from studio.engine.labeling.proposals import CurvePoint, LearningCurve
from studio.engine.messages import joined, message

LITTLE: Final = 0.005
"""Expected gain of the score by half as many labels again, below which more bring little."""
_FRACTIONS: Final = (0.25, 0.4, 0.65)
_DRAWS: Final = 3
_MANY: Final = 600
"""Labels from which on one draw says enough, and more would take seconds."""
_FEWEST: Final = 8
_FEWEST_FOR_ADVICE: Final = 40
_MORE: Final = 1.5


def curve_of(scaled: Scaled, learned: Learned, targets: Floats, learner: Learner) -> LearningCurve:
    """Return the curve: scores of models trained on some of the labels, and on all.

    Labels that were chosen because they are uncertain are harder than others, so the curve is
    lower than the accuracy on new pictures.

    Args:
        scaled: Features of all pictures.
        learned: The model trained on all labels.
        targets: Targets of `learned.rows`, shape (n, K).
        learner: Learner of the editor.
    """
    count = len(learned.rows)
    points = []
    for size in sorted({round(count * part) for part in _FRACTIONS}):
        if size < _FEWEST:
            continue
        draws = _DRAWS if count <= _MANY else 1
        scores = [_score(scaled, learned, targets, learner, size, seed) for seed in range(draws)]
        known = [score for score in scores if score is not None]
        if known:
            points.append(CurvePoint(size, float(np.mean(known)), float(np.std(known))))
    right = min(max(learned.score, 0.0), 1.0)
    points.append(CurvePoint(count, learned.score, float(np.sqrt(right * (1 - right) / count))))
    gain = _gain(points)
    is_enough = gain is not None and gain < LITTLE
    return LearningCurve(tuple(points), gain, is_enough, _sentence(points, gain, learner))


def _score(
    scaled: Scaled,
    learned: Learned,
    targets: NDArray[np.float64],
    learner: Learner,
    size: int,
    seed: int,
) -> float | None:
    """Train on some labeled pictures and return the score on the others."""
    order = np.random.default_rng(seed).permutation(len(learned.rows))
    some, others = order[:size], order[size:]
    if not learner.can_learn(targets[some]):
        return None
    # Only the pictures that are measured are answered for.
    rows = learned.rows[np.concatenate([some, others])]
    part = Scaled(scaled.values[rows], scaled.median)
    found = learn(part, np.arange(size), targets[some], learner)
    return learner.score(found.outputs[size:], targets[others]) if len(others) else 0.0


def _gain(points: list[CurvePoint]) -> float | None:
    """Return the gain by half as many labels again, of a power law of the error (see `Growth`)."""
    if len(points) < 3 or points[-1].labels < _FEWEST_FOR_ADVICE:
        return None
    labels = np.log([each.labels for each in points])
    errors = np.log([max(1 - each.score, 1e-3) for each in points])
    slope = float(np.polyfit(labels, errors, 1)[0])
    error = max(1 - points[-1].score, 0.0)
    return max(0.0, error * (1 - float(_MORE ** min(slope, 0.0))))


def _sentence(points: list[CurvePoint], gain: float | None, learner: Learner) -> str:
    now = learner.sentence(points[-1].labels, points[-1].score)
    if gain is None:
        return now
    if gain < LITTLE:
        return joined((now, message("More labels would gain little.")))
    more = message("50 % more labels would gain about {gain:.1f} points.", gain=100 * gain)
    return joined((now, more))
