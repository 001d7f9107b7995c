"""Answers that are no better than the same answer for every image."""

from __future__ import annotations

import numpy as np

from studio.engine.training.doctor.signs import Finding, Illness, Signs

_VALIDATIONS = 3
_FEWEST_EPOCHS = 5
_DONE = 0.5
"""Share of the epochs that were asked for: before it a slow beginning is no illness."""
_MARGIN = 0.01
_NAMED = 3


def find(signs: Signs) -> Finding | None:
    """Scores of the whole, or of an output, that reach those of a constant answer nowhere late."""
    late = signs.late[-_VALIDATIONS:]
    metric = signs.task.score
    if metric is None or signs.epochs < max(_FEWEST_EPOCHS, _DONE * signs.plan.epochs):
        return None
    if len(late) < _VALIDATIONS or len({each.scores.shape for each in late}) > 1:
        return None
    useless = np.all([each.scores <= each.constant + _MARGIN for each in late], axis=0)
    outputs = np.flatnonzero(useless[1:])
    if not len(useless) or not (useless[0] or len(outputs)):
        return None
    scores, constant = late[-1].scores, late[-1].constant
    at = 0 if useless[0] else 1 + int(outputs[0])
    names = ", ".join(f'"{signs.name(int(each))}"' for each in outputs[:_NAMED])
    return Finding(
        "no_skill",
        "No better than the same answer for every image"
        if useless[0]
        else f"Not learned: {names}{', …' if len(outputs) > _NAMED else ''}",
        f"In the last {_VALIDATIONS} validations the score stayed at {metric.text(scores[at])}; "
        f"the same answer for every image would reach {metric.text(constant[at])}.",
        "Check whether the images show what is to be predicted, and whether training and "
        "validation images are of the same kind; then train longer, or start from pretrained "
        "weights.",
        {},
        max(0.0, float(signs.epochs - _VALIDATIONS)),
        float(signs.epochs),
    )


NO_SKILL = Illness("no_skill", find, ("flat_score", "dead_class"))
