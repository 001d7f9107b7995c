"""The command palette: a search field over the window that finds and runs commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsDropShadowEffect,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.ui.commands import Command
from studio.ui.context import AppContext
from studio.ui.shell.palette_search import Haystack, Item, PaletteItems
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, RADIUS, SPACE, STATE_ROLES, TYPE
from studio.ui.widgets.labels import elided, state_word
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.tips import explain

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT: Final = 36
_ROOT: Final = QModelIndex()
_ITEM: Final = int(Qt.ItemDataRole.UserRole)


class PaletteRows(QAbstractListModel):
    """The items that were found.

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
        """Return the item of a row, or None."""
        return self._items[row] if 0 <= row < len(self._items) else None

    def items(self) -> list[Item]:
        """Return the items that are shown."""
        return list(self._items)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of items."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the title, the item itself, or all painted texts for a screen reader."""
        item = self.item(index.row())
        if item is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return item.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (item.title, *self.beside(item)) if part)
        return item if role == _ITEM else None

    def beside(self, item: Item) -> tuple[str, str]:
        """Return the kind of an item, and its keys or its state."""
        state = self._state(item)
        return item.kind, state_word(state) if state else self._keys(item)

    def state(self, item: Item) -> str:
        """Return the state of an item that is a record; empty for others."""
        return self._state(item)


class PaletteDelegate(QStyledItemDelegate):
    """Paints an icon and the title, with the kind at the right."""

    def __init__(self, theme: Theme, rows: PaletteRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = rows

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return the height of a row."""
        return QSize(0, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        item = index.data(_ITEM)
        if not isinstance(item, Item):
            return
        rect: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette = self._theme.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selection))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), RADIUS.control, RADIUS.control)
        picture = pixmap(item.icon or "forward", self._theme, "text" if chosen else "muted", 16)
        top = rect.top() + (rect.height() - ICON_SMALL) // 2
        painter.drawPixmap(QRect(rect.left() + SPACE.m, top, ICON_SMALL, ICON_SMALL), picture)
        inner = rect.adjusted(SPACE.m + ICON_SMALL + SPACE.m, 0, -SPACE.m, 0)
        inner.setRight(self._paint_beside(painter, item, inner) - SPACE.l)
        self._write(painter, item.title, inner, palette.text, TYPE.body)
        painter.restore()

    def _paint_beside(self, painter: QPainter, item: Item, inner: QRect) -> int:
        """Paint the texts at the right; return their left edge."""
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


WIDTH: Final = 640
_ROWS: Final = 11
_TOP: Final = 56
_PAGE_KEYS: Final = {
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
}


class Palette(QFrame):
    """A search field over the window; closes after a choice or when it loses the focus.

    Args:
        context: Context of the window.
        commands: The commands that are offered, by name.
        run: Runs a command by its name.
        window: The window.
    """

    def __init__(
        self,
        context: AppContext,
        commands: dict[str, Command],
        run: Callable[[str], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._context = context
        self._commands = commands
        self._before: QWidget | None = None
        self._haystack = Haystack([])
        self.items = PaletteItems(context, list(commands.values()), run, self)
        self.field = QLineEdit(self)
        self.field.setWhatsThis(self.tr("Type to find a command or page."))
        self.rows = PaletteRows(self._keys_of, self._state_of, self)
        self.view = QListView(self)
        self.nothing = QLabel(self.tr("No matches."), self)
        self._set_up()
        self.items.gathered.connect(self._on_gathered)
        self.field.textChanged.connect(self._search)
        self.view.clicked.connect(self._on_clicked)
        context.jobs.changed.connect(self._on_job)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)
        self.hide()
        explain(self.view, self.tr("Matches. Press Enter to run."))

    def open(self) -> None:
        """Open it with an empty field at the top of the window."""
        if self.isVisible():
            self.close_()
            return
        self._before = QApplication.focusWidget()
        self._haystack = Haystack(self.items.at_hand())
        self.field.clear()
        self._search("")
        self._reposition()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.items.gather()

    def close_(self) -> None:
        """Close it and restore the focus."""
        before, self._before = self._before, None
        self.hide()
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the focus in the field: arrows move in the list, Enter chooses, Esc closes."""
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._reposition()
        if watched is self.field and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress and self._take(event):
                return True
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
        return super().eventFilter(watched, event)

    def _take(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key in _PAGE_KEYS:
            QApplication.sendEvent(self.view, event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.view.currentIndex().row())
        elif key == Qt.Key.Key_Escape:
            self.close_()
        else:
            return False
        return True

    def _choose(self, row: int) -> None:
        item = self.rows.item(row)
        if item is None:
            return
        self._context.settings.remember_choice(item.key)
        self.close_()
        # After this key event: another language or workspace deletes the window.
        QTimer.singleShot(0, self, item.run)

    def _search(self, text: str) -> None:
        found = self._haystack.find(text, self._context.settings.recent_choices)
        self.rows.show(found)
        self.view.setCurrentIndex(self.rows.index(0, 0))
        self.nothing.setVisible(not found)
        self.view.setVisible(bool(found))
        self._reposition()

    def _on_gathered(self, haystack: Haystack) -> None:
        if not self.isVisible():
            return
        row = self.view.currentIndex().row()
        self._haystack = haystack
        self._search(self.field.text())
        if not self.field.text():
            self.view.setCurrentIndex(self.rows.index(max(row, 0), 0))

    def _on_clicked(self) -> None:
        self._choose(self.view.currentIndex().row())

    def _on_job(self) -> None:
        if self.isVisible():
            self.view.viewport().update()

    def _on_focus(self, _old: QWidget | None, now: QWidget | None) -> None:
        if self.isVisible() and now is not None and not self.isAncestorOf(now):
            self._before = None
            self.hide()

    def _keys_of(self, item: Item) -> str:
        shortcuts = self._context.settings.shortcuts
        return shortcuts.short_text(self._commands[item.command]) if item.command else ""

    def _state_of(self, item: Item) -> str:
        entry = self._context.jobs.get(*item.job) if item.job is not None else None
        return entry.state.value if entry is not None else ""

    def _reposition(self) -> None:
        window = self._window
        width = min(WIDTH, window.width() - 2 * SPACE.xl)
        rows = max(1, min(_ROWS, self.rows.rowCount()))
        self.view.setFixedHeight(rows * ROW_HEIGHT)
        self.resize(QSize(width, self.sizeHint().height()))
        self.move(QPoint((window.width() - width) // 2, _TOP))

    def _set_up(self) -> None:
        self.setObjectName("palette")
        self.setAccessibleName(self.tr("Commands and records"))
        hint = self.tr("A command, a page, a dataset, a run, a network…")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(self.tr("Search or run a command"))
        self.field.setAccessibleDescription(hint)
        self.field.installEventFilter(self)
        self._window.installEventFilter(self)
        self.view.setModel(self.rows)
        self.view.setItemDelegate(PaletteDelegate(self._context.theme, self.rows, self))
        self.view.setAccessibleName(self.tr("Matches"))
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setUniformItemSizes(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing.setProperty("role", "muted")
        self.nothing.setContentsMargins(SPACE.m, SPACE.s, SPACE.m, SPACE.s)
        vbox(self.field, self.view, self.nothing, owner=self, spacing=SPACE.s, margins=SPACE.s)
        shadow = QGraphicsDropShadowEffect(self, blurRadius=SPACE.xxl)
        shadow.setOffset(0, SPACE.s)
        shadow.setColor(QColor(0, 0, 0, 90))
        self.setGraphicsEffect(shadow)
