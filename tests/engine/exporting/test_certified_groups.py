"""Intervals of a certificate are those of the images, and of the origins, that a metric counts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.engine.compute import certify
from studio.engine.datasets.origins.record import Origins
from studio.engine.evaluation.measures import ImageGroups, proportion
from studio.engine.evaluation.report_builder import exact_intervals
from studio.engine.tasks import TASKS
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.prediction import Proportion

FILMS, FRAMES, SIDE = 12, 5, 4


def _reference(kind: str) -> Any:
    """Good films, each with three frames with a defect."""
    count = FILMS * FRAMES
    regions = np.zeros((count, SIDE, SIDE), np.uint8)
    regions[np.arange(count) % FRAMES < 3, :2] = 1
    targets = np.stack([(regions == each).sum(axis=(1, 2)) for each in range(2)], axis=1)
    names = [f"film{row // FRAMES}" for row in range(count)]
    origins = Origins.named("video", names, np.arange(count))
    store = SimpleNamespace(
        task=TASKS["anomaly"],
        classes=("good", "defect"),
        targets=targets,
        examples=lambda rows: regions[rows],
        shape=(SIDE, SIDE, 1),
        origins=origins if kind == "films" else Origins.none(count),
    )
    return SimpleNamespace(
        store=store,
        rows=np.arange(count),
        calibration=Calibration(thresholds=(1.0, 1.0)),
        divisors=np.ones(1),
    )


@pytest.mark.parametrize("kind", ["films", "single images"])
def test_a_metric_of_some_images_resamples_their_origins(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference, intervals = _reference(kind), {}
    good = np.arange(FILMS * FRAMES) % FRAMES >= 3
    raised = np.arange(FILMS * FRAMES) // FRAMES < 2  # all frames of two films are alarms
    outputs = np.where(raised, 2.0, 0.5)[:, None, None] * np.ones((1, SIDE, SIDE), np.float32)

    def certified(
        _reporter: object, metrics: dict[str, float], _model: object, found: dict[str, Any]
    ) -> dict[str, Any]:
        intervals.update(found)
        return {"metrics": metrics}

    monkeypatch.setattr(type(reference.store.task.reporter), "certified", certified)
    found, disagreeing = certify._compared(reference, outputs, outputs)
    assert not len(disagreeing)
    assert found["metrics"]["false_alarms"] == pytest.approx(2 / FILMS)
    films = ImageGroups.of(np.repeat(np.arange(FILMS), 2)) if kind == "films" else None
    assert intervals == {"false_alarms": proportion(raised[good], films)}


def test_proportions_have_the_groups_of_the_images_that_they_count() -> None:
    groups = ImageGroups.of(np.repeat(np.arange(FILMS), FRAMES))
    counted = np.arange(FILMS * FRAMES) % 7 == 0
    among = np.arange(FILMS * FRAMES) % FRAMES >= 3
    (found,) = exact_intervals([Proportion("recall", 1, among, counted)], groups).values()
    own = ImageGroups.of(np.repeat(np.arange(FILMS), 2))
    assert found == {"recall": proportion(counted[among], own)}
