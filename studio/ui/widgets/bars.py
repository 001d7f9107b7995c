"""Bars: progress, images per split, parts of a whole, scores of a prediction."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHideEvent,
    QPainter,
    QPainterPath,
    QShowEvent,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS, Role, chart_color, mix
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import elided
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.painting import PaintedWidget

_HEIGHT = 6
_FRAME_MS = 40
_PIECE = 0.28


class ThinBar(PaintedWidget):
    """Progress from 0 to 1; `None` shows a moving piece, for work of unknown length."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._fraction: float | None = 0.0
        self._role: Role = "accent"
        self._phase = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._step)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Progress"))

    def fraction(self) -> float | None:
        """Return the shown progress."""
        return self._fraction

    def set_fraction(self, fraction: float | None, role: Role = "accent") -> None:
        """Show progress in a color of the theme.

        Args:
            fraction: Progress from 0 to 1; None if unknown.
            role: Role of the color.
        """
        self._fraction = None if fraction is None else min(1.0, max(0.0, fraction))
        self._role = role
        self.setAccessibleDescription("" if fraction is None else percent(fraction, 0))
        self._run()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of a thin line."""
        return QSize(120, _HEIGHT)

    def showEvent(self, event: QShowEvent) -> None:
        """Start the movement."""
        super().showEvent(event)
        self._run()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the movement."""
        super().hideEvent(event)
        self._timer.stop()

    def paint(self, painter: QPainter) -> None:
        """Paint track and bar."""
        painter.setPen(Qt.PenStyle.NoPen)
        area = QRectF(self.rect())
        round_by = area.height() / 2
        painter.setBrush(QColor(self._theme.palette.pressed))
        painter.drawRoundedRect(area, round_by, round_by)
        painter.setBrush(self._theme.color(self._role))
        left, right = self._span()
        bar = QRectF(left * area.width(), 0, (right - left) * area.width(), area.height())
        if bar.width() > 0:
            bar.setWidth(max(bar.width(), area.height()))
            painter.drawRoundedRect(bar, round_by, round_by)

    def _span(self) -> tuple[float, float]:
        if self._fraction is not None:
            return 0.0, self._fraction
        head = self._phase * (1 + _PIECE)
        return max(0.0, head - _PIECE), min(1.0, head)

    def _run(self) -> None:
        if self._fraction is None and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()

    def _step(self) -> None:
        self._phase = (self._phase + _FRAME_MS / 1400) % 1.0
        self.update()


def split_word(split: str) -> str:
    """Return the name of a split in the user's language; an unknown one unchanged."""
    tr = QCoreApplication.translate
    names = {
        "train": tr("splits", "Training"),
        "val": tr("splits", "Validation"),
        "test": tr("splits", "Test"),
    }
    return names.get(split, split)


