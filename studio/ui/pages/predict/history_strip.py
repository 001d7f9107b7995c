"""What was dropped before, newest first; a click shows its answer again."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QToolButton, QWidget

from studio.ui.context import AppContext
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.pictures import read_picture
from studio.ui.pages.predict.state import Batch
from studio.ui.theme.icons import set_icon
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import elided

MOST: Final = 40
_SIDE: Final = 48
_WIDTH: Final = 108
_HEIGHT: Final = 84
_BAR: Final = 14
"""Room for the scroll bar."""


class HistoryStrip(QScrollArea):
    """A row of small pictures; takes no room while there are none.

    Signals:
        chosen: The `Batch` that is to be shown again.
    """

    chosen = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._buttons: dict[Batch, QToolButton] = {}
        self._asked: set[Batch] = set()
        self._stale: set[Batch] = set()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._refresh_all)
        self._inside = QWidget(self)
        self._inside.setProperty("plain", "true")
        self._row = QHBoxLayout(self._inside)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._row.setSpacing(SPACE.xs)
        self._row.addStretch(1)
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(_HEIGHT + _BAR)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Earlier pictures"))
        self.hide()

    def batches(self) -> list[Batch]:
        """What is shown, newest first."""
        return list(self._buttons)[::-1]

    def button(self, batch: Batch) -> QToolButton:
        """The button of a batch."""
        return self._buttons[batch]

    def add(self, batch: Batch) -> None:
        """Put a batch at the front; the oldest goes when there are too many."""
        button = QToolButton(self._inside)
        button.setProperty("kind", "quiet")
        button.setCheckable(True)
        button.setAutoExclusive(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setIconSize(QSize(_SIDE, _SIDE))
        button.setFixedSize(QSize(_WIDTH, _HEIGHT))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(partial(self._on_clicked, batch))
        self._buttons[batch] = button
        self._row.insertWidget(0, button)
        while len(self._buttons) > MOST:
            self._remove(next(iter(self._buttons)))
        button.setChecked(True)
        self.show()
        self._show(batch)

    def refresh(self, batch: Batch) -> None:
        """Show what is new about a batch, after what is being painted now: its answer."""
        self._stale.add(batch)
        self._later.start()

    def _refresh_all(self) -> None:
        stale, self._stale = self._stale, set()
        for batch in stale:
            self._show(batch)

    def _show(self, batch: Batch) -> None:
        button = self._buttons.get(batch)
        if button is None:
            return
        words, name = messages.batch_caption(batch), messages.batch_name(batch)
        metrics = button.fontMetrics()
        room = _WIDTH - 2 * SPACE.s
        button.setText(elided(metrics, words, room))
        text = name if words == name else f"{name}\n{words}"
        button.setToolTip(text)
        button.setAccessibleName(text.replace("\n", ", "))
        # Not before the answer: decoding takes the cores that the model computes on.
        is_waited_for = batch.is_working and not batch.predictions
        if batch not in self._asked and batch.pictures and not is_waited_for:
            self._asked.add(batch)
            read = partial(read_picture, batch.first, 4 * _SIDE)
            self._context.background.run(self, read, partial(self._on_read, batch))
        elif batch.failure is not None and not batch.pictures:
            set_icon(button, "warning", self._context.theme, "warn")

    def _on_clicked(self, batch: Batch) -> None:
        self.chosen.emit(batch)

    def _on_read(self, batch: Batch, image: QImage) -> None:
        button = self._buttons.get(batch)
        if button is None:
            return
        if image.isNull():
            set_icon(button, "warning", self._context.theme, "warn")
            return
        button.setIcon(_square(image, round(_SIDE * self.devicePixelRatioF())))

    def _remove(self, batch: Batch) -> None:
        button = self._buttons.pop(batch)
        self._asked.discard(batch)
        self._row.removeWidget(button)
        button.deleteLater()


def _square(image: QImage, side: int) -> QIcon:
    """The picture in the middle of a clear square, so that all words below stand in line."""
    modes = Qt.TransformationMode
    # An icon is never enlarged by itself, and tiny pictures are shown as their pixels.
    tiny = max(image.width(), image.height()) < side
    mode = modes.FastTransformation if tiny else modes.SmoothTransformation
    scaled = image.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio, mode)
    square = QPixmap(side, side)
    square.fill(Qt.GlobalColor.transparent)
    painter = QPainter(square)
    painter.drawImage((side - scaled.width()) // 2, (side - scaled.height()) // 2, scaled)
    painter.end()
    return QIcon(square)
