"""A picture of any size as tiles that are read while they are seen."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from studio.ui.widgets.canvas.pyramid import ImagePyramid

TileKey = tuple[int, int, int]
"""Level, column and row of a tile."""
_MOST_TILES: Final = 256
"""Tiles in memory, of a megabyte each."""
_SHARP: Final = 3.0
"""Screen pixels per pixel from which single pixels are shown as squares."""


class TilePyramid(ImagePyramid):
    """Paints the tiles that have arrived; those of smaller copies stand in for the others.

    Args:
        sizes: Width and height of the picture and of its copies, the largest first.
        side: Width and height of a tile in pixels.
    """

    def __init__(self, sizes: Sequence[tuple[int, int]], side: int) -> None:
        super().__init__(QImage())
        self.sizes = list(sizes)
        self._side = side
        self._tiles: OrderedDict[TileKey, QImage] = OrderedDict()

    @property
    def size(self) -> QSize:
        """Its size in pixels."""
        return QSize(*self.sizes[0])

    @property
    def is_null(self) -> bool:
        """False: there is a picture."""
        return False

    def add(self, key: TileKey, image: QImage) -> None:
        """Take a tile that was read.

        Args:
            key: The tile.
            image: Its pixels.
        """
        self._tiles[key] = image
        self._tiles.move_to_end(key)
        while len(self._tiles) > _MOST_TILES:
            self._tiles.popitem(last=False)

    def clear(self) -> None:
        """Forget all tiles, since they look different now."""
        self._tiles.clear()

    def missing(self, whole: QRectF, exposed: QRectF, ratio: float) -> list[TileKey]:
        """Return the tiles that are seen and have not arrived: the smallest copy first.

        Args:
            whole: See `ImagePyramid.paint`.
            exposed: See `ImagePyramid.paint`.
            ratio: See `ImagePyramid.paint`.
        """
        last = len(self.sizes) - 1
        levels = [last, self._level_at(whole, ratio)]
        keys = [key for level in levels for key in self._seen(level, whole, exposed)]
        return [key for key in dict.fromkeys(keys) if key not in self._tiles]

    def paint(self, painter: QPainter, whole: QRectF, exposed: QRectF, ratio: float) -> None:
        """Paint the exposed part of the picture; see `ImagePyramid.paint`."""
        best = self._level_at(whole, ratio)
        scale = whole.width() / max(1, self.sizes[best][0]) * ratio
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < _SHARP)
        keys = list(self._seen(best, whole, exposed))
        if not all(key in self._tiles for key in keys):
            for level in range(len(self.sizes) - 1, best, -1):
                for key in self._seen(level, whole, exposed):
                    self._paint_tile(painter, key, whole)
        for key in keys:
            self._paint_tile(painter, key, whole)

    def _paint_tile(self, painter: QPainter, key: TileKey, whole: QRectF) -> None:
        image = self._tiles.get(key)
        if image is None:
            return
        self._tiles.move_to_end(key)
        level, column, row = key
        width, height = self.sizes[level]
        across, down = whole.width() / width, whole.height() / height
        target = QRectF(
            whole.x() + column * self._side * across,
            whole.y() + row * self._side * down,
            image.width() * across,
            image.height() * down,
        )
        painter.drawImage(target, image)

    def _level_at(self, whole: QRectF, ratio: float) -> int:
        """Return the smallest copy that has at least as many pixels as the screen."""
        shown = whole.width() * ratio
        fitting = [at for at, (width, _) in enumerate(self.sizes) if width >= shown]
        return fitting[-1] if fitting else 0

    def _seen(self, level: int, whole: QRectF, exposed: QRectF) -> Iterator[TileKey]:
        """Yield the tiles of a copy that are exposed."""
        seen = whole & exposed
        if seen.isEmpty():
            return
        width, height = self.sizes[level]
        across, down = width / whole.width(), height / whole.height()
        left = int((seen.left() - whole.left()) * across) // self._side
        right = int(min(width - 1, (seen.right() - whole.left()) * across)) // self._side
        top = int((seen.top() - whole.top()) * down) // self._side
        bottom = int(min(height - 1, (seen.bottom() - whole.top()) * down)) // self._side
        for row in range(max(0, top), bottom + 1):
            for column in range(max(0, left), right + 1):
                yield level, column, row
