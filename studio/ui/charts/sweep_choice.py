"""A row of lists above a chart, from which its axes are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from studio.ui.theme.tokens import SPACE


class ChoiceRow(QWidget):
    """Lists with a word before each; one that has nothing to choose from is not shown.

    Signals:
        changed: Something else was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(SPACE.s)
        self._row.addStretch(1)
        self._labels: dict[QComboBox, QLabel] = {}

    def add(self, word: str) -> QComboBox:
        """Another list, to be filled."""
        label, box = QLabel(word, self), QComboBox(self)
        label.setProperty("role", "muted")
        label.setBuddy(box)
        box.setAccessibleName(word)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._labels[box] = label
        for widget in (label, box):
            self._row.insertWidget(self._row.count() - 1, widget)
        box.currentIndexChanged.connect(self._chosen)
        return box

    def fill(self, box: QComboBox, names: Sequence[str], first: int = 0) -> None:
        """Offer these names; what was chosen stays if it is still there, else `first` is."""
        if [box.itemText(at) for at in range(box.count())] != list(names):
            kept = box.currentText()
            box.blockSignals(True)
            box.clear()
            box.addItems(list(names))
            box.setCurrentIndex(names.index(kept) if kept in names else min(first, len(names) - 1))
            box.blockSignals(False)
        box.setVisible(len(names) > 1)
        self._labels[box].setVisible(len(names) > 1)
        self.setVisible(any(each.count() > 1 for each in self._labels))

    def _chosen(self, _index: int) -> None:
        self.changed.emit()