class StackedBar(PaintedWidget):
    """Bar with round ends whose parts stand side by side, one pixel apart.

    Args:
        theme: Colors.
        size: Preferred size in pixels.
        parent: Owner.
    """

    def __init__(self, theme: Theme, size: QSize, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._size = size
        self._parts: list[tuple[float, str | int]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: Iterable[tuple[float, str | int]]) -> None:
        """Show parts from left to right: fractions, each with a color or the index of one."""
        self._parts = list(parts)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return self._size

    def minimumSizeHint(self) -> QSize:
        """Return the least size."""
        return QSize(24, self._size.height())

    def paint(self, painter: QPainter) -> None:
        """Paint the parts."""
        area, shape = QRectF(self.rect()), QPainterPath()
        shape.addRoundedRect(area, area.height() / 2, area.height() / 2)
        painter.setClipPath(shape)
        painter.fillRect(area, QColor(self._theme.palette.pressed))
        left = 0.0
        for share, color in self._parts:
            width = area.width() * share
            if width > 0:
                # Leave one pixel between two parts.
                part = QRectF(left, 0, max(1.0, width - 1), area.height())
                painter.fillRect(part, QColor(_color(color, self._theme)))
            left += width


def _color(color: str | int, theme: Theme) -> str:
    return color if isinstance(color, str) else chart_color(color, dark=theme.is_dark)


class SplitBar(StackedBar):
    """Thin bar in the colors of the splits; names and numbers are in the tooltip."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, QSize(120, _HEIGHT), parent)
        self._counts: dict[str, int] = {}
        self.setAccessibleName(self.tr("Splits"))

    def set_counts(self, counts: dict[str, int]) -> None:
        """Show the number of images by split: keys `train`, `val`, `test`."""
        self._counts = {split: counts.get(split, 0) for split in SPLIT_COLORS}
        total = sum(self._counts.values())
        fractions = {split: number / max(1, total) for split, number in self._counts.items()}
        self.show_parts((share, SPLIT_COLORS[split]) for split, share in fractions.items())
        lines = (
            f"{split_word(split)}: {count(number)} ({percent(fractions[split])})"
            for split, number in self._counts.items()
        )
        text = "\n".join(lines) if total else ""
        self.setToolTip(text)
        self.setAccessibleDescription(text.replace("\n", ", "))

    def counts(self) -> dict[str, int]:
        """Return the shown numbers by split."""
        return dict(self._counts)


_STACK = QSize(240, 12)


@dataclass(frozen=True, slots=True)
class BarPart:
    """Part of a bar: name, fraction from 0 to 1, and index of its color."""

    word: str
    share: float
    color_index: int


class PartsBar(QWidget):
    """Stacked bar with a legend that shows each fraction in percent.

    Attributes:
        parts: The shown parts.
    """

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bar = StackedBar(theme, _STACK, self)
        self._legend = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.parts: list[BarPart] = []
        vbox(self._bar, self._legend, owner=self, spacing=SPACE.s)
        self.setAccessibleName(name)
        theme.changed.connect(self._show_legend)

    def set_parts(self, parts: Sequence[BarPart]) -> None:
        """Show parts, from left to right."""
        self.parts = list(parts)
        self._bar.show_parts((part.share, part.color_index) for part in self.parts)
        self._show_legend()
        texts = (f"{part.word} {percent(part.share, 0)}" for part in self.parts)
        self.setAccessibleDescription(", ".join(texts))

    def _show_legend(self) -> None:
        entries = (
            f'<span style="color: {_color(part.color_index, self._theme)}">\u25a0</span>'
            f"&nbsp;{html.escape(part.word)}&nbsp;{percent(part.share, 0)}"
            for part in self.parts
        )
        self._legend.setText("&nbsp;&nbsp;&nbsp; ".join(entries))


_BAR = 8
_ROW = 44
_SMALL_BAR = 4
_SMALL_ROW = 28


@dataclass(frozen=True, slots=True)
class BarLine:
    """Row of `ScoreBars`.

    Attributes:
        name: Name of a class, label or quantity.
        text: Its value.
        share: Length of its bar, 0 to 1; None for no bar.
        mark: Position of a tick on the bar, 0 to 1; None for none.
        is_strong: True for a predicted class or label; the others are fainter.
        color: Color of its bar as "#rrggbb"; empty for that of the theme.
    """

    name: str
    text: str
    share: float | None = None
    mark: float | None = None
    is_strong: bool = False
    color: str = ""


class ScoreBars(PaintedWidget):
    """One row per class, label or value; predicted ones have the accent color.

    Not animated: a moving number cannot be read.

    Attributes:
        row_height: Height of a row in pixels.
    """

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, is_small: bool = False
    ) -> None:
        super().__init__(theme, parent)
        self.row_height = _SMALL_ROW if is_small else _ROW
        self._bar = _SMALL_BAR if is_small else _BAR
        self._lines: list[BarLine] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._describe()

    def set_lines(self, lines: Sequence[BarLine]) -> None:
        """Show lines in the given order."""
        self._lines = list(lines)
        self._describe()
        self.updateGeometry()
        self.update()

    def scores(self) -> list[tuple[str, float]]:
        """Return the names and lengths of the bars."""
        return [(line.name, line.share) for line in self._lines if line.share is not None]

    def lines(self) -> list[BarLine]:
        """Return the shown lines."""
        return list(self._lines)

    def sizeHint(self) -> QSize:
        """Return the size of all rows."""
        return QSize(260, self.row_height * max(1, len(self._lines)))

    def minimumSizeHint(self) -> QSize:
        """Return the least size of all rows."""
        return QSize(160, self.row_height * max(1, len(self._lines)))

    def paint(self, painter: QPainter) -> None:
        """Paint all rows."""
        for index, line in enumerate(self._lines):
            self._paint_row(
                painter, QRect(0, index * self.row_height, self.width(), self.row_height), line
            )

    def _paint_row(self, painter: QPainter, row: QRect, shown: BarLine) -> None:
        palette = self._theme.palette
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold if shown.is_strong else QFont.Weight.Normal)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        gap = (self.row_height - metrics.height() - self._bar) // 3
        line = QRect(row.x(), row.y() + min(gap, SPACE.xs), row.width(), metrics.height())
        painter.setPen(QColor(palette.text))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, shown.text)
        width = line.width() - metrics.horizontalAdvance(shown.text) - SPACE.m
        name = elided(metrics, shown.name, width)
        painter.drawText(line.left(), line.top() + metrics.ascent(), name)
        if shown.share is None:
            return
        track = QRectF(row.x(), line.bottom() + min(gap, SPACE.xs) + 1, row.width(), self._bar)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.pressed))
        painter.drawRoundedRect(track, self._bar / 2, self._bar / 2)
        share = min(1.0, max(0.0, shown.share))
        if share > 0:
            # Clipped to the track, so that one percent is a thin slice and not a dot.
            shape = QPainterPath()
            shape.addRoundedRect(track, self._bar / 2, self._bar / 2)
            painter.save()
            painter.setClipPath(shape)
            filled = QRectF(track)
            filled.setWidth(max(2.0, track.width() * share))
            faint = mix(palette.muted, palette.accent, 0.35)
            usual = palette.accent if shown.is_strong else faint
            painter.fillRect(filled, QColor(shown.color or usual))
            painter.restore()
        if shown.mark is not None:
            at = track.left() + track.width() * min(1.0, max(0.0, shown.mark))
            painter.fillRect(
                QRectF(at - 1, track.top() - 2, 2, self._bar + 4), QColor(palette.text)
            )

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("Prediction of the model"))
        text = ", ".join(f"{line.name} {line.text}" for line in self._lines)
        self.setAccessibleDescription(text)
        self.setToolTip("\n".join(f"{line.name}: {line.text}" for line in self._lines))
