"""Reports on anomaly detection in the window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.report import EvaluatedModel, OutputFigures, Report
from studio.engine.tasks.anomaly.report import REPORTER
from studio.engine.tasks.parts.heat_map import HeatMap
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.threshold import ThresholdChoice
from studio.ui.shared import part_views
from studio.ui.tasks.anomaly.threshold_panel import sentence
from studio.ui.tasks.anomaly.view import VIEW


def evaluation(defects: int) -> EvaluatedOutputs:
    """Return an evaluation of ten good images, and some with a scratch."""
    count = 10 + defects
    masks = np.zeros((count, 8, 8), np.uint8)
    masks[10:, 2:4, 2:5] = 1
    maps = np.random.default_rng(0).uniform(0.2, 0.6, masks.shape).astype(np.float32)
    maps += (masks > 0) * np.arange(count, dtype=np.float32)[:, None, None] / 10
    targets = np.stack([(masks == kind).sum(axis=(1, 2)) for kind in (0, 1)], axis=1)
    outputs = tuple(
        OutputFigures(name=name, images=1, threshold=1.0, metrics={})
        for name in ("good", "scratch")
    )
    subject = EvaluatedModel(
        model="m", dataset="d", dataset_name="d", dataset_version=0, split="test"
    )
    report = Report(task="anomaly", subject=subject, count=count, metrics={}, outputs=outputs)
    evidence = REPORTER.evidence(maps, masks, 2)
    return EvaluatedOutputs(report, maps, evidence, targets, np.arange(count), None)


@pytest.mark.parametrize(("defects", "titles"), [(6, 4), (0, 2)])
def test_thresholds_are_shown_with_and_without_defects(defects: int, titles: int) -> None:
    charts = VIEW.report.charts_of(evaluation(defects), 1)

    assert len({each.figure.title for each in charts}) == len(charts) == titles
    assert all(each.is_apart for each in charts)
    assert VIEW.report.chart_names(["good", "scratch"]) == ["All defects", "scratch"]
    for chart in charts:
        points = [point for line in chart.figure.lines for point in line.points]
        assert np.isfinite(points).all()


def test_captions_name_score_and_threshold_and_wrong_verdicts() -> None:
    found = evaluation(6)
    captions = VIEW.report.captions(found, None, [0, 10, 15])

    scores = found.evidence[:, 0, 0]
    assert [is_wrong for _, is_wrong in captions] == [
        scores[0] >= 1,
        scores[10] < 1,
        scores[15] < 1,
    ]
    assert captions[2] == (f"{scores[15]:.2f} / 1.00", False)


@pytest.mark.parametrize(
    ("score", "threshold", "headline", "caption"),
    [
        (0.25, 0.5, "normal · 0.2500", "0.2500"),
        (0.75, 0.5, "anomaly · 0.7500", "anomaly 0.7500"),
        (0.75, None, "anomaly 0.7500", "anomaly 0.7500"),
    ],
)
def test_a_prediction_begins_with_the_verdict(
    score: float, threshold: float | None, headline: str, caption: str
) -> None:
    part = HeatMap.of(np.full((2, 2), score), "anomaly", threshold=threshold)
    prediction = Prediction(heat_map=part)

    assert part_views.headline(prediction) == headline
    assert part_views.caption(prediction) == caption


def test_missed_defects_and_false_alarms_are_shown_apart() -> None:
    found = evaluation(6)
    scores = found.evidence[:, 0, 0]
    missed = list(VIEW.report.images_of_kind(found, None, "missed").indices)
    alarms = list(VIEW.report.images_of_kind(found, None, "alarms").indices)

    assert missed == sorted(missed, key=lambda index: scores[index])
    assert set(missed) == {index for index in range(10, 16) if scores[index] < 1}
    assert set(alarms) == {index for index in range(10) if scores[index] >= 1}
    assert len(VIEW.report.images_of_kind(found, 1, "missed").captions) == len(missed)


def test_a_threshold_of_images_says_one_false_alarm_in_how_many_parts() -> None:
    choice = ThresholdChoice("image", 1.2, 0.0, low=0.0, high=0.0602, recall=0.75)

    assert "0.00\N{NO-BREAK SPACE}% to 6.02" in sentence(choice)
    assert "at most 1 in 16 good parts" in sentence(choice)
    assert "good parts" not in sentence(replace(choice, unit="pixel"))
