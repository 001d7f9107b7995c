"""Buttons beside the fields that hold a path, so that nobody has to type one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QToolButton, QWidget

from studio.engine.datasets.sources.list_file import SUFFIXES as LISTS
from studio.engine.datasets.sources.shared.members import SUFFIXES as ARCHIVES
from studio.ui.engine_text import plan_text
from studio.ui.forms.plan_form import PlanForm
from studio.ui.theme.theme import Theme
from studio.ui.widgets.button import icon_button

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
