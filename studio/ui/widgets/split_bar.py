"""How many images are in training, validation and test, as one bar."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPLIT_COLORS
from studio.ui.widgets.figures import count, percent

_HEIGHT = 6


def split_word(split: str) -> str:
    """The word for a split, in the user's language; an unknown one as it is."""
    tr = QCoreApplication.translate
    words = {
        "train": tr("splits", "Training"),
        "val": tr("splits", "Validation"),
        "test": tr("splits", "Test"),
    }
    return words.get(split, split)


class SplitBar(QWidget):
    """A thin bar in the colors of the splits; the words and numbers are in the tooltip."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts: dict[str, int] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self._describe()

    def set_counts(self, counts: dict[str, int]) -> None:
        """Show the number of images by split: keys `train`, `val`, `test`."""
        self._counts = {split: counts.get(split, 0) for split in SPLIT_COLORS}
        self._describe()
        self.update()

    def counts(self) -> dict[str, int]:
        """What is shown."""
        return dict(self._counts)

    def sizeHint(self) -> QSize:
        """A thin line."""
        return QSize(120, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Still a thin line."""
        return QSize(24, _HEIGHT)

    def changeEvent(self, event: QEvent) -> None:
        """Another language, another tooltip."""
        if event.type() == QEvent.Type.LanguageChange:
            self._describe()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the parts side by side, one pixel of ground between them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect())
        shape = QPainterPath()
        shape.addRoundedRect(area, area.height() / 2, area.height() / 2)
        painter.setClipPath(shape)
        painter.fillRect(area, QColor(self._theme.palette.pressed))
        total = sum(self._counts.values())
        left = 0.0
        for split, number in self._counts.items():
            width = area.width() * number / total if total else 0.0
            if width > 0:
                part = QRectF(left, 0, max(1.0, width - 1), area.height())
                painter.fillRect(part, QColor(SPLIT_COLORS[split]))
            left += width
        painter.end()

    def _describe(self) -> None:
        total = sum(self._counts.values())
        text = "\n".join(
            f"{split_word(split)}: {count(number)} ({percent(number / total)})"
            for split, number in self._counts.items()
            if total
        )
        self.setToolTip(text)
        self.setAccessibleName(self.tr("Splits"))
        self.setAccessibleDescription(text.replace("\n", ", "))
