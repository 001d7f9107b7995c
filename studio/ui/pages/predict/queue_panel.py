"""The review queue: corrected pictures at the left, what becomes of them at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from studio.ui.bridge.run_choices import RunChoice
from studio.ui.context import AppContext
from studio.ui.pages.predict import review_messages as words
from studio.ui.pages.predict.class_menu import ClassMenu
from studio.ui.pages.predict.pictures import load_thumbnail
from studio.ui.pages.predict.review_state import Step
from studio.ui.pages.predict.reviewing import Reviewing
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.picture_grid import KEY_ROLE, ImageGrid
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from pathlib import Path

    from studio.engine.review.corrections import Correction

Index = QModelIndex | QPersistentModelIndex
_LEAST: Final = 280
_MOST: Final = 380


class QueueModel(QAbstractListModel):
    """The corrections that wait."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[tuple[Correction, Path]] = []

    def set_items(self, items: list[tuple[Correction, Path]]) -> None:
        """Show these."""
        if items == self.items:
            return
        self.beginResetModel()
        self.items = items
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """One per picture."""
        return 0 if parent is not None and parent.isValid() else len(self.items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What it was taken for and what it is; the path as the key of the picture."""
        correction, path = self.items[index.row()]
        if role == KEY_ROLE:
            return str(path)
        if role == Qt.ItemDataRole.DisplayRole:
            return words.caption(correction)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return words.explained(correction)
        return None


class QueuePanel(QWidget):
    """Sees and edits the queue.

    Signals:
        closed: Back to the pictures.
    """

    closed = Signal()

    def __init__(
        self, context: AppContext, reviewing: Reviewing, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        theme = context.theme
        self._reviewing = reviewing
        self._choice: RunChoice | None = None
        self._classes: tuple[str, ...] = ()
        self.model = QueueModel()
        self.grid = ImageGrid(theme, self)
        self.grid.set_source(self.model, load_thumbnail)
        self.grid.setAccessibleName(self.tr("Corrected pictures"))
        self.back_button = push_button(
            self.tr("Back"), theme, kind="quiet", icon="back", parent=self
        )
        self.title = ElidedLabel("", self)
        self.relabel_button = push_button(self.tr("Class"), theme, icon="tag", parent=self)
        self.menu = ClassMenu(self.relabel_button)
        self.menu.chosen.connect(self._on_relabel)
        self.relabel_button.setMenu(self.menu)
        self.remove_button = push_button(self.tr("Remove"), theme, icon="trash", parent=self)
        self.add_button = push_button(
            self.tr("Add to dataset"), theme, kind="primary", icon="plus", parent=self
        )
        self.retrain_button = push_button(
            self.tr("Retrain from here"), theme, icon="train", parent=self
        )
        self.add_line, self.loop_line = _line(self), _line(self)
        self.bar = ThinBar(theme, self)
        self._lay_out()
        self.back_button.clicked.connect(self._on_back)
        self.remove_button.clicked.connect(self._on_remove)
        self.add_button.clicked.connect(self._on_add)
        self.retrain_button.clicked.connect(self._on_retrain)
        self.grid.selection_changed.connect(self._on_selection)
        reviewing.changed.connect(self.refresh)
        self.refresh()
        self._explain()

    def _explain(self) -> None:
        explain(
            self.add_button,
            self.tr("Makes a new version of the dataset with the corrected pictures."),
        )
        explain(self.back_button, self.tr("Goes back to the picture; corrections stay."))
        explain(
            self.grid,
            self.tr("Pictures that you corrected, to be learned from the next time."),
        )

    def set_model(self, choice: RunChoice | None, classes: tuple[str, ...]) -> None:
        """The run in use: its dataset takes the pictures, and it is retrained."""
        if (choice, classes) == (self._choice, self._classes):
            return
        self._choice, self._classes = choice, classes
        self.menu.offer(classes)
        folder = None if choice is None else choice.dataset_folder
        self._reviewing.set_dataset("" if folder is None else folder.name)
        self.refresh()

    def refresh(self) -> None:
        """Show what is new."""
        waiting, loop = self._reviewing.waiting, self._reviewing.loop
        self.model.set_items(waiting)
        self.title.setText(words.title(len(waiting)))
        dataset = "" if self._choice is None else self._choice.dataset
        held_out = self._reviewing.held_out
        self.add_line.setText(words.add_line(len(waiting), dataset, list(held_out.values())))
        self.add_button.setEnabled(len(waiting) > len(held_out) and bool(dataset))
        self.loop_line.setText(words.loop_line(loop, self._choice))
        self.loop_line.setVisible(bool(self.loop_line.text()))
        self.bar.setVisible(loop.step in (Step.IMPORTING, Step.TRAINING, Step.MEASURING))
        self.bar.set_fraction(None)
        is_busy = loop.step in (Step.IMPORTING, Step.TRAINING, Step.MEASURING)
        can_add = self.add_button.isEnabled()
        can_retrain = can_add or loop.step in (Step.READY, Step.NOT_TRAINED, Step.GAINED)
        self.retrain_button.setEnabled(can_retrain and not is_busy and self._choice is not None)
        self.retrain_button.setToolTip(words.retrain_tip(loop, self._choice, can_add=can_add))
        self._on_selection(self.grid.selected_rows())

    def _selected(self) -> list[str]:
        return [self.model.items[row][0].id for row in self.grid.selected_rows()]

    def _on_selection(self, rows: list[int]) -> None:
        tip = "" if rows else self.tr("Choose pictures first.")
        for button in (self.relabel_button, self.remove_button):
            button.setEnabled(bool(rows))
            button.setToolTip(tip)

    def _on_relabel(self, name: str) -> None:
        self._reviewing.relabel(self._selected(), name)

    def _on_remove(self) -> None:
        self._reviewing.remove(self._selected())

    def _on_add(self) -> None:
        if self._choice is not None and self._choice.dataset_folder is not None:
            self._reviewing.add_to_dataset(self._choice.dataset_folder.name, self._ids())

    def _ids(self) -> list[str]:
        return [correction.id for correction, _ in self.model.items]

    def _on_retrain(self) -> None:
        dataset = self._reviewing.loop.dataset
        folder = None if self._choice is None else self._choice.dataset_folder
        if self._choice is not None and folder is not None and self.add_button.isEnabled():
            self._reviewing.add_and_retrain(self._choice.id, folder.name, self._ids())
        elif self._choice is not None and dataset is not None:
            self._reviewing.retrain(self._choice.id, dataset.record.id)

    def _on_back(self) -> None:
        self.closed.emit()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACE.s)
        head.addWidget(self.back_button)
        head.addWidget(self.title, 1)
        head.addWidget(self.relabel_button)
        head.addWidget(self.remove_button)
        left = Card("", self)
        left.setAccessibleName(self.tr("Review queue"))
        left.body.addLayout(head)
        left.body.addWidget(self.grid, 1)
        right = Card(self.tr("Learn from the corrections"), self)
        right.setMinimumWidth(_LEAST)
        right.setMaximumWidth(_MOST)
        for widget in (self.add_line, self.add_button, self.loop_line, self.bar):
            right.body.addWidget(widget)
        right.body.addWidget(self.retrain_button)
        right.body.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addWidget(left, 3)
        row.addWidget(right, 2)


def _line(parent: QWidget) -> QLabel:
    made = QLabel(parent)
    made.setProperty("role", "muted")
    made.setWordWrap(True)
    return made
