"""What charts show, in sentences for screen readers; written when data has come to rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from PySide6.QtWidgets import QWidget

from studio.ui.widgets.figures import number

if TYPE_CHECKING:
    from studio.ui.charts.curves import Curve
    from studio.ui.charts.figure import Figure
    from studio.ui.charts.series import Array

    Floats = Array | Sequence[float]

REST_MS: Final = 1000
"""A description is written so often at most: a live chart has thirty frames in that time."""
MOST_LINES: Final = 8
Words = Callable[[float], str]


class Description(QObject):
    """Describes a widget anew, a while after the first of several changes.

    Args:
        widget: What is described.
        words: Gives the description; asked for only when it is written.
    """

    def __init__(self, widget: QWidget, words: Callable[[], str]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._words = words
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REST_MS)
        self._timer.timeout.connect(self.write)

    def renew(self) -> None:
        """What is shown has changed."""
        if not self._timer.isActive():
            self._timer.start()

    def write(self) -> None:
        """Write the description now."""
        self._timer.stop()
        text = self._words()
        if text != self._widget.accessibleDescription():
            self._widget.setAccessibleDescription(text)


def curves_text(title: str, x_label: str, curves: Iterable[Curve], words: Words) -> str:
    """Curves: where each stands, and its extremes.

    Args:
        title: What y is.
        x_label: What x counts.
        curves: Those that are shown.
        words: Writes a value of y.
    """
    points = [(each.name, each.series.x, each.series.y) for each in curves]
    return _lines_text(title, x_label, points, words, number)


def figure_text(figure: Figure, across: Words, up: Words) -> str:
    """The lines of a finished figure; guides count for none."""
    lines = [
        (line.name, [x for x, _ in line.points], [y for _, y in line.points])
        for line in figure.lines
        if line.color_index is not None
    ]
    return _lines_text(figure.up.label or figure.title, figure.across.label, lines, up, across)


def _lines_text(
    title: str,
    x_label: str,
    lines: Sequence[tuple[str, Floats, Floats]],
    words: Words,
    at: Words,
) -> str:
    told = [_line_text(x_label, *line, words, at) for line in lines[:MOST_LINES]]
    told = [text for text in told if text]
    if not told:
        return _tr("{title}: nothing yet.").format(title=title)
    text = _tr("{title}: {number} lines. ") if len(lines) > 1 else _tr("{title}: ")
    if len(lines) > MOST_LINES:
        told.append(_tr("and {number} more").format(number=len(lines) - MOST_LINES))
    return text.format(title=title, number=len(lines)) + "; ".join(told) + "."


def _line_text(x_label: str, name: str, x: Floats, y: Floats, words: Words, at: Words) -> str:
    import numpy as np  # noqa: PLC0415 - there is nothing to tell of without it

    values = np.asarray(y, np.float64)
    there = np.flatnonzero(np.isfinite(values))
    if not len(there):
        return ""
    values, places = values[there], np.asarray(x, np.float64)
    low_place, high_place = int(values.argmin()), int(values.argmax())
    (last, low, high) = (float(values[each]) for each in (-1, low_place, high_place))
    last_at, low_at, high_at = (float(places[there[each]]) for each in (-1, low_place, high_place))
    pattern = _tr(
        "{name}: {last} at {x} {last_at}, lowest {low} at {low_at}, highest {high} at {high_at}"
    )
    return pattern.format(
        name=name or _tr("Line"),
        x=x_label,
        last=words(last),
        last_at=at(last_at),
        low=words(low),
        low_at=at(low_at),
        high=words(high),
        high_at=at(high_at),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("spoken", text)
