"""A loss for classes: the scores of the true class and of the best other one shall differ."""

from __future__ import annotations

from studio.engine.tasks.losses_and_metrics import TrainingLoss

MARGIN = TrainingLoss(
    name="margin",
    label="Margin",
    targets=("class",),
    build="scanner_plug_ins.learning:margin_loss",
    uses=("class_balancing",),
    summary="1 minus the distance of the score of the true class from the best other one.",
)
