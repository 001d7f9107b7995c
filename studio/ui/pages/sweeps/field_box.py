"""A searchable list of the fields that can vary, under the names of the parts they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFont, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QWidget

from studio.engine.sweeps.fields import NETWORK, sweepable
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
        self.setMaxVisibleItems(20)
        self._fields: list[str] = []
        self.offer(list(sweepable()))
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
        """Show a field, also one that is not offered otherwise."""
        if self.findData(field) < 0:
            self._fill([*self._fields, field])
        self.setCurrentIndex(self.findData(field))
        self._show_whole()

    def offer(self, names: Sequence[str]) -> None:
        """List these fields; what is chosen stays, though it may be none of them any more."""
        if list(names) == self._fields:
            return
        chosen = self.field if self._fields else names[0]
        self._fields = list(names)
        self._fill(names)
        self.choose(chosen)

    def _fill(self, names: Iterable[str]) -> None:
        model = QStandardItemModel(self)
        labels: list[str] = []
        for part, found in _by_part(names):
            model.appendRow(_heading(part))
            for label, name in sorted(((field_label(each), each) for each in found), key=_folded):
                item = QStandardItem(label)
                item.setData(name, Qt.ItemDataRole.UserRole)
                model.appendRow(item)
                labels.append(label)
        self.setModel(model)
        # Headings are no answers to what is typed.
        completer = QCompleter(labels, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)

    def _on_activated(self, _index: int) -> None:
        self._show_whole()
        self.chosen.emit()

    def _on_typed(self) -> None:
        """What is no field is taken back."""
        line = self._line
        found = self.findText(line.text(), Qt.MatchFlag.MatchFixedString)
        if found != self.currentIndex() and self.itemData(found) is not None:
            self.setCurrentIndex(found)
            self.chosen.emit()
        self._show_whole()

    def _show_whole(self) -> None:
        line = self._line
        line.setText(self.itemText(self.currentIndex()))
        line.setCursorPosition(0)
        self.setToolTip(self.itemText(self.currentIndex()))


def _by_part(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Dotted names by the part of the plan that they belong to, those of the plan itself first."""
    ordered = sorted(names, key=_place)
    for part, found in groupby(ordered, key=_part):
        yield part, list(found)


def _part(name: str) -> str:
    return name.rpartition(".")[0]


def _place(name: str) -> tuple[int, str]:
    part = _part(name)
    return (list(_titles()).index(part) if part in _titles() else len(_titles())), part


def _title(part: str) -> str:
    kind, _, layer = part.partition(".")
    if kind == NETWORK and layer:
        return QCoreApplication.translate("sweeps", "Layer {name}").format(name=layer)
    return _titles().get(part, part)


def _heading(part: str) -> QStandardItem:
    item = QStandardItem(_title(part))
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    font = QFont()
    font.setBold(True)
    item.setFont(font)
    return item


def _titles() -> dict[str, str]:
    """What the parts of a plan are called, in their order; others come after them."""
    return {
        "": QCoreApplication.translate("sweeps", "Training"),
        "optimizer_options": QCoreApplication.translate("sweeps", "Optimizer"),
        "schedule_options": QCoreApplication.translate("sweeps", "Schedule of the learning rate"),
        "augmentation": QCoreApplication.translate("sweeps", "Augmentation"),
        "dataset": QCoreApplication.translate("sweeps", "Images of the dataset"),
    }


def _folded(item: tuple[str, str]) -> str:
    return item[0].casefold()
