"""Fields of an import that only masks have: their place, and names and colors of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import (
    QColorDialog,
    QFileDialog,
    QHeaderView,
    QMenu,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.engine.datasets.recipe import DatasetRecipe
from studio.ui.tasks.targets import RecipePart
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.overlay import swatch
from studio.ui.widgets.tables import ROW_HEIGHT, dress_table
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.datasets.survey import SurveyedOutput

_tr = partial(QCoreApplication.translate, "tasks")

_COLOR, _NAME = range(2)
_COLOR_WIDTH: Final = 56
_MOST_ROWS: Final = 8
_EDITABLE: Final = (
    Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
)
_FIXED: Final = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class ClassTable(QTableWidget):
    """Color and name of each class; a double click or Enter edits them.

    Signals:
        changed: The user changed a name or a color.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 2, parent)
        self._lines: list[tuple[QTableWidgetItem, QTableWidgetItem]] = []
        self._fixed: Sequence[str] = ()
        self.setAccessibleName(_tr("Classes of the masks"))
        self.setHorizontalHeaderLabels([_tr("Color"), _tr("Class")])
        dress_table(self)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(_COLOR, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(_COLOR, _COLOR_WIDTH)
        explain(self, _tr("Double-click a name or a color to change it."))
        self.itemChanged.connect(self._on_changed)
        self.cellActivated.connect(self._on_activated)
        self.cellDoubleClicked.connect(self._on_activated)

    def show_classes(
        self, names: Sequence[str], colors: Sequence[str], fixed: Sequence[str]
    ) -> None:
        """Show classes.

        Args:
            names: Of the classes, K.
            colors: Of the classes as "#rrggbb", K.
            fixed: Fields of the recipe that cannot be changed here.
        """
        self._fixed = fixed
        if (list(names), list(colors)) != (self.names(), self.colors()):
            with QSignalBlocker(self):
                self.setRowCount(0)
                self._lines = []
                for name, color in zip(names, colors, strict=True):
                    self._add(name, color)
        with QSignalBlocker(self):
            self._allow()
        shown = min(max(1, len(self._lines)), _MOST_ROWS)
        half = ROW_HEIGHT // 2 if len(self._lines) > _MOST_ROWS else 0
        around = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + 2
        self.setFixedHeight(shown * ROW_HEIGHT + half + around)

    def names(self) -> list[str]:
        """Return the names."""
        return [name.text().strip() for _, name in self._lines]

    def colors(self) -> list[str]:
        """Return the colors as "#rrggbb"."""
        return [str(color.data(Qt.ItemDataRole.UserRole)) for color, _ in self._lines]

    def set_color(self, row: int, color: str) -> None:
        """Change the color of a class, "#rrggbb"."""
        self._paint(self._lines[row][0], color)
        self.changed.emit()

    def _add(self, name: str, color: str) -> None:
        row = self.rowCount()
        self.insertRow(row)
        square, text = QTableWidgetItem(), QTableWidgetItem(name)
        self.setItem(row, _COLOR, square)
        self.setItem(row, _NAME, text)
        self._lines.append((square, text))
        self._paint(square, color)

    def _paint(self, item: QTableWidgetItem, color: str) -> None:
        with QSignalBlocker(self):
            item.setData(Qt.ItemDataRole.UserRole, color)
            item.setIcon(QIcon(QPixmap.fromImage(swatch(color, ICON_SMALL))))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, color)

    def _allow(self) -> None:
        can_rename, can_recolor = (
            name not in self._fixed for name in ("class_names", "class_colors")
        )
        for square, name in self._lines:
            square.setFlags(_FIXED)
            name.setFlags(_EDITABLE if can_rename else _FIXED)
            square.setToolTip(
                _tr("Double-click to choose another color.")
                if can_recolor
                else _tr("The mask files use this color for the class.")
            )
            name.setToolTip(
                name.text()
                if can_rename
                else _tr("The files give the names. You can rename classes after the import.")
            )

    def _on_changed(self, item: QTableWidgetItem) -> None:
        if item.column() == _NAME:
            self.changed.emit()

    def _on_activated(self, row: int, column: int) -> None:
        if column == _COLOR and "class_colors" not in self._fixed:
            now = QColor(self.colors()[row])
            title = _tr("Color of “{name}”").format(name=self.names()[row])
            chosen = QColorDialog.getColor(now, self, title)
            if chosen.isValid():
                self.set_color(row, chosen.name())


class MaskFields(RecipePart):
    """The place of the masks, and the table of their classes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[str, object] = {}
        self.place = ElidedLabel("", self)
        self.place_button = push_button(
            _tr("Masks elsewhere…"),
            theme,
            tip=_tr("Chooses the folder or file of the masks, if it is not that of the images."),
        )
        menu = QMenu(self.place_button)
        menu.addAction(_tr("A folder of masks…"), self._on_folder)
        menu.addAction(_tr("A file of annotations…"), self._on_file)
        self.here_action = menu.addAction(_tr("The folder of the images"), self._on_here)
        self.place_button.setMenu(menu)
        self.table = ClassTable(self)
        self.table.changed.connect(self._on_classes)
        self.names_button = push_button(
            _tr("Classes from a file…"),
            theme,
            kind="quiet",
            tip=_tr("Reads a text file with a line for each class: its name, its color, or both."),
            on_click=self._on_names,
        )
        vbox(
            text_label(_tr("Masks"), "muted", self),
            hbox((self.place, 1), self.place_button, spacing=SPACE.s),
            self.table,
            (self.names_button, Qt.AlignmentFlag.AlignRight),
            owner=self,
            spacing=SPACE.s,
        )

    def show_found(
        self,
        recipe: DatasetRecipe,
        outputs: Sequence[SurveyedOutput],
        fixed: Sequence[str],
    ) -> None:
        """Show the place of the masks, and the classes that were found."""
        fields = ("annotations", "class_names", "class_colors", "labels_file")
        self._values = {name: getattr(recipe, name) for name in fields}
        self.place.setText(recipe.annotations or _tr("In the folder of the images"))
        self.here_action.setEnabled(bool(recipe.annotations))
        colors = [each.color for each in outputs]
        if all(colors):
            self.table.show_classes([each.name for each in outputs], colors, fixed)

    def values(self) -> dict[str, object]:
        """Return the fields of the recipe."""
        return dict(self._values)

    def set_place(self, path: str) -> None:
        """Take the masks of another folder or file; empty for that of the images."""
        self._set(annotations=path, class_names=[], class_colors=[])

    def set_classes_file(self, path: str) -> None:
        """Take the classes of a text file."""
        self._set(labels_file=path, class_names=[], class_colors=[])

    def _set(self, **values: object) -> None:
        self._values |= values
        self.changed.emit()

    def _on_classes(self) -> None:
        self._set(class_names=self.table.names(), class_colors=self.table.colors())

    def _on_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, _tr("Choose the folder of the masks"))
        if folder:
            self.set_place(str(Path(folder)))

    def _on_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, _tr("Choose the file of the annotations"))
        if path:
            self.set_place(str(Path(path)))

    def _on_here(self) -> None:
        self.set_place("")

    def _on_names(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, _tr("Choose the file of the classes"))
        if path:
            self.set_classes_file(str(Path(path)))
