"""Tables of the export page: the files of one export, and all exports of the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.exporting.certificate import ExportedFile
from studio.ui.pages.export import messages
from studio.ui.pages.export.state import Exported
from studio.ui.settings import Settings
from studio.ui.widgets.table import ROW_HEIGHT, Table

COLUMNS_KEY: Final = "export/columns"


class FilesTable(Table[ExportedFile]):
    """The files of one export: select one to read its certificate, check those to save.

    Signals:
        checked_changed: Other files are checked.
    """

    checked_changed = Signal()

    _USUAL_ROWS: Final = 6

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", (), parent, key=attrgetter("name"), most_rows=self._USUAL_ROWS)
        self._checked: set[str] = set()
        self._can_check = False
        self.setAccessibleName(self.tr("Formats compared"))

    def show_files(self, files: Sequence[ExportedFile], *, can_check: bool) -> None:
        """Show files, none of them checked.

        Args:
            files: The files.
            can_check: True if they are not saved yet.
        """
        if list(files) == self.content.rows:
            return
        self._can_check, self._checked = can_check, set()
        first, *others = messages.file_columns(files)
        first = replace(first, checked=self._is_checked, check=self._check)
        self.show_rows((), ())
        self.show_rows(files, [first, *others])
        self.selectRow(0)
        self.checked_changed.emit()

    def set_room(self, height: int) -> None:
        """Show more rows than usual if there are this many pixels for them."""
        self.set_most_rows(max(self._USUAL_ROWS, height // ROW_HEIGHT))

    def checked_files(self) -> list[ExportedFile]:
        """Return the files to save."""
        return [file for file in self.content.rows if file.name in self._checked]

    def _is_checked(self, file: ExportedFile) -> bool | None:
        return file.name in self._checked if self._can_check and file.path else None

    def _check(self, file: ExportedFile, is_checked: bool) -> None:
        self._checked ^= {file.name} if is_checked != (file.name in self._checked) else set()
        self.checked_changed.emit()


class ExportsTable(Table[Exported]):
    """All exports of the workspace with their figures, newest first."""

    _LEAST_ROWS: Final = 2
    _MOST_ROWS: Final = 8

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__("", messages.export_columns(()), parent, key=attrgetter("id"))
        self.setAccessibleName(self.tr("All exports"))
        self.remember(settings, COLUMNS_KEY)

    def show_exports(self, exports: Sequence[Exported], current: str) -> None:
        """Show exports.

        Args:
            exports: The exports, newest first.
            current: Id of the one whose row is selected.
        """
        with QSignalBlocker(self):
            self.show_rows(exports, messages.export_columns(exports))
            # The rest of the height is for the certificate below.
            rows = max(self._LEAST_ROWS, min(len(exports), self._MOST_ROWS))
            self.setMaximumHeight(self.height_of(rows))
            if self.current is None or self.current.id != current:
                self.select(current)
