"""Sentences about charts for screen readers, written when data has come to rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QWidget

from studio.ui.widgets.layout import Debounce

if TYPE_CHECKING:
    from studio.ui.charts.series import Series

_tr = partial(QCoreApplication.translate, "spoken")

REST_MS: Final = 1000
"""Shortest time between two descriptions: a live chart has thirty frames in it."""
MOST_LINES: Final = 8
Format = Callable[[float], str]


class Description(QObject):
    """Updates the accessible description of a widget, a while after the first of several changes.

    Args:
        widget: What is described.
        summary: Returns the description; called only when it is written.
    """

    def __init__(self, widget: QWidget, summary: Callable[[], str]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._summary = summary
        self._timer = Debounce(REST_MS, self.write, self)

    def renew(self) -> None:
        """Schedule an update."""
        if not self._timer.isActive():
            self._timer.start()

    def write(self) -> None:
        """Write the description now."""
        self._timer.stop()
        text = self._summary()
        if text != self._widget.accessibleDescription():
            self._widget.setAccessibleDescription(text)


def lines_text(
    title: str,
    x_label: str,
    lines: Iterable[tuple[str, Series]],
    y_text: Format,
    x_text: Format,
) -> str:
    """Describe lines: where each ends, and its extremes.

    Args:
        title: What y is.
        x_label: What x counts.
        lines: Name and points of each.
        y_text: Formats a y value.
        x_text: Formats an x value.
    """
    lines = list(lines)
    parts = [_line_text(x_label, *line, y_text, x_text) for line in lines[:MOST_LINES]]
    parts = [text for text in parts if text]
    if not parts:
        return _tr("{title}: nothing yet.").format(title=title)
    text = _tr("{title}: {number} lines. ") if len(lines) > 1 else _tr("{title}: ")
    if len(lines) > MOST_LINES:
        parts.append(_tr("and {number} more").format(number=len(lines) - MOST_LINES))
    return text.format(title=title, number=len(lines)) + "; ".join(parts) + "."


def _line_text(x_label: str, name: str, series: Series, y_text: Format, x_text: Format) -> str:
    places = series.landmarks()
    if places is None:
        return ""
    last, low, high = (y_text(float(series.y[each])) for each in places)
    last_at, low_at, high_at = (x_text(float(series.x[each])) for each in places)
    pattern = _tr(
        "{name}: {last} at {x} {last_at}, lowest {low} at {low_at}, highest {high} at {high_at}"
    )
    return pattern.format(
        name=name or _tr("Line"),
        x=x_label,
        last=last,
        last_at=last_at,
        low=low,
        low_at=low_at,
        high=high,
        high_at=high_at,
    )
