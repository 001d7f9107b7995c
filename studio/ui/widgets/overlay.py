"""Regions painted over a picture in the colors of their classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from studio.engine.tasks.annotations import IGNORE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OverlayMode = Literal["none", "blend", "outline", "mask"]
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


@dataclass(frozen=True, slots=True)
class OverlayStyle:
    """Appearance of regions over a picture.

    Attributes:
        mode: Nothing, over the picture, their outlines over the picture, or without the picture.
        opacity: Over the picture, 0 to 1.
        hidden: Numbers of classes that are not painted.
    """

    mode: OverlayMode = "blend"
    opacity: float = 0.6
    hidden: frozenset[int] = frozenset()

    def only(self, shown: int, classes: int) -> OverlayStyle:
        """Return the style that paints one class alone.

        Args:
            shown: Number of the class.
            classes: Number of classes.
        """
        rest = frozenset((*range(classes), IGNORE)) - {shown}
        return replace(self, hidden=rest)

    @property
    def hides_picture(self) -> bool:
        """True if regions are shown without the picture."""
        return self.mode == "mask"

    @property
    def strength(self) -> float:
        """Opacity of what is painted: only blended regions let the picture shine through."""
        return self.opacity if self.mode == "blend" else 1.0


@dataclass(frozen=True, eq=False)
class Overlay:
    """A class for each pixel of a picture.

    Attributes:
        labels: Class of each pixel, or `IGNORE`; uint8, shape (height, width).
        names: Names of the classes, K.
        colors: Colors of the classes as "#rrggbb", K; an empty text is never painted.
    """

    labels: NDArray[np.uint8]
    names: Sequence[str]
    colors: Sequence[str]

    @cached_property
    def pixels(self) -> list[int]:
        """Pixels of each class, K."""
        import numpy as np  # noqa: PLC0415 - the window starts without it

        found: list[int] = np.bincount(self.labels.ravel(), minlength=256).tolist()
        return found[: len(self.names)]

    @property
    def ignored(self) -> int:
        """Pixels without a class."""
        return int(self.labels.size) - sum(self.pixels)

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
            pixels[~_edges(labels)] = 0
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
            is_clear = color == CLEAR and not style.hides_picture
            if color and not is_clear and number not in style.hidden:
                table[number] = 0xFF000000 | int(color[1:], 16)
        return table


def painted(image: QImage, overlay: Overlay | None, style: OverlayStyle) -> QImage:
    """Return a picture with regions over it; from any thread.

    Args:
        image: The picture; a null one stays null.
        overlay: The regions; None for none.
        style: Style of the regions.
    """
    if overlay is None or style.mode == "none" or image.isNull():
        return image
    result = image.convertToFormat(QImage.Format.Format_RGB32)
    painter = QPainter(result)
    if style.hides_picture:
        painter.fillRect(result.rect(), QColor(GROUND))
    painter.setOpacity(style.strength)
    painter.drawImage(0, 0, overlay.image(style, image.size()))
    painter.end()
    return result


def swatch(color: str, side: int) -> QImage:
    """Return a square of the color of a class, with an edge that shows it on any ground.

    Args:
        color: Color as "#rrggbb"; empty for ignored pixels.
        side: In pixels.
    """
    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(color) if color else Qt.GlobalColor.transparent)
    painter = QPainter(image)
    if not color:
        for place, stripe in enumerate(_STRIPE_COLORS):
            for at in range(place * _STRIPE, 2 * side, 2 * _STRIPE):
                painter.setPen(QColor.fromRgba(stripe))
                for line in range(at, at + _STRIPE):
                    painter.drawLine(line, 0, line - side, side)
    painter.setPen(QColor(GROUND))
    painter.drawRect(0, 0, side - 1, side - 1)
    painter.end()
    return image


def _edges(labels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the pixels near one of another class, shape (height, width)."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    edges = np.zeros(labels.shape, np.bool_)
    width = max(1, round(max(labels.shape) / _THIN))
    for step in range(1, width + 1):
        down = labels[step:] != labels[:-step]
        across = labels[:, step:] != labels[:, :-step]
        edges[step:] |= down
        edges[:-step] |= down
        edges[:, step:] |= across
        edges[:, :-step] |= across
    return edges
