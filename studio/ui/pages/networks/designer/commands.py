"""What the actions of the designer do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from studio.engine.networks.spec import HEAD_BLOCK, INPUT, Comment, ancestors
from studio.ui.pages.networks.designer import edits
from studio.ui.pages.networks.designer.lists import Lists
from studio.ui.pages.networks.designer.picture import NODE_SIZE, NOTE_PREFIX
from studio.ui.pages.networks.designer.toolbar import Actions
from studio.ui.pages.networks.designer.view import STEP
from studio.ui.pages.networks.designer.wiring import CLASSES, Wire, wires_of
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Theme

if TYPE_CHECKING:
    from studio.ui.pages.networks.designer.designer import Designer


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
        """Switch on what can be done now, and say why the rest cannot."""
        document, actions = self._drawing.document, self.actions
        for name, word, nothing in (
            ("undo", document.undo_word, self.tr("Nothing to undo")),
            ("redo", document.redo_word, self.tr("Nothing to redo")),
        ):
            text = QCoreApplication.translate("designer", "Undo" if name == "undo" else "Redo")
            actions[name].setText(f"{text}: {word}" if word else text)
            actions.enable(name, enabled=bool(word), reason=nothing)
        unchanged = self.tr("There is nothing to save")
        actions.enable("revert", enabled=document.is_dirty, reason=unchanged)
        layers = bool(self._drawing.nodes())
        some = bool(layers or self._drawing.notes() or self._drawing.wire)
        reason = self.tr("Select a layer first")
        actions.enable("delete", enabled=some, reason=reason)
        backbones = any(node.layer == "backbone" for node in self._drawing.spec.nodes)
        reason_none = self.tr("There is no backbone in the drawing")
        actions.enable("expand", enabled=backbones, reason=reason_none)
        for name in ("cut", "copy", "duplicate", "freeze", "freeze_to", "group", "ungroup"):
            actions.enable(name, enabled=layers, reason=reason)

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
        names: tuple[str, ...] = ("add", "note", "paste", "", "select_all", "fit")
        if self._drawing.selection or self._drawing.wire:
            names = ("cut", "copy", "paste", "duplicate", "delete", "")
            names += ("freeze", "freeze_to", "", "group", "ungroup", "fold", "unfold", "expand")
        for name in names:
            if name:
                menu.addAction(self.actions[name])
            else:
                menu.addSeparator()
        menu.popup(on_screen)
        menu.aboutToHide.connect(menu.deleteLater)

    def _show(self, node_id: str) -> None:
        box = self._designer.scene.stage.boxes.get(node_id)
        if box is not None:
            self._view.ensureVisible(box.box(), 40, 40)

    def _wire_after_selection(self) -> Wire | None:
        """Where a layer goes that is only named: into the wire behind what is selected."""
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
        """Add the layers that the clipboard holds, in the middle of what is in sight."""
        middle = self._view.middle()
        at = (middle.x() - NODE_SIZE[0] / 2, middle.y() - NODE_SIZE[1] / 2)
        self._drawing.paste(QGuiApplication.clipboard().text(), at, self.tr("Paste"))

    def duplicate(self) -> None:
        """Add the selected layers once more, beside themselves."""
        text = self._drawing.copied()
        if text:
            self._drawing.paste(text, None, self.tr("Duplicate"))

    # Training, blocks, notes.

    def freeze(self) -> None:
        """Freeze the selected layers, or unfreeze them where all are frozen."""
        ids = self._drawing.nodes()
        frozen = all(self._drawing.spec.node(key).frozen for key in ids)
        self._drawing.set_frozen(ids, frozen=not frozen)

    def freeze_to(self) -> None:
        """Freeze everything from the images up to the selected layers, and nothing after."""
        spec = self._drawing.spec
        wanted = {key for node_id in self._drawing.nodes() for key in ancestors(spec, node_id)}
        after = edits.change(spec, edits.ids_of(spec) - wanted, frozen=False)
        self._drawing.change(
            edits.change(after, wanted, frozen=True), self.tr("Freeze up to here")
        )

    def group(self) -> None:
        """Make the selected layers a block."""
        name = edits.free_id("block", edits.blocks_of(self._drawing.spec))
        self._drawing.set_block(self._drawing.nodes(), name)

    def add_note(self) -> None:
        """Add a note in the middle of what is in sight, and write in it."""
        middle = self._view.middle()
        notes = self._drawing.spec.comments
        new = Comment(text=self.tr("Note"), x=round(middle.x()), y=round(middle.y()))
        self._drawing.set_comments([*notes, new])
        self._drawing.select([f"{NOTE_PREFIX}{len(notes)}"])
        self._designer.inspector.edit_note()
        self._designer.inspector.note.text.selectAll()

    def ungroup(self) -> None:
        """Take the selected layers out of their blocks."""
        self._drawing.set_block(self._drawing.nodes(), "")

    def fold(self) -> None:
        """Show every block as one box."""
        self._drawing.fold(edits.blocks_of(self._drawing.spec))

    def unfold(self) -> None:
        """Show all layers."""
        self._drawing.fold(())

    def lay_out_down(self) -> None:
        """Find new places for everything, from top to bottom, and show it all."""
        self._drawing.lay_out("down")
        self._view.begin()

    def lay_out_right(self) -> None:
        """Find new places for everything, from left to right, and show it all."""
        self._drawing.lay_out("right")
        self._view.begin()

    def zoom_in(self) -> None:
        """Show everything larger."""
        self._view.zoom_by(STEP)

    def zoom_out(self) -> None:
        """Show everything smaller."""
        self._view.zoom_by(1 / STEP)

    def zoom_one(self) -> None:
        """Show everything as large as it is."""
        self._view.zoom_to(1.0)

    def save(self) -> None:
        """Keep the drawing in the workspace."""
        self._designer.files.save(self._designer.record_id)

    def save_as(self) -> None:
        """Keep the drawing as another network."""
        self._designer.files.save("")

    def revert(self) -> None:
        """Go back to what was saved, or to the beginning; this can be undone too."""
        saved = self._drawing.document.saved
        if saved is not None:
            self._drawing.change(saved, self.tr("Discard changes"))

    def train(self) -> None:
        """Ask for a run with this network."""
        self._designer.train_asked.emit(self._drawing.spec, self._designer.name)

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
            "ungroup": self.ungroup,
            "expand": designer.files.expand,
            "fold": self.fold,
            "unfold": self.unfold,
            "down": self.lay_out_down,
            "right": self.lay_out_right,
            "zoom_in": self.zoom_in,
            "zoom_out": self.zoom_out,
            "zoom_one": self.zoom_one,
            "fit": view.fit,
            "save": self.save,
            "save_as": self.save_as,
            "revert": self.revert,
            "open": designer.files.ask_open,
            "open_known": designer.files.list_known,
            "new": designer.open_new,
            "png": designer.files.export_png,
            "svg": designer.files.export_svg,
            "json": designer.files.export_json,
            "code": designer.files.export_code,
            "train": self.train,
        }
