"""The card on the right: progress of an export, and the certificates of its files."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from studio.engine.exporting.certificate import Certificate, ExportedFile, base_of, compared
from studio.engine.exporting.plan import is_archive
from studio.engine.jobs.states import State
from studio.engine.messages import joined
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.pages.export import messages
from studio.ui.pages.export.state import Exported
from studio.ui.pages.export.tables import FilesTable
from studio.ui.theme.icons import pixmap
from studio.ui.theme.tokens import ICON_SMALL, SPACE, Role
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.job_rows import JobRow
from studio.ui.widgets.labels import ElidedLabel, HintLabel, StateBadge
from studio.ui.widgets.tips import explain


class DetailCard(Card):
    """One export: its progress, its failure, or its certificate and its folder.

    Signals:
        cancel_requested: Stop the job that is shown.
        open_requested: Show the folder that was written.
        copy_requested: Copy the command that runs the exported script.
        save_requested: Copy the checked files to the folder; a list of `ExportedFile`.
    """

    cancel_requested = Signal()
    open_requested = Signal()
    copy_requested = Signal()
    save_requested = Signal(object)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._theme = context.theme
        self._rows: list[tuple[str, str]] = []
        self._export: Exported | None = None
        self._is_good = True
        self.name = ElidedLabel("", self)
        self.name.setProperty("role", "section")
        self.badge = StateBadge(context.theme, parent=self)
        self.job_row = JobRow(context.theme, "", self)
        self.job_row.open_button.hide()
        self.verdict = QLabel(self)
        self.verdict.setWordWrap(True)
        self._verdict_icon = QLabel(self)
        self.failure = HintLabel(parent=self)
        self.files = FilesTable(self)
        self.comparison = HintLabel(parent=self)
        self.load = HintLabel(parent=self)
        self.disagreements = HintLabel(parent=self)
        self.disagreements.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.path = ElidedLabel("", self)
        self.path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.open_button = push_button(
            self.tr("Open folder"), context.theme, icon="folder-open", parent=self
        )
        self.copy_button = push_button(
            self.tr("Copy command"), context.theme, icon="copy", parent=self
        )
        self.copy_button.setToolTip(
            self.tr("Copies the command that runs the script on the example picture.")
        )
        self.save_button = push_button(
            self.tr("Save checked"), context.theme, kind="primary", parent=self
        )
        self._title_row = QWidget(self)
        self._table = QWidget(self)
        self._grid = QGridLayout(self._table)
        self._path_row = QWidget(self)
        self._lay_out()
        self.job_row.cancel_requested.connect(self.cancel_requested)
        self.open_button.clicked.connect(self._on_open)
        self.copy_button.clicked.connect(self._on_copy)
        self.save_button.clicked.connect(self._on_save)
        self.files.row_chosen.connect(self._on_selected)
        self.files.checked_changed.connect(self._on_checked)
        context.theme.changed.connect(self._draw)
        self._draw()
        self._explain()

    def _explain(self) -> None:
        explain(
            self.files,
            self.tr("One row for each format. Select one to read its certificate."),
        )
        explain(self.open_button, self.tr("Shows the written files in your file manager."))
        explain(self.save_button, self.tr("Copies the checked formats to the folder on the left."))

    def show_export(self, export: Exported, entry: RecordDocument) -> None:
        """Show the current state of an export."""
        self._export = export
        self.setAccessibleName(self.tr("Export {name}").format(name=export.name))
        self._title_row.setVisible(not export.is_active)
        self.job_row.setVisible(export.is_active)
        if export.is_active:
            self._show_job(entry)
        self.name.setText(messages.title(export))
        self.badge.set_state(export.state.value)
        words = joined((export.reason, export.hint))
        is_bad = not export.is_active and not export.is_good
        self.failure.show_text(words if is_bad else "", "problem")
        self.files.show_files(export.files, can_check=not export.is_saved)
        self.files.setVisible(len(export.files) > 1 or not export.is_saved)
        self.save_button.setVisible(not export.is_saved and bool(export.files))
        self._on_checked()
        self._show_current()

    def current(self) -> ExportedFile | None:
        """Return the file whose certificate is shown."""
        return self.files.current

    def show_failure(self, text: str) -> None:
        """Show why something failed."""
        self.failure.show_text(text, "problem")

    def rows(self) -> list[tuple[str, str]]:
        """Return the certificate as names and values."""
        return list(self._rows)

    def _show_job(self, entry: RecordDocument) -> None:
        history = entry.history
        self.job_row.set_title(describe.title(entry))
        self.job_row.set_state(entry.state.value)
        what = translated(history.progress.what) if history.progress is not None else ""
        if not what or entry.state == State.STOPPING:
            what = describe.detail(entry)
        left = history.seconds_left(time.time())
        self.job_row.set_progress(history.fraction, what, left)

    def _show_current(self) -> None:
        """Show the certificate of the chosen file."""
        file, export = self.files.current, self._export
        certificate = None if file is None else file.certificate
        base = None if file is None or export is None else base_of(file, export.files)
        text = ""
        if certificate is not None and base is not None and base.certificate is not None:
            found = compared(certificate, base.certificate)
            text = messages.comparison(found, messages.file_label(base))
        self.comparison.show_text(text)
        warning = "" if certificate is None else messages.load_warning(certificate)
        self.load.show_text(warning, "advice")
        self.disagreements.show_text(
            "" if certificate is None else messages.disagreements(certificate)
        )
        path = "" if file is None or export is None or not export.is_saved else file.path
        self._path_row.setVisible(bool(path))
        self.path.setText(path)
        self.copy_button.setVisible(not is_archive(path))
        self._show_certificate(certificate)

    def _show_certificate(self, certificate: Certificate | None) -> None:
        self._table.setVisible(certificate is not None)
        self.verdict.setVisible(certificate is not None)
        self._verdict_icon.setVisible(certificate is not None)
        if certificate is None:
            return
        self._is_good = certificate.certified
        self._draw()
        self.verdict.setText(messages.verdict(certificate))
        rows = messages.certificate_rows(certificate)
        if rows == self._rows:
            return
        self._rows = rows
        while (item := self._grid.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.deleteLater()
        for index, (name, value) in enumerate(rows):
            label = QLabel(name, self._table)
            label.setProperty("role", "muted")
            figure = QLabel(value, self._table)
            figure.setWordWrap(True)
            figure.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            figure.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(label, index, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(figure, index, 1)

    def _on_open(self) -> None:
        self.open_requested.emit()

    def _on_copy(self) -> None:
        self.copy_requested.emit()

    def _on_save(self) -> None:
        self.save_requested.emit(self.files.checked_files())

    def _on_selected(self, _name: str) -> None:
        self._show_current()

    def _on_checked(self) -> None:
        is_checked = bool(self.files.checked_files())
        self.save_button.setEnabled(is_checked)
        self.save_button.setToolTip(
            self.tr("Copies the files to the folder on the left.")
            if is_checked
            else self.tr("Check the formats to save.")
        )

    def _draw(self) -> None:
        name: tuple[str, Role] = ("success", "good") if self._is_good else ("error", "bad")
        self._verdict_icon.setPixmap(pixmap(name[0], self._theme, name[1], ICON_SMALL))

    def _lay_out(self) -> None:
        head = QHBoxLayout(self._title_row)
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self.name, 1)
        head.addWidget(self.badge)
        verdict = QHBoxLayout()
        verdict.setSpacing(SPACE.s)
        verdict.addWidget(self._verdict_icon, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.verdict, 1)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE.xl)
        self._grid.setVerticalSpacing(SPACE.xs)
        self._grid.setColumnStretch(1, 1)
        layout = QHBoxLayout(self._path_row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE.s)
        layout.addWidget(self.path, 1)
        layout.addWidget(self.open_button)
        layout.addWidget(self.copy_button)
        save = QHBoxLayout()
        save.addStretch(1)
        save.addWidget(self.save_button)
        self.body.addWidget(self._title_row)
        self.body.addWidget(self.job_row)
        self.body.addWidget(self.failure)
        self.body.addWidget(self.files)
        self.body.addLayout(save)
        self.body.addLayout(verdict)
        self.body.addWidget(self.comparison)
        self.body.addWidget(self.load)
        self.body.addWidget(self._table)
        self.body.addWidget(self.disagreements)
        self.body.addWidget(self._path_row)
