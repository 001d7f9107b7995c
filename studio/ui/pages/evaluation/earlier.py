"""All evaluations of the workspace, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.state import Evaluation
from studio.ui.widgets.labels import ElidingDelegate, state_word


class EarlierList(QListWidget):
    """Select one to see its report.

    Signals:
        picked: Id of the evaluation that is wanted.
    """

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: list[tuple[str, str]] = []
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(ElidingDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("All evaluations"))
        self.itemSelectionChanged.connect(self._on_selection)

    def show_evaluations(self, evaluations: Sequence[Evaluation], current: str) -> None:
        """Show these, with that id selected."""
        known = [(each.id, _text(each)) for each in evaluations]
        with QSignalBlocker(self):
            if known != self._known:
                self._known = known
                self.clear()
                for _, text in known:
                    item = QListWidgetItem(text)
                    item.setToolTip(text)
                    self.addItem(item)
            ids = [record_id for record_id, _ in known]
            if current in ids:
                self.setCurrentRow(ids.index(current))

    def texts(self) -> list[str]:
        """What is shown."""
        return [text for _, text in self._known]

    def _on_selection(self) -> None:
        row = self.currentRow()
        if 0 <= row < len(self._known):
            self.picked.emit(self._known[row][0])


def _text(evaluation: Evaluation) -> str:
    words = [evaluation.model, messages.split_name(evaluation.split)]
    words.append(evaluation.figure or state_word(evaluation.state.value))
    return " · ".join(words)
