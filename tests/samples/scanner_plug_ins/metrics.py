"""A metric for classes: how far the score of the true class is above the best other one."""

from __future__ import annotations

from studio.engine.tasks.losses_and_metrics import MetricSet
from studio.engine.tasks.metric import MetricSpec

MARGINS = MetricSet(
    name="margins",
    label="Margins of scores",
    targets=("class",),
    build="scanner_plug_ins.learning:margin_metrics",
    specs=(
        MetricSpec(
            name="margin",
            label="Margin",
            validation_label="Val margin",
            higher_is_better=True,
            summary="Mean score of the true class minus that of the best other one.",
        ),
    ),
)
