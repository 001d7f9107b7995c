"""The palette: everything that can be added, by family, to be searched and dragged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from PySide6.QtCore import (
    QModelIndex,
    QObject,
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
    QLabel,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.engine.networks.blocks import BLOCKS
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.layers.layer import FAMILY_LABELS
from studio.engine.networks.placing import BLOCK_CHOICE
from studio.ui.language import translated
from studio.ui.pages.networks.designer.items import family_color, layer_pixmap
from studio.ui.pages.networks.designer.scene import CanvasScene
from studio.ui.pages.networks.designer.view import CanvasView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE
from studio.ui.widgets.inputs import search_field
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.tips import explain, wrapped_tip

BLOCK_GROUP: Final = "Blocks"
HIDDEN: Final = frozenset({"keras", "subtract_mean"})
"""Layers that occur only in imported files: they hold data, not settings."""


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A line to search for.

    Attributes:
        name: What is chosen.
        label: Shown name.
        words: Searched, too.
    """

    name: str
    label: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class LayerChoice(PaletteEntry):
    """A layer or a block that can be added; blocks have a prefix to their names.

    Attributes:
        help: One line: what it does.
        family: Family of the layer, for color and icon.
        group: Name of its group in the palette.
    """

    help: str = ""
    family: str = ""
    group: str = ""


def choices() -> list[LayerChoice]:
    """Return all layers and blocks by groups, in the user's language."""
    shown = [layer for layer in LAYERS if layer.name not in HIDDEN]
    shown.sort(key=lambda layer: list(FAMILY_LABELS).index(layer.family))
    layers = [
        _choice(each.name, each.label, each.summary, each.family, FAMILY_LABELS[each.family])
        for each in shown
    ]
    blocks = [
        _choice(BLOCK_CHOICE + each.name, each.label, each.summary, "block", BLOCK_GROUP)
        for each in BLOCKS
    ]
    return [*layers, *blocks]


def _choice(name: str, label: str, summary: str, family: str, heading: str) -> LayerChoice:
    text, group = translated(summary), translated(heading)
    return LayerChoice(name, translated(label), f"{name} {group} {text}", text, family, group)


E = TypeVar("E", bound=PaletteEntry)


def matching(text: str, among: Sequence[E]) -> list[E]:
    """Return the entries that hold all words of a text; labels that begin with it come first.

    Args:
        text: The text.
        among: All entries.
    """
    text = text.casefold()
    found = [
        each
        for each in among
        if all(word in f"{each.label} {each.words}".casefold() for word in text.split())
    ]
    first = " ".join(text.split())
    found.sort(key=lambda each: first not in each.label.casefold())
    return sorted(found, key=lambda each: not each.label.casefold().startswith(first))


class PaletteDrag(QObject):
    """Follows the pointer itself: no system drag, so it looks and acts the same everywhere."""

    def __init__(
        self, palette: LayerPalette, view: CanvasView, scene: CanvasScene, window: QWidget
    ) -> None:
        super().__init__(window)
        self._view = view
        self._scene = scene
        self._window = window
        self.ghost = QLabel(window)
        self.ghost.setProperty("card", True)
        self.ghost.setStyleSheet(
            "background: palette(base); border: 1px solid palette(highlight);"
            "border-radius: 10px; padding: 8px 12px; font-weight: 600;"
        )
        self.ghost.hide()
        palette.list.dragged.connect(self._move)
        palette.list.dropped.connect(self._drop)
        palette.list.drag_ended.connect(self._end)

    def _move(self, name: str, point: QPoint) -> None:
        if self.ghost.isHidden():
            label = next(choice.label for choice in choices() if choice.name == name)
            self.ghost.setText(label)
            self.ghost.adjustSize()
            self.ghost.show()
            self.ghost.raise_()
        here = self._window.mapFromGlobal(point)
        self.ghost.move(here + QPoint(12, 12))
        over = self._over_canvas(point)
        target = self._scene.graphics.wire_at(self._view.mapToScene(over)) if over else None
        self._scene.graphics.light_wire(target)

    def _drop(self, name: str, point: QPoint) -> None:
        self._end()
        over = self._over_canvas(point)
        if over is None:
            return
        at = self._view.mapToScene(over)
        wire = self._scene.graphics.wire_at(at)
        self._scene.drawing.add(name, (at.x(), at.y()), wire.wire if wire is not None else None)
        self._view.setFocus()

    def _end(self) -> None:
        self.ghost.hide()
        self._scene.graphics.light_wire(None)

    def _over_canvas(self, point: QPoint) -> QPoint | None:
        here = self._view.viewport().mapFromGlobal(point)
        return here if self._view.viewport().rect().contains(here) else None


