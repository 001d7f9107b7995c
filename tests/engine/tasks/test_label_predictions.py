"""Predictions of labels."""

from __future__ import annotations

import numpy as np

from studio.engine.tasks.answer import Calibration
from studio.engine.tasks.multi_label.prediction import PREDICTOR
from studio.engine.tasks.prediction import Meaning


def test_every_label_above_its_threshold_has_a_score() -> None:
    names = [f"label {at}" for at in range(8)]
    thresholds = Calibration(thresholds=(0.5,) * 7 + (0.05,))
    outputs = np.array([[0.9] * 7 + [0.1], [0.2] * 7 + [0.01]], np.float32)

    many, none = PREDICTOR.answers(outputs, Meaning(names, calibration=thresholds), top=5)

    assert list(many.labels) == names
    assert [each.label for each in many.scores] == names
    assert none.labels == ()
    assert len(none.scores) == 5
