"""Lines of text: elided without losing figures, names, help and problems, states of jobs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Final, Literal, TypeVar

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOption,
    QStyleOptionViewItem,
    QWidget,
)

from studio.ui.language import translated
from studio.ui.theme.icons import pixmap
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON, ICON_SMALL, SPACE, STATE_ROLES, TYPE, Role, mix
from studio.ui.widgets.layout import form_layout, text_label
from studio.ui.widgets.painting import PaintedWidget

TAILS: Final = int(Qt.TextFlag.TextDontClip.value)
"""To paint a name with: letters of another script are often higher than the font's own, and
would be cut at the edges of a line that was made for these."""
_BEGIN, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_FROM_THE_RIGHT = frozenset({"R", "AL"})


def apart(name: str) -> str:
    """Return a name isolated for use in a sentence, so that right-to-left names don't affect it.

    Otherwise figures and punctuation after an Arabic or Hebrew name would be drawn before it.
    """
    if name.isascii() or not any(map(_is_from_the_right, name)):
        return name
    return f"{_BEGIN}{name}{_END}"


def name_height(metrics: QFontMetrics, name: str) -> int:
    """Return the height of a name in pixels; other scripts may need a taller font.

    Args:
        metrics: Metrics of the font.
        name: The name.
    """
    if name.isascii():
        return metrics.height()
    single = int(Qt.TextFlag.TextSingleLine.value)
    return max(metrics.height(), metrics.boundingRect(QRect(), single, name).height())


def _is_from_the_right(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in _FROM_THE_RIGHT


_BETWEEN: Final = " · "


@cache
def _figures() -> re.Pattern[str]:
    """Match a figure with its unit; the digits of a name such as `lenet-3` are no figure."""
    return re.compile(
        r"(?<![\w\-.])[-+±\u2212]?\d+(?:[.,/:\u00a0\u202f]\d+)*(?:e[-+]?\d+)?"
        r"(?:[ \u00a0](?:%|[kMGT]?B|min|ms|px|[hds]|[kMGT])(?!\w))?(?![\w-])",
        re.IGNORECASE,
    )


@cache
def _fixed() -> re.Pattern[str]:
    """Match what is never shortened: figures and separators."""
    return re.compile(f"{_figures().pattern}|{_BETWEEN}", re.IGNORECASE)


_DOTS: Final = "…"
_WIDEST: Final = 10_000
_LINE: Final = "\N{LINE SEPARATOR}"
"""Character to which Qt converts a line break in an item."""
_MIDDLE: Final = Qt.TextElideMode.ElideMiddle


_ARROW = " → "


def _elided_sides(metrics: QFontMetrics | QFontMetricsF, text: str, room: float) -> str:
    """Shorten both names of a text such as "daisy → dandelion", the longer one first."""
    sides = text.split(_ARROW)
    room = max(0.0, room - metrics.horizontalAdvance(_ARROW))
    first, second = (float(metrics.horizontalAdvance(side)) for side in sides)
    half = max(room / 2, room - second) if first > second else min(room / 2, first)
    before = _within(metrics, sides[0], half)
    return before + _ARROW + _within(metrics, sides[1], room - metrics.horizontalAdvance(before))


def _within(metrics: QFontMetrics | QFontMetricsF, name: str, room: float) -> str:
    # Qt also shortens a name that fits exactly.
    fits = metrics.horizontalAdvance(name) <= room
    return name if fits else metrics.elidedText(name, _MIDDLE, int(room))


def elided(metrics: QFontMetrics | QFontMetricsF, text: str, room: float) -> str:
    """Shorten a text to a width: its longest words in their middle, with one ellipsis.

    Figures, such as 96.0 % or 12,500, stay whole. Where a word would be shorter than a few
    letters, the last parts of a line such as "lenet · 96.0 % · digits" go altogether. Only the
    two names around an arrow may have an ellipsis each.

    Args:
        metrics: Metrics of the font.
        text: One line.
        room: Logical pixels.
    """
    if metrics.horizontalAdvance(text) <= room:
        return text
    if not _figures().search(text):
        if text.count(_ARROW) == 1:
            return _elided_sides(metrics, text, room)
        return metrics.elidedText(text, _MIDDLE, int(room))
    clauses = text.split(_BETWEEN)
    dots = metrics.horizontalAdvance(_DOTS)
    few = metrics.horizontalAdvance("abcdef") + dots
    first = next(at for at, clause in enumerate(clauses) if _figures().search(clause))
    most = _most_clauses(metrics, clauses, room)
    for number in range(most, first, -1):
        whole = _BETWEEN.join([*clauses[:number], _DOTS])
        if number < len(clauses) and metrics.horizontalAdvance(whole) <= room:
            return whole
        parts = _parts(_BETWEEN.join(clauses[:number]))
        fitting = _fit(metrics, parts, room, few)
        if not fitting and number == first + 1:
            fitting = _fit(metrics, parts, room, dots)
        if fitting:
            return fitting
    return _beginning(metrics, clauses[0], room, few)


def _most_clauses(metrics: QFontMetrics | QFontMetricsF, clauses: list[str], room: float) -> int:
    """Return a number of clauses beyond which figures and separators alone are too wide.

    A caption may have a hundred clauses, and to try each number of them would take long.

    Args:
        metrics: Metrics of the font.
        clauses: The parts of a line.
        room: Logical pixels.
    """
    width, between = 0.0, metrics.horizontalAdvance(_BETWEEN)
    for number, clause in enumerate(clauses, 1):
        if width > room:
            return number  # one more than do not fit: sums of rounded widths are not exact
        width += between + sum(map(metrics.horizontalAdvance, _figures().findall(clause)))
    return len(clauses)


def min_width(metrics: QFontMetrics, text: str) -> int:
    """Return the width of the widest number in a text plus an ellipsis, in pixels.

    Args:
        metrics: Metrics of the font.
        text: The text.
    """
    widths = [metrics.horizontalAdvance(match.group()) for match in _figures().finditer(text)]
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
        room = text.width() - 2 * margin
        lines = option.text.split(_LINE)
        option.text = _LINE.join(elided(option.fontMetrics, line, room) for line in lines)


def _parts(text: str) -> list[tuple[str, bool]]:
    """Split a text into words, and figures and separators, which are True: they stay whole."""
    parts, end = [], 0
    for match in _fixed().finditer(text):
        if match.start() > end:
            parts.append((text[end : match.start()], False))
        parts.append((match.group(), True))
        end = match.end()
    if end < len(text):
        parts.append((text[end:], False))
    return parts


def _beginning(metrics: QFontMetrics | QFontMetricsF, text: str, room: float, few: float) -> str:
    """Return as much of the beginning of a text as fits, without a part of a figure.

    Args:
        metrics: Metrics of the font.
        text: The text.
        room: Logical pixels.
        few: Logical pixels of a word that is worth showing.
    """
    parts = _parts(text)
    fitting = _fit(metrics, parts, room, metrics.horizontalAdvance(_DOTS))
    while not fitting and parts:
        word, is_fixed = parts.pop()
        before = "".join(part for part, _ in parts)
        left = room - metrics.horizontalAdvance(before)
        if not is_fixed and left >= few:
            right = Qt.TextElideMode.ElideRight
            fitting = before + metrics.elidedText(f"{word.rstrip()}{_DOTS}", right, int(left))
        elif before and metrics.horizontalAdvance(before.rstrip() + _DOTS) <= room:
            fitting = before.rstrip() + _DOTS
    return fitting or _DOTS


def _fit(
    metrics: QFontMetrics | QFontMetricsF,
    parts: list[tuple[str, bool]],
    room: float,
    least: float,
) -> str:
    """Shorten the longest words to fit, else shorter ones; empty where that is too little.

    Args:
        metrics: Metrics of the font.
        parts: Result of `_parts`.
        room: Logical pixels for all.
        least: Logical pixels that the shortened words keep.
    """
    texts = [part for part, _ in parts]
    # What follows may be left out, so a word is shortened even where all of this fits.
    over = max(metrics.horizontalAdvance("".join(texts)) - room, 1)
    words = [at for at, (_, is_fixed) in enumerate(parts) if not is_fixed]
    for at in sorted(words, key=lambda at: -metrics.horizontalAdvance(texts[at])):
        left = metrics.horizontalAdvance(texts[at]) - over
        if left < least:
            continue
        # The width of a text is not exactly the sum of those of its parts.
        for width in (left, left - 1, left - 2):
            word = metrics.elidedText(texts[at], _MIDDLE, int(width))
            shown = "".join([*texts[:at], word, *texts[at + 1 :]])
            if _DOTS in shown and metrics.horizontalAdvance(shown) <= room:
                return shown
    return ""


class ElidedLabel(QLabel):
    """One line of plain text, elided in the middle; names and paths differ at their ends.

    Figures stay whole.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        role: str = "",
        is_bold: bool = False,
    ) -> None:
        super().__init__(parent)
        if role:
            self.setProperty("role", role)
        if is_bold:
            font = self.font()
            font.setWeight(font.Weight.DemiBold)
            self.setFont(font)
        self._whole = ""
        self._tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show another text."""
        self._whole = text
        super().setText(text)
        self.setAccessibleName(text)
        self._update_tooltip()

    def set_tip(self, tip: str) -> None:
        """Say something in the tooltip, after what is cut."""
        self._tip = tip
        self._update_tooltip()

    def shown_text(self) -> str:
        """Return the text as it is painted at the present width."""
        line = self._whole.replace("\n", " ")
        return elided(self.fontMetrics(), line, self.contentsRect().width())

    def sizeHint(self) -> QSize:
        """Return the room for the whole text."""
        metrics = self.fontMetrics()
        height = name_height(metrics, self._whole)
        return QSize(metrics.horizontalAdvance(self._whole) + 2, height)

    def minimumSizeHint(self) -> QSize:
        """Return the room for a few letters and the ellipsis, or for the widest figure."""
        metrics = self.fontMetrics()
        whole = self.sizeHint()
        least = max(metrics.averageCharWidth() * 6, min_width(metrics, self._whole))
        return QSize(min(least, whole.width()), whole.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set a tooltip only while the text is elided."""
        super().resizeEvent(event)
        self._update_tooltip()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the text that fits."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        alignment = QStyle.visualAlignment(self.layoutDirection(), self.alignment())
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(alignment.value),
            option.palette,
            self.isEnabled(),
            self.shown_text(),
            self.foregroundRole(),
        )
        painter.end()

    def _update_tooltip(self) -> None:
        whole = self._whole if self.shown_text() != self._whole else ""
        self.setToolTip("\n".join(filter(None, (whole, self._tip))))


