"""Outlines of objects in COCO JSON: polygons, run lengths, and boxes of objects without one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files.coco_places import polygons_in, runs_in
from studio.engine.tasks.annotation_files.painting import Region
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotation_files.polygons import area_of, filled
from studio.engine.tasks.annotation_files.run_order import RunOrder
from studio.engine.tasks.annotation_files.values import FARTHEST, number_in
from studio.engine.tasks.annotations import require_size


class OutlinedRegion(NamedTuple):
    """The region of an object.

    Attributes:
        area: Its area in pixels; polygons that overlap count several times.
        region: Its pixels.
    """

    area: float
    region: Region


def outlined_region(
    entry: Mapping[str, Any], order: RunOrder, place: str
) -> OutlinedRegion | None:
    """Return the region of an object; None if it has no outline.

    Args:
        entry: The whole annotation.
        order: Receives the order of its runs; the region is painted after all are read.
        place: Its name, for reports.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
    """
    outline = entry.get("segmentation")
    if not outline:
        return None
    if isinstance(outline, dict):
        stated, runs = runs_in(outline)
        by_rows = order.is_by_rows(entry, place, stated[::-1], runs)
        region = partial(_unpacked, stated, runs, order, by_rows)
        return OutlinedRegion(float(runs[1::2].sum()), region)
    if not isinstance(outline, list):
        raise BadDataError("its outline is neither a polygon nor RLE")
    polygons = polygons_in(outline)
    return OutlinedRegion(sum(map(area_of, polygons)), partial(filled, polygons))


def region_of_box(entry: Mapping[str, Any]) -> Region:
    """Return the region of the box of an object; everywhere if it has none.

    Args:
        entry: The whole annotation.
    """
    values = entry.get("bbox")
    box = [number_in(value) for value in values] if isinstance(values, list) else []
    if len(box) != 4 or not all(abs(value) <= FARTHEST for value in box):
        return lambda size: Patch.of(0, 0, np.ones(size[::-1], np.bool_))
    left, top, width, height = box
    right, bottom = left + width, top + height
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    return partial(filled, [corners])


def _unpacked(
    stated: tuple[int, int],
    runs: NDArray[np.int64],
    order: RunOrder,
    by_rows: bool | None,
    size: tuple[int, int],
) -> Patch:
    require_size(stated, size)
    return order.patch(stated[::-1], runs, is_by_rows=by_rows)
