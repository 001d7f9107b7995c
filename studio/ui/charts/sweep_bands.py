"""The bands of a surface in a plot, and what their colors mean."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import number_text
from studio.ui.charts.pixels import color_table, paint_indexed
from studio.ui.charts.plot_picture import PlotPicture
from studio.ui.charts.sweep_colors import LEVELS, area_ramp
from studio.ui.charts.sweep_data import SweepAxis
from studio.ui.charts.sweep_surface import BLANK, Surface
from studio.ui.charts.sweep_text import has_unit, is_share, value_text
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE, mix
from studio.ui.widgets.eliding import elided

_LINE = 0.35
"""How much of the ground is in the color of a line between two bands."""
_LINES = BLANK + 1
"""Of a band that is the index of its color, and, with so many more, of that of its edge."""
_VECTOR_RATIO = 2.0
_SWATCH = 18.0
_BAND_HEIGHT = 26.0
_FOOT = 40.0
"""As high as the axis beside it."""
_WIDTH = 104


def band_colors(count: int, *, maximize: bool) -> list[QColor]:
    """One color for each band, from the lowest; what is best stands out the most."""
    colors = area_ramp()
    places = np.rint(np.linspace(0, LEVELS - 1, max(count, 2))).astype(int).tolist()[-count:]
    chosen = [colors[place] for place in places]
    return chosen if maximize else chosen[::-1]


class BandCanvas(PlotPicture):
    """Paints the bands of a surface as far as they are in view, sharp however far one zooms."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.setZValue(-1)  # under the dots
        self._surface: Surface | None = None
        self._colors: NDArray[np.uint32] = np.zeros(1, np.uint32)

    def show_surface(
        self, surface: Surface | None, theme: Theme, *, maximize: bool = False
    ) -> None:
        """Draw this from the next frame on; None for nothing.

        Args:
            surface: To be drawn.
            theme: For the colors.
            maximize: Whether more is better.
        """
        self._surface = surface
        if surface is not None:
            colors = band_colors(surface.bands, maximize=maximize)
            ground = theme.palette.surface
            lines = [QColor(mix(each.name(), ground, _LINE)) for each in colors]
            self._colors = np.concatenate([_table(colors), _table(lines)])
        self.redraw()

    def drawn(self, size: QSize, _ratio: float) -> QImage:
        """The bands, and a thin line between two; as sharp as there are pixels."""
        image = self.sheet(size)
        if self._surface is None:
            image.fill(Qt.GlobalColor.transparent)
            return image
        (left, right), (low, high) = self.box.viewRange()
        x = left + (np.arange(size.width()) + 0.5) / size.width() * (right - left)
        y = high - (np.arange(size.height()) + 0.5) / size.height() * (high - low)
        bands = self._surface.bands_at(x, y)
        edge = np.zeros(bands.shape, np.bool_)
        np.not_equal(bands[:, :-1], bands[:, 1:], out=edge[:, :-1])
        edge[:-1, :-1] |= bands[:-1, :-1] != bands[1:, :-1]
        bands += edge.view(np.uint8) * np.uint8(_LINES)
        paint_indexed(image, bands, self._colors)
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint it as a picture in the file: a surface has no shapes of its own."""
        size = (self.boundingRect().size() * _VECTOR_RATIO).toSize()
        painter.drawImage(self.boundingRect(), self.drawn(size, _VECTOR_RATIO))


class BandLegend(QWidget):
    """The colors of the bands with the values between them, the highest at the top."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._surface: Surface | None = None
        self._objective: SweepAxis | None = None
        self._maximize = False
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(self.tr("Colors of the contour plot"))
        theme.changed.connect(self.update)

    def show_surface(
        self, surface: Surface | None, objective: SweepAxis, *, maximize: bool
    ) -> None:
        """Say what the bands of a surface are; None for nothing."""
        self._surface, self._objective, self._maximize = surface, objective, maximize
        words = self.words()
        self.setAccessibleDescription(f"{words[0]}, {words[-1]}" if words else "")
        self.update()

    def words(self) -> list[str]:
        """The values where bands meet, from the lowest."""
        surface, objective = self._surface, self._objective
        if surface is None or objective is None:
            return []
        step = float(surface.edges[1] - surface.edges[0])
        return [_edge_text(objective, float(edge), step) for edge in surface.edges]

    def sizeHint(self) -> QSize:
        """As high as there is room."""
        return QSize(_WIDTH, 200)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the name of the objective, the colors and the values."""
        surface, objective = self._surface, self._objective
        if surface is None or objective is None:
            return
        palette, painter = self._theme.palette, QPainter(self)
        font = QFont(self.font())
        font.setPixelSize(TYPE.caption)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        line = metrics.height()
        painter.setPen(QColor(palette.text))
        name = elided(metrics, objective.label, self.width())
        painter.drawText(QPoint(SPACE.s, round(metrics.ascent())), name)
        top = line * 1.5 + SPACE.xs
        room = self.height() - top - _FOOT
        height = min(_BAND_HEIGHT, room / surface.bands)
        colors = band_colors(surface.bands, maximize=self._maximize)
        for place, color in enumerate(reversed(colors)):
            painter.fillRect(QRectF(SPACE.s, top + place * height, _SWATCH, height), color)
        painter.setPen(QColor(palette.muted))
        left = SPACE.s + _SWATCH + SPACE.s
        every = max(1, round(line / height + 0.49))
        for place, word in enumerate(reversed(self.words())):
            if place % every == 0:
                box = QRectF(left, top + place * height - line / 2, self.width() - left, line)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, word)
        painter.end()


def _table(colors: list[QColor]) -> NDArray[np.uint32]:
    """The pixels of the bands, (128,); transparent where there is no band."""
    table = np.zeros(_LINES, np.uint32)
    table[: len(colors)] = color_table(colors)
    return table


def _edge_text(objective: SweepAxis, value: float, step: float) -> str:
    if has_unit(objective):
        return value_text(objective, value)
    return number_text(value, step, percent=is_share(objective))
