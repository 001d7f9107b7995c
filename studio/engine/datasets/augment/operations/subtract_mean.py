"""The network subtracts the mean of the training images: `training.preprocessing` adds it."""

from __future__ import annotations

from studio.engine.datasets.augment.operations.operation import Operation

SUBTRACT_MEAN = Operation(
    name="subtract_mean",
    fields=("subtract_mean",),
    is_on=lambda plan: plan.subtract_mean != "none",
    in_network=True,
)
