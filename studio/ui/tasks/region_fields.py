"""Datasets with masks or boxes: what their views share, and the fields of their import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QColorDialog, QMenu, QWidget

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.tasks.task import Task
from studio.ui.shared.file_dialogs import choose_file, choose_folder
from studio.ui.tasks.data_view import (
    ClassData,
    TextRows,
    order_of,
    orders_of,
    with_and_without,
)
from studio.ui.tasks.targets import RecipePart, TargetTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.overlay import swatch
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FILL, Column
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.survey import SurveyedOutput

_tr = partial(QCoreApplication.translate, "tasks")

_COLOR_WIDTH: Final = 56
_MOST_ROWS: Final = 8
_LARGEST, _SMALLEST = "largest", "smallest"


@dataclass(slots=True)
class _ClassRow:
    number: int
    name: str
    color: str


class ClassColorTable(Table[_ClassRow]):
    """Color and name of each class; a double click or Enter edits them.

    Signals:
        changed: The user changed a name or a color.
    """

    changed = Signal()

    def __init__(self, name: str, fixed_color: str, parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            name: Name for screen readers.
            fixed_color: Tooltip of colors that the files give.
            parent: Its owner.
        """
        super().__init__("", (), parent, key=attrgetter("number"), max_rows=_MOST_ROWS)
        self._classes: list[_ClassRow] = []
        self._fixed: Sequence[str] = ()
        self._fixed_color = fixed_color
        self.setAccessibleName(name)
        explain(self, _tr("Double-click a name or a color to change it."))
        self.opened.connect(self._on_opened)

    def show_classes(
        self, names: Sequence[str], colors: Sequence[str], fixed: Sequence[str]
    ) -> None:
        """Show classes.

        Args:
            names: Names of the classes, K.
            colors: Colors of the classes as "#rrggbb", K.
            fixed: Fields of the recipe that cannot be changed here.
        """
        self._fixed = fixed
        if (list(names), list(colors)) != (self.names(), self.colors()):
            pairs = enumerate(zip(names, colors, strict=True))
            self._classes = [_ClassRow(number, *pair) for number, pair in pairs]
        color: Column[_ClassRow] = Column(
            _tr("Color"),
            lambda _row: "",
            key="color",
            width=_COLOR_WIDTH,
            is_text=True,
            picture=lambda row: swatch(row.color),
            cell_tip=self._color_tip,
            spoken=attrgetter("color"),
        )
        name: Column[_ClassRow] = Column(
            _tr("Class"),
            attrgetter("name"),
            key="name",
            width=FILL,
            is_text=True,
            cell_tip=self._name_tip,
            edit=None if "class_names" in fixed else self._rename,
        )
        self.show_rows(self._classes, [color, name])

    def names(self) -> list[str]:
        """Return the names."""
        return [row.name for row in self._classes]

    def colors(self) -> list[str]:
        """Return the colors as "#rrggbb"."""
        return [row.color for row in self._classes]

    def set_color(self, number: int, color: str) -> None:
        """Change a color.

        Args:
            number: Number of the class.
            color: "#rrggbb".
        """
        self._classes[number].color = color
        self.touch(number)
        self.changed.emit()

    def _color_tip(self, _row: _ClassRow) -> str:
        if "class_colors" in self._fixed:
            return self._fixed_color
        return _tr("Double-click to choose another color.")

    def _name_tip(self, row: _ClassRow) -> str:
        if "class_names" in self._fixed:
            return _tr("The names come from the files. You can rename classes after the import.")
        return row.name

    def _rename(self, row: _ClassRow, name: str) -> None:
        row.name = name.strip()
        self.touch(row.number)
        self.changed.emit()

    def _on_opened(self, number: int) -> None:
        if self.currentIndex().column() or "class_colors" in self._fixed:
            return
        row = self._classes[number]
        title = _tr("Color of “{name}”").format(name=row.name)
        chosen = QColorDialog.getColor(QColor(row.color), self, title)
        if chosen.isValid():
            self.set_color(number, chosen.name())


@dataclass(frozen=True, slots=True)
class RegionWords:
    """Texts about masks or boxes.

    Attributes:
        regions: Heading.
        elsewhere: Button for another place of their files.
        elsewhere_help: Its tooltip.
        folder: Action for a folder.
        choose_folder: Title of the dialog for a folder.
        classes: Name of the table of classes for screen readers.
        fixed_color: Tooltip of colors that the files give.
    """

    regions: str
    elsewhere: str
    elsewhere_help: str
    folder: str
    choose_folder: str
    classes: str
    fixed_color: str


