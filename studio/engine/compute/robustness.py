"""Measures a model on images that were spoiled in many ways."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.models import score
from studio.engine.compute.scoring import Pixels, Subjects
from studio.engine.evaluation.corruptions import CORRUPTIONS, CorruptionKind, spoiled
from studio.engine.evaluation.report import Robustness, RobustnessCurve, RobustnessPoint
from studio.engine.progress import Progress
from studio.engine.proportions import wilson

MOST = 500
"""Images that are spoiled; of more, the curves would look the same."""


def measure_robustness(
    subjects: Subjects, rows: NDArray[np.int64], resamples: int, progress: Progress
) -> Robustness:
    """Accuracy by way and strength, on images drawn evenly from some rows.

    Raises:
        BadDataError: An image is damaged.
        Cancelled: Somebody asked for the work to end.
    """
    if len(rows) > MOST:
        rows = rows[np.linspace(0, len(rows) - 1, MOST).astype(np.int64)]
    pixels, truth = subjects.pixels(rows), subjects.truth(rows)
    total = sum(len(kind.strengths) for kind in CORRUPTIONS) + 1
    done = 0

    def accuracy(kind: CorruptionKind, strength: float) -> float:
        nonlocal done
        # The same images are spoiled in the same way whatever else is measured.
        seeds = rows * len(CORRUPTIONS) + CORRUPTIONS.index(kind)
        right = 0
        for start in range(0, len(rows), subjects.batch_size):
            progress.check()
            part = slice(start, start + subjects.batch_size)
            right += _right(
                subjects, spoiled(pixels[part], kind, strength, seeds[part]), truth[part]
            )
        done += 1
        progress.advance(done, total, "Measuring robustness")
        return right / len(rows)

    unspoiled = accuracy(CORRUPTIONS[0], CORRUPTIONS[0].none)
    curves = []
    for kind in CORRUPTIONS:
        found = {kind.none: unspoiled}
        found |= {strength: accuracy(kind, strength) for strength in kind.strengths}
        falls = kind.none > max(kind.strengths)
        points = tuple(
            RobustnessPoint(
                strength=strength,
                accuracy=found[strength],
                interval=wilson(found[strength] * len(rows), len(rows)) if resamples else None,
            )
            for strength in sorted(found, reverse=falls)
        )
        curves.append(RobustnessCurve(corruption=kind.name, unit=kind.unit, points=points))
    return Robustness(images=len(rows), curves=tuple(curves))


def _right(subjects: Subjects, pixels: Pixels, truth: NDArray[np.int32]) -> int:
    return int((score(subjects.model, pixels).argmax(axis=1) == truth).sum())
