"""Predictions of regression: numbers in their units, with prediction intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import Answer, Calibration, TargetValue
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor

_LEVEL = 0.95


class PredictsNumbers(Predictor):
    """Answers with the value of each quantity."""

    def calibrated(self, outputs: Outputs, targets: NDArray[Any]) -> Calibration:
        """Take the margin that holds the absolute errors of 95 % of the validation images.

        It is the quantile of split conformal prediction (J. Lei et al., "Distribution-free
        predictive inference for regression", JASA 2018): a new image of the same kind lies
        inside with at least that probability. Too few images give no margins.
        """
        count = len(outputs)
        rank = math.ceil((count + 1) * _LEVEL)
        if rank > count:
            return Calibration(level=_LEVEL, images=count)
        errors = np.sort(np.abs(outputs.astype(np.float64) - targets), axis=0)
        margins = tuple(errors[rank - 1].tolist())
        return Calibration(margins=margins, level=_LEVEL, images=count)

    def answers(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Answer]:  # noqa: ARG002
        """Return every quantity, whatever `top` is."""
        return [Answer(values=tuple(_values(row, meaning))) for row in outputs]

    def document(self, answer: Answer) -> dict[str, object]:
        """Return the values by name, their intervals, and their units."""
        document: dict[str, object] = {"values": {each.name: each.value for each in answer.values}}
        intervals = {
            each.name: [each.low, each.high] for each in answer.values if each.low is not None
        }
        units = {each.name: each.unit for each in answer.values if each.unit}
        return document | {
            name: found for name, found in (("intervals", intervals), ("units", units)) if found
        }

    def lines(self, answer: Answer) -> list[str]:
        """Return a line for each quantity, with its interval."""
        return [
            f"{each.value:10.4g} {each.unit}  {each.name}".replace("   ", "  ")
            + ("" if each.low is None else f"  ({each.low:.4g} to {each.high:.4g})")
            for each in answer.values
        ]

    def cells(self, answer: Answer) -> dict[str, object]:
        """Return each quantity, and the ends of its interval."""
        cells: dict[str, object] = {}
        for each in answer.values:
            cells[each.name] = each.value
            if each.low is not None:
                cells |= {f"{each.name}_low": each.low, f"{each.name}_high": each.high}
        return cells


def _values(row: Outputs, meaning: Meaning) -> list[TargetValue]:
    margins = meaning.calibration.margins
    found = []
    for place, name in enumerate(meaning.names):
        value = float(row[place])
        margin = margins[place] if margins else None
        found.append(
            TargetValue(
                name=name,
                value=value,
                low=None if margin is None else value - margin,
                high=None if margin is None else value + margin,
                unit=meaning.units[place] if meaning.units else "",
            )
        )
    return found


PREDICTOR = PredictsNumbers()
