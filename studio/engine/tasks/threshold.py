"""Choice of the threshold of a score: by allowed false alarms, or by costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from studio.engine.errors import StudioError

Unit = Literal["image", "pixel"]


def fraction_of(text: str) -> float:
    """Return the fraction of a text such as "0.5%" or "0.005".

    Raises:
        ValueError: It is no number.
    """
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


@dataclass(frozen=True, slots=True)
class ErrorCosts:
    """Costs of the two kinds of errors.

    Attributes:
        miss: Cost of an image with a defect that is not found.
        alarm: Cost of a false alarm.
        defective: Fraction of images that have a defect; None for that of the measured images.
    """

    miss: float
    alarm: float
    defective: float | None = None

    def __post_init__(self) -> None:
        is_rate = self.defective is None or 0 < self.defective < 1
        if not (0 < self.miss < math.inf and 0 < self.alarm < math.inf and is_rate):
            raise StudioError(
                "Costs are two numbers above 0, and perhaps the fraction of defective parts "
                "between 0 and 1; received {miss:g}, {alarm:g}, {defective}.",
                "For example 100,1,0.02: a miss costs as much as 100 false alarms, and 2 % of the "
                "parts are defective.",
                "costs",
                miss=self.miss,
                alarm=self.alarm,
                defective="–" if self.defective is None else f"{self.defective:g}",
            )

    @classmethod
    def parsed(cls, text: str) -> ErrorCosts:
        """Return costs of a text such as "100,1", "100,1,0.02" or "100,1,2%".

        Raises:
            StudioError: It has another form.
        """
        try:
            miss, alarm, *rest = text.split(",")
            (share,) = rest or (None,)
            found = float(miss), float(alarm), None if share is None else fraction_of(share)
        except ValueError as error:
            raise StudioError(
                'Costs are written MISS,ALARM or MISS,ALARM,DEFECTIVE; received "{text}".',
                "For example 100,1,2%.",
                "costs",
                text=text,
            ) from error
        return cls(*found)


@dataclass(frozen=True, slots=True)
class ThresholdRule:
    """Rule to choose a threshold; at most one of the two is given.

    Attributes:
        false_alarms: Fraction of good images, or of their pixels, that may reach it.
        costs: Costs whose expected sum is lowest.
    """

    false_alarms: float | None = None
    costs: ErrorCosts | None = None

    def __post_init__(self) -> None:
        if self.false_alarms is not None and self.costs is not None:
            raise StudioError(
                "A threshold is chosen by one rule.",
                "Give either false alarms or costs.",
                "false_alarms",
            )
        if self.false_alarms is not None and not 0 <= self.false_alarms < 1:
            raise StudioError(
                "The allowed false alarms are a fraction from 0 to below 1; received "
                "{received:g}.",
                "For example 0.005: one false alarm in 200 good parts.",
                "false_alarms",
                received=self.false_alarms,
            )


@dataclass(frozen=True, slots=True)
class ThresholdChoice:
    """A chosen threshold, and what it means for the measured images.

    Attributes:
        unit: What is counted.
        threshold: The score from which on there is an alarm.
        false_alarms: Fraction of good ones at or above it.
        low: Lower end of the 95 % interval of this fraction.
        high: Upper end of it.
        recall: Fraction of those with defects at or above it; None without defects.
        cost: Expected cost of an image; None without costs.
    """

    unit: Unit
    threshold: float
    false_alarms: float
    low: float
    high: float
    recall: float | None
    cost: float | None = None

    @property
    def one_in(self) -> int:
        """Number N for which 1 false alarm in N good ones is not exceeded, with 97.5 % confidence.

        It is the upper end of the interval, rounded to the safe side.

        Examples:
            >>> ThresholdChoice("image", 1.2, 0.0, low=0.0, high=0.0602, recall=0.74).one_in
            16
        """
        return max(1, int(1 / max(self.high, 1e-12)))
