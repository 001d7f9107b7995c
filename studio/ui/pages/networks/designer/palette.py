"""The palette: everything that can be added, by family, to be searched and dragged."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.ui.pages.networks.designer.layer_catalog import Choice, choices, matching
from studio.ui.pages.networks.designer.look import family_color, layer_pixmap, word
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE
from studio.ui.widgets.explain import explain, wrapped_tip

_NAME: Final = Qt.ItemDataRole.UserRole
_CHIP: Final = 20


class Palette(QWidget):
    """Search field and list.

    Signals:
        chosen: Enter or a double click on an entry: its name.
        dragged: An entry is dragged: its name and the place on the screen.
        dropped: It was let go there.
        drag_ended: It was given up.
    """

    chosen = Signal(str)
    dragged = Signal(str, QPoint)
    dropped = Signal(str, QPoint)
    drag_ended = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search layers"))
        self.search.setAccessibleName(self.tr("Search layers"))
        self.search.setClearButtonEnabled(True)
        self.list = LayerList(theme, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.s, SPACE.s, SPACE.s, SPACE.s)
        column.setSpacing(SPACE.s)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        self.search.textChanged.connect(self.list.filter)
        self.search.returnPressed.connect(self._take_first)
        self.list.chosen.connect(self.chosen)
        self.list.dragged.connect(self.dragged)
        self.list.dropped.connect(self.dropped)
        self.list.drag_ended.connect(self.drag_ended)
        theme.changed.connect(self.list.paint_icons)
        explain(self.list, self.tr("Drag a layer onto the drawing, or press Enter to add it."))
        explain(self.search, self.tr("Lists only layers whose name or use holds what you type."))

    def _take_first(self) -> None:
        name = self.list.first()
        if name:
            self.chosen.emit(name)


class LayerList(QTreeWidget):
    """Layers under the names of their families; a drag is told by signals."""

    chosen = Signal(str)
    dragged = Signal(str, QPoint)
    dropped = Signal(str, QPoint)
    drag_ended = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pressed: QPoint | None = None
        self._drag = ""
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setIconSize(QSize(_CHIP, _CHIP))
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Layers to add"))
        self.setTabKeyNavigation(False)
        self.setItemDelegate(_Rows(self))
        self.setStyleSheet(
            "QTreeWidget { border: none; background: transparent; }"
            "QTreeWidget::item { padding: 0 4px; border-radius: 6px; }"
        )
        self.itemDoubleClicked.connect(self._take)
        self.filter("")

    def filter(self, words: str) -> None:
        """Show what fits some words: by group, or the likeliest first."""
        self.clear()
        found = matching(words, choices()) if words.strip() else list(choices())
        group = ""
        for choice in found:
            if not words.strip() and choice.group != group:
                group = choice.group
                self._add_heading(group)
            self._add(choice)
        if not found:
            self._add_heading(self.tr("No layer is called so"))
        self.paint_icons()

    def first(self) -> str:
        """Name of the first entry; empty where there is none."""
        for item in self._items():
            return str(item.data(0, _NAME))
        return ""

    def place_of(self, name: str) -> QPoint:
        """Middle of an entry in the viewport, scrolled into sight."""
        for item in self._items():
            if item.data(0, _NAME) == name:
                self.scrollToItem(item)
                return self.visualItemRect(item).center()
        raise KeyError(name)

    def paint_icons(self) -> None:
        """Draw the chips in the colors of now."""
        for item in self._items():
            chip = QPixmap(2 * _CHIP, 2 * _CHIP)
            chip.fill(Qt.GlobalColor.transparent)
            family = str(item.data(0, Qt.ItemDataRole.UserRole + 1))
            painter = QPainter(chip)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(family_color(family, self._theme))
            painter.drawRoundedRect(chip.rect(), 12, 12)
            painter.drawPixmap(8, 8, 24, 24, layer_pixmap(f"layer-{family}", self._theme))
            painter.end()
            item.setIcon(0, chip)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter adds, Escape gives a drag up."""
        current = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
            self._take(current)
        elif event.key() == Qt.Key.Key_Escape and self._drag:
            self._drag, self._pressed = "", None
            self.drag_ended.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Perhaps the beginning of a drag."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, once the pointer has left the place of the press."""
        if self._pressed is None:
            return
        here = event.position().toPoint()
        if not self._drag:
            item = self.itemAt(self._pressed)
            far = (here - self._pressed).manhattanLength() >= QApplication.startDragDistance()
            if item is None or not far or not item.data(0, _NAME):
                return
            self._drag = str(item.data(0, _NAME))
        self.dragged.emit(self._drag, self.viewport().mapToGlobal(here))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let it go."""
        name, self._drag, self._pressed = self._drag, "", None
        if name:
            here = event.position().toPoint()
            self.dropped.emit(name, self.viewport().mapToGlobal(here))
        super().mouseReleaseEvent(event)

    def _take(self, item: QTreeWidgetItem, _column: int = 0) -> None:
        if item.data(0, _NAME):
            self.chosen.emit(str(item.data(0, _NAME)))

    def _add_heading(self, text: str) -> None:
        item = QTreeWidgetItem([word(text)])
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        font = self.font()
        font.setPixelSize(TYPE.caption)
        font.setWeight(font.Weight.DemiBold)
        item.setFont(0, font)
        item.setTextAlignment(0, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft)
        self.addTopLevelItem(item)

    def _add(self, choice: Choice) -> None:
        item = QTreeWidgetItem([word(choice.label)])
        item.setData(0, _NAME, choice.name)
        item.setData(0, Qt.ItemDataRole.UserRole + 1, choice.family)
        item.setToolTip(0, wrapped_tip(item.text(0), word(choice.help)))
        self.addTopLevelItem(item)

    def _items(self) -> list[QTreeWidgetItem]:
        items = [self.topLevelItem(at) for at in range(self.topLevelItemCount())]
        return [item for item in items if item is not None and item.data(0, _NAME)]


class _Rows(QStyledItemDelegate):
    """Rows high enough to be hit; headings with room above them."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """The width that is asked for, and one of two heights."""
        is_heading = index.data(_NAME) is None
        return QSize(super().sizeHint(option, index).width(), 32 if is_heading else 30)
