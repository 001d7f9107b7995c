"""How much better one model is than another on the same images, with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.proportions import paired_difference


@dataclass(frozen=True, slots=True)
class Gain:
    """Two accuracies on the same images, and their difference.

    Attributes:
        before: Accuracy of the first model, 0 to 1.
        after: Accuracy of the second.
        count: How many images both were asked about.
        low: Lower end of the 95 % interval of the difference, -1 to 1.
        high: Upper end.
    """

    before: float
    after: float
    count: int
    low: float
    high: float

    @property
    def difference(self) -> float:
        """Accuracy won, -1 to 1; negative where it was lost."""
        return self.after - self.before

    @property
    def is_certain(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def paired_gain(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Gain:
    """Return the gain in accuracy with the interval of a paired difference.

    Args:
        before: Whether the first model has each image right, shape (n,).
        after: The same for the second model and the same images.

    Raises:
        BadDataError: There are no images, or not the same number for both.
    """
    if before.shape != after.shape or before.ndim != 1 or not len(before):
        raise BadDataError(
            f"Two models are compared on the same images; received {len(before)} and "
            f"{len(after)}.",
            "Evaluate both on the same split.",
        )
    count = len(before)
    won, lost = int((after & ~before).sum()), int((before & ~after).sum())
    interval = paired_difference(won, lost, count)
    return Gain(float(before.mean()), float(after.mean()), count, *interval)
