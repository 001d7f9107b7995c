"""Thousands of lines as a picture that grows in pieces, so that no frame waits for it.

A painter takes 6 us for a line between two axes: 0.3 s for ten thousand trials on six axes. What
is asked for is there at once in some of its lines, evenly picked, and whole a moment later.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from studio.ui.charts.sweep_data import Floats

_DRAFT = 120_000
"""Pixels of line that are drawn at once; a painter takes 20 to 30 ns for each."""
_PIECE = 150
"""Segments between two looks at the clock."""
_SMOOTH = 2500
"""Up to so many segments in a picture are drawn with smooth edges."""


class LinePicture:
    """Lines in their colors, the first at the back.

    Args:
        size: Of the picture, in its own pixels.
        ground: What lies under it; transparent without one.
    """

    def __init__(self, size: QSize, ground: QImage | None = None) -> None:
        self._size, self._ground = size, ground
        self.image = QImage()
        self._making: QImage | None = None
        self._pieces: Iterator[tuple[QColor, Floats]] = iter(())
        self._smooth = False
        self._width = 1.0
        self.is_done = True

    def start(
        self,
        segments: Floats,
        levels: NDArray[np.intp],
        colors: Sequence[QColor],
        width: float = 1.0,
        *,
        draft: bool = True,
    ) -> None:
        """Draw some of these now, and make ready for all of them.

        Args:
            segments: Ends of each piece of each line, (lines, pieces, 4): x0, y0, x1, y1; NaN
                for none. The first lines are at the back.
            levels: Index of the color of each line, rising.
            colors: One for each level.
            width: Of the lines.
            draft: Without one, nothing is drawn now unless that is all; it is not to be seen.
        """
        self._width = width
        per_line = max(1, segments.shape[1])
        self._smooth = len(segments) * per_line <= _SMOOTH
        pixels = _length(segments)
        # Smooth edges take three times as long.
        self.is_done = pixels <= (_DRAFT / 3 if self._smooth else _DRAFT)
        step = 1 if self.is_done else math.ceil(pixels / _DRAFT)
        self.image = self._blank()
        if draft or self.is_done:
            painter = self._painter(self.image, smooth=self.is_done and self._smooth)
            for color, lines in _runs(segments[::step], levels[::step], colors):
                _draw(painter, color, lines, self._width)
            painter.end()
        self._making = None
        self._pieces = _runs(segments, levels, colors)

    def go_on(self, seconds: float) -> bool:
        """Draw for about so long, and tell whether the picture is whole."""
        if self.is_done:
            return True
        end = time.perf_counter() + seconds
        if self._making is None:
            self._making = self._blank()
        painter = self._painter(self._making, smooth=self._smooth)
        for color, lines in self._pieces:
            _draw(painter, color, lines, self._width)
            if time.perf_counter() > end:
                break
        else:
            self.is_done = True
        painter.end()
        if self.is_done:
            self.image = self._making
        return self.is_done

    def _painter(self, image: QImage, *, smooth: bool) -> QPainter:
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=smooth)
        return painter

    def _blank(self) -> QImage:
        if self._ground is not None:
            return self._ground.copy()
        image = QImage(self._size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        return image


def _length(segments: Floats) -> float:
    """About how many pixels long all lines are together."""
    some = segments[:: max(1, len(segments) // 200)].reshape(-1, 4)
    lengths = np.hypot(some[:, 2] - some[:, 0], some[:, 3] - some[:, 1])
    lengths = lengths[np.isfinite(lengths)]
    if not len(lengths):
        return 0.0
    return float(lengths.mean() * segments.shape[0] * segments.shape[1])


def draw_lines(
    painter: QPainter,
    segments: Floats,
    levels: NDArray[np.intp],
    colors: Sequence[QColor],
) -> None:
    """Draw all lines at once, for a file of vectors."""
    for color, lines in _runs(segments, levels, colors):
        _draw(painter, color, lines, 1.0)


def _runs(
    segments: Floats, levels: NDArray[np.intp], colors: Sequence[QColor]
) -> Iterator[tuple[QColor, Floats]]:
    """Segments of one color each, a few at a time."""
    per_line = max(1, segments.shape[1])
    few = max(1, _PIECE // per_line)
    ends = np.flatnonzero(np.diff(levels)) + 1
    for block in np.split(np.arange(len(segments)), ends):
        for start in range(0, len(block), few):
            part = segments[block[start : start + few]].reshape(-1, 4)
            part = part[np.isfinite(part).all(axis=1)]
            if len(part):
                yield colors[int(levels[block[start]])], part


def _draw(painter: QPainter, color: QColor, lines: Floats, width: float) -> None:
    painter.setPen(QPen(color, width))
    array = PrimitiveArray(QLineF, 4)
    array.resize(len(lines))
    array.ndarray()[:] = lines
    painter.drawLines(*array.drawargs())
