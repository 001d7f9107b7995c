"""How much each varied field matters, as bars."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.ui.charts.sweep_view import SweepView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.eliding import elided
from studio.ui.widgets.figures import percent

_ROW = 34.0
_BAR = 18.0
_MOST_NAME = 220.0


class ImportanceView(SweepView):
    """One bar for each field, the longest first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._shares: list[tuple[str, float]] | None = None
        self._bars: list[tuple[str, float]] = []
        self.setAccessibleName(self.tr("Importance of the fields"))
        theme.changed.connect(self.update)

    def set_importance(self, importance: Mapping[str, float] | None) -> None:
        """Show shares by the dotted names of fields; None while they are not known."""
        self._shares = None if importance is None else list(importance.items())
        self.refresh()

    def bars(self) -> list[tuple[str, float]]:
        """Label and share of each field, the largest first."""
        return list(self._bars)

    def missing(self) -> str:
        """Why there is nothing to show."""
        missing = super().missing()
        if missing:
            return missing
        if self._shares is None:
            return self.tr("Is being worked out. It takes four finished trials or more.")
        if not self._bars:
            return self.tr("These trials do not tell which fields matter.")
        return ""

    def refresh(self) -> None:
        """Draw the bars anew."""
        axes = () if self.trials is None else self.trials.axes
        labels = {axis.name: axis.label for axis in axes}
        shares = sorted(self._shares or [], key=_share, reverse=True)
        self._bars = [(labels.get(name, name), share) for name, share in shares]
        spoken = ", ".join(f"{label} {percent(share, 0)}" for label, share in self._bars)
        self.setAccessibleDescription(spoken)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint names, bars and figures."""
        if not self._bars:
            return
        palette = self.theme.palette
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(palette.surface))
        metrics = QFontMetricsF(painter.font())
        names = max(metrics.horizontalAdvance(label) for label, _ in self._bars)
        left = SPACE.m + min(names, _MOST_NAME) + SPACE.m
        figure = metrics.horizontalAdvance(percent(1.0)) + SPACE.m
        room = max(1.0, self.width() - left - figure - SPACE.m)
        longest = self._bars[0][1] or 1.0
        row = min(_ROW, (self.height() - 2 * SPACE.m) / len(self._bars))
        color = QColor(chart_color(0, dark=self.theme.is_dark))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for place, (label, share) in enumerate(self._bars):
            top = SPACE.m + place * row
            painter.setPen(QColor(palette.text))
            name = elided(metrics, label, _MOST_NAME)
            painter.drawText(QRectF(0, top, left - SPACE.m, row), right, name)
            height = min(_BAR, row - 2)
            bar = QRectF(left, top + (row - height) / 2, room * share / longest, height)
            painter.fillRect(bar, color)
            painter.setPen(QColor(palette.muted))
            beside = QRectF(bar.right() + SPACE.s, top, figure, row)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, percent(share))
        painter.end()


def _share(item: tuple[str, float]) -> float:
    return item[1]
