"""Every image gets mean 0 and standard deviation 1: `training.preprocessing` adds the layer."""

from __future__ import annotations

from studio.engine.datasets.augment.operations.operation import Operation

WHITENING = Operation(
    name="whitening", fields=("whitening",), is_on=lambda plan: plan.whitening, in_network=True
)
