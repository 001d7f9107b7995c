"""Cards: a surface with a title, a card that acts as a button, the card of a class."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import SplitBar
from studio.ui.widgets.figures import count, significant
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.painting import PaintedWidget
from studio.ui.widgets.small_charts import Histogram
from studio.ui.widgets.tips import explain, with_term


class Card(QFrame):
    """A card; `body` is its layout, `title` an optional heading inside it."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._title = text_label("", "section", self)
        self.body = vbox(self._title, owner=self, spacing=SPACE.m, margins=SPACE.l)
        self.set_title(title)

    def set_title(self, title: str) -> None:
        """Show another heading; an empty one takes no room."""
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._title.setToolTip(with_term(title))
        self.setAccessibleName(title)


class PressableCard(QFrame):
    """A card that acts as one large button, by mouse, Space and Enter.

    Signals:
        activated: The card was pressed.
    """

    activated = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.setProperty("hoverable", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_current(self, *, current: bool) -> None:
        """Mark it as the one among several whose details are shown."""
        if bool(self.property("current")) != current:
            restyle(self, "current", current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space and Enter press the card."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activated.emit()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit a click if the button is released inside."""
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside:
            self.activated.emit()
        super().mouseReleaseEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Set the pointer to show whether the card can be pressed."""
        if event.type() == QEvent.Type.EnabledChange:
            shape = Qt.CursorShape.PointingHandCursor if self.isEnabled() else None
            self.setCursor(shape or Qt.CursorShape.ArrowCursor)
        super().changeEvent(event)


CARD_WIDTH, MAX_WIDTH = 172, 240
"""Pixels across: at least, and where the gallery has room to fill."""
_GAP = 2


class Mosaic(PaintedWidget):
    """Up to nine pictures in a square, each cropped to a square of its own."""

    def __init__(self, theme: Theme, side: int = 0, parent: QWidget | None = None) -> None:
        """Build it; `side` in pixels, 0: as wide as there is room, and as high as wide."""
        super().__init__(theme, parent)
        self._images: list[QImage] = []
        if side:
            self.setFixedSize(QSize(side, side))
        else:
            policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)

    def set_images(self, images: Sequence[QImage]) -> None:
        """Show the first nine that can be read; 1, 4 or 9 tiles, by how many there are."""
        self._images = [image for image in images if not image.isNull()][:9]
        self.update()

    def images(self) -> list[QImage]:
        """Return the shown pictures."""
        return list(self._images)

    def hasHeightForWidth(self) -> bool:
        """Return a square, unless its side is fixed."""
        return self.sizePolicy().hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        """As high as wide."""
        return width

    def paint(self, painter: QPainter) -> None:
        """Paint the tiles."""
        across = 1 if len(self._images) <= 1 else 2 if len(self._images) <= 4 else 3
        shape = QPainterPath()
        shape.addRoundedRect(self.rect(), 4, 4)
        painter.setClipPath(shape)
        side = (self.width() - _GAP * (across - 1)) / across
        for index in range(across * across):
            line, column = divmod(index, across)
            left, top = round(column * (side + _GAP)), round(line * (side + _GAP))
            right, bottom = (
                round(column * (side + _GAP) + side),
                round(line * (side + _GAP) + side),
            )
            tile = QRect(left, top, right - left, bottom - top)
            if index < len(self._images):
                self._paint_tile(painter, tile, self._images[index])
            else:
                painter.fillRect(tile, QColor(self._theme.palette.hover))

    @staticmethod
    def _paint_tile(painter: QPainter, tile: QRect, image: QImage) -> None:
        side = min(image.width(), image.height())
        source = QRect((image.width() - side) // 2, (image.height() - side) // 2, side, side)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, side > tile.width())
        painter.drawImage(tile, image, source)


class ClassCard(PressableCard):
    """A mosaic of pictures over the name, the count and a bar of the splits.

    Signals:
        activated: The card was pressed.
    """

    def __init__(
        self,
        theme: Theme,
        name: str,
        parent: QWidget | None = None,
        words: str = "",
        help_text: str = "",
    ) -> None:
        """Build it.

        Args:
            theme: The theme.
            name: Name of the class, label or quantity.
            parent: The gallery.
            words: Template of the accessible name with `{name}` and `{count}`; by default a class.
            help_text: Effect of a click.
        """
        super().__init__(parent)
        self._theme = theme
        self._described = words
        self.name = name
        self.setMinimumWidth(CARD_WIDTH)
        self.mosaic = Mosaic(theme, parent=self)
        self._name = ElidedLabel(name, self, is_bold=True)
        self._count = text_label("", "caption", self)
        self.bar = SplitBar(theme, self)
        line = hbox((self._name, 1), (self._count, Qt.AlignmentFlag.AlignRight), spacing=SPACE.s)
        column = vbox(self.mosaic, line, self.bar, owner=self, spacing=SPACE.s, margins=SPACE.m)
        self.histogram: Histogram | None = None
        self._column = column
        self.set_counts({})
        explain(self, help_text or self.tr("Shows the images of this class."))

    def set_images(self, images: Sequence[QImage]) -> None:
        """Show some of the pictures, at most nine."""
        self.mosaic.set_images(images)

    def set_counts(self, counts: dict[str, int]) -> None:
        """Show how many images are in each split."""
        self.bar.set_counts(counts)
        self._describe()

    def set_histogram(
        self, counts: Sequence[int], low: float, high: float, mean: float, unit: str
    ) -> None:
        """Show how the values of a quantity are distributed, in place of the splits.

        Args:
            counts: Images in each of the equal parts from `low` to `high`.
            low: The smallest value.
            high: The largest value.
            mean: Mean of all values.
            unit: Unit of the quantity; empty for none.
        """
        if self.histogram is None:
            self.histogram = Histogram(self._theme, self)
            # The name needs the whole line.
            self._column.insertWidget(2, self._count)
            self._column.addWidget(self.histogram)
            self.bar.hide()
        self.histogram.show_counts(counts, low, high)
        text = f"{significant(mean)}\N{NO-BREAK SPACE}{unit}" if unit else significant(mean)
        self._count.setText(self.tr("mean {value}").format(value=text))

    def _describe(self) -> None:
        total = sum(self.bar.counts().values())
        self._count.setText(count(total))
        self.setAccessibleName(
            (self._described or self.tr("Class {name}, images: {count}")).format(
                name=self.name, count=count(total)
            )
        )
        self.setAccessibleDescription(self.bar.accessibleDescription())
