"""A searchable list of the fields that can vary."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QWidget

from studio.engine.sweeps.fields import sweepable
from studio.ui.pages.sweeps.messages import field_label


class FieldBox(QComboBox):
    """Typing finds fields by any part of their label or dotted name.

    Signals:
        chosen: Another field was chosen by the user.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = QLineEdit(self)
        self.setLineEdit(self._line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        labels = {name: field_label(name) for name in sweepable()}
        for name in sorted(labels, key=lambda each: labels[each].casefold()):
            self.addItem(labels[name], name)
        completer = self.completer()
        if completer is not None:
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setAccessibleName(self.tr("Field that varies"))
        line = self._line
        line.setAccessibleName(self.tr("Search the fields"))
        line.setPlaceholderText(self.tr("Search the fields"))
        self.activated.connect(self._on_activated)
        line.editingFinished.connect(self._on_typed)

    @property
    def field(self) -> str:
        """The dotted name of the field."""
        return str(self.currentData())

    def choose(self, field: str) -> None:
        """Show a field."""
        self.setCurrentIndex(self.findData(field))
        self._show_whole()

    def _on_activated(self, _index: int) -> None:
        self._show_whole()
        self.chosen.emit()

    def _on_typed(self) -> None:
        """What is no field is taken back."""
        line = self._line
        found = self.findText(line.text(), Qt.MatchFlag.MatchFixedString)
        if found >= 0 and found != self.currentIndex():
            self.setCurrentIndex(found)
            self.chosen.emit()
        self._show_whole()

    def _show_whole(self) -> None:
        line = self._line
        line.setText(self.itemText(self.currentIndex()))
        line.setCursorPosition(0)
        self.setToolTip(self.itemText(self.currentIndex()))
