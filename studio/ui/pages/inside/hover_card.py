"""The picture of the point under the pointer, beside it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from studio.ui.bridge.background import Background
from studio.ui.pages.inside.row_pictures import RowPictures
from studio.ui.pages.inside.state import DrawnMap
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import percent

SIDE = 112
_AWAY = 14


class HoverCard(QFrame):
    """Floats over a plot, which is its parent; never in the way of the pointer."""

    def __init__(self, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._background = background
        self._over = parent
        self._wanted = -1
        self.picture = QLabel(self)
        self.picture.setFixedSize(SIDE, SIDE)
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words = QLabel(self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setProperty("role", "caption")
        self.words.setMaximumWidth(SIDE)
        self.words.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.s, SPACE.s, SPACE.s, SPACE.s)
        column.setSpacing(SPACE.xs)
        column.addWidget(self.picture)
        column.addWidget(self.words)
        self.hide()

    def show_point(
        self, drawn: DrawnMap, point: int, pictures: RowPictures, place: QPoint
    ) -> None:
        """Show a point beside a place on the screen."""
        embedding, words = drawn.embedding, drawn.caption(point)
        self._wanted = int(embedding.rows[point])
        if embedding.has_classes:
            words += f" · {percent(float(embedding.scores[point]))}"
        self.words.setText(words)
        self.picture.clear()
        self._background.run(
            self, partial(pictures.load, self._wanted), partial(self._on_loaded, self._wanted)
        )
        self.adjustSize()
        self.move(self._beside(place))
        self.show()
        self.raise_()

    def leave(self) -> None:
        """Nothing is under the pointer."""
        self._wanted = -1
        self.hide()

    def _on_loaded(self, row: int, image: QImage) -> None:
        if row == self._wanted:
            # Small pictures pixel by pixel: that is what the network sees.
            way = Qt.TransformationMode
            mode = way.FastTransformation if image.width() < SIDE else way.SmoothTransformation
            keep = Qt.AspectRatioMode.KeepAspectRatio
            self.picture.setPixmap(QPixmap.fromImage(image.scaled(SIDE, SIDE, keep, mode)))

    def _beside(self, place: QPoint) -> QPoint:
        over = self._over
        at = over.mapFromGlobal(place) + QPoint(_AWAY, _AWAY)
        if at.x() + self.width() > over.width():
            at.setX(at.x() - self.width() - 2 * _AWAY)
        if at.y() + self.height() > over.height():
            at.setY(at.y() - self.height() - 2 * _AWAY)
        return QPoint(max(0, at.x()), max(0, at.y()))