class RegionFields(RecipePart):
    """The place of masks or boxes, and the table of their classes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[str, object] = {}
        words = self.words()
        self.location = ElidedLabel("", self)
        self.location_button = push_button(words.elsewhere, theme, tip=words.elsewhere_help)
        menu = QMenu(self.location_button)
        menu.addAction(words.folder, self._on_folder)
        menu.addAction(_tr("Annotation file…"), self._on_file)
        self.here_action = menu.addAction(_tr("Image folder"), partial(self.set_location, ""))
        self.location_button.setMenu(menu)
        self.table = ClassColorTable(words.classes, words.fixed_color, self)
        self.table.changed.connect(self._on_classes)
        self.names_button = push_button(
            _tr("Classes from a file…"),
            theme,
            kind="quiet",
            tip=_tr("Reads a text file with a line for each class: its name, its color, or both."),
            on_click=self._on_names,
        )
        vbox(
            text_label(words.regions, "muted", self),
            hbox((self.location, 1), self.location_button, spacing=SPACE.s),
            self.table,
            (self.names_button, Qt.AlignmentFlag.AlignRight),
            owner=self,
            spacing=SPACE.s,
        )

    def words(self) -> RegionWords:
        """Return the texts."""
        raise NotImplementedError

    def show_found(
        self,
        recipe: DatasetRecipe,
        outputs: Sequence[SurveyedOutput],
        fixed: Sequence[str],
    ) -> None:
        """Show the location of the files and the found classes; see `RecipePart.show_found`."""
        fields = ("annotations", "class_names", "class_colors", "labels_file")
        self._values = {name: getattr(recipe, name) for name in fields}
        self.location.setText(recipe.annotations or _tr("In the image folder"))
        self.here_action.setEnabled(bool(recipe.annotations))
        colors = [each.color for each in outputs]
        if all(colors):
            self.table.show_classes([each.name for each in outputs], colors, fixed)

    def values(self) -> dict[str, object]:
        """Return the fields of the recipe."""
        return dict(self._values)

    def set_location(self, path: str) -> None:
        """Take the annotations of another folder or file; empty for that of the images."""
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
        folder = choose_folder(self, self.words().choose_folder)
        if folder is not None:
            self.set_location(str(folder))

    def _on_file(self) -> None:
        path = choose_file(self, _tr("Choose the annotation file"))
        if path is not None:
            self.set_location(str(path))

    def _on_names(self) -> None:
        path = choose_file(self, _tr("Choose the class file"))
        if path is not None:
            self.set_classes_file(str(path))


def present(targets: TargetTable, row: int) -> list[tuple[str, int]]:
    """Return name and pixels or boxes of the classes in an image, the most first.

    Args:
        targets: Targets of the dataset.
        row: Row of the image.
    """
    pairs = zip(targets.names, targets.values[row].tolist(), strict=True)
    return sorted((each for each in pairs if each[1]), key=lambda each: -each[1])


class RegionData(ClassData):
    """Base of the views of datasets with masks or boxes, whose outputs are classes."""

    def found(self, outputs: Sequence[SurveyedOutput], task: Task) -> TextRows:
        """Return nothing: `recipe_part` shows the classes; see `DataView.found`."""
        return (), []

    def groups(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Group images by whether they contain a class; see `DataView.groups`."""
        return with_and_without(targets, rows, output)

    def largest(self, targets: TargetTable, output: int) -> NDArray[np.float64]:
        """Return the largest area of a class in each image in square pixels, 0 without it.

        Args:
            targets: Targets of the dataset.
            output: Number of the class.

        Returns:
            Shape (N,).
        """
        raise NotImplementedError

    def smallest(self, targets: TargetTable, output: int) -> NDArray[np.float64]:
        """Return the smallest areas of a class, infinite without it; see `largest`."""
        raise NotImplementedError

    def orders(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Offer the images with the largest or the smallest area of each class."""
        ways = (
            (_LARGEST, _tr("{name}, largest first")),
            (_SMALLEST, _tr("{name}, smallest first")),
        )
        return orders_of(names, ways)

    def order(self, targets: TargetTable, key: str) -> NDArray[np.int64] | None:
        """Sort by the area of a class; see `DataView.order`."""
        found = order_of(targets, key, (_LARGEST, _SMALLEST))
        if found is None:
            return None
        output, way = found
        # Images without the class come last in both directions.
        is_largest = way == _LARGEST
        ranks = -self.largest(targets, output) if is_largest else self.smallest(targets, output)
        return ranks.argsort(kind="stable")

    def opening_order(self, output: int) -> str:
        """Show the images of a class from its largest area."""
        return f"{output} {_LARGEST}"

    def showcase(
        self, targets: TargetTable, rows: NDArray[np.int64], output: int
    ) -> NDArray[np.int64]:
        """Sort images from the largest area of the class down; see `DataView.showcase`."""
        ordered: NDArray[np.int64] = rows[
            (-self.largest(targets, output)[rows]).argsort(kind="stable")
        ]
        return ordered
