"""A task that Studio does not know: in which direction something points, in degrees.

Networks learn cosine and sine, since 359 and 1 degree are close to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from angle_task.conversion import degrees, quantities
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.parts.values import NamedValue, Values
from studio.engine.tasks.prediction import Figures, Meaning, Outputs, Predictor, Reporter
from studio.engine.tasks.targets import Annotated, TargetArray, Targets
from studio.engine.tasks.task import Task

ERROR = MetricSpec(
    name="angle_error",
    label="Angle error",
    validation_label="Val angle error",
    higher_is_better=False,
    summary="Mean angle between predicted and true directions, in degrees.",
)
LOSS = MetricSpec(
    name="loss",
    label="Loss",
    validation_label="Val loss",
    higher_is_better=False,
    summary="Squared distance of the predicted point to the one on the unit circle.",
)


class Directions(Targets):
    """Cosine and sine of the column `angle`."""

    dtype = np.dtype(np.float32)

    def refusal(self, value: float) -> str:
        """Refuse what is no cosine."""
        return "" if abs(value) <= 1 else f"a cosine lies between -1 and 1; received {value}"

    def read(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        delimiter: str = "",
    ) -> Annotated:
        """Read the column."""
        index = columns.index("angle")
        angles = np.deg2rad([float(row[index]) for row in rows])
        values = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
        return Annotated(("cosine", "sine"), values, ("", ""))

    def has(self, values: TargetArray, output: int) -> NDArray[np.bool_]:
        """Every image has a direction."""
        return np.ones(len(values), np.bool_)

    def traits(self, values: TargetArray) -> NDArray[np.bool_]:
        """Balance the quadrants."""
        quadrant = (values[:, 0] > 0) * 2 + (values[:, 1] > 0)
        found: NDArray[np.bool_] = quadrant[:, None] == np.arange(4)
        return found


class PredictsAngle(Predictor):
    """Predicts one angle."""

    parts = (Values,)
    conversion = Path(__file__).with_name("conversion.py")

    def predictions(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Prediction]:
        """Return the angle of each image."""
        return [Prediction(values=_values(each)) for each in outputs]


def _values(outputs: NDArray[Any]) -> Values:
    found = (NamedValue(name=name, value=v, unit=unit) for name, v, unit in quantities(outputs))
    return Values(quantities=tuple(found))


class MeasuresAngles(Reporter):
    """Measures the angle between prediction and truth."""

    whole = (ERROR,)
    outputs = ()

    def measure(
        self,
        outputs: Outputs,
        targets: NDArray[Any],
        calibration: Calibration,
    ) -> Figures:
        """Return the mean angle."""
        apart = np.abs(degrees(outputs) - degrees(targets))
        return Figures({ERROR.name: float(np.minimum(apart, 360 - apart).mean())})


ANGLE = Task(
    name="angle",
    label="Direction",
    metrics=(ERROR, LOSS),
    step_metrics=("loss", ERROR.name),
    learning="angle_task.learning",
    prediction="angle_task",
    annotations="angle_task",
    report="angle_task",
    labeling="angle_task.labeling",
    activation="linear",
    answers="cosine and sine",
    output_names=("number", "numbers"),
    min_outputs=2,
)
TARGETS = Directions()
PREDICTOR = PredictsAngle()
REPORTER = MeasuresAngles()
