"""Thresholds of evaluations as those of runs."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.runs import fake_run
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluatedModel, OutputFigures, Report
from studio.engine.evaluation.threshold_use import limits_text, use_thresholds
from studio.engine.tasks.anomaly.prediction import PREDICTOR
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.prediction import Meaning
from studio.engine.tasks.threshold import ThresholdChoice
from studio.engine.training.artifacts import read_calibration
from studio.engine.training.trained_models import trained_at
from studio.engine.workspace import Workspace


def test_a_threshold_of_another_model_is_not_used(workspace: Workspace) -> None:
    run = fake_run(workspace, "parts", [0.5])
    subject = EvaluatedModel(
        model="m",
        run=run.id,
        dataset="d",
        dataset_name="d",
        dataset_version=0,
        split="test",
        trained_at=trained_at(run),
    )
    output = OutputFigures(name="good", images=1, threshold=1.0, metrics={})
    report = Report(task="anomaly", subject=subject, count=1, metrics={}, outputs=(output,))
    assert report.is_calibrated_as(Calibration(thresholds=(1.0,)))

    image = ThresholdChoice("image", 0.5, 0.01, 0.0, 0.1, None)
    pixel = ThresholdChoice("pixel", 0.3, 0.01, 0.0, 0.1, None)
    use_thresholds(workspace, report, [image, pixel])

    used = read_calibration(run.folder)
    assert (used.thresholds, used.pixel_threshold) == ((0.5,), 0.3)
    assert "0.5 for images and 0.3 for pixels" in limits_text([image, pixel])
    outputs = np.array([[[0.0, 0.4], [0.0, 0.2]]], np.float32)[None].repeat(2, axis=3)
    (prediction,) = PREDICTOR.predictions(outputs, Meaning(("good",), calibration=used), 1)
    found = prediction.heat_map
    assert found is not None
    assert (found.is_above, found.outlined_from) == (False, 0.3)
    use_thresholds(workspace, report, [image])
    assert read_calibration(run.folder).pixel_threshold is None
    assert not report.is_calibrated_as(read_calibration(run.folder))
    former = subject.model_copy(update={"trained_at": trained_at(run) - 1})
    with pytest.raises(StudioError, match="cannot be used"):
        use_thresholds(workspace, report.model_copy(update={"subject": former}), [image])
