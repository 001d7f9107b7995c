"""The average precision of labels is that of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from studio.engine.tasks.multi_label.prediction import average_precisions


@pytest.mark.parametrize("decimals", [1, 7], ids=["with ties", "without ties"])
def test_it_is_that_of_scikit_learn(decimals: int) -> None:
    random = np.random.default_rng(3)
    scores = random.random((200, 6)).round(decimals).astype(np.float32)
    truth = random.random((200, 6)) < (0.0, 0.01, 0.2, 0.5, 0.9, 1.0)
    found = average_precisions(truth, scores)

    assert np.isnan(found[0]), "no image has the label"
    for label in range(1, 6):
        if truth[:, label].any():
            expected = average_precision_score(truth[:, label], scores[:, label])
            assert found[label] == pytest.approx(expected)
