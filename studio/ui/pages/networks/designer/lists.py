"""The lists that open over the canvas: layers to add, layers to find, networks to open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from studio.engine.networks.answering import ending_for
from studio.engine.networks.catalog import Entry as Known
from studio.engine.tasks import DEFAULT_TASK, find_task
from studio.ui.engine_text import engine_text
from studio.ui.pages.networks.designer.items import word
from studio.ui.pages.networks.designer.palette import choices
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import vbox

if TYPE_CHECKING:
    from studio.ui.pages.networks.designer.designer import Designer


WIDTH: Final = 264
HEIGHT: Final = 300


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: what is chosen, what is shown, what is searched."""

    key: str
    label: str
    words: str = ""


class SearchList(QFrame):
    """Opens at a place of its parent, closes on Escape and when the focus goes elsewhere.

    Signals:
        chosen: The key of an entry.
        closed: It is hidden again, whatever came of it.
    """

    chosen = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._room = parent
        self._entries: Sequence[Entry] = ()
        self.setProperty("card", True)
        self.edit = QLineEdit(self)
        self.list = QListWidget(self)
        self.list.setStyleSheet("QListWidget { border: none; }")
        self.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for part in (self.edit, self.list):
            part.setWhatsThis(self.tr("Type a few letters, choose with the arrows, press Enter."))
        vbox(self.edit, self.list, owner=self, spacing=SPACE.s, margins=SPACE.s)
        self.edit.textChanged.connect(self._filter)
        self.edit.installEventFilter(self)
        self.list.installEventFilter(self)
        self.list.itemClicked.connect(self._take)
        self.list.itemActivated.connect(self._take)
        self.hide()

    def open_at(self, place: QPoint, title: str, entries: Sequence[Entry]) -> None:
        """Show entries at a place of the parent, moved so that all of it can be seen."""
        self.close_list()
        self._entries = entries
        self.edit.setPlaceholderText(title)
        self.edit.setAccessibleName(title)
        self.list.setAccessibleName(title)
        self.edit.clear()
        self._filter("")
        room = self._room.rect()
        self.resize(WIDTH, min(HEIGHT, room.height() - 2 * SPACE.s))
        self.move(
            max(SPACE.s, min(place.x(), room.width() - self.width() - SPACE.s)),
            max(SPACE.s, min(place.y(), room.height() - self.height() - SPACE.s)),
        )
        self.show()
        self.raise_()
        self.edit.setFocus()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)

    def close_list(self) -> None:
        """Hide it."""
        if self.isHidden():
            return
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.disconnect(self._follow_focus)
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrows in the field walk through the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.close_list()
                return True
            if watched is self.edit and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                row = max(0, min(self.list.count() - 1, self.list.currentRow() + step))
                self.list.setCurrentRow(row)
                return True
            if watched is self.edit and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self.list.currentItem()
                if item is not None:
                    self._take(item)
                return True
        return super().eventFilter(watched, event)

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        found = [
            entry
            for entry in self._entries
            if all(word in f"{entry.label} {entry.words}".casefold() for word in wanted)
        ]
        found.sort(key=lambda entry: not entry.label.casefold().startswith(" ".join(wanted)))
        self.list.clear()
        for entry in found:
            item = QListWidgetItem(entry.label)
            item.setData(Qt.ItemDataRole.UserRole, entry.key)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _take(self, item: QListWidgetItem) -> None:
        key = str(item.data(Qt.ItemDataRole.UserRole))
        # Closing forgets for what the list was opened; choosing must know it still.
        self.chosen.emit(key)
        self.close_list()

    def _follow_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and new is not self and not self.isAncestorOf(new):
            self.close_list()


class Lists(QObject):
    """Opens one list at a time and does what is chosen in it."""

    def __init__(self, designer: Designer, add_named: Callable[[str], object]) -> None:
        super().__init__(designer)
        self._designer = designer
        self._drawing = designer.drawing
        self._view = designer.view
        self._add_named = add_named
        self._take: Callable[[str], object] | None = None
        designer.search.chosen.connect(self._take_entry)
        designer.search.closed.connect(self._view.setFocus)
        designer.files.listed.connect(self.choose_known)

    def ask_layer(self) -> None:
        """Open the list of layers over the middle of the canvas."""
        self._ask(self._top(), self._add_named)

    def ask_layer_at(self, place: QPointF) -> None:
        """Open the list of layers; the choice goes there."""
        at = (place.x(), place.y())
        self._ask(self._view.mapFromScene(place), lambda name: self._drawing.add(name, at))

    def ask_layer_for(self, node_id: str, port: str, place: QPointF) -> None:
        """Open the list of layers; the choice goes there and is wired."""
        at = (place.x(), place.y())
        self._ask(
            self._view.mapFromScene(place),
            lambda name: self._drawing.add_beside(name, at, node_id, port),
        )

    def find(self) -> None:
        """Open the list of the drawing's own layers, to jump to one."""
        entries = [
            Entry(node.id, node.id, f"{node.layer} {node.block}")
            for node in self._drawing.spec.nodes
        ]
        self._take = self._show_found
        self._designer.search.open_at(self._top(), self.tr("Find a layer"), entries)

    def choose_known(self, known: Sequence[Known]) -> None:
        """Open the list of networks of the zoo and of the workspace, to open one."""
        by_name = {network.name: network for network in known}
        aside = self._designer.aside
        entries = [
            *(
                Entry(key, draft.spec.name, self.tr("not saved"))
                for key, draft in aside.items()
                if draft.is_dirty
            ),
            *(
                Entry(network.name, network.label, engine_text(network.summary))
                for network in known
            ),
        ]

        def take(key: str) -> None:
            if key in by_name:
                self._open_known(by_name[key])
            else:
                self._designer.bring_back(key)

        self._take = take
        self._designer.search.open_at(self._top(), self.tr("Open a network"), entries)

    def _open_known(self, known: Known) -> None:
        """Open a network: one's own as it is, others for the sizes at hand where they fit."""
        spec = self._drawing.spec
        shape = (spec.input.height, spec.input.width, spec.input.channels)
        if known.drawing is not None:
            self._designer.open(known.drawing, known.label, known.name)
        else:
            takes = not known.fitting(shape, spec.classes)[1]
            found = known.spec(shape if takes else known.usual, spec.classes)
            task = find_task(spec.task) or DEFAULT_TASK
            self._designer.open(ending_for(found, task), known.label)

    def _ask(self, place: QPoint, take: Callable[[str], object]) -> None:
        entries = [
            Entry(choice.name, word(choice.label), f"{word(choice.group)} {word(choice.help)}")
            for choice in choices()
        ]
        self._take = take
        self._designer.search.open_at(place, self.tr("Add a layer"), entries)

    def _take_entry(self, key: str) -> None:
        take, self._take = self._take, None
        if take is not None:
            take(key)

    def _show_found(self, node_id: str) -> None:
        self._drawing.reveal(node_id)
        self._view.jump(node_id)

    def _top(self) -> QPoint:
        """Where a list opens that belongs to no place of the drawing."""
        return QPoint((self._view.viewport().width() - WIDTH) // 2, 24)
