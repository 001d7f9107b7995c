"""A picture with its class and what a network takes it for, small enough to stand in a crowd."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.figures import percent
from studio.ui.widgets.image_cell import fit, outline_wrong
from studio.ui.widgets.names import TAILS, apart

_PICTURE = 72
_SIZE = QSize(236, _PICTURE + 2 * SPACE.s)
_BAR = 3
_MOST = 3
"""Guesses that are shown."""


class GuessTile(QWidget):
    """The picture at the left; its class, then the likeliest guesses with bars at the right.

    The right class has a check mark and the color of what is good. A wrong first guess has the
    color of what is wrong, and its picture is outlined.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._image = QImage()
        self._truth = ""
        self._guesses: list[tuple[str, float]] = []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedSize(_SIZE)
        theme.changed.connect(self.update)

    def set_image(self, image: QImage) -> None:
        """Show another picture; a null one leaves its place empty."""
        self._image = image
        self.update()

    def image(self) -> QImage:
        """The picture."""
        return self._image

    def set_guesses(self, truth: str, guesses: Sequence[tuple[str, float]]) -> None:
        """Show the class and up to three guesses with their scores, the likeliest first."""
        self._truth, self._guesses = truth, list(guesses)
        text = ", ".join(f"{name} {percent(score)}" for name, score in guesses)
        if self._is_wrong:
            text = self.tr("{prediction}: wrong, it is {label}").format(
                prediction=text, label=apart(truth)
            )
        self.setAccessibleName(truth)
        self.setAccessibleDescription(text)
        lines = [self.tr("Class: {name}").format(name=apart(truth))]
        lines += [f"{name}: {percent(score, 2)}" for name, score in guesses]
        self.setToolTip("\n".join(lines))
        self.update()

    def guesses(self) -> list[tuple[str, float]]:
        """What is shown."""
        return list(self._guesses)

    @property
    def _is_wrong(self) -> bool:
        """True if the first guess is another class."""
        return bool(self._guesses) and self._guesses[0][0] != self._truth

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the tile."""
        palette = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(palette.border))
        painter.setBrush(QColor(palette.surface))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS.control, RADIUS.control
        )
        square = QRect(SPACE.s, SPACE.s, _PICTURE, _PICTURE)
        if self._image.isNull():
            painter.fillRect(square, QColor(palette.hover))
        else:
            place = fit(self._image.size(), square)
            smooth = self._image.width() > place.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(place, self._image)
        if self._is_wrong:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            outline_wrong(painter, square, self._theme)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_guesses(painter)
        painter.end()

    def _paint_guesses(self, painter: QPainter) -> None:
        palette = self._theme.palette
        left = _PICTURE + SPACE.s + SPACE.m
        shown_guesses = self._guesses[:_MOST]
        width = self.width() - left - SPACE.m
        line = self.height() // (_MOST + 1)
        top = SPACE.xs + (_MOST - len(shown_guesses)) * (line - 2) // 2
        strong = QFont(self.font())
        strong.setWeight(QFont.Weight.DemiBold)
        painter.setFont(strong)
        painter.setPen(QColor(palette.text))
        head = QRect(left, top, width, line - SPACE.xs)
        painter.drawText(head, _LEFT | TAILS, _elided(painter, self._truth, width))
        painter.setFont(self.font())
        for at, (name, score) in enumerate(shown_guesses):
            is_right = name == self._truth
            row = QRect(left, top + (at + 1) * (line - 2), width, line - 2)
            figure = percent(score, 0)
            room = width - painter.fontMetrics().horizontalAdvance(figure) - SPACE.s
            painter.setPen(QColor(palette.text if at == 0 or is_right else palette.muted))
            shown = f"{name} ✓" if is_right else name
            text = row.adjusted(0, 0, 0, -_BAR)
            painter.drawText(text, _LEFT | TAILS, _elided(painter, shown, room))
            painter.drawText(text, _RIGHT, figure)
            color = palette.good if is_right else palette.bad if at == 0 else palette.muted
            track = QRectF(row.left(), row.bottom() - _BAR + 1, width, _BAR)
            painter.fillRect(track, QColor(palette.pressed))
            track.setWidth(max(1.0, width * min(1.0, score)))
            painter.fillRect(track, QColor(color))


def _elided(painter: QPainter, text: str, room: int) -> str:
    return elided(painter.fontMetrics(), text, room)


_LEFT = int((Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value)
_RIGHT = int((Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter).value)
