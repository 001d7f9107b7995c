"""Fields of an import beside those of the plan's form: name, places, buttons for paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QWidget,
)

from studio.engine.datasets.sources.list_file import SUFFIXES as LISTS
from studio.engine.datasets.sources.shared.address import place_text
from studio.engine.datasets.sources.shared.members import SUFFIXES as ARCHIVES
from studio.engine.errors import Problem
from studio.ui.engine_text import plan_text
from studio.ui.forms.field_row import LABEL_WIDTH
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.importing.rules import name_problem
from studio.ui.pages.datasets.importing.survey import Place
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.labels import ElidedLabel, HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, remove_widget, text_label, vbox
from studio.ui.widgets.tips import explain

_WIDTH = 360


class NameRow(QWidget):
    """A line of text that says at once when a name is not fit or taken.

    Signals:
        changed: The user has typed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken: list[str] = []
        # What is wrong with it.
        self.problem: Problem | None = None
        self.edit = QLineEdit(self)
        self.edit.setAccessibleName(self.tr("Name"))
        self.edit.setMaxLength(200)
        self.edit.setMaximumWidth(_WIDTH)
        self.edit.textEdited.connect(self._on_edit)
        self.hint = HintLabel(parent=self)
        label = QLabel(self.tr("Name"), self)
        label.setBuddy(self.edit)
        label.setFixedWidth(LABEL_WIDTH)
        label.setMinimumHeight(CONTROL_HEIGHT)
        right = vbox(self.edit, self.hint, spacing=2)
        hbox(
            (label, Qt.AlignmentFlag.AlignTop), (right, 100), STRETCH, owner=self, spacing=SPACE.m
        )
        explain(self.edit, self.tr("How the dataset is called from now on, in all lists."))

    def set_name(self, name: str, taken: Sequence[str]) -> None:
        """Show a name, and remember which ones cannot be used."""
        self.edit.setText(name)
        self.set_taken(taken)

    def set_taken(self, taken: Sequence[str]) -> None:
        """Remember which names cannot be used."""
        self._taken = list(taken)
        self.show_problem(name_problem(self.edit.text(), self._taken))

    def name(self) -> str:
        """What was typed."""
        return self.edit.text()

    def show_problem(self, problem: Problem | None) -> None:
        """Say what is wrong; None takes it back."""
        self.problem = problem
        text = "" if problem is None else f"{problem.message} {problem.hint}".strip()
        self.hint.show_text(text, "problem")
        restyle(self.edit, "wrong", problem is not None)

    def _on_edit(self) -> None:
        self.show_problem(name_problem(self.edit.text(), self._taken))
        self.changed.emit()


class PlacesList(QWidget):
    """A line for each place where there are several, and a button for another one.

    Signals:
        removed: Number of a place that is not wanted any more.
    """

    removed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[QWidget] = []
        self.remove_buttons: list[QToolButton] = []
        self.add_button = push_button(
            self.tr("Add another place…"), theme, icon="plus", parent=self
        )
        self._lines = vbox(spacing=SPACE.xs)
        vbox(
            self._lines, (self.add_button, Qt.AlignmentFlag.AlignLeft), owner=self, spacing=SPACE.s
        )
        explain(
            self.add_button, self.tr("Adds images of another folder or file to the same import.")
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
            remove_widget(self._lines, row)
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
        label, images = ElidedLabel(name, row), text_label(number, "muted", row)
        line = hbox((label, 1), images, owner=row, spacing=SPACE.s)
        if can_go:
            text = self.tr("Leave out the images of {place}").format(place=name)
            button = icon_button("close", text, self._theme, parent=row)
            button.clicked.connect(partial(self._on_remove, index))
            line.addWidget(button)
            self.remove_buttons.append(button)
        return row

    def _on_remove(self, index: int) -> None:
        self.removed.emit(index)


# Fields, and whether a folder, a file, or either fits.
_FIELDS = {
    "val_source": ("folder", "file"),
    "test_source": ("folder", "file"),
    "labels_file": ("file",),
    "path_prefix": ("folder",),
    "val_path_prefix": ("folder",),
    "test_path_prefix": ("folder",),
}
_PATH_WIDTH = 160
_ARRAYS = (".npz", ".h5", ".hdf5", ".parquet", "-ubyte", "-ubyte.gz")


def image_files_filter(all_images: str, all_files: str) -> str:
    """What a file picker shows where an archive, a list or a file of arrays is wanted."""
    patterns = " ".join(f"*{end}" for end in (*ARCHIVES, *sorted(LISTS), *_ARRAYS))
    return f"{all_images} ({patterns});;{all_files} (*)"


def ask_folder(parent: QWidget, title: str, start: Path | str = "") -> Path | None:
    """Let the user choose a folder."""
    chosen = QFileDialog.getExistingDirectory(parent, title, str(start))
    return Path(chosen) if chosen else None


def ask_file(parent: QWidget, title: str, start: Path | str = "", kinds: str = "") -> Path | None:
    """Let the user choose a file."""
    chosen, _ = QFileDialog.getOpenFileName(parent, title, str(start), kinds)
    return Path(chosen) if chosen else None


class PathButtons(QObject):
    """Puts a button beside each path of a form; it asks for a folder, for a file, or which."""

    def __init__(self, form: PlanForm, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._form = form
        self._window = parent
        self.buttons: dict[str, QToolButton] = {}
        for field, kinds in _FIELDS.items():
            self._add(field, kinds, theme)

    def explain(self, name: str, reason: str) -> None:
        """Say why a field is switched off; its button is, with it. Empty: it is on."""
        button = self.buttons.get(name)
        if button is not None:
            button.setToolTip(reason or self.tr("Choose…"))

    def choose(self, field: str, kind: str) -> None:
        """Let the user choose what a field holds."""
        path = self._ask_file() if kind == "file" else self._ask_folder()
        if path is not None:
            editor = self._form.editor(field)
            editor.set_value(str(path))
            editor.changed.emit()

    def _add(self, field: str, kinds: Sequence[str], theme: Theme) -> None:
        editor = self._form.editor(field)
        button = icon_button("folder-open", self.tr("Choose…"), theme, parent=editor)
        label = plan_text(self._form.row(field).flat.field.label)
        button.setAccessibleName(self.tr("Choose: {label}").format(label=label))
        if len(kinds) == 1:
            button.clicked.connect(partial(self.choose, field, kinds[0]))
        else:
            menu = QMenu(button)
            menu.addAction(self.tr("A folder…"), partial(self.choose, field, "folder"))
            menu.addAction(self.tr("A file…"), partial(self.choose, field, "file"))
            button.setMenu(menu)
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        editor.control.setMinimumWidth(_PATH_WIDTH)
        row = editor.layout()
        if isinstance(row, QHBoxLayout):
            row.insertWidget(1, button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.buttons[field] = button

    def _ask_folder(self) -> Path | None:
        return ask_folder(self._window, self.tr("Choose a folder"))

    def _ask_file(self) -> Path | None:
        return ask_file(self._window, self.tr("Choose a file"))
