"""What a person decides about an image: its direction in degrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.store import Store
from studio.engine.labeling.editors.numbers import NumbersEditor
from studio.engine.labeling.plan import LabelClass


class AngleEditor(NumbersEditor):
    """One number for each image, which datasets store as cosine and sine."""

    def dataset_classes(self, store: Store) -> list[LabelClass]:
        """Return the one quantity."""
        return list(self.classes)

    def numbers_of(self, targets: NDArray[Any]) -> Sequence[float]:
        """Return the direction of a cosine and a sine."""
        return [float(np.rad2deg(np.arctan2(targets[1], targets[0]))) % 360]


EDITOR = AngleEditor((LabelClass(name="angle"),))
