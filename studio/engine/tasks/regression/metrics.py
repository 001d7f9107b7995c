"""The metrics of regression while a network trains."""

from __future__ import annotations

from studio.engine.tasks.metric import MetricSpec

MAE = MetricSpec(
    name="mae",
    label="MAE",
    validation_label="Val MAE",
    higher_is_better=False,
    summary="Mean absolute difference between predicted and true values, over all targets.",
)
RMSE = MetricSpec(
    name="rmse",
    label="RMSE",
    validation_label="Val RMSE",
    higher_is_better=False,
    summary="Root of the mean squared difference between predicted and true values.",
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Mean squared error in standard deviations of the training targets.",
)
R2 = MetricSpec(
    name="r2",
    label="R²",
    validation_label="Val R²",
    higher_is_better=True,
    summary="Share of the variance of the targets that is predicted: 1 is perfect, 0 is as good "
    "as always answering the mean.",
)
