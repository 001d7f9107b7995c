"""Regions painted over a picture in the colors of their classes: masks, boxes and outlines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPixmap

from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.parts.class_map import ClassMap
from studio.engine.tasks.parts.large_map import LargeMap
from studio.engine.tasks.parts.objects import Objects, Ring
from studio.engine.tasks.parts.part import PredictionPart
from studio.ui.theme.tokens import ICON_SMALL
from studio.ui.widgets.figures import percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OverlayMode = Literal["none", "blend", "objects", "outline", "mask"]
CLEAR: Final = "#000000"
"""Color of a background: it only covers the picture where masks are shown alone."""
GROUND: Final = "#767C86"
"""Behind masks that are shown alone: apart from black, white and every class."""
_STRIPE_COLORS: Final = (0xFFB4B9C1, 0xFF5B616B)
_STRIPE: Final = 4
_LARGEST: Final = 1600
"""Pixels of the longer side; more is not seen, and takes longer to paint."""
_THIN: Final = 160
"""Pixels of a side for each pixel of the width of an outline."""
_LINE: Final = 2.0
"""Width of the lines of boxes in pixels, at any zoom."""
_SMALL, _PLAIN = 14.0, 32.0
"""Boxes with a shorter side, in pixels, have thin lines; lines without a dark edge."""
_EDGE: Final = QColor(0, 0, 0, 90)
"""Outline of the lines of boxes, for contrast with a picture of the same color."""
_FILL: Final = 0.4
"""Opacity of the inside of boxes, as a share of that of an overlay."""
_TAG_PIXELS: Final = 11
_TAG_PAD: Final = 3.0
TAG_PARTS: Final = " · "
"""Separator in the text of a tag; with less room only the part before it is shown."""
_LEAST_LINES: Final = 1.6
"""Least height of a box with a tag, in lines."""
_MOST_TAGS: Final = 150
_HUES: Final = 0.618034
"""Golden ratio: hues of neighbors in a list are far apart."""
_MIDDLE_GRAY: Final = 140


@dataclass(frozen=True, slots=True)
class OverlayStyle:
    """Appearance of regions over a picture.

    Attributes:
        mode: Nothing, over the picture in the colors of their classes, or each in its own color,
            their outlines over the picture, or without the picture. Boxes have no mode without the
            picture: they are painted over it; masks have no color of each object.
        opacity: Over the picture, 0 to 1.
        hidden: Numbers of classes that are not painted.
        min_score: Boxes with a lower score are not painted; None for the threshold of each box.
        has_tags: True to write class and score at boxes.
    """

    mode: OverlayMode = "blend"
    opacity: float = 0.6
    hidden: frozenset[int] = frozenset()
    min_score: float | None = None
    has_tags: bool = True

    def only(self, shown: int, classes: int) -> OverlayStyle:
        """Return the style that paints one class alone.

        Args:
            shown: Number of the class.
            classes: Number of classes.
        """
        rest = frozenset((*range(classes), IGNORE)) - {shown}
        return replace(self, hidden=rest)


class PaintedLayer(ABC):
    """Regions that are ready to be painted over a picture."""

    hides_picture = False

    @abstractmethod
    def paint(self, painter: QPainter, room: QRectF, opacity: float) -> None:
        """Paint the regions; from any thread.

        Args:
            painter: Paints on the picture.
            room: Place of the whole picture, in pixels of the painter.
            opacity: Opacity of regions that let the picture shine through, 0 to 1.
        """


class Overlay(ABC):
    """Regions over a picture.

    Attributes:
        part: Type of the part of predictions that it paints, and regions like it.
        is_scaled: True if it is painted in the size of a widget, not in that of the picture.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K; an empty text is never painted.
    """

    part: type[PredictionPart]
    is_scaled: bool = False
    names: Sequence[str]
    colors: Sequence[str]

    @abstractmethod
    def counts(self, min_score: float | None = None) -> list[int]:
        """Return the pixels or the boxes of each class, K.

        Args:
            min_score: Boxes with a lower score do not count; None for the threshold of each.
        """

    @property
    def ignored(self) -> int:
        """Pixels without a class."""
        return 0

    @property
    def has_scores(self) -> bool:
        """True for predictions that can be filtered by their scores."""
        return False

    @property
    def threshold(self) -> float:
        """Usual lowest score of what is shown."""
        return 0.0

    def with_boxes(self, boxes: Sequence[PictureBox]) -> Overlay:  # noqa: ARG002 - of boxes
        """Return the regions with further boxes; unchanged for other kinds."""
        return self

    @property
    def file(self) -> str:
        """Path of the regions of a large picture as a pyramid; empty for others."""
        return ""

    def of_tile(self, pixels: NDArray[Any]) -> Overlay:  # noqa: ARG002 - of boxes
        """Return the regions of a tile of `file`; unchanged where there is no such file.

        Args:
            pixels: Shape (height, width, 1).
        """
        return self

    @abstractmethod
    def layer(self, style: OverlayStyle, size: QSize | None = None) -> PaintedLayer:
        """Return the layer that paints the regions in a style, without opacity; any thread.

        Args:
            style: Style of the regions.
            size: Size of the picture in pixels; None for that of the regions.
        """


@dataclass(frozen=True, slots=True)
class MaskLayer(PaintedLayer):
    """The pixels of masks as a picture, transparent elsewhere."""

    image: QImage
    hides_picture: bool = False
    is_opaque: bool = False

    def paint(self, painter: QPainter, room: QRectF, opacity: float) -> None:
        """Paint the picture in the size of the room; see `PaintedLayer.paint`."""
        painter.setOpacity(1.0 if self.is_opaque else opacity)
        painter.drawImage(room, self.image)
        painter.setOpacity(1.0)


@dataclass(frozen=True, eq=False)
class MaskOverlay(Overlay):
    """A class for each pixel of a picture.

    Attributes:
        labels: Class of each pixel, or `IGNORE`; uint8, shape (height, width).
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K; an empty text is never painted.
        large: The mask of a large picture, of which `labels` is a smaller copy.
        pixels: Pixels of each class in the large picture, K; empty to count those of `labels`.
    """

    part = ClassMap
    labels: NDArray[np.uint8]
    names: Sequence[str]
    colors: Sequence[str]
    large: LargeMap | None = None
    pixels: Sequence[int] = ()

    @property
    def file(self) -> str:
        """See `Overlay.file`."""
        return "" if self.large is None else self.large.file

    def of_tile(self, pixels: NDArray[Any]) -> MaskOverlay:
        """Return a part of the mask; see `Overlay.of_tile`."""
        return replace(self, labels=pixels[..., 0], large=None, pixels=())

    @cached_property
    def _pixels(self) -> list[int]:
        import numpy as np  # noqa: PLC0415 - the window starts without it

        if self.pixels:
            return list(self.pixels)
        found: list[int] = np.bincount(self.labels.ravel(), minlength=256).tolist()
        return found[: len(self.names)]

    def counts(self, min_score: float | None = None) -> list[int]:  # noqa: ARG002 - of boxes
        """Return the pixels of each class, K."""
        return self._pixels

    @property
    def ignored(self) -> int:
        """Pixels without a class."""
        return int(self.labels.size) - sum(self._pixels) if self.large is None else 0

    def layer(self, style: OverlayStyle, size: QSize | None = None) -> MaskLayer:
        """Return the regions as a picture; see `Overlay.layer` and `image`."""
        return MaskLayer(self.image(style, size), style.mode == "mask", style.mode != "blend")

    def image(self, style: OverlayStyle, size: QSize | None = None) -> QImage:
        """Return the regions as a picture, transparent elsewhere; from any thread.

        Args:
            style: Style of the regions; its opacity is left to the caller.
            size: In pixels; by default that of the regions, or less if they are very large.
        """
        import numpy as np  # noqa: PLC0415 - the window starts without it

        labels = self._sized(size)
        table = self._table(style)
        pixels = table[labels]
        if IGNORE not in style.hidden and (labels == IGNORE).any():
            rows, columns = np.ogrid[: labels.shape[0], : labels.shape[1]]
            stripes = np.array(_STRIPE_COLORS, np.uint32)[(rows + columns) // _STRIPE % 2]
            pixels = np.where(labels == IGNORE, stripes, pixels)
        if style.mode == "outline":
            pixels[~edges(labels)] = 0
        height, width = labels.shape
        kind = QImage.Format.Format_ARGB32_Premultiplied
        return QImage(pixels.tobytes(), width, height, 4 * width, kind).copy()

    def _sized(self, size: QSize | None) -> NDArray[np.uint8]:
        """Return the classes in another size, each pixel that of the nearest one."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        height, width = self.labels.shape
        if size is None:
            scale = min(1.0, _LARGEST / max(height, width))
            size = QSize(max(1, round(width * scale)), max(1, round(height * scale)))
        if (size.height(), size.width()) == (height, width):
            return self.labels
        rows = np.arange(size.height()) * height // size.height()
        columns = np.arange(size.width()) * width // size.width()
        found: NDArray[np.uint8] = self.labels[rows[:, None], columns]
        return found

    def _table(self, style: OverlayStyle) -> NDArray[np.uint32]:
        """Return the color of each class as 0xaarrggbb, shape (256,)."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        table = np.zeros(256, np.uint32)
        for number, color in enumerate(self.colors):
            is_clear = color == CLEAR and style.mode != "mask"
            if color and not is_clear and number not in style.hidden:
                table[number] = 0xFF000000 | int(color[1:], 16)
        return table


@dataclass(frozen=True, slots=True)
class PictureBox:
    """A box over a picture.

    Attributes:
        label: Number of its class.
        left: In pixels of the picture, as the others.
        top: Upper side.
        right: Right side.
        bottom: Lower side.
        score: Score of a prediction; None of an annotation.
        threshold: From which score on the model gives it.
        dashed: True for an object that does not count: difficult, or a crowd.
        text: What its tag says; empty for its class and its score.
        outline: Rings of the outline of the object in pixels of the picture; empty where the box
            is all there is.
    """

    label: int
    left: float
    top: float
    right: float
    bottom: float
    score: float | None = None
    threshold: float = 0.0
    dashed: bool = False
    text: str = ""
    outline: Sequence[Ring] = ()

    def is_given(self, min_score: float | None) -> bool:
        """Return True for an annotation, and for a prediction with enough score.

        Args:
            min_score: Lowest score; None for the threshold of the box.
        """
        least = self.threshold if min_score is None else min_score
        return self.score is None or self.score >= least

    @property
    def area(self) -> float:
        """In square pixels."""
        return (self.right - self.left) * (self.bottom - self.top)


def picture_boxes(rows: NDArray[np.float32], *, are_scored: bool = False) -> list[PictureBox]:
    """Return boxes as rows of numbers as boxes over a picture; empty places are left out.

    Args:
        rows: Shape (n, 6), see `tasks.boxes`.
        are_scored: True for predictions, which have a score in the place of the flags.
    """
    return [
        PictureBox(
            int(label),
            left,
            top,
            right,
            bottom,
            score=last if are_scored else None,
            dashed=not are_scored and last != 0,
        )
        for label, left, top, right, bottom, last in rows.tolist()
        if label >= 0
    ]


@dataclass(frozen=True, eq=False)
class BoxOverlay(Overlay):
    """Boxes over a picture.

    Attributes:
        boxes: The boxes.
        size: Width and height of the picture that their pixels are of.
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K; an empty text is never painted.
    """

    part = Objects
    is_scaled = True
    boxes: Sequence[PictureBox]
    size: tuple[int, int]
    names: Sequence[str]
    colors: Sequence[str]

    def counts(self, min_score: float | None = None) -> list[int]:
        """Return the boxes of each class, K; those that do not count left out."""
        found = [0] * len(self.names)
        for box in self.boxes:
            if not box.dashed and box.is_given(min_score):
                found[box.label] += 1
        return found

    def with_boxes(self, boxes: Sequence[PictureBox]) -> BoxOverlay:
        """Return the boxes and others; see `Overlay.with_boxes`."""
        return replace(self, boxes=[*self.boxes, *boxes])

    @property
    def threshold(self) -> float:
        """Mean threshold of the boxes."""
        found = [box.threshold for box in self.boxes]
        return sum(found) / len(found) if found else 0.0

    @property
    def has_scores(self) -> bool:
        """True for predictions."""
        return any(box.score is not None for box in self.boxes)

    def layer(self, style: OverlayStyle, size: QSize | None = None) -> BoxLayer:  # noqa: ARG002
        """Return the boxes to paint, the largest first; see `Overlay.layer`."""
        shown = [
            box
            for box in self.boxes
            if box.label not in style.hidden
            and self.colors[box.label]
            and box.is_given(style.min_score)
        ]
        shown.sort(key=lambda box: -box.area)
        by_object = style.mode == "objects"
        return BoxLayer(self, shown, style.mode != "outline", style.has_tags, by_object)


@dataclass(frozen=True, slots=True)
class BoxLayer(PaintedLayer):
    """Boxes as lines of the same width at any size, with a tag if there is room."""

    overlay: BoxOverlay
    boxes: Sequence[PictureBox]
    is_filled: bool
    has_tags: bool
    has_own_colors: bool = False
    hides_picture: bool = False

    def paint(self, painter: QPainter, room: QRectF, opacity: float) -> None:
        """Paint the boxes, then their tags; see `PaintedLayer.paint`."""
        width, height = self.overlay.size
        across, down = room.width() / max(1, width), room.height() / max(1, height)
        rects = [
            QRectF(
                QPointF(room.left() + box.left * across, room.top() + box.top * down),
                QPointF(room.left() + box.right * across, room.top() + box.bottom * down),
            )
            for box in self.boxes
        ]
        of_class = [QColor(color) for color in self.overlay.colors]
        colors = [
            color_of_object(index) if self.has_own_colors else of_class[box.label]
            for index, box in enumerate(self.boxes)
        ]
        painter.save()
        painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for box, rect, color in zip(self.boxes, rects, colors, strict=True):
            self._paint_box(painter, rect, color, opacity, dashed=box.dashed)
        if self.has_tags:
            self._paint_tags(painter, room, rects, colors)
        painter.restore()

    def _paint_box(
        self, painter: QPainter, rect: QRectF, color: QColor, opacity: float, *, dashed: bool
    ) -> None:
        side = min(rect.width(), rect.height())
        line = _LINE / 2 if side < _SMALL else _LINE
        # The line lies inside: boxes at the border of the picture are seen on all sides.
        inside = rect.adjusted(line / 2, line / 2, -line / 2, -line / 2)
        if self.is_filled and not dashed:
            painter.fillRect(rect, _clear(color, opacity * _FILL))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if side >= _PLAIN:
            painter.setPen(QPen(_EDGE, line + 2))
            painter.drawRect(inside)
        pen = QPen(color, line)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        if dashed:
            pen.setDashPattern([3.0, 2.0])
        painter.setPen(pen)
        painter.drawRect(inside)

    def _paint_tags(
        self, painter: QPainter, room: QRectF, rects: Sequence[QRectF], colors: Sequence[QColor]
    ) -> None:
        """Write class and score at the boxes if they cover no other tag."""
        font = QFont(painter.font())
        font.setPixelSize(_TAG_PIXELS)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        high = metrics.height() + 1
        order = sorted(
            zip(self.boxes, rects, colors, strict=True),
            key=lambda each: -(each[0].score or 0.0),
        )
        taken: list[QRectF] = []
        for box, rect, color in order:
            if len(taken) == _MOST_TAGS:
                break
            wide, text = self._tag_text(box, rect, metrics)
            tag = _free(rect, QSize(round(wide), round(high)), room, taken) if text else None
            if tag is None:
                continue
            taken.append(tag)
            painter.fillRect(tag, color)
            painter.setPen(QColor("black" if _is_light(color) else "white"))
            painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)

    def _tag_text(
        self, box: PictureBox, rect: QRectF, metrics: QFontMetricsF
    ) -> tuple[float, str]:
        """Return the width and the text of a tag that is not wider than its box."""
        if rect.height() < _LEAST_LINES * metrics.height():
            return 0.0, ""
        name = self.overlay.names[box.label]
        words = [box.text, box.text.partition(TAG_PARTS)[0]] if box.text else [name]
        if box.score is not None and not box.text:
            score = percent(box.score, 0)
            words = [f"{name} {score}", score]
        for text in words:
            wide = metrics.horizontalAdvance(text) + 2 * _TAG_PAD
            if wide <= rect.width():
                return wide, text
        return 0.0, ""


def _free(rect: QRectF, size: QSize, room: QRectF, taken: Sequence[QRectF]) -> QRectF | None:
    """Return the place of a tag: above its box, inside of it, or below; None if all are taken."""
    wide, high = float(size.width()), float(size.height())
    inside = rect.height() >= 2 * high
    tops = [rect.top() - high, *([rect.top()] if inside else []), rect.bottom()]
    for top in tops:
        place = QRectF(rect.left(), top, wide, high)
        if room.contains(place) and not any(place.intersects(each) for each in taken):
            return place
    return None


def color_of_object(number: int) -> QColor:
    """Return a color for an object that differs from those of the next numbers.

    Args:
        number: Number of the object.
    """
    return QColor.fromHsvF(number * _HUES % 1.0, 0.75, 0.95)


def _clear(color: QColor, alpha: float) -> QColor:
    found = QColor(color)
    found.setAlphaF(alpha)
    return found


def _is_light(color: QColor) -> bool:
    gray = 0.299 * color.red() + 0.587 * color.green() + 0.114 * color.blue()
    return gray > _MIDDLE_GRAY


@dataclass(frozen=True, slots=True)
class OverlaidImage:
    """A picture with boxes, whose lines and tags have the same size at any size of the picture.

    Attributes:
        image: The picture.
        overlay: The boxes.
        style: Style of the regions.
    """

    image: QImage
    overlay: Overlay
    style: OverlayStyle

    def fitted(self, side: int) -> QImage:
        """Return the picture with its regions; from any thread.

        Args:
            side: Longest side in pixels.
        """
        image, mode = self.image, Qt.TransformationMode
        size = image.size().scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio)
        # Pixels of an enlarged picture stay pixels.
        is_larger = size.width() > image.width()
        scaled = image.scaled(
            size.expandedTo(QSize(1, 1)),
            Qt.AspectRatioMode.IgnoreAspectRatio,
            mode.FastTransformation if is_larger else mode.SmoothTransformation,
        )
        return painted(scaled, self.overlay, self.style)


Overlaid = QImage | OverlaidImage
"""A picture, perhaps with boxes that are still to be painted."""


def overlaid(image: QImage, overlay: Overlay | None, style: OverlayStyle) -> Overlaid:
    """Return a picture with masks over it, or with boxes that are painted in its final size.

    Args:
        image: The picture; a null one stays null.
        overlay: The regions; None for none.
        style: Style of the regions.
    """
    if overlay is None or style.mode == "none" or image.isNull():
        return image
    if overlay.is_scaled:
        return OverlaidImage(image, overlay, style)
    return painted(image, overlay, style)


def painted(image: QImage, overlay: Overlay | None, style: OverlayStyle) -> QImage:
    """Return a picture with regions over it, in its size; from any thread.

    Args:
        image: The picture; a null one stays null.
        overlay: The regions; None for none.
        style: Style of the regions.
    """
    if overlay is None or style.mode == "none" or image.isNull():
        return image
    result = image.convertToFormat(QImage.Format.Format_RGB32)
    layer = overlay.layer(style, image.size())
    painter = QPainter(result)
    if layer.hides_picture:
        painter.fillRect(result.rect(), QColor(GROUND))
    layer.paint(painter, QRectF(result.rect()), style.opacity)
    painter.end()
    return result


def swatch(color: str, side: int = ICON_SMALL) -> QPixmap:
    """Return a square of the color of a class, with an edge that shows it on any ground.

    Args:
        color: Color as "#rrggbb"; empty for ignored pixels.
        side: In pixels.
    """
    square = QPixmap(side, side)
    square.fill(QColor(color) if color else Qt.GlobalColor.transparent)
    painter = QPainter(square)
    if not color:
        for place, stripe in enumerate(_STRIPE_COLORS):
            for at in range(place * _STRIPE, 2 * side, 2 * _STRIPE):
                painter.setPen(QColor.fromRgba(stripe))
                for line in range(at, at + _STRIPE):
                    painter.drawLine(line, 0, line - side, side)
    painter.setPen(QColor(GROUND))
    painter.drawRect(0, 0, side - 1, side - 1)
    painter.end()
    return square


def edges(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the pixels near one of another class, shape (height, width)."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    found = np.zeros(labels.shape, np.bool_)
    width = max(1, round(max(labels.shape) / _THIN))
    for step in range(1, width + 1):
        down = labels[step:] != labels[:-step]
        across = labels[:, step:] != labels[:, :-step]
        found[step:] |= down
        found[:-step] |= down
        found[:, step:] |= across
        found[:, :-step] |= across
    return found
