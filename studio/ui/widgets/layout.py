"""Layouts: rows and columns given as their parts, splitters, items that wrap, even columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from PySide6.QtCore import QByteArray, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QBoxLayout,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)

from studio.ui.theme.tokens import SPACE

STRETCH: Final = None
"""A part that takes the room that is left."""
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, Qt.AlignmentFlag]
Box = TypeVar("Box", bound=QBoxLayout)
Margins = int | tuple[int, int, int, int] | None


def with_wrapped_lines(widget: QWidget, least: QSize) -> QSize:
    """Return the least size of a widget, with the lines into which its parts wrap at its width.

    Args:
        widget: The widget.
        least: Its least size without them.
    """
    layout = widget.layout()
    wrapped = layout.minimumHeightForWidth(widget.width()) if layout is not None else 0
    return QSize(least.width(), max(least.height(), wrapped))


def hbox(
    *parts: Part | None,
    owner: QWidget | None = None,
    spacing: int | None = None,
    margins: Margins = 0,
) -> QHBoxLayout:
    """Lay out parts from left to right; see `vbox`."""
    return fill(_set_up(QHBoxLayout(), owner, spacing, margins), *parts)


def vbox(
    *parts: Part | None,
    owner: QWidget | None = None,
    spacing: int | None = None,
    margins: Margins = 0,
) -> QVBoxLayout:
    """Lay out parts from top to bottom.

    Args:
        parts: Widgets and layouts, also with a stretch factor or an alignment; `STRETCH`; gaps in
            pixels.
        owner: The widget whose layout it becomes; None for a layout inside another one.
        spacing: Pixels between parts; None for those of the style.
        margins: Pixels around all, or at the left, top, right and bottom; None for the style's.
    """
    return fill(_set_up(QVBoxLayout(), owner, spacing, margins), *parts)


def form_layout(
    owner: QWidget | None = None, gap: int = SPACE.l, row: int = SPACE.xs
) -> QFormLayout:
    """Create a form without margins, with its labels at the left.

    Args:
        owner: The widget whose layout it becomes; None for a layout inside another one.
        gap: Pixels between labels and fields.
        row: Pixels between rows.
    """
    form = QFormLayout()
    if owner is not None:
        owner.setLayout(form)
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(gap)
    form.setVerticalSpacing(row)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    return form


def grid_layout(owner: QWidget | None, gap: int, widest: int) -> QGridLayout:
    """Create a grid without margins.

    Args:
        owner: The widget whose layout it becomes; None for a layout inside another one.
        gap: Pixels between columns.
        widest: Number of the column that takes the room that is left.
    """
    grid = QGridLayout()
    if owner is not None:
        owner.setLayout(grid)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(gap)
    grid.setVerticalSpacing(SPACE.xs)
    grid.setColumnStretch(widest, 1)
    return grid


_HEADINGS = ("hero", "page", "section")
"""Roles whose accents on capital letters, as in "Últimos", need room above the line."""


def text_label(
    text: str,
    role: str,
    parent: QWidget | None = None,
    *,
    wraps: bool = False,
    selectable: bool = False,
) -> QLabel:
    """Create a label with a role of the style sheet, such as "muted" or "caption".

    Args:
        text: The text.
        role: The role.
        parent: Parent widget.
        wraps: True to wrap lines.
        selectable: True if the text can be selected by the mouse.
    """
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    label.setWordWrap(wraps)
    if role in _HEADINGS:
        label.setContentsMargins(0, 2, 0, 0)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def scrolled(area: QScrollArea, inside: QWidget) -> None:
    """Show a widget in a frameless area that scrolls vertically.

    Args:
        area: The area.
        inside: The widget; a large one is made in `area.viewport()`, since Qt styles all widgets
            in it when it gets another parent.
    """
    inside.setProperty("plain", True)
    # Everything in it can be reached by itself; the area needs no focus of its own.
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)


def replace_widget(layout: QLayout, old: QWidget, new: QWidget) -> None:
    """Replace a widget in a layout and delete it.

    Args:
        layout: The layout.
        old: The replaced widget.
        new: The new widget.
    """
    if isinstance(layout, FlowLayout):
        layout.replace(old, new)
    else:
        layout.replaceWidget(old, new)
    remove_widget(layout, old)


def remove_widget(layout: QLayout, widget: QWidget) -> None:
    """Remove and delete a widget; it disappears at once.

    Args:
        layout: The layout.
        widget: The widget.
    """
    layout.removeWidget(widget)
    widget.hide()
    widget.deleteLater()


def fill(box: Box, *parts: Part | None) -> Box:
    """Add parts to a row or a column; see `vbox`."""
    for part in parts:
        if part is STRETCH:
            box.addStretch(1)
        elif isinstance(part, int):
            box.addSpacing(part)
        else:
            item, extra = part if isinstance(part, tuple) else (part, 0)
            if isinstance(item, QLayout):
                box.addLayout(item, extra)
            elif isinstance(extra, Qt.AlignmentFlag):
                box.addWidget(item, 0, extra)
            else:
                box.addWidget(item, extra)
    return box


class Debounce(QTimer):
    """Calls a function once, a pause after the last `start`.

    Args:
        milliseconds: The pause; 0 is the next turn of the event loop.
        call: The function.
        parent: The owner.
    """

    def __init__(self, milliseconds: int, call: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(milliseconds)
        self.timeout.connect(call)


class BytesStore(Protocol):
    """Bytes by name, such as the settings."""

    def bytes(self, name: str, /) -> QByteArray | None:
        """Return bytes, or None."""

    def set_bytes(self, name: str, value: QByteArray, /) -> None:
        """Store bytes.

        Args:
            name: Name of the setting.
            value: The bytes.
        """


class Splitter(QSplitter):
    """Widgets whose sizes the user changes; the sizes are stored in the settings.

    Args:
        settings: Stores the sizes.
        key: Name of the sizes in the settings.
        orientation: Direction in which the widgets are placed.
        parent: Owns the splitter.

    Attributes:
        key: Name of the sizes in the settings.
    """

    def __init__(
        self,
        settings: BytesStore,
        key: str,
        orientation: Qt.Orientation,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(orientation, parent)
        self._settings = settings
        self.key = key
        self._parts: list[tuple[int, int]] = []
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._on_moved)

    def split(self, *parts: tuple[QWidget, int, int]) -> None:
        """Add widgets, each with its stretch factor and its first size in pixels."""
        for widget, _, _ in parts:
            self.addWidget(widget)
        for at, (_, stretch, _) in enumerate(parts):
            self.setStretchFactor(at, stretch)
        self._parts = [(stretch, size) for _, stretch, size in parts]
        self.restore()

    def restore(self) -> None:
        """Give the widgets their stored or first sizes, also one that was hidden."""
        whole = sum(self.sizes()) if self.isVisible() else sum(size for _, size in self._parts)
        left = whole - sum(size for stretch, size in self._parts if not stretch)
        shared = sum(size for stretch, size in self._parts if stretch)
        # Only what stretches changes with the room; Qt would change all in proportion.
        self.setSizes(
            [size * left // shared if stretch else size for stretch, size in self._parts]
        )
        state = self._settings.bytes(self.key)
        if state is not None:
            self.restoreState(state)

    def _on_moved(self, _position: int, _index: int) -> None:
        self._settings.set_bytes(self.key, self.saveState())


def _set_up(box: Box, owner: QWidget | None, spacing: int | None, margins: Margins) -> Box:
    if owner is not None:
        owner.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    return box


class FlowLayout(QLayout):
    """Items one after another, from left to right (or right to left), wrapping at the edge.

    Args:
        parent: The widget whose layout it becomes.
        spacing: Pixels between items.
        is_centered: True to center the items of a line vertically; they lie at its top otherwise.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        spacing: int = SPACE.s,
        *,
        is_centered: bool = False,
    ) -> None:
        super().__init__(parent)
        self._is_centered = is_centered
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        """Add an item at the end; Qt calls this from `addWidget`."""
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return the item at an index, or None past the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove the item at an index and return it."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def insert(self, index: int, widget: QWidget) -> None:
        """Add a widget before others.

        Args:
            index: Number of items before it.
            widget: The widget.
        """
        self.addChildWidget(widget)
        self._items.insert(index, QWidgetItem(widget))
        self.invalidate()

    def replace(self, old: QWidget, new: QWidget) -> None:
        """Replace a widget, which Qt cannot do in layouts of other kinds than its own.

        Args:
            old: The replaced widget; it stays alive.
            new: The new widget.
        """
        index = self.indexOf(old)
        self.removeWidget(old)
        self.insert(index, new)

    def clear(self) -> None:
        """Remove all widgets and let Qt delete them."""
        while self._items:
            widget = self._items.pop().widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.invalidate()

    def expandingDirections(self) -> Qt.Orientation:
        """Expand in no direction."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: narrow layouts are higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height at a width, in pixels."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place all items inside a rectangle."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """Return the minimum size."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Return the size of the largest item with margins."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        area = rect.marginsRemoved(self.contentsMargins())
        x, y, line = area.x(), area.y(), 0
        placed: list[tuple[QLayoutItem, QRect]] = []
        for item in self._items:
            widget = item.widget()
            if widget is not None and widget.isHidden():
                continue
            size = item.sizeHint().boundedTo(QSize(max(area.width(), 1), 1 << 20))
            if x > area.x() and x + size.width() > area.x() + area.width():
                self._place(placed if move else [], line, area)
                x, y, line, placed = area.x(), y + line + self.spacing(), 0, []
            placed.append((item, QRect(QPoint(x, y), size)))
            x += size.width() + self.spacing()
            line = max(line, size.height())
        self._place(placed if move else [], line, area)
        return y + line - rect.y() + self.contentsMargins().bottom()

    def _place(self, placed: list[tuple[QLayoutItem, QRect]], line: int, area: QRect) -> None:
        """Move the items of a line.

        Args:
            placed: The items with their places at the top of the line.
            line: Height of the line in pixels.
            area: Where all lines are.
        """
        for item, place in placed:
            if self._is_centered:
                place.translate(0, (line - place.height()) // 2)
            item.setGeometry(self._mirrored(place, area))

    def _mirrored(self, rect: QRect, area: QRect) -> QRect:
        widget = self.parentWidget()
        if widget is not None and widget.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            rect.moveLeft(area.left() + area.right() - rect.right())
        return rect


def flow(*widgets: QWidget, spacing: int = SPACE.s) -> FlowLayout:
    """Lay out widgets in a centered line that wraps where there is no room for all of them.

    Args:
        widgets: The widgets, in their order.
        spacing: Pixels between them.
    """
    made = FlowLayout(spacing=spacing, is_centered=True)
    for widget in widgets:
        made.addWidget(widget)
    return made


class CardLayout(FlowLayout):
    """Cards of one size in even columns, which grow to fill the width, up to `most` pixels."""

    def __init__(self, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent, SPACE.m)
        self._most = most

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        area = rect.marginsRemoved(self.contentsMargins())
        cards = [item for item in self._items if not item.isEmpty()]
        if not cards:
            return super()._arrange(rect, move=move)
        # All are alike, and there may be a thousand: the first one is measured.
        least = min(cards[0].minimumSize().width(), max(area.width(), 1))
        gap = self.spacing()
        columns = max(1, (area.width() + gap) // (least + gap))
        width = min(self._most, (area.width() - gap * (columns - 1)) // columns)
        height = cards[0].heightForWidth(width) if cards[0].hasHeightForWidth() else -1
        height = height if height > 0 else cards[0].sizeHint().height()
        lines = -(-len(cards) // columns)
        for index, item in enumerate(cards) if move else ():
            line, column = divmod(index, columns)
            corner = area.topLeft() + QPoint(column * (width + gap), line * (height + gap))
            item.setGeometry(self._mirrored(QRect(corner, QSize(width, height)), area))
        bottom = area.y() + lines * (height + gap) - gap
        return bottom - rect.y() + self.contentsMargins().bottom()
