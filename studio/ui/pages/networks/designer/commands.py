"""Actions of the designer, and the lists that open over its canvas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QWidget,
)

from studio.engine.networks import edits
from studio.engine.networks.catalog import Entry as Known
from studio.engine.networks.edits import CLASSES, Wire, wires_of
from studio.engine.networks.fitting import ending_for
from studio.engine.networks.layout import Direction
from studio.engine.networks.placing import NODE_SIZE
from studio.engine.networks.spec import HEAD_BLOCK, INPUT, Comment, ancestors
from studio.engine.tasks import known_task
from studio.ui.language import translated
from studio.ui.pages.networks.designer.palette import PaletteEntry, choices, matching
from studio.ui.pages.networks.designer.picture import NOTE_PREFIX
from studio.ui.pages.networks.designer.toolbar import Actions, fill_menu
from studio.ui.pages.networks.designer.view import STEP
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.inputs import PopUp
from studio.ui.widgets.keys import ListKeys
from studio.ui.widgets.layout import vbox

if TYPE_CHECKING:
    from studio.ui.pages.networks.designer.designer import Designer


WIDTH: Final = 264
HEIGHT: Final = 300


class SearchList(PopUp):
    """A list with a search field, opened at a place of its parent.

    Signals:
        chosen: The key of an entry.
        closed: It is hidden again, after any choice or none.
    """

    chosen = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._room = parent
        self._entries: Sequence[PaletteEntry] = ()
        self.setProperty("card", True)
        self.edit = QLineEdit(self)
        self.list = QListWidget(self)
        self.list.setStyleSheet("QListWidget { border: none; }")
        self.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for part in (self.edit, self.list):
            part.setWhatsThis(self.tr("Type to filter, choose with the arrow keys, press Enter."))
        vbox(self.edit, self.list, owner=self, spacing=SPACE.s, margins=SPACE.s)
        ListKeys(self.edit, self.list)
        self.edit.textChanged.connect(self._filter)
        self.edit.returnPressed.connect(self._take_current)
        self.list.itemClicked.connect(self._take)
        self.list.itemActivated.connect(self._take)

    def open_at(self, point: QPoint, title: str, entries: Sequence[PaletteEntry]) -> None:
        """Show entries at a position of the parent, moved so that the whole list is visible."""
        self.hide()
        self._entries = entries
        self.edit.setPlaceholderText(title)
        self.edit.setAccessibleName(title)
        self.list.setAccessibleName(title)
        self.edit.clear()
        self._filter("")
        room = self._room.rect()
        self.resize(WIDTH, min(HEIGHT, room.height() - 2 * SPACE.s))
        self.move(
            max(SPACE.s, min(point.x(), room.width() - self.width() - SPACE.s)),
            max(SPACE.s, min(point.y(), room.height() - self.height() - SPACE.s)),
        )
        self.show()
        self.raise_()
        self.edit.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Notify that it is closed."""
        super().hideEvent(event)
        self.closed.emit()

    def _filter(self, words: str) -> None:
        self.list.clear()
        for entry in matching(words, self._entries):
            item = QListWidgetItem(entry.label, self.list)
            item.setData(Qt.ItemDataRole.UserRole, entry.name)
        self.list.setCurrentRow(0)

    def _take(self, item: QListWidgetItem) -> None:
        key = str(item.data(Qt.ItemDataRole.UserRole))
        # Closing forgets for what the list was opened; choosing must know it still.
        self.chosen.emit(key)
        self.hide()

    def _take_current(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._take(item)


class Lists(QObject):
    """Opens one list at a time and executes the chosen item."""

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

    def ask_layer_at(self, point: QPointF) -> None:
        """Open the list of layers; the choice goes there."""
        at = (point.x(), point.y())
        self._ask(self._view.mapFromScene(point), lambda name: self._drawing.add(name, at))

    def ask_layer_for(self, node_id: str, port: str, point: QPointF) -> None:
        """Open the list of layers; the choice goes there and is wired."""
        at = (point.x(), point.y())
        self._ask(
            self._view.mapFromScene(point),
            lambda name: self._drawing.add_beside(name, at, node_id, port),
        )

    def find(self) -> None:
        """Open the list of layers in the drawing, to jump to one."""
        nodes = self._drawing.spec.nodes
        entries = [PaletteEntry(node.id, node.id, f"{node.layer} {node.block}") for node in nodes]
        self._take = self._show_found
        self._designer.search.open_at(self._top(), self.tr("Find a layer"), entries)

    def choose_known(self, known: Sequence[Known]) -> None:
        """Open the list of all networks, to open one."""
        by_name = {network.name: network for network in known}
        drafts = {key: each for key, each in self._designer.parked.items() if each.is_dirty}
        unsaved = self.tr("not saved")
        entries = [PaletteEntry(key, each.spec.name, unsaved) for key, each in drafts.items()]
        entries += [
            PaletteEntry(each.name, each.label, translated(each.summary)) for each in known
        ]

        def take(key: str) -> None:
            if key in by_name:
                self._open_known(by_name[key])
            else:
                self._designer.bring_back(key)

        self._take = take
        self._designer.search.open_at(self._top(), self.tr("Open a network"), entries)

    def _open_known(self, known: Known) -> None:
        """Open a network; one of the zoo with the current input size if it supports it."""
        spec = self._drawing.spec
        shape = (spec.input.height, spec.input.width, spec.input.channels)
        if known.drawing is not None:
            self._designer.open(known.drawing, known.label, known.name)
        else:
            takes = not known.fitting(shape, spec.classes)[1]
            found = known.spec(shape if takes else known.usual, spec.classes)
            task = known_task(spec.task)
            self._designer.open(ending_for(found, task), known.label)

    def _ask(self, point: QPoint, take: Callable[[str], object]) -> None:
        self._take = take
        self._designer.search.open_at(point, self.tr("Add a layer"), choices())

    def _take_entry(self, key: str) -> None:
        take, self._take = self._take, None
        if take is not None:
            take(key)

    def _show_found(self, node_id: str) -> None:
        self._drawing.reveal(node_id)
        self._view.jump(node_id)

    def _top(self) -> QPoint:
        """Return the position of a list that belongs to no position in the drawing."""
        return QPoint((self._view.viewport().width() - WIDTH) // 2, 24)


class Commands(QObject):
    """Actions and the menu of the canvas."""

    def __init__(self, designer: Designer, theme: Theme, shortcuts: Shortcuts) -> None:
        super().__init__(designer)
        self._designer = designer
        self._drawing = designer.drawing
        self._view = designer.view
        self.lists = Lists(designer, self.add_named)
        self.actions = Actions(designer, designer.view, theme, shortcuts, self._table())
        shortcuts.changed.connect(self.refresh)
        self._drawing.selected.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Enable the available actions, and give the reason for the others."""
        document, actions = self._drawing.document, self.actions
        for name, change, nothing in (
            ("undo", document.undo_word, self.tr("Nothing to undo")),
            ("redo", document.redo_word, self.tr("Nothing to redo")),
        ):
            text = QCoreApplication.translate("commands", "Undo" if name == "undo" else "Redo")
            actions[name].setText(f"{text}: {change}" if change else text)
            actions.allow(name, "" if change else nothing)
        unchanged = self.tr("There is nothing to save")
        actions.allow("revert", "" if document.is_dirty else unchanged)
        backbones = any(node.layer == "backbone" for node in self._drawing.spec.nodes)
        none = self.tr("There is no backbone in the drawing")
        actions.allow("expand", "" if backbones else none)
        nothing = self.tr("Select a layer first")
        reason = "" if self._drawing.nodes() else nothing
        for name in ("cut", "copy", "duplicate", "freeze", "freeze_to", "group", "ungroup"):
            actions.allow(name, reason)
        some = self._drawing.notes() or self._drawing.wire
        actions.allow("delete", "" if some else reason)

    # Adding.

    def add_named(self, name: str) -> None:
        """Add a layer behind what is selected; without a selection before the head."""
        wire = self._wire_after_selection()
        middle = self._view.middle()
        new = self._drawing.add(name, (middle.x(), middle.y()), wire)
        self._view.setFocus()
        if new:
            self._show(new[0])

    def open_menu(self, on_screen: QPoint) -> None:
        """Open the menu of what is selected."""
        menu = QMenu(self._designer)
        names = "add note paste - select_all fit"
        if self._drawing.selection or self._drawing.wire:
            names = "cut copy paste duplicate delete - freeze freeze_to"
            names += " - group ungroup fold unfold expand"
        fill_menu(menu, self.actions, names)
        menu.popup(on_screen)
        menu.aboutToHide.connect(menu.deleteLater)

    def _show(self, node_id: str) -> None:
        box = self._designer.scene.graphics.boxes.get(node_id)
        if box is not None:
            self._view.ensureVisible(box.box(), 40, 40)

    def _wire_after_selection(self) -> Wire | None:
        """Return the wire that a new layer goes into: behind the selection, or before the head."""
        wires = wires_of(self._drawing.spec)
        if self._drawing.wire in wires:
            return self._drawing.wire
        for key in reversed(self._drawing.selection):
            after = [wire for wire in wires if wire[0] == key]
            if after:
                return after[0]
            if key != CLASSES:
                return None
        heads = edits.members(self._drawing.spec, HEAD_BLOCK)
        before = [w for w in wires if w[1] in heads and w[0] not in heads and w[0] != INPUT]
        return before[0] if before else (wires[-1] if wires else None)

    # Clipboard.

    def copy(self) -> None:
        """Put the selected layers on the clipboard, as text."""
        text = self._drawing.copied()
        if text:
            QGuiApplication.clipboard().setText(text)

    def cut(self) -> None:
        """Copy and remove."""
        self.copy()
        self._drawing.remove_selected()

    def paste(self) -> None:
        """Add the layers on the clipboard in the middle of the visible area."""
        middle = self._view.middle()
        at = (middle.x() - NODE_SIZE[0] / 2, middle.y() - NODE_SIZE[1] / 2)
        self._drawing.paste(QGuiApplication.clipboard().text(), at, self.tr("Paste"))

    def duplicate(self) -> None:
        """Add copies of the selected layers beside them."""
        text = self._drawing.copied()
        if text:
            self._drawing.paste(text, None, self.tr("Duplicate"))

    # Training, blocks, notes.

    def freeze(self) -> None:
        """Freeze the selected layers, or unfreeze them if all are frozen."""
        ids = self._drawing.nodes()
        frozen = all(self._drawing.spec.node(key).frozen for key in ids)
        self._drawing.set_frozen(ids, frozen=not frozen)

    def freeze_to(self) -> None:
        """Freeze the layers from the input to the selected ones, and unfreeze the others."""
        drawing = self._drawing
        self._drawing.freeze_only(
            {key for node_id in drawing.nodes() for key in ancestors(drawing.spec, node_id)}
        )

    def group(self) -> None:
        """Make the selected layers a block."""
        name = edits.free_id("block", edits.blocks_of(self._drawing.spec))
        self._drawing.set_block(self._drawing.nodes(), name)

    def add_note(self) -> None:
        """Add a note in the middle of the visible area, and edit it."""
        middle = self._view.middle()
        notes = self._drawing.spec.comments
        new = Comment(text=self.tr("Note"), x=round(middle.x()), y=round(middle.y()))
        self._drawing.set_comments([*notes, new])
        self._drawing.select([f"{NOTE_PREFIX}{len(notes)}"])
        self._designer.inspector.edit_note()
        self._designer.inspector.note.text.selectAll()

    def _lay_out(self, direction: Direction) -> None:
        self._drawing.lay_out(direction)
        self._view.begin()

    def revert(self) -> None:
        """Restore the saved drawing, as a change that can be undone."""
        saved = self._drawing.document.saved
        if saved is not None:
            self._drawing.change(saved, self.tr("Discard changes"))

    def _table(self) -> dict[str, Callable[[], object]]:
        designer, drawing, view = self._designer, self._drawing, self._view
        return {
            "undo": drawing.undo,
            "redo": drawing.redo,
            "cut": self.cut,
            "copy": self.copy,
            "paste": self.paste,
            "duplicate": self.duplicate,
            "delete": drawing.remove_selected,
            "select_all": drawing.select_all,
            "add": self.lists.ask_layer,
            "find": self.lists.find,
            "note": self.add_note,
            "freeze": self.freeze,
            "freeze_to": self.freeze_to,
            "group": self.group,
            "ungroup": lambda: drawing.set_block(drawing.nodes(), ""),
            "expand": designer.files.expand,
            "fold": lambda: drawing.fold(edits.blocks_of(drawing.spec)),
            "unfold": lambda: drawing.fold(()),
            "down": lambda: self._lay_out("down"),
            "right": lambda: self._lay_out("right"),
            "zoom_in": lambda: view.zoom_by(STEP),
            "zoom_out": lambda: view.zoom_by(1 / STEP),
            "zoom_one": lambda: view.zoom_to(1.0),
            "fit": view.fit,
            "save": lambda: designer.files.save(designer.record_id),
            "save_as": lambda: designer.files.save(""),
            "revert": self.revert,
            "open": designer.files.ask_open,
            "open_known": designer.files.list_known,
            "new": designer.open_new,
            "png": designer.files.export_png,
            "svg": designer.files.export_svg,
            "json": designer.files.export_json,
            "code": designer.files.export_code,
            "train": designer.train_asked.emit,
        }