_LEAST_TITLE: Final = {"page": 120, "section": 88}
"""Pixels that a title keeps beside what stands in its line, if it has as many, by its role."""


class TitleLabel(ElidedLabel):
    """A title of which short ones are never cut."""

    def minimumSizeHint(self) -> QSize:
        """Return the room of a short title, or of the beginning and the end of a long one."""
        whole = self.sizeHint()
        return QSize(min(whole.width(), _LEAST_TITLE[self.property("role")]), whole.height())


class IconLabel(QLabel):
    """An icon in the colors of the theme.

    Args:
        theme: Colors of the icon.
        icon: Name of the icon.
        role: Its color.
        size: Its width and height in pixels.
        parent: Owner.
    """

    def __init__(
        self, theme: Theme, icon: str, role: Role, size: int = ICON, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._icon, self._role, self._pixels = theme, icon, role, size
        theme.changed.connect(self._follow)
        self._draw()

    def set_icon(self, icon: str, role: Role) -> None:
        """Show another icon.

        Args:
            icon: Name of the icon.
            role: Its color.
        """
        self._icon, self._role = icon, role
        self._draw()

    def _follow(self) -> None:
        self._theme.recolor(self, self._draw)

    def _draw(self) -> None:
        self.setPixmap(pixmap(self._icon, self._theme, self._role, self._pixels))


Row = TypeVar("Row")
Tone = Literal["help", "problem", "advice"]
_ROLES = {"help": "caption", "problem": "problem", "advice": "advice"}


class HintLabel(QLabel):
    """A small line of text under a field; takes no room while it is empty.

    Args:
        text: The text.
        tone: Its tone.
        parent: Owner.
        keeps_room: True to keep the room of a line while it is empty, so that nothing moves.
    """

    def __init__(
        self,
        text: str = "",
        tone: Tone = "help",
        parent: QWidget | None = None,
        *,
        keeps_room: bool = False,
    ) -> None:
        super().__init__(parent)
        self._tone: Tone = tone
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setRetainSizeWhenHidden(keeps_room)
        self.setSizePolicy(policy)
        if keeps_room:
            self.setMinimumHeight(self.fontMetrics().lineSpacing())
        self.show_text(text)

    def show_text(self, text: str, tone: Tone | None = None) -> None:
        """Show a text in a tone; an empty one hides the label.

        Args:
            text: The text, translated or from the engine.
            tone: Its tone; None for that of the label.
        """
        role = _ROLES[tone or self._tone]
        if self.property("role") != role:
            restyle(self, "role", role)
        shown = translated(text)
        self.setText(shown)
        self.setAccessibleName(shown)
        self.setVisible(bool(text))

    def show_problem(self, text: str = "") -> None:
        """Show what is wrong; an empty text hides the label."""
        self.show_text(text, "problem")


class FactList(QWidget):
    """Names at the left and their values, which can be selected, at the right.

    Args:
        gap: Pixels between names and values.
        parent: Owner.
        is_right: True to align the values at the right.
        takes_focus: True if a click on a value takes the focus, so that Ctrl+C copies it.

    Attributes:
        facts: The values by their names.
    """

    def __init__(
        self,
        gap: int = SPACE.l,
        parent: QWidget | None = None,
        *,
        is_right: bool = False,
        takes_focus: bool = True,
    ) -> None:
        super().__init__(parent)
        self.facts: dict[str, str] = {}
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._takes_focus = takes_focus
        self._form = form_layout(self, gap)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        sides = Qt.AlignmentFlag
        self._side = sides.AlignRight if is_right else sides.AlignLeft | sides.AlignVCenter

    def show_facts(self, facts: dict[str, str], tips: Mapping[str, str] | None = None) -> None:
        """Show other values.

        Args:
            facts: The values by their names.
            tips: Explanations of some of them, by their names.
        """
        # The same rows stay: a text that is selected in one of them stays selected.
        if list(facts) != list(self.facts):
            self._make_rows(facts)
        self.facts = facts
        for (label, value), (name, text) in zip(self._rows, facts.items(), strict=True):
            value.setText(text)
            value.setAccessibleName(f"{name}: {text}")
            for part in (label, value):
                part.setToolTip((tips or {}).get(name, ""))

    def _make_rows(self, names: Iterable[str]) -> None:
        while self._form.rowCount():
            self._form.removeRow(0)
        self._rows = []
        for name in names:
            label = text_label(name, "muted", self)
            value = text_label("", "body", self, wraps=True, selectable=True)
            value.setAlignment(self._side)
            if not self._takes_focus:
                value.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._form.addRow(label, value)
            self._rows.append((label, value))


_HEIGHT = 22


def state_word(state: str) -> str:
    """Return the word for a job state, in the user's language.

    Raises:
        KeyError: There is no such state.
    """
    tr = QCoreApplication.translate
    return {
        "queued": tr("states", "Queued"),
        "starting": tr("states", "Starting"),
        "running": tr("states", "Running"),
        "paused": tr("states", "Paused"),
        "pausing": tr("states", "Pausing"),
        "stopping": tr("states", "Stopping"),
        "completed": tr("states", "Completed"),
        "stopped": tr("states", "Stopped"),
        "pruned": tr("states", "Pruned"),
        "failed": tr("states", "Failed"),
        "lost": tr("states", "Lost"),
    }[state]


def state_painter(
    theme: Theme, state_of: Callable[[Row], str]
) -> Callable[[QPainter, QStyleOptionViewItem, Row], None]:
    """Return what paints a pill with the icon and the word of a job state into a cell.

    Args:
        theme: The theme.
        state_of: Returns the state of a row.
    """

    def paint(painter: QPainter, option: QStyleOptionViewItem, row: Row) -> None:
        painter.setFont(option.font)
        middle = option.rect.center().y() + 1
        _paint_pill(theme, state_of(row), painter, option.rect.left() + SPACE.xs, middle)

    return paint


def _paint_pill(theme: Theme, state: str, painter: QPainter, left: int, middle: int) -> None:
    role, word = STATE_ROLES[state], state_word(state)
    color = theme.palette.color(role)
    width = _pill_width(painter.fontMetrics(), word)
    box = QRectF(left, middle - _HEIGHT / 2, width, _HEIGHT)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(mix(theme.palette.surface, color, 0.1)))
    painter.drawRoundedRect(box, _HEIGHT / 2, _HEIGHT / 2)
    top = int(box.center().y()) - ICON_SMALL // 2
    painter.drawPixmap(left + SPACE.s, top, pixmap(state, theme, role, ICON_SMALL))
    painter.setPen(QColor(color))
    text = box.adjusted(ICON_SMALL + SPACE.s + SPACE.xs, 0, 0, 0)
    painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, word)


def _pill_width(metrics: QFontMetrics, word: str) -> int:
    return metrics.horizontalAdvance(word) + ICON_SMALL + 3 * SPACE.s


class StateBadge(PaintedWidget):
    """A pill with the icon and the word of a job state; the icon's name is the state's.

    Attributes:
        state: The state shown.
    """

    def __init__(self, theme: Theme, state: str = "queued", parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        font = self.font()
        font.setPixelSize(TYPE.caption)
        font.setWeight(font.Weight.DemiBold)
        self.setFont(font)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.state = ""
        self.set_state(state)

    def set_state(self, state: str) -> None:
        """Show another state.

        Raises:
            KeyError: There is no such state.
        """
        if state == self.state:
            return
        word = state_word(state)
        self.state = state
        self.setAccessibleName(self.tr("State: {state}").format(state=word))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the pill."""
        return QSize(_pill_width(self.fontMetrics(), state_word(self.state)), _HEIGHT)

    def paint(self, painter: QPainter) -> None:
        """Paint the pill."""
        _paint_pill(self._theme, self.state, painter, 0, _HEIGHT // 2)
