"""The choice of a network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.engine.networks.catalog import (
    GROUPS,
    Entry,
    Shape,
    own_entries,
    own_entry,
    zoo_entries,
)
from studio.engine.networks.library import NetworkChoice, SavedNetwork, saved
from studio.engine.networks.spec import NetworkSpec
from studio.engine.networks.zoo import ZOO
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.navigation import OpenRecord
from studio.ui.shared.training import entry_name
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.tips import explain

_NAME = Qt.ItemDataRole.UserRole
_GIVEN = "given"


class NetworkPicker(QWidget):
    """A list under headings, with what the chosen network is good for.

    Signals:
        chosen: Another network is chosen, by the user or because the last one does not fit.
    """

    chosen = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entries: dict[str, Entry] = {}
        self._reasons: dict[str, str] = {}
        self._wanted = ""
        self._size: tuple[Shape, int] | None = None
        self._own: list[Entry] = []
        # Of a run that is planned again: its network may not be among the saved ones any more.
        self._given: list[Entry] = []
        self.setAccessibleName(self.tr("Network"))
        self.box = ComboBox(self)
        self.box.setAccessibleName(self.tr("Network"))
        self.box.setMaxVisibleItems(24)
        self._model = QStandardItemModel(self.box)
        self.box.setModel(self._model)
        self._caption = HintLabel(parent=self)
        self.browse_button = push_button(
            self.tr("Look at them…"), context.theme, icon="networks", parent=self
        )
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.box, 1)
        row.addWidget(self.browse_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(row)
        column.addWidget(self._caption)
        self.box.activated.connect(self._on_activated)
        self.browse_button.clicked.connect(self._on_browse)
        self._fill()
        self.read()
        explain(self.box, self.tr("What learns: larger networks see more and take longer."))
        explain(self.browse_button, self.tr("Shows all networks with their sizes and drawings."))

    @property
    def entry(self) -> Entry:
        """The network that is chosen."""
        return self._entries[str(self.box.currentData(_NAME))]

    def choice(self) -> NetworkChoice:
        """What a plan says of it."""
        entry = self.entry
        return NetworkChoice(entry.name if entry.drawing is None else entry.label, entry.drawing)

    def why_not(self, name: str) -> str:
        """Why a network does not take the images at hand; empty where it does."""
        return self._reasons.get(name, "")

    def read(self) -> None:
        """Read the saved networks again."""
        work = partial(saved, self._context.workspace)
        self._context.background.run(self, work, self._on_saved)

    def select(self, name: str) -> None:
        """Choose a network by its name in the zoo or its id, now or as soon as it is known."""
        self._wanted = name
        if name in self._entries:
            self._wanted = ""
            self._show(name)
        else:
            self.read()

    def give(self, network: str, design: NetworkSpec | None) -> None:
        """Choose the network of a plan; a drawing is offered as it was then."""
        if design is None:
            self.select(network)
            return
        given = own_entry(_GIVEN, network, design)
        self._given = [given]
        self._reasons.pop(given.name, None)
        self._fill()
        self._show(given.name)
        if self._size is not None:
            self.fit_to(*self._size)

    def fit_to(self, shape: Shape, classes: int) -> None:
        """Disable what does not take such images; the reasons come a moment later."""
        self._size = (shape, classes)
        work = partial(_reasons, list(self._entries.values()), shape, classes)
        self._context.background.run(self, work, partial(self._on_reasons, self._size))

    def _on_saved(self, networks: list[SavedNetwork]) -> None:
        own = own_entries(networks)
        if own != self._own:
            self._own = own
            self._fill()
            if self._size is not None:
                self.fit_to(*self._size)
        if self._wanted in self._entries:
            wanted, self._wanted = self._wanted, ""
            self._show(wanted)
            self.chosen.emit()

    def _fill(self) -> None:
        """List everything anew; what was chosen stays so where it is still there."""
        before = self.box.currentData(_NAME)
        headings = {
            "own": self.tr("Your own"),
            "zoo": self.tr("From papers"),
            "pretrained": self.tr("Pretrained"),
        }
        entries = [*self._given, *self._own, *zoo_entries()]
        self._entries = {entry.name: entry for entry in entries}
        self._model.clear()
        for group in GROUPS:
            members = [entry for entry in entries if entry.group == group]
            if members:
                heading = QStandardItem(headings[group])
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                font = self.box.font()
                font.setWeight(font.Weight.DemiBold)
                heading.setFont(font)
                self._model.appendRow(heading)
            for entry in members:
                self._model.appendRow(self._item(entry))
        self._show(before if before in self._entries else zoo_entries()[0].name)

    def _item(self, entry: Entry) -> QStandardItem:
        words = entry_name(entry)
        if entry.name == _GIVEN and entry.label in ZOO:
            label = engine_text(ZOO[entry.label].label)
            words = self.tr("{name}, images enlarged").format(name=label)
        elif entry.name == _GIVEN:
            words = self.tr("{name}, as in that run").format(name=entry.label)
        item = QStandardItem(words)
        item.setData(entry.name, _NAME)
        self._allow(item)
        return item

    def _on_reasons(self, size: tuple[Shape, int], reasons: dict[str, str]) -> None:
        if size != self._size:
            return  # the images are others meanwhile
        self._reasons = reasons
        for row in range(self._model.rowCount()):
            self._allow(self._model.item(row))
        if reasons.get(self.entry.name):
            able = next((name for name in self._entries if not reasons.get(name)), None)
            if able is not None:
                self._show(able)
                self.chosen.emit()
        self._describe()

    def _allow(self, item: QStandardItem) -> None:
        """Let a network be chosen, or say why it cannot be."""
        name = item.data(_NAME)
        if name is not None:
            reason = self._reasons.get(name, "")
            item.setEnabled(not reason)
            item.setToolTip(reason or self._entries[name].paper)

    def _show(self, name: str) -> None:
        self.box.setCurrentIndex(self.box.findData(name, _NAME))
        self._describe()

    def _describe(self) -> None:
        entry = self.entry
        reason = self._reasons.get(entry.name, "")
        summary = entry.summary or self.tr("A network of your own.")
        self._caption.show_text(reason or summary, "problem" if reason else "help")

    def _on_activated(self, _index: int) -> None:
        self._describe()
        self.chosen.emit()

    def _on_browse(self) -> None:
        self._context.navigator.open(OpenRecord("networks", self.entry.name))


def _reasons(entries: Sequence[Entry], shape: Shape, classes: int) -> dict[str, str]:
    return {entry.name: engine_text(entry.fitting(shape, classes)[1]) for entry in entries}
