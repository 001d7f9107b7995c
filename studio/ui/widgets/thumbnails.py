"""Thumbnails, loaded in background threads and painted in a grid or next to predictions."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Final

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, ICON_SMALL, RADIUS, SPACE
from studio.ui.widgets.figures import percent
from studio.ui.widgets.labels import TAILS, apart, elided
from studio.ui.widgets.overlay import Overlaid, OverlaidImage
from studio.ui.widgets.painting import PaintedWidget

# More would only contend with the window for the interpreter.
_WORKERS: Final = 2
# One for all views: closed and hidden pages keep no threads.
_pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="thumbnails")
Load = Callable[[Hashable], Overlaid]
_Request = tuple[Hashable, int, int]
"""Key, side in pixels, and how often all were loaded again before."""
LARGEST_CACHE: Final = 128 * 1024 * 1024
"""Default limit of decoded thumbnails, in bytes."""
_limit = [LARGEST_CACHE]
_log = logging.getLogger(__name__)


class ThumbnailLoader:
    """Calls a slow function for the visible thumbnails and caches the results.

    `want` and `take` belong to the GUI thread. `load` is called in worker threads with a key of
    the model and must not touch widgets. If it fails, the result is a null image.

    Args:
        load: Returns a picture of any size for a key.
    """

    def __init__(self, load: Load) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._round = 0
        self._stack: list[_Request] = []
        self._busy: set[_Request] = set()
        self._done: SimpleQueue[tuple[_Request, QImage]] = SimpleQueue()
        self._cache: OrderedDict[Hashable, tuple[_Request, QImage]] = OrderedDict()
        self._bytes = 0
        self._workers = 0
        self._stopped = False

    @property
    def is_pending(self) -> bool:
        """True while pictures are loading or wait for `take`."""
        with self._lock:
            return bool(self._stack or self._busy) or not self._done.empty()

    def get(self, key: Hashable) -> QImage | None:
        """Return the picture of a key, perhaps at an earlier size; None if not loaded yet."""
        found = self._cache.get(key)
        if found is None:
            return None
        self._cache.move_to_end(key)
        return found[1]

    def want(self, keys: Sequence[Hashable], side: int) -> None:
        """Load thumbnails in this order; earlier requests are dropped.

        Args:
            keys: The images.
            side: Longest side in pixels.
        """
        if self._stopped:
            return
        cache = self._cache
        with self._lock:
            self._stack = [
                request
                for request in ((key, side, self._round) for key in reversed(keys))
                if request not in self._busy
                and (request[0] not in cache or cache[request[0]][0] != request)
            ]
            starting = min(len(self._stack), _WORKERS - self._workers)
            self._workers += starting
        for _ in range(starting):
            _pool.submit(self._work)

    def reload(self) -> None:
        """Load all pictures again as they are wanted; until then, the loaded ones stay."""
        self._round += 1

    def take(self) -> bool:
        """Move pictures loaded since the last call to the cache; True if there were any."""
        any_taken = False
        while not self._done.empty():
            request, image = self._done.get()
            self._forget(request[0])
            self._cache[request[0]] = (request, image)
            self._bytes += image.sizeInBytes()
            any_taken = True
        while self._bytes > _limit[0] and len(self._cache) > 1:
            self._forget(next(iter(self._cache)))
        return any_taken

    def stop(self) -> None:
        """Load nothing more; loads in progress are finished and dropped."""
        self._stopped = True
        with self._lock:
            self._stack = []

    def _forget(self, key: Hashable) -> None:
        old = self._cache.pop(key, None)
        if old is not None:
            self._bytes -= old[1].sizeInBytes()

    def _work(self) -> None:
        """Load in a worker thread until nothing is requested."""
        while True:
            with self._lock:
                if not self._stack:
                    self._workers -= 1
                    return
                request = self._stack.pop()
                self._busy.add(request)
            image = QImage()
            try:
                image = fitted(self._load(request[0]), request[1])
            except Exception as error:  # noqa: BLE001 - the other pictures are still loaded
                _log.warning("A thumbnail could not be loaded: %s", error)
            self._done.put((request, image))
            with self._lock:
                self._busy.discard(request)


def use_thumbnail_memory(size: int) -> None:
    """Set the limit of each cache in this process, in bytes."""
    _limit[0] = size


def fitted(image: Overlaid, side: int) -> QImage:
    """Scale a picture down, for fast painting.

    Args:
        image: The picture; boxes over it are painted in the new size.
        side: Longest side in pixels.
    """
    if isinstance(image, OverlaidImage):
        image = image.fitted(side)
    if image.isNull():
        return image
    if max(image.width(), image.height()) > side:
        image = image.scaled(
            QSize(side, side),
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    return image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


PAD = SPACE.s
_FRAME = 3


@dataclass(frozen=True, slots=True)
class CellState:
    """Marks of a cell."""

    selected: bool
    current: bool
    hovered: bool
    wrong: bool = False


def outline_wrong(painter: QPainter, square: QRect, theme: Theme) -> None:
    """Mark a wrong prediction by a frame and, as color alone is not enough, by a cross.

    Args:
        painter: Paints on the widget that shows the picture.
        square: Square of the picture, in pixels of the widget.
        theme: Gives the colors.
    """
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.palette.bad), _FRAME))
    painter.drawRect(square.adjusted(1, 1, -1, -1))
    cross = pixmap("close", theme, "bad", ICON_SMALL)
    corner = QRect(0, 0, ICON_SMALL + 4, ICON_SMALL + 4)
    corner.moveTopRight(square.topRight())
    painter.fillRect(corner, QColor(theme.palette.surface))
    painter.drawPixmap(corner.adjusted(2, 2, -2, -2), cross)


class CellPainter:
    """Paints the cells of one frame.

    Colors are resolved once, because a frame has many cells.

    Args:
        painter: Paints on the grid.
        theme: Gives the colors.
        thumb: Side of the square for a picture, in pixels.
        caption: Height of the line under it, in pixels.
    """

    def __init__(self, painter: QPainter, theme: Theme, thumb: int, caption: int) -> None:
        self._painter = painter
        self._theme = theme
        self._thumb = thumb
        self._caption = caption
        self._metrics = painter.fontMetrics()
        palette = theme.palette
        self._blank = QColor(palette.hover)
        self._text = QColor(palette.text)
        self._muted = QColor(palette.muted)
        painter.setPen(self._muted)

    def paint(self, x: int, y: int, image: QImage | None, caption: str, state: CellState) -> None:
        """Paint one cell.

        Args:
            x: Left edge of the cell.
            y: Top edge of the cell.
            image: The picture; None while it loads, null if it can't be read.
            caption: Line under it.
            state: Marks of the cell.
        """
        painter, side = self._painter, self._thumb
        square = QRect(x + PAD, y + PAD, side, side)
        if state.selected or state.hovered or state.current:
            self._paint_back(square, state)
        if image is None:
            painter.fillRect(square, self._blank)
        elif image.isNull():
            painter.fillRect(square, self._blank)
            broken = pixmap("warning", self._theme, "warn", ICON)
            painter.drawPixmap(square.center() - QRect(0, 0, ICON, ICON).center(), broken)
        else:
            rect = fit(image.size(), square)
            # Tiny images (digits of 28 x 28) are shown as the pixels that they are.
            smooth = image.width() > rect.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(rect, image)
        if state.wrong:
            outline_wrong(painter, square, self._theme)
        if state.selected or state.wrong:
            painter.setPen(self._text if state.selected else self._muted)
        shown = elided(self._metrics, caption, side)
        painter.drawText(x + PAD, y + PAD + side, side, self._caption, _CAPTION, shown)
        if state.selected:
            painter.setPen(self._muted)

    def _paint_back(self, square: QRect, state: CellState) -> None:
        painter, palette = self._painter, self._theme.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(QColor(palette.accent), 2)
            if state.current or state.selected
            else Qt.PenStyle.NoPen
        )
        painter.setBrush(QColor(palette.selection if state.selected else palette.hover))
        cell = square.adjusted(1 - PAD, 1 - PAD, PAD - 1, PAD - 1 + self._caption)
        painter.drawRoundedRect(cell, RADIUS.control, RADIUS.control)
        painter.restore()


def fit(size: QSize, room: QRect) -> QRect:
    """Return the largest centered rectangle of this aspect ratio inside another one.

    Args:
        size: Defines the aspect ratio.
        room: The outer rectangle.
    """
    scaled = size.scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
    rect = QRect(0, 0, max(1, scaled.width()), max(1, scaled.height()))
    rect.moveCenter(room.center())
    return rect


_PICTURE = 72
_SIZE = QSize(236, _PICTURE + 2 * SPACE.s)
_BAR = 3
_MOST = 3
"""Number of predictions shown."""


class PredictionTile(PaintedWidget):
    """A picture at the left; its class and the top predictions with bars at the right.

    The right class has a check mark and is green. A wrong first prediction is red, and its
    picture is outlined.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._image = QImage()
        self._truth = ""
        self._predictions: list[tuple[str, float]] = []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedSize(_SIZE)

    def set_image(self, image: QImage) -> None:
        """Show another picture; null for none."""
        self._image = image
        self.update()

    def image(self) -> QImage:
        """Return the picture."""
        return self._image

    def set_predictions(self, truth: str, predictions: Sequence[tuple[str, float]]) -> None:
        """Show the class and up to three predictions with scores, the highest first.

        Args:
            truth: The class; empty if unknown.
            predictions: Names and scores, highest first.
        """
        self._truth, self._predictions = truth, list(predictions)
        text = ", ".join(f"{name} {percent(score)}" for name, score in predictions)
        if self._is_wrong:
            text = self.tr("{prediction}: wrong, it is {label}").format(
                prediction=text, label=apart(truth)
            )
        self.setAccessibleName(truth)
        self.setAccessibleDescription(text)
        lines = [self.tr("Class: {name}").format(name=apart(truth))]
        lines += [f"{name}: {percent(score, 2)}" for name, score in predictions]
        self.setToolTip("\n".join(lines))
        self.update()

    def predictions(self) -> list[tuple[str, float]]:
        """Return the predictions shown."""
        return list(self._predictions)

    @property
    def _is_wrong(self) -> bool:
        """True if the first prediction is another class."""
        return bool(self._predictions) and self._predictions[0][0] != self._truth

    def paint(self, painter: QPainter) -> None:
        """Paint the tile."""
        palette = self._theme.palette
        painter.setPen(QColor(palette.border))
        painter.setBrush(QColor(palette.surface))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS.control, RADIUS.control
        )
        square = QRect(SPACE.s, SPACE.s, _PICTURE, _PICTURE)
        if self._image.isNull():
            painter.fillRect(square, QColor(palette.hover))
        else:
            rect = fit(self._image.size(), square)
            smooth = self._image.width() > rect.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
            painter.drawImage(rect, self._image)
        if self._is_wrong:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            outline_wrong(painter, square, self._theme)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_predictions(painter)

    def _paint_predictions(self, painter: QPainter) -> None:
        palette = self._theme.palette
        left = _PICTURE + SPACE.s + SPACE.m
        shown_predictions = self._predictions[:_MOST]
        width = self.width() - left - SPACE.m
        line = self.height() // (_MOST + 1)
        top = SPACE.xs + (_MOST - len(shown_predictions)) * (line - 2) // 2
        strong = QFont(self.font())
        strong.setWeight(QFont.Weight.DemiBold)
        painter.setFont(strong)
        painter.setPen(QColor(palette.text))
        head = QRect(left, top, width, line - SPACE.xs)
        painter.drawText(head, _LEFT | TAILS, _elided(painter, self._truth, width))
        painter.setFont(self.font())
        for at, (name, score) in enumerate(shown_predictions):
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


_CAPTION = int((Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom).value)
_LEFT = int((Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value)
_RIGHT = int((Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter).value)
