"""What stands where a turned or moved image leaves the frame empty: `steps` does it."""

from __future__ import annotations

from studio.engine.datasets.augment.operations.operation import Operation

FILL = Operation(name="fill", fields=("fill",), is_on=lambda plan: plan.fill != "reflect")
