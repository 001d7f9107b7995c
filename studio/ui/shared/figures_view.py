"""What a layer gives or holds: tiles, figures, histogram."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.engine.inference.questions import Figures, Tiles, heat_table, png_bytes
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count, significant
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.small_charts import Histogram

TALLEST = 360


class FiguresView(QWidget):
    """Shows `Figures` under a heading."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(self)
        self.title.setProperty("role", "section")
        self.title.setWordWrap(True)
        self.words = QLabel(self)
        self.words.setProperty("role", "caption")
        self.words.setWordWrap(True)
        self.picture = PictureView(theme, self)
        self.picture.setMaximumHeight(TALLEST)
        self.histogram = Histogram(theme, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.xs)
        for widget in (self.title, self.words, self.picture, self.histogram):
            column.addWidget(widget)

    def show_figures(self, title: str, figures: Figures) -> None:
        """Show other figures."""
        self.title.setText(title)
        self.words.setText(self._text(figures))
        tiles = figures.tiles
        self.picture.setVisible(tiles is not None)
        if tiles is not None:
            image = tile_image(tiles)
            self.picture.set_image(image, self.tr("Picture of {title}").format(title=title))
            self.picture.setFixedHeight(min(TALLEST, max(96, 2 * image.height())))
        self.histogram.show_counts(figures.histogram, figures.low, figures.high)

    def _text(self, figures: Figures) -> str:
        sizes = " × ".join(count(side) for side in figures.shape) or self.tr("one number")
        parts = [
            sizes,
            self.tr("mean {value}").format(value=significant(figures.mean)),
            self.tr("deviation {value}").format(value=significant(figures.deviation)),
        ]
        if figures.not_finite:
            parts.append(
                self.tr("{count} are infinite or no numbers").format(
                    count=count(figures.not_finite)
                )
            )
        if figures.tiles is not None and figures.tiles.shown < figures.tiles.there:
            parts.append(
                self.tr("the first {shown} of {there} are drawn").format(
                    shown=count(figures.tiles.shown), there=count(figures.tiles.there)
                )
            )
        return " · ".join(parts)


def tile_image(tiles: Tiles) -> QImage:
    """The tiles in color, dark for low values and bright for high ones."""
    gray = QImage.fromData(png_bytes(tiles.data)).convertToFormat(QImage.Format.Format_Grayscale8)
    gray.reinterpretAsFormat(QImage.Format.Format_Indexed8)
    gray.setColorTable(_colors())
    return gray.convertToFormat(QImage.Format.Format_RGB32)


@cache
def _colors() -> list[int]:
    return [QColor(*color).rgb() for color in heat_table().tolist()]
