"""Several kinds of regions over one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter

from studio.ui.widgets.overlay import Overlay, OverlayStyle, PaintedLayer, PictureBox


@dataclass(frozen=True, slots=True)
class StackedLayer(PaintedLayer):
    """Layers that are painted one over the other, the first one at the bottom."""

    layers: tuple[PaintedLayer, ...]
    hides_picture: bool

    def paint(self, painter: QPainter, room: QRectF, opacity: float) -> None:
        """Paint all layers; see `PaintedLayer.paint`."""
        for each in self.layers:
            each.paint(painter, room, opacity)


class StackedOverlay(Overlay):
    """Regions of several kinds: maps of numbers below, regions with classes over them.

    Args:
        overlays: At least one; legend and controls are those of the first one with classes.
    """

    def __init__(self, overlays: Sequence[Overlay]) -> None:
        self.overlays = tuple(sorted(overlays, key=_has_classes))
        self._main = next(filter(_has_classes, self.overlays), self.overlays[0])
        self.part, self.is_scaled = self._main.part, any(each.is_scaled for each in overlays)
        self.names, self.colors = self._main.names, self._main.colors

    def counts(self, min_score: float | None = None) -> list[int]:
        """Return the pixels or the boxes of the classes in the legend; see `Overlay.counts`."""
        return self._main.counts(min_score)

    @property
    def ignored(self) -> int:
        """Pixels without a class."""
        return self._main.ignored

    @property
    def has_scores(self) -> bool:
        """True if some regions can be filtered by their scores."""
        return any(each.has_scores for each in self.overlays)

    @property
    def threshold(self) -> float:
        """Usual lowest score of the regions with scores."""
        return max(each.threshold for each in self.overlays)

    def with_boxes(self, boxes: Sequence[PictureBox]) -> Overlay:
        """Return the regions with further boxes; see `Overlay.with_boxes`."""
        return StackedOverlay([each.with_boxes(boxes) for each in self.overlays])

    def layer(self, style: OverlayStyle, size: QSize | None = None) -> StackedLayer:
        """Return the layers of all regions; see `Overlay.layer`."""
        layers = tuple(each.layer(style, size) for each in self.overlays)
        return StackedLayer(layers, any(each.hides_picture for each in layers))


def _has_classes(overlay: Overlay) -> bool:
    return bool(overlay.names)
