"""Outlines of many objects over a picture, painted once into an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QTransform

from studio.engine.tasks.parts.objects import Objects, Ring
from studio.ui.widgets.overlay import (
    Overlay,
    OverlayStyle,
    PaintedLayer,
    PictureBox,
    color_of_object,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIDE: Final = 1024
"""Pixels of the longer side of the painted image; more is not seen, and takes longer."""
_WIDER: Final = 1.6
"""Factor of the width of lines in that image: views show it smaller, and lines must not break."""
_LINE: Final = 2.0
_SMALL: Final = 16.0
"""Objects with a shorter side, in pixels of the image, have thin lines."""
_FILL: Final = 0.4
_CHOSEN: Final = 4.0
_CLASSES: Final = 256
"""Values of the pixels of an object of a label image are its number times this, plus its class."""


def path_of(rings: Sequence[Ring]) -> QPainterPath:
    """Return an outline as a path, filled where an odd number of rings surrounds a point.

    Args:
        rings: Rings around parts and holes in pixels of the picture.
    """
    path = QPainterPath()
    for ring in rings:
        first, *rest = ring
        path.moveTo(*first)
        for x, y in rest:
            path.lineTo(x, y)
        path.closeSubpath()
    return path


@dataclass(frozen=True, slots=True)
class OutlineLayer(PaintedLayer):
    """Painted outlines, with a wide line around one object.

    Attributes:
        lines: The lines, transparent elsewhere.
        inside: The insides of the objects, in opaque colors; null for none.
        chosen: Outline of the object that is marked; empty for none.
        size: Width and height of the picture.
    """

    lines: QImage
    inside: QImage
    chosen: QPainterPath
    size: tuple[int, int]

    def paint(self, painter: QPainter, room: QRectF, opacity: float) -> None:
        """Paint insides, lines and the mark; see `PaintedLayer.paint`."""
        painter.save()
        painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if not self.inside.isNull():
            painter.setOpacity(opacity * _FILL)
            painter.drawImage(room, self.inside)
        painter.setOpacity(1.0)
        painter.drawImage(room, self.lines)
        if not self.chosen.isEmpty():
            self._paint_chosen(painter, room)
        painter.restore()

    def _paint_chosen(self, painter: QPainter, room: QRectF) -> None:
        width, height = self.size
        across, down = room.width() / max(1, width), room.height() / max(1, height)
        place = QTransform(across, 0, 0, down, room.left(), room.top())
        path = place.map(self.chosen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.strokePath(path, QPen(QColor("black"), _CHOSEN + 2))
        painter.strokePath(path, QPen(QColor("white"), _CHOSEN))


@dataclass(frozen=True, eq=False)
class OutlineOverlay(Overlay):
    """Objects with outlines over a picture.

    Attributes:
        objects: The objects, those on top first.
        size: Width and height of the picture that their pixels are of.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K; an empty text is never painted.
        chosen: Index of the object that is marked; None for none.
    """

    part = Objects
    is_scaled = True
    objects: Sequence[PictureBox]
    size: tuple[int, int]
    names: Sequence[str]
    colors: Sequence[str]
    chosen: int | None = None

    def counts(self, min_score: float | None = None) -> list[int]:
        """Return the objects of each class, K."""
        found = [0] * len(self.names)
        for each in self.objects:
            found[each.label] += not each.dashed and each.is_given(min_score)
        return found

    @property
    def threshold(self) -> float:
        """Mean threshold of the objects."""
        return sum(each.threshold for each in self.objects) / max(1, len(self.objects))

    @property
    def has_scores(self) -> bool:
        """True for predictions."""
        return any(each.score is not None for each in self.objects)

    def with_chosen(self, index: int | None) -> OutlineOverlay:
        """Return the objects with another one marked.

        Args:
            index: Its index; None for none.
        """
        return replace(self, chosen=index)

    def is_shown(self, found: PictureBox, style: OverlayStyle) -> bool:
        """Return True if an object is painted in a style.

        Args:
            found: One of the objects.
            style: Style of the regions.
        """
        is_given = found.is_given(style.min_score)
        return is_given and found.label not in style.hidden and bool(self.colors[found.label])

    def at(self, x: float, y: float, style: OverlayStyle) -> int | None:
        """Return the index of the uppermost object at a point; None for none.

        Args:
            x: In pixels of the picture, as y.
            y: See above.
            style: Style of the regions; what it hides is not found.
        """
        for index, each in enumerate(self.objects):
            if (
                each.left <= x <= each.right
                and each.top <= y <= each.bottom
                and self.is_shown(each, style)
                and path_of(each.outline).contains(QPointF(x, y))
            ):
                return index
        return None

    def layer(self, style: OverlayStyle, size: QSize | None = None) -> OutlineLayer:
        """Return the outlines painted into images; see `Overlay.layer`."""
        room = QSize(*(max(1, side) for side in self.size))
        if size is None:
            room.scale(_SIDE, _SIDE, Qt.AspectRatioMode.KeepAspectRatio)
        else:
            room = size
        width = _LINE if size is not None else _LINE * _WIDER
        lines, inside = self._images(style, room.expandedTo(QSize(1, 1)), width)
        marked = None if self.chosen is None else self.objects[self.chosen]
        chosen = QPainterPath() if marked is None else path_of(marked.outline)
        return OutlineLayer(lines, inside, chosen, self.size)

    def _images(self, style: OverlayStyle, room: QSize, width: float) -> tuple[QImage, QImage]:
        lines = _clear_image(room)
        inside = QImage() if style.mode == "outline" else _clear_image(room)
        scale = QTransform.fromScale(
            room.width() / max(1, self.size[0]), room.height() / max(1, self.size[1])
        )
        line_painter = QPainter(lines)
        line_painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_painter = None if inside.isNull() else QPainter(inside)
        # Those on top last.
        for index in range(len(self.objects) - 1, -1, -1):
            each = self.objects[index]
            if not self.is_shown(each, style):
                continue
            path = scale.map(path_of(each.outline))
            by_object = style.mode == "objects"
            color = color_of_object(index) if by_object else QColor(self.colors[each.label])
            if fill_painter is not None:
                fill_painter.fillPath(path, color)
            bounds = path.controlPointRect()
            thin = min(bounds.width(), bounds.height()) < _SMALL
            line_painter.strokePath(path, QPen(color, width / 2 if thin else width))
        line_painter.end()
        if fill_painter is not None:
            fill_painter.end()
        return lines, inside


def _clear_image(size: QSize) -> QImage:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image


def outlines_of_labels(
    labels: NDArray[np.int32], names: Sequence[str], colors: Sequence[str]
) -> OutlineOverlay:
    """Return the objects of a label image over its picture; from any thread.

    Args:
        labels: 256 times the number of an object plus its class; 0 and less are no object. Shape
            (height, width).
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K.
    """
    from studio.engine.tasks.parts.outlines import traced  # noqa: PLC0415 - NumPy

    objects = []
    for value, rings in traced(labels).items():
        points = [point for ring in rings for point in ring]
        across, down = [x for x, _ in points], [y for _, y in points]
        sides = min(across), min(down), max(across), max(down)
        objects.append(PictureBox(value % _CLASSES, *sides, outline=rings))
    return OutlineOverlay(objects, labels.shape[::-1], names, colors)
