"""A small window under a button to choose some classes of a thousand."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QWidget

from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.theme.theme import Theme
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain

_ON, _OFF = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class ClassChecks(OutputPicker):
    """A search field over a list of boxes to tick; stays open until the user looks elsewhere.

    Signals:
        changed: A box was ticked, or emptied.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Where one click activates, a box would be ticked and emptied at once.
        self.list.itemActivated.disconnect(self._on_item)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.all_button = push_button(self.tr("All"), theme, kind="quiet", parent=self)
        self.none_button = push_button(self.tr("None"), theme, kind="quiet", parent=self)
        self.all_button.clicked.connect(self._on_all)
        self.none_button.clicked.connect(self._on_none)
        row = QHBoxLayout()
        row.addWidget(self.all_button)
        row.addWidget(self.none_button)
        row.addStretch(1)
        column = self.layout()
        if column is not None:
            column.addItem(row)
        explain(self.all_button, self.tr("Ticks every class."))
        explain(self.none_button, self.tr("Ticks no class, to begin with a few."))

    def offer(self, names: Sequence[str], ticked: Collection[str]) -> None:
        """Offer these classes, some of them ticked."""
        self.set_names(names)
        for item in self._items():
            # Not for Qt to tick: a click anywhere on the line does.
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(_ON if item.text() in ticked else _OFF)

    def ticked(self) -> list[str]:
        """The classes that are wanted."""
        return [item.text() for item in self._items() if item.checkState() == _ON]

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _on_item(self, item: QListWidgetItem) -> None:
        item.setCheckState(_OFF if item.checkState() == _ON else _ON)
        self.changed.emit()

    def _on_all(self) -> None:
        self._tick(_ON)

    def _on_none(self) -> None:
        self._tick(_OFF)

    def _tick(self, state: Qt.CheckState) -> None:
        """Tick, or empty, the boxes that the search leaves."""
        for item in self._items():
            if not item.isHidden():
                item.setCheckState(state)
        self.changed.emit()
