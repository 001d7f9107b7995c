"""Metrics as data: everything that is shown or compared of a metric is declared once, here.

Events in a journal carry values by name. Curves, tables, comparisons, sweeps, files and messages
take label, direction and format of a value from its `MetricSpec`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, Literal

from studio.engine.messages import message

VALIDATION: Final = "val_"
"""Prefix of the name of a metric that is measured on validation images."""
SHARE: Final = "share"
"""Name of the figure of a dataset that lies between 0 and 1 and is shown in percent."""


def with_unit(name: str, unit: str) -> str:
    """Return the name of a quantity with its unit, such as "weight [kg]".

    Args:
        name: The name.
        unit: The unit; empty for none.
    """
    return f"{name} [{unit}]" if unit else name


@dataclass(frozen=True)
class MetricSpec:
    """Description of a metric.

    Attributes:
        name: Its name in journals, plans and files.
        label: Displayed name, two or three words, for training images.
        validation_label: The same for validation images.
        higher_is_better: Its direction.
        unit: `fraction` lies between 0 and 1 and is shown in percent; empty for a plain number.
        summary: Meaning of the metric, in a sentence.
        source: Its definition; empty for common knowledge.
        min_classes: It is measured only if the dataset has at least this many classes.
        outputs: Names of the outputs of networks that it measures; empty for all of the task.
        beside: Name of the metric in whose chart it is drawn; empty if it has a separate chart.
    """

    name: str
    label: str
    validation_label: str
    higher_is_better: bool
    unit: Literal["", "fraction"] = ""
    summary: str = ""
    source: str = ""
    min_classes: int = 0
    outputs: tuple[str, ...] = ()
    beside: str = ""

    @property
    def is_fraction(self) -> bool:
        """True if it lies between 0 and 1 and is shown in percent."""
        return self.unit == "fraction"

    @property
    def sign(self) -> float:
        """1 if higher is better, -1 if lower is: `sign * value` grows with quality."""
        return 1.0 if self.higher_is_better else -1.0

    @property
    def is_loss(self) -> bool:
        """True for the loss, which every run has a chart of."""
        return self.name.removeprefix(VALIDATION) == "loss"

    @property
    def is_validation(self) -> bool:
        """True if it is measured on validation images."""
        return self.name.startswith(VALIDATION)

    @cached_property
    def on_validation(self) -> MetricSpec:
        """The same metric measured on validation images."""
        name = f"{VALIDATION}{self.name}"
        return dataclasses.replace(self, name=name, label=self.validation_label)

    def text(self, value: float | None) -> str:
        """Return a value as displayed, in percent if it is a fraction; a dash without one."""
        if value is None or math.isnan(value):
            return "–"
        if self.is_fraction:
            return message("{percent:.1f} %", percent=value * 100)
        return message("{value:.4g}", value=value)

    def best(self, values: Iterable[float]) -> float:
        """Return the best of some values; NaN if no value is finite."""
        finite = [value for value in values if math.isfinite(value)]
        if not finite:
            return math.nan
        return max(finite) if self.higher_is_better else min(finite)


fraction_metric = partial(MetricSpec, higher_is_better=True, unit="fraction")
"""Declares a metric from 0 to 1 that grows with quality."""
