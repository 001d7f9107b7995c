"""Two faces of a dataset beside its classes: its versions, and what it is; and their buttons."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.datasets.about_section import AboutSection
from studio.ui.pages.datasets.audit_watch import AuditWatch
from studio.ui.pages.datasets.dataset_editor import DatasetEditor
from studio.ui.pages.datasets.pictures import Details
from studio.ui.pages.datasets.versions_section import VersionsSection
from studio.ui.widgets.button import icon_button


class RecordFaces(QObject):
    """Makes the faces of a stack; a button shows its face, and once more what was there before.

    Args:
        context: For the runs and the notes.
        stack: Shows one face at a time.
        home: The face that a button goes back to.
    """

    def __init__(
        self,
        context: AppContext,
        stack: QStackedWidget,
        home: QWidget,
        editor: DatasetEditor,
        audits: AuditWatch,
    ) -> None:
        super().__init__(stack)
        self._stack = stack
        self._home = home
        self.versions = VersionsSection(context, editor, stack)
        self.about = AboutSection(context, audits, stack)
        theme = context.theme
        self.about_button = icon_button("info", self.tr("About this dataset"), theme, parent=stack)
        self.versions_button = icon_button("clock", self.tr("Versions"), theme, parent=stack)
        self._faces: list[tuple[QToolButton, QWidget]] = [
            (self.about_button, self.about),
            (self.versions_button, self.versions),
        ]
        for button, _face in self._faces:
            button.setCheckable(True)
            button.clicked.connect(self._on_clicked)
        stack.currentChanged.connect(self._on_face)
        context.jobs.listed.connect(self._on_listed)

    def open(self, record_id: str, folder: Path) -> None:
        """Show another dataset."""
        self.versions.open(record_id, folder)

    def refresh(self, entry: JobEntry, details: Details) -> None:
        """Show the same dataset as it is now."""
        self.about.show_entry(entry, details)

    def close(self) -> None:
        """Let go of the dataset."""
        self.about.save()
        self.versions.open("", None)

    def allow(self, *, allowed: bool, reason: str) -> None:
        """Enable the buttons, or say why there is nothing to show."""
        for button, _face in self._faces:
            button.setEnabled(allowed)
            button.setToolTip(button.accessibleName() if allowed else reason)

    def _on_clicked(self) -> None:
        for button, face in self._faces:
            if button is self.sender():
                self._stack.setCurrentWidget(face if button.isChecked() else self._home)

    def _on_face(self) -> None:
        here = self._stack.currentWidget()
        for button, face in self._faces:
            button.setChecked(face is here)
        if here is not self.about:
            self.about.save()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.RUN in kinds:
            self.about.refresh_runs()
            self.versions.refresh_runs()
