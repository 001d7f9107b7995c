"""Metrics of regression on a split."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import Calibration
from studio.engine.tasks.prediction import Outputs
from studio.engine.tasks.regression.metrics import MAE, R2, RMSE
from studio.engine.tasks.report import Figures, Reporter


class ReportsNumbers(Reporter):
    """Measures each quantity in its unit; those of the whole are means over the quantities."""

    whole = (MAE, RMSE, R2)
    outputs = (MAE, RMSE, R2)

    def measure(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        calibration: Calibration,  # noqa: ARG002
    ) -> Figures:
        """Compute all metrics; R² of a quantity that never changes is NaN."""
        truth = targets.astype(np.float64)
        error = outputs.astype(np.float64) - truth
        squared = (error**2).mean(axis=0)
        variance = truth.var(axis=0)
        r2 = 1 - np.divide(
            squared, variance, out=np.full(len(squared), np.nan), where=variance > 0
        )
        each = {MAE.name: np.abs(error).mean(axis=0), RMSE.name: np.sqrt(squared), R2.name: r2}
        whole = {
            name: float(values[np.isfinite(values)].mean())
            if np.isfinite(values).any()
            else np.nan
            for name, values in each.items()
        }
        return Figures(whole, each)


REPORTER = ReportsNumbers()
