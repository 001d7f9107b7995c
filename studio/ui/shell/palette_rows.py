"""The rows of the palette: what was found, with its keys or its state, painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.ui.shell.palette_search import Item
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, RADIUS, SPACE, STATE_ROLES, TYPE
from studio.ui.widgets.labels import elided, state_word

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT: Final = 36
_ROOT: Final = QModelIndex()
_ITEM: Final = int(Qt.ItemDataRole.UserRole)


class PaletteRows(QAbstractListModel):
    """What was found.

    Args:
        keys: Gives the keys of a command as text; empty for other items.
        state: Gives the state of a job; empty for other items.
    """

    def __init__(
        self, keys: Callable[[Item], str], state: Callable[[Item], str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._items: list[Item] = []
        self._keys = keys
        self._state = state

    def show(self, items: Sequence[Item]) -> None:
        """Show other items."""
        self.beginResetModel()
        self._items = list(items)
        self.endResetModel()

    def item(self, row: int) -> Item | None:
        """The item of a row, if there is such a row."""
        return self._items[row] if 0 <= row < len(self._items) else None

    def items(self) -> list[Item]:
        """What is shown."""
        return list(self._items)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of items."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title; the item itself; all that is painted, for a screen reader."""
        item = self.item(index.row())
        if item is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return item.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (item.title, *self.beside(item)) if part)
        return item if role == _ITEM else None

    def beside(self, item: Item) -> tuple[str, str]:
        """The kind of an item, and its keys or its state, in words."""
        state = self._state(item)
        return item.kind, state_word(state) if state else self._keys(item)

    def state(self, item: Item) -> str:
        """The state of an item that is a record; empty for others."""
        return self._state(item)


class PaletteDelegate(QStyledItemDelegate):
    """Paints an icon, the title, and muted at the right what it is."""

    def __init__(self, theme: Theme, rows: PaletteRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = rows

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """All rows are of one height."""
        return QSize(0, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        item = index.data(_ITEM)
        if not isinstance(item, Item):
            return
        place: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette = self._theme.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selection))
            painter.drawRoundedRect(place.adjusted(0, 1, 0, -1), RADIUS.control, RADIUS.control)
        picture = pixmap(item.icon or "forward", self._theme, "text" if chosen else "muted", 16)
        top = place.top() + (place.height() - ICON_SMALL) // 2
        painter.drawPixmap(QRect(place.left() + SPACE.m, top, ICON_SMALL, ICON_SMALL), picture)
        inner = place.adjusted(SPACE.m + ICON_SMALL + SPACE.m, 0, -SPACE.m, 0)
        inner.setRight(self._paint_beside(painter, item, inner) - SPACE.l)
        self._write(painter, item.title, inner, palette.text, TYPE.body)
        painter.restore()

    def _paint_beside(self, painter: QPainter, item: Item, inner: QRect) -> int:
        """Paint what is at the right; returns where it begins."""
        kind, more = self._rows.beside(item)
        state = self._rows.state(item)
        colors = self._theme.palette
        color = colors.color(STATE_ROLES[state]) if state else colors.text
        right = inner.right()
        for text, ink in ((more, color), (kind, colors.muted)):
            if text:
                room = QRect(inner.left(), inner.top(), right - inner.left(), inner.height())
                right -= self._write(painter, text, room, ink, TYPE.caption, right=True) + SPACE.m
        return right

    def _write(
        self,
        painter: QPainter,
        text: str,
        room: QRect,
        color: str,
        size: int,
        *,
        right: bool = False,
    ) -> int:
        font = QFont(painter.font())
        font.setPixelSize(size)
        painter.setFont(font)
        painter.setPen(QColor(color))
        measure = painter.fontMetrics()
        shown = elided(measure, text, room.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
        return measure.horizontalAdvance(shown)
