"""The parts that can be drawn over a picture: a closed list, whatever the task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from studio.engine.tasks.annotations import Boxes, Mask


@dataclass(frozen=True, slots=True, eq=False)
class LabelMap:
    """A class for each pixel.

    Attributes:
        labels: Class of each pixel, or `IGNORE`, shape (height, width).
    """

    labels: Mask


@dataclass(frozen=True, slots=True, eq=False)
class BoxList:
    """Objects with boxes.

    Attributes:
        rows: Shape (n, 6), see `tasks.boxes`.
    """

    rows: Boxes


RegionPart: TypeAlias = LabelMap | BoxList
