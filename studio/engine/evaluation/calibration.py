"""Whether a model is as sure as it is right, and the one number that makes it so.

Expected calibration error and temperature scaling after Guo et al., "On calibration of modern
neural networks", ICML 2017, arXiv:1706.04599.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from studio.engine.evaluation.outcomes import Labels, Outcomes, Probabilities, joined, outcomes_of
from studio.engine.evaluation.report import CalibrationBin

BINS = 15
_COLDEST, _HOTTEST = 0.05, 20.0
_TINY = 1e-12
_CHUNK = 2_000_000
"""Values that are scaled at a time."""


def bins_of(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bin of each confidence, of `BINS` equally wide ones that are open below, N."""
    places: NDArray[np.int64] = np.ceil(confidence * BINS).astype(np.int64) - 1
    return np.clip(places, 0, BINS - 1)


def calibration_error(
    bins: NDArray[np.int64], confidence: NDArray[np.float64], right: NDArray[np.bool_]
) -> float:
    """Expected calibration error: the mean distance of confidence and accuracy, 0 to 1."""
    gaps = np.bincount(bins, confidence - right, minlength=BINS)
    return float(np.abs(gaps).sum() / len(bins))


def reliability(outcomes: Outcomes) -> tuple[CalibrationBin, ...]:
    """Confidence and accuracy of each bin that has images."""
    bins = bins_of(outcomes.confidence)
    counts = np.bincount(bins, minlength=BINS)
    sure = np.bincount(bins, outcomes.confidence, minlength=BINS)
    right = np.bincount(bins, outcomes.is_right, minlength=BINS)
    return tuple(
        CalibrationBin(
            low=at / BINS,
            high=(at + 1) / BINS,
            count=int(counts[at]),
            confidence=float(sure[at] / counts[at]),
            accuracy=float(right[at] / counts[at]),
        )
        for at in np.flatnonzero(counts).tolist()
    )


def fit_temperature(probabilities: Probabilities, labels: Labels) -> float:
    """The temperature that lowers the loss on these images the most.

    Args:
        probabilities: Shape (n, k), n at least 1.
        labels: True classes, shape (n,).

    Returns:
        0.05 to 20; above 1 where the model is too sure.
    """
    logits = _logits(probabilities)
    own = logits[np.arange(len(labels)), labels]

    def loss(log_temperature: float) -> float:
        heat = np.exp(log_temperature)
        return float((np.log(np.exp(logits / heat).sum(axis=1)) - own / heat).mean())

    bounds = np.log((_COLDEST, _HOTTEST))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-7})
    return float(np.exp(found.x))


def rescaled(probabilities: Probabilities, labels: Labels, temperature: float) -> Outcomes:
    """The outcomes that the same answers have at a temperature."""
    count, classes = probabilities.shape
    step = max(1, _CHUNK // classes)
    parts = []
    for start in range(0, count, step):
        heated = np.exp(_logits(probabilities[start : start + step]) / temperature)
        heated /= heated.sum(axis=1, keepdims=True)
        parts.append(outcomes_of(heated, labels[start : start + step], classes))
    return joined(parts)


def _logits(probabilities: Probabilities) -> NDArray[np.float64]:
    """What a softmax was given, the largest of each row being 0."""
    logits = np.log(np.maximum(probabilities.astype(np.float64), _TINY))
    found: NDArray[np.float64] = logits - logits.max(axis=1, keepdims=True)
    return found
