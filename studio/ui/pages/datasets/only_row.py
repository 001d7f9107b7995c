"""Only some of the classes, or of the splits, of what was found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.ui.pages.datasets.class_checks import ClassChecks
from studio.ui.pages.datasets.found import Found
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPLIT_COLORS
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.split_bar import split_word


class OnlyRow(QWidget):
    """A button that opens the list of classes, and a box for each split that is there.

    A recipe that leaves classes out does not find them any more; so those that were found once
    are kept and offered until `forget`.

    Signals:
        changed: The user wants others.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._classes: list[str] = []
        self._splits: set[str] = set()
        self.classes_button = push_button("", theme, icon="chevron-down", parent=self)
        self.classes_button.setToolTip(self.tr("Choose the classes that are imported"))
        self.picker = ClassChecks(theme, self)
        self.boxes = {split: QCheckBox(split_word(split), self) for split in SPLIT_COLORS}
        # In lines like words: beside the pictures there is room for few.
        row = FlowLayout(self)
        row.addWidget(self.classes_button)
        for box in self.boxes.values():
            explain(box, self.tr("Only images of ticked splits are imported."))
            row.addWidget(box)
            box.setMinimumHeight(CONTROL_HEIGHT)
            box.clicked.connect(self._on_changed)
            box.hide()
        self.classes_button.clicked.connect(self._on_open)
        self.picker.changed.connect(self._on_changed)
        explain(
            self.classes_button,
            self.tr("Choose which classes are imported; all of them if you choose nothing."),
        )

    def forget(self) -> None:
        """Other images are looked for."""
        self._classes = []
        self._splits = set()

    def show_found(self, found: Found, wanted: DatasetRecipe) -> None:
        """Offer what was found, and what was before with other settings.

        Args:
            found: By a recipe that may be older than the one that is wanted now.
            wanted: Says what is ticked.
        """
        asked = found.recipe
        names = [each.name for each in found.classes]
        new = [name for name in names if name not in self._classes]
        classes = [*self._classes, *new] if asked.only_classes else names
        if classes != self._classes:
            self._classes = classes
            self.picker.offer(classes, wanted.only_classes or classes)
        splits = self._splits | set(found.splits) if asked.only_splits else set(found.splits)
        if asked.only_splits and not self._splits:
            splits = set(SPLIT_COLORS)  # known from a recipe alone: what it leaves out is not
        if splits != self._splits:
            self._splits = splits
            for split, box in self.boxes.items():
                box.setVisible(split in splits)
                box.setChecked(split in (wanted.only_splits or splits))
        self._refresh()

    @property
    def is_enough(self) -> bool:
        """Whether two classes at least are wanted."""
        return len(self.picker.ticked()) >= 2

    def values(self) -> dict[str, Sequence[str]]:
        """The fields of the recipe; empty lists where everything is wanted."""
        ticked = self.picker.ticked()
        splits = [split for split in self.boxes if split in self._splits]
        wanted = [split for split in splits if self.boxes[split].isChecked()]
        return {
            "only_classes": [] if len(ticked) == len(self._classes) else ticked,
            "only_splits": [] if wanted == splits else wanted,
        }

    def _refresh(self) -> None:
        ticked, known = len(self.picker.ticked()), len(self._classes)
        text = self.tr("All classes")
        if ticked != known:
            text = self.tr("{n} of {total} classes").format(n=count(ticked), total=count(known))
        self.classes_button.setText(text)
        checked = [box for split, box in self.boxes.items() if self._is_wanted(split)]
        for split, box in self.boxes.items():
            is_last = checked == [box]
            box.setEnabled(not is_last)
            text = self.tr("Take the images of this split: {split}")
            text = self.tr("One split has to stay") if is_last else text
            box.setToolTip(text.format(split=split_word(split)))

    def _is_wanted(self, split: str) -> bool:
        return split in self._splits and self.boxes[split].isChecked()

    def _on_open(self) -> None:
        corner = QPoint(0, self.classes_button.height())
        self.picker.open_at(self.classes_button.mapToGlobal(corner))

    def _on_changed(self) -> None:
        self._refresh()
        self.changed.emit()
