"""Text that does not fit: words lose their middle, figures never lose a digit."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

_FIGURE: Final = re.compile(
    r"(?<![\w\-.])[-+±\u2212]?\d+(?:[.,/:\u00a0\u202f]\d+)*(?:e[-+]?\d+)?"
    r"(?:[ \u00a0](?:%|[kMGT]?B|min|ms|px|[hds]|[kMGT])(?!\w))?(?![\w-])",
    re.IGNORECASE,
)
"""A figure with its unit; the digits of a name such as `lenet-3` are no figure."""
_DOTS: Final = "…"
_BETWEEN: Final = " · "
_WIDEST: Final = 10_000
_FIXED: Final = re.compile(f"{_FIGURE.pattern}|{_BETWEEN}", re.IGNORECASE)
_MIDDLE: Final = Qt.TextElideMode.ElideMiddle


def elided(metrics: QFontMetrics | QFontMetricsF, text: str, room: float) -> str:
    """Shorten a text to a width: the longest words first, in their middle.

    Figures, such as 96.0 % or 12,500, stay whole. Where words would be shorter than a few letters,
    the last parts of a line such as "lenet · 96.0 % · digits" go altogether.

    Args:
        metrics: Of the font.
        text: One line.
        room: Logical pixels.
    """
    if metrics.horizontalAdvance(text) <= room:
        return text
    if not _FIGURE.search(text):
        return metrics.elidedText(text, _MIDDLE, int(room))
    clauses = text.split(_BETWEEN)
    dots = metrics.horizontalAdvance(_DOTS)
    few = metrics.horizontalAdvance("abc") + dots
    first = next(at for at, clause in enumerate(clauses) if _FIGURE.search(clause))
    for number in range(len(clauses), first, -1):
        left = clauses[:number] if number == len(clauses) else [*clauses[:number], _DOTS]
        parts = _parts(_BETWEEN.join(left))
        fitting = _fit(metrics, parts, room, few)
        if not fitting and number == first + 1:
            fitting = _fit(metrics, parts, room, dots)
        if fitting:
            return fitting
    parts = _parts(clauses[0] + (_DOTS if len(clauses) > 1 else ""))
    while any(is_fixed for _, is_fixed in parts):
        fitting = _fit(metrics, parts, room, dots)
        if fitting:
            return fitting
        parts = _without_last_figure(parts)
    return metrics.elidedText("".join(part for part, _ in parts), _MIDDLE, int(room))


def least_width(metrics: QFontMetrics, text: str) -> int:
    """The pixels of the widest figure in a text with dots beside it; 0 where there is none."""
    widths = [metrics.horizontalAdvance(match.group()) for match in _FIGURE.finditer(text)]
    return max(widths, default=0) + (metrics.horizontalAdvance(_DOTS) if widths else 0)


class ElidingDelegate(QStyledItemDelegate):
    """Paints the items of a view as Qt does, but for figures, which stay whole."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the room of the whole text, however narrow the view is now."""
        wide = QStyleOptionViewItem(option)
        wide.rect = QRect(0, 0, _WIDEST, option.rect.height())
        return super().sizeHint(wide, index)

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Shorten the text before the style does."""
        super().initStyleOption(option, index)
        widget = option.widget
        style = widget.style()
        text = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, widget)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, widget) + 1
        option.text = elided(option.fontMetrics, option.text, text.width() - 2 * margin)


def _parts(text: str) -> list[tuple[str, bool]]:
    """Split a text into words, and figures and separators, which are True: they stay whole."""
    parts, end = [], 0
    for match in _FIXED.finditer(text):
        if match.start() > end:
            parts.append((text[end : match.start()], False))
        parts.append((match.group(), True))
        end = match.end()
    if end < len(text):
        parts.append((text[end:], False))
    return parts


def _without_last_figure(parts: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Replace the last figure, its words and what follows by dots; what comes first stays."""
    last = max(place for place, (_, is_fixed) in enumerate(parts) if is_fixed)
    left = parts[:last]
    if len(left) > 1 and not left[-1][1]:
        left.pop()
    elif left:
        return [(f"{left[0][0].rstrip()}{_DOTS}", left[0][1])] if not left[0][1] else left
    return [*left, (_DOTS, False)]


def _fit(
    metrics: QFontMetrics | QFontMetricsF,
    parts: list[tuple[str, bool]],
    room: float,
    least: float,
) -> str:
    """Shorten the longest words to one width at which all fits; empty where that is too little.

    Args:
        metrics: Of the font.
        parts: As `_parts` gives them.
        room: Logical pixels for all.
        least: Logical pixels that each word keeps, if it has as many.
    """

    def joined(width: float) -> str:
        return "".join(
            part if is_fixed else metrics.elidedText(part, _MIDDLE, int(width))
            for part, is_fixed in parts
        )

    low, high = least, room
    if metrics.horizontalAdvance(joined(low)) > room:
        return ""
    while high - low > 1:
        middle = (low + high) / 2
        if metrics.horizontalAdvance(joined(middle)) > room:
            high = middle
        else:
            low = middle
    return joined(low)
