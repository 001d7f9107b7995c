"""Thresholds of evaluations as those of runs."""

from __future__ import annotations

import pytest

from helpers.runs import fake_run
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluatedModel, OutputFigures, TargetReport
from studio.engine.evaluation.threshold_use import use_threshold
from studio.engine.tasks.calibration import Calibration
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
    report = TargetReport(task="anomaly", subject=subject, count=1, metrics={}, outputs=(output,))
    assert report.is_calibrated_as(Calibration(thresholds=(1.0,)))

    use_threshold(workspace, report, 0.5)

    assert read_calibration(run.folder).thresholds == (0.5,)
    assert not report.is_calibrated_as(read_calibration(run.folder))
    former = subject.model_copy(update={"trained_at": trained_at(run) - 1})
    with pytest.raises(StudioError, match="cannot be used"):
        use_threshold(workspace, report.model_copy(update={"subject": former}), 0.7)
