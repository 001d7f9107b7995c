"""Check of what the four numbers of YOLO boxes are: center and size, or something else.

Fractions of the image are plausible in each layout, box by box. Those of a whole set are not: read
as center and size, many boxes leave their images, which fit in as two corners.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.messages import Message, Text, message
from studio.engine.tasks.boxes import BOTTOM, LEFT
from studio.engine.tasks.detection.found_boxes import BoxCollector

_Numbers = NDArray[np.float64]
_ROUNDING: Final = 0.01
"""Fraction of an image by which boxes may leave it."""
_CONSPICUOUS: Final = 0.1
"""Fraction of boxes that leave their images from which on they may be something else."""
_NEARLY_ALL: Final = 0.95
_FEWEST_BOXES: Final = 3
"""Boxes from which on their layout is examined."""
_FEWEST: Final = 10
"""Boxes that leave their images from which on there is no doubt."""
_FEWEST_SPREAD: Final = 20
"""Boxes whose numbers are correlated."""
_CORRELATED: Final = 0.4
"""Correlation of two numbers of boxes that are opposite sides."""


def check_layout(lists: Iterable[BoxCollector]) -> list[Text]:
    """Return warnings about boxes that are probably not center, width and height.

    Args:
        lists: Boxes of pictures, read as center, width and height, in fractions.

    Raises:
        StudioError: There is no doubt that they are something else.
    """
    rows = [boxes.rows for boxes in lists if len(boxes)]
    corners = np.concatenate(rows)[:, LEFT : BOTTOM + 1] if rows else np.zeros((0, 4))
    corners = corners[np.isfinite(corners).all(axis=1)]
    first, size = (corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2]
    beyond = int((~_are_inside(corners)).sum())
    layout = _layout(first, size, beyond)
    if layout is None:
        return []
    what = message(
        "The numbers of the {total} boxes look like {layout}, not like center, width and height: "
        "read so, {beyond} boxes leave their images.",
        beyond=beyond,
        total=len(corners),
        layout=layout,
    )
    advice = message(
        "YOLO has center x, center y, width and height as fractions of the image; check the "
        "text files, and convert them."
    )
    if beyond >= _FEWEST:
        raise StudioError(what, advice, "source")
    return [message("{what} {advice}", what=what, advice=advice)]


def _layout(first: _Numbers, second: _Numbers, beyond: int) -> Message | None:
    """Return what the numbers of boxes probably are, instead of center and size; None if those.

    Args:
        first: First two numbers of each box, shape (n, 2).
        second: Last two numbers, shape (n, 2).
        beyond: Number of boxes that leave their images as center and size.
    """
    is_ordered = (first < second).all(axis=1)
    are_corners = is_ordered & _are_inside(np.concatenate([first, second], axis=1))
    if _are_many(are_corners) and (
        beyond > _CONSPICUOUS * len(first) or _move_together(first, second)
    ):
        return message("left, top, right and bottom")
    if beyond > _CONSPICUOUS * len(first) and _are_many(
        _are_inside(np.concatenate([first, first + second], axis=1))
    ):
        return message("left, top, width and height")
    return None


def _are_inside(corners: _Numbers) -> NDArray[np.bool_]:
    sides = corners * (-1, -1, 1, 1) - (0, 0, 1, 1)
    found: NDArray[np.bool_] = sides.max(axis=1) <= _ROUNDING
    return found


def _are_many(fits: NDArray[np.bool_]) -> bool:
    return len(fits) >= _FEWEST_BOXES and float(fits.mean()) >= _NEARLY_ALL


def _move_together(first: _Numbers, second: _Numbers) -> bool:
    """Return True if the last two numbers follow the first two, as opposite corners do.

    Sizes of boxes do not follow their centers.
    """
    if len(first) < _FEWEST_SPREAD or not (first.std(axis=0) * second.std(axis=0)).all():
        return False
    sides = zip(first.T, second.T, strict=True)
    return all(np.corrcoef(one, other)[0, 1] > _CORRELATED for one, other in sides)
