"""Overlays of annotated regions by the type of the part that is drawn like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.objects import Objects
from studio.engine.tasks.parts.part import PredictionPart
from studio.ui.widgets.outlines import outlines_of_labels
from studio.ui.widgets.overlay import BoxOverlay, MaskOverlay, Overlay, picture_boxes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def overlay_of_regions(
    part: type[PredictionPart] | None,
    regions: NDArray[Any],
    size: tuple[int, int],
    names: Sequence[str],
    colors: Sequence[str],
) -> Overlay | None:
    """Return the overlay of the annotated regions of a picture; None if they are not drawn.

    Args:
        part: Type of the part that is drawn like them, see `Geometry.part_type`.
        regions: The regions, with or without empty places: masks, rows of boxes, or label images
            of whole numbers.
        size: Width and height of the picture that they are in pixels of.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.
    """
    if part is ClassMap:
        return MaskOverlay(regions, names, colors)
    if part is Objects and regions.dtype.kind == "i":
        return outlines_of_labels(regions, names, colors)
    if part is Objects:
        return BoxOverlay(picture_boxes(regions), size, names, colors)
    return None
