"""The places whose images become one dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.engine.datasets.sources.shared.address import place_text
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.found import Place
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button, push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.explain import explain


class PlacesList(QWidget):
    """A line for each place where there are several, and a button for another one.

    Signals:
        removed: Number of a place that is not wanted any more.
        add_wanted: Another place is to be asked for.
    """

    removed = Signal(int)
    add_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[QWidget] = []
        self.remove_buttons: list[QToolButton] = []
        self.add_button = push_button(
            self.tr("Add another place…"), theme, icon="plus", parent=self
        )
        self.add_button.clicked.connect(self._on_add)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(SPACE.xs)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(self._lines)
        column.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)
        explain(
            self.add_button,
            self.tr("Adds images of another folder or file to the same import."),
        )

    def show_places(
        self, places: Sequence[Place], names: Mapping[Path, str], fewest: int = 1
    ) -> None:
        """Show other places.

        Args:
            places: All of them; the first one cannot be removed.
            names: What some of them are called, instead of their paths.
            fewest: So many have to stay.
        """
        for row in self._rows:
            self._lines.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows, self.remove_buttons = [], []
        if len(places) < 2:
            return
        for index, place in enumerate(places):
            name = names.get(place.path, "") or place_text(place.path)
            can_go = index > 0 and len(places) > fewest
            self._rows.append(self._row(index, name, messages.images(place.count), can_go=can_go))
            self._lines.addWidget(self._rows[-1])

    def allow(self, *, allowed: bool) -> None:
        """Whether other places can be asked for, or the settings have to be mended first."""
        why = self.tr("Mend the marked settings first")
        for button in (self.add_button, *self.remove_buttons):
            button.setEnabled(allowed)
            usual = button.accessibleName() or self.tr("Further images join these")
            button.setToolTip(usual if allowed else why)

    def texts(self) -> list[tuple[str, ...]]:
        """What is shown: of each place its name, and how many images it has."""
        return [tuple(label.text() for label in row.findChildren(QLabel)) for row in self._rows]

    def _row(self, index: int, name: str, number: str, *, can_go: bool) -> QWidget:
        row = QWidget(self)
        label, images = ElidedLabel(name, row), QLabel(number, row)
        images.setProperty("role", "muted")
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACE.s)
        line.addWidget(label, 1)
        line.addWidget(images)
        if can_go:
            text = self.tr("Leave out the images of {place}").format(place=name)
            button = icon_button("close", text, self._theme, parent=row)
            button.clicked.connect(partial(self._on_remove, index))
            line.addWidget(button)
            self.remove_buttons.append(button)
        return row

    def _on_remove(self, index: int) -> None:
        self.removed.emit(index)

    def _on_add(self) -> None:
        self.add_wanted.emit()
