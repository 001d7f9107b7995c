"""Predictions of multi-label classification: the labels above their thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import Answer, Calibration
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor, score_document, top_scores

HALF = 0.5
_FEWEST = 5
"""Validation images with a label, and without it, that its threshold is tuned on."""


def tuned_thresholds(outputs: Outputs, targets: NDArray[Any]) -> tuple[float, ...]:
    """Return the threshold of each label with the highest F1; one half where that is not known.

    Args:
        outputs: Probabilities, shape (n, K).
        targets: 0 or 1, shape (n, K).
    """
    found = []
    for scores, truth in zip(outputs.T, targets.T, strict=True):
        positives = int(truth.sum())
        if min(positives, len(truth) - positives) < _FEWEST:
            found.append(HALF)
            continue
        order = np.argsort(-scores, kind="stable")
        hits = np.cumsum(truth[order])
        f1 = 2 * hits / (np.arange(1, len(order) + 1) + positives)
        # Images of one score get the label together.
        ends = np.append(scores[order][1:] < scores[order][:-1], True)
        best = int(np.argmax(np.where(ends, f1, -1)))
        below = scores[order][best + 1] if best + 1 < len(order) else 0.0
        found.append(float((scores[order][best] + below) / 2))
    return tuple(found)


class PredictsLabels(Predictor):
    """Answers with the labels whose probability reaches their threshold."""

    columns = ("labels",)

    def calibrated(self, outputs: Outputs, targets: NDArray[Any]) -> Calibration:
        """Tune the threshold of each label."""
        return Calibration(thresholds=tuned_thresholds(outputs, targets), images=len(outputs))

    def completed(self, calibration: Calibration, outputs: int) -> Calibration:
        """Return the calibration with a threshold for every label."""
        thresholds = calibration.thresholds or (HALF,) * outputs
        return calibration.model_copy(update={"thresholds": thresholds})

    def brief(self, answer: Answer) -> str:
        """Return the labels that are given."""
        return ", ".join(answer.labels) or "no label"

    def answers(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Answer]:
        """Return the labels that are given, and the scores of the `top` most probable ones."""
        thresholds = np.array(meaning.calibration.thresholds or (HALF,) * len(meaning.names))
        by_name = dict(zip(meaning.names, thresholds.tolist(), strict=True))
        return [
            Answer(
                scores=tuple(
                    each.model_copy(update={"threshold": by_name[each.label]})
                    for each in top_scores(row, meaning.names, top)
                ),
                labels=tuple(
                    meaning.names[place] for place in np.flatnonzero(row >= thresholds).tolist()
                ),
            )
            for row in outputs
        ]

    def document(self, answer: Answer) -> dict[str, object]:
        """Return the labels, and the scores."""
        return {"labels": list(answer.labels), "predictions": score_document(answer.scores)}

    def lines(self, answer: Answer) -> list[str]:
        """Return a line for each score; given labels are marked."""
        return [
            f"{score.score:8.1%}  {score.label}{' ✓' if score.label in answer.labels else ''}"
            for score in answer.scores
        ]

    def cells(self, answer: Answer) -> dict[str, object]:
        """Return the labels in one cell, and the score of each."""
        scores: dict[str, object] = {f"score {each.label}": each.score for each in answer.scores}
        return {"labels": ";".join(answer.labels)} | dict(sorted(scores.items()))


PREDICTOR = PredictsLabels()
