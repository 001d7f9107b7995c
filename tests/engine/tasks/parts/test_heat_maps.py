"""Maps of numbers as lines of text."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.tasks.parts.heat_map import HeatMap


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.5, "anomaly: yes (threshold 0.5)"),
        (0.75, "anomaly: yes (threshold 0.75)"),
        (1.0, "anomaly: no (threshold 1)"),
        (None, "anomaly"),
    ],
)
def test_a_line_says_whether_the_threshold_is_reached(
    threshold: float | None, expected: str
) -> None:
    (line,) = HeatMap.of(np.full((2, 2), 0.75), "anomaly", threshold).lines()

    assert line.split(maxsplit=1) == ["0.75", expected]