_NAME: Final = Qt.ItemDataRole.UserRole
_CHIP: Final = 20


class LayerPalette(QWidget):
    """Search field and list."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        tip = self.tr("Shows only layers whose name or description contains the text.")
        self.search = search_field(self, self.tr("Search layers"), tip)
        self.list = LayerList(theme, self)
        vbox(self.search, (self.list, 1), owner=self, spacing=SPACE.s, margins=SPACE.s)
        self.search.textChanged.connect(self.list.filter)
        self.search.returnPressed.connect(self._take_first)
        theme.changed.connect(self.list.paint_icons)
        explain(self.list, self.tr("Drag a layer onto the drawing, or press Enter to add it."))

    def _take_first(self) -> None:
        name = self.list.first()
        if name:
            self.list.chosen.emit(name)


class LayerList(QTreeWidget):
    """Layers under the names of their families.

    Signals:
        chosen: Enter or a double click on an entry: its name.
        dragged: An entry is dragged: its name and the position on the screen.
        dropped: The entry was dropped there.
        drag_ended: The drag was canceled.
    """

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
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
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
        """Show the entries that contain some words; all in groups without words."""
        self.clear()
        found = matching(words, choices()) if words.strip() else choices()
        group = ""
        for choice in found:
            if not words.strip() and choice.group != group:
                group = choice.group
                self._add_heading(group)
            self._add(choice)
        if not found:
            self._add_heading(self.tr("No matching layers"))
        self.paint_icons()

    def first(self) -> str:
        """Return the name of the first entry; empty for none."""
        for item in self._items():
            return str(item.data(0, _NAME))
        return ""

    def point_of(self, name: str) -> QPoint:
        """Scroll to an entry and return its center in the viewport."""
        for item in self._items():
            if item.data(0, _NAME) == name:
                self.scrollToItem(item)
                return self.visualItemRect(item).center()
        raise KeyError(name)

    def paint_icons(self) -> None:
        """Draw the icons in the colors of the theme."""
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
        """Add an entry on Enter, cancel a drag on Escape."""
        current = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
            self._take(current)
        elif event.key() == Qt.Key.Key_Escape and self._drag:
            self._drag, self._pressed = "", None
            self.drag_ended.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember the position, where a drag may start."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Start or continue a drag."""
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
        """End the drag."""
        name, self._drag, self._pressed = self._drag, "", None
        if name:
            here = event.position().toPoint()
            self.dropped.emit(name, self.viewport().mapToGlobal(here))
        super().mouseReleaseEvent(event)

    def _take(self, item: QTreeWidgetItem, _column: int = 0) -> None:
        if item.data(0, _NAME):
            self.chosen.emit(str(item.data(0, _NAME)))

    def _add_heading(self, text: str) -> None:
        item = QTreeWidgetItem([text])
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        font = self.font()
        font.setPixelSize(TYPE.caption)
        font.setWeight(font.Weight.DemiBold)
        item.setFont(0, font)
        item.setTextAlignment(0, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft)
        self.addTopLevelItem(item)

    def _add(self, choice: LayerChoice) -> None:
        item = QTreeWidgetItem([choice.label])
        item.setData(0, _NAME, choice.name)
        item.setData(0, Qt.ItemDataRole.UserRole + 1, choice.family)
        item.setToolTip(0, wrapped_tip(item.text(0), choice.help))
        self.addTopLevelItem(item)

    def _items(self) -> list[QTreeWidgetItem]:
        items = [self.topLevelItem(at) for at in range(self.topLevelItemCount())]
        return [item for item in items if item is not None and item.data(0, _NAME)]


class _Rows(QStyledItemDelegate):
    """Rows high enough to be hit; headings with room above them."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the height of an entry or a heading."""
        is_heading = index.data(_NAME) is None
        return QSize(super().sizeHint(option, index).width(), 32 if is_heading else 30)
