"""The export page: the form on the left, results and all exports on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.exporting.certificate import Certificate, ExportedFile, base_of, compared
from studio.engine.exporting.plan import ExportPlan, is_archive
from studio.engine.exporting.requests import request_export, save_measured
from studio.engine.messages import joined
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.pages.export import messages
from studio.ui.pages.export.form import ExportForm
from studio.ui.pages.export.state import (
    Exported,
    command_line,
    exported,
    latest_certificate,
)
from studio.ui.pages.run_page import RunPage
from studio.ui.settings import Settings
from studio.ui.shared.jobs import JobRequest, show_job
from studio.ui.shared.training import train_first
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.job_rows import JobRow
from studio.ui.widgets.labels import ElidedLabel, FactList, HintLabel, IconLabel, StateBadge
from studio.ui.widgets.layout import STRETCH, fill, hbox, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import EmptyState, PageHeader, ScrollColumn
from studio.ui.widgets.table import ROW_HEIGHT, Table
from studio.ui.widgets.tips import allow, explain

COLUMNS_KEY: Final = "export/columns"


class FilesTable(Table[ExportedFile]):
    """The files of one export: select one to read its certificate, check those to save.

    Signals:
        checked_changed: Other files are checked.
    """

    checked_changed = Signal()

    _USUAL_ROWS: Final = 6

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", (), parent, key=attrgetter("name"), max_rows=self._USUAL_ROWS)
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
        self.set_max_rows(max(self._USUAL_ROWS, height // ROW_HEIGHT))

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

    def show_exports(self, exports: Sequence[Exported]) -> None:
        """Show exports, newest first."""
        with QSignalBlocker(self):
            self.show_rows(exports, messages.export_columns(exports))
            # The rest of the height is for the certificate below.
            rows = max(self._LEAST_ROWS, min(len(exports), self._MOST_ROWS))
            self.setMaximumHeight(self.height_of(rows))

    def set_current(self, record_id: str) -> None:
        """Select the row of an export; an empty id selects none."""
        if record_id and self.current is not None and self.current.id == record_id:
            return
        with QSignalBlocker(self):
            self.select(*filter(None, [record_id]))


class DetailCard(Card):
    """One export: its progress, its failure, or its certificate and its folder.

    Attributes:
        figures: The certificate as names and values.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._export: Exported | None = None
        self.name = ElidedLabel("", self, role="section")
        self.badge = StateBadge(context.theme, parent=self)
        self.job_row = JobRow(context.theme, "", self)
        self.job_row.open_button.hide()
        self.verdict = QLabel(self, wordWrap=True)
        self._verdict_icon = IconLabel(context.theme, "success", "good", ICON_SMALL, self)
        self.failure = HintLabel(parent=self)
        self.files = FilesTable(self)
        self.comparison = HintLabel(parent=self)
        self.load = HintLabel(parent=self)
        self.disagreements = HintLabel(parent=self)
        self.disagreements.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.path = ElidedLabel("", self)
        self.path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        button = partial(push_button, theme=context.theme, parent=self)
        tip = self.tr("Shows the written files in your file manager.")
        self.open_button = button(self.tr("Open folder"), icon="folder-open", tip=tip)
        tip = self.tr("Copies the command that runs the script on the example image.")
        self.copy_button = button(self.tr("Copy command"), icon="copy", tip=tip)
        tip = self.tr("Copies the checked formats to the folder on the left.")
        self.save_button = button(self.tr("Save checked"), kind="primary", tip=tip)
        self._title_row = QWidget(self)
        self.figures = FactList(SPACE.xl, self)
        self._path_row = QWidget(self)
        self._lay_out()
        self.files.row_chosen.connect(self._show_current)
        self.files.checked_changed.connect(self._on_checked)
        explain(
            self.files, self.tr("One row for each format. Select one to read its certificate.")
        )

    def show_export(self, export: Exported, entry: RecordDocument) -> None:
        """Show the current state of an export."""
        self._export = export
        self.setAccessibleName(self.tr("Export {name}").format(name=export.name))
        self._title_row.setVisible(not export.is_active)
        self.job_row.setVisible(export.is_active)
        if export.is_active:
            show_job(self.job_row, entry)
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
        self.figures.setVisible(certificate is not None)
        self.verdict.setVisible(certificate is not None)
        self._verdict_icon.setVisible(certificate is not None)
        if certificate is None:
            return
        is_good = certificate.certified
        self._verdict_icon.set_icon(*(("success", "good") if is_good else ("error", "bad")))
        self.verdict.setText(messages.verdict(certificate))
        self.figures.show_facts(dict(messages.certificate_rows(certificate)))

    def _on_checked(self) -> None:
        is_checked = bool(self.files.checked_files())
        why_not = "" if is_checked else self.tr("Check the formats to save.")
        allow(self.save_button, why_not, self.tr("Copies the files to the folder on the left."))

    def _lay_out(self) -> None:
        hbox((self.name, 1), self.badge, owner=self._title_row)
        verdict = hbox(
            (self._verdict_icon, Qt.AlignmentFlag.AlignTop), (self.verdict, 1), spacing=SPACE.s
        )
        buttons = (self.open_button, self.copy_button)
        hbox((self.path, 1), *buttons, owner=self._path_row, spacing=SPACE.s)
        save = hbox(STRETCH, self.save_button)
        fill(
            self.body,
            self._title_row,
            self.job_row,
            self.failure,
            self.files,
            save,
            verdict,
            self.comparison,
            self.load,
            self.figures,
            self.disagreements,
            self._path_row,
        )


_MOST_HEIGHT = 1080
"""Largest height of the form in pixels: its rows stay together on a large screen."""


class View(RunPage):
    """Exports a model as files that work without Studio, with their certificates."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        form = ExportForm(context)
        super().__init__(context, (RecordKind.EXPORT,), form, parent)
        self.form = form
        self.header = PageHeader(
            self.tr("Export"),
            self.tr(
                "Files that work without Studio, each measured by its own runtime before you rely "
                "on it."
            ),
            self,
        )
        self._results = QWidget(self.stack)
        self._requesting = JobRequest(context, self.form, request_export, self)
        self.detail = DetailCard(context, self._results)
        self.exports_table = ExportsTable(context.settings, self._results)
        how = self.tr(
            "Every exported file is loaded again and compared with the trained model. "
            "Its certificate appears here."
        )
        title = self.tr("Nothing exported yet")
        self.nothing = self.add_view(EmptyState(context.theme, "export", title, how, self.stack))
        self.empty = train_first(
            context,
            "export",
            self.tr("Then export it as a file that works without Studio."),
            self.stack,
        )
        self.add_view(self._results)
        explain(
            self.exports_table,
            self.tr("All exports, newest first. Select one to read its certificates."),
        )
        self._connect()
        scrolled = ScrollColumn(SPACE.m, self._results)
        fill(scrolled.column, self.detail, STRETCH)
        parts = self.header, (self.exports_table, 1), (scrolled, 2)
        vbox(*parts, owner=self._results, spacing=SPACE.l, margins=SPACE.l)
        self.form.setMaximumHeight(_MOST_HEIGHT)
        column = vbox((self.form, 1000), STRETCH)
        self.lay_out("export", self.exports_table, self.empty, (column, 1))

    def state(self) -> ExportPlan:
        """Return the formats, tolerance, folder and archive that are chosen."""
        return self.form.plan()

    def restore(self, state: object) -> None:
        """Choose what was chosen."""
        if isinstance(state, ExportPlan):
            self.form.restore(state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show all formats at once in a high window."""
        super().resizeEvent(event)
        self.detail.files.set_room(self.height() // 3)

    def exports(self) -> list[Exported]:
        """Return all exports of the workspace, newest first."""
        entries = self.context.jobs.entries(RecordKind.EXPORT)
        return [each for each in map(exported, entries) if each is not None]

    def show_detail(self, entry: RecordDocument) -> QWidget:
        """Show an export below the table of all."""
        self.exports_table.show_exports(self.exports())
        self.exports_table.set_current(entry.record.id)
        export = exported(entry)
        if export is not None:
            self.detail.show_export(export, entry)
        return self._results

    def follow(self, entry: RecordDocument, change: RecordChange) -> None:
        """Show the progress and the files of an export; see `RecordPage.follow`."""
        export = exported(entry)
        if export is not None and not change.is_removed:
            self.detail.show_export(export, entry)

    def refresh(self) -> None:
        """Show all exports, and the newest certificates of the chosen run."""
        exports, choice = self.exports(), self.chooser.choice()
        newest = partial(latest_certificate, exports, "" if choice is None else choice.id)
        self.form.formats.show_certificates(newest)
        self.exports_table.show_exports(exports)
        self.exports_table.set_current(self.current_record)

    def _on_cancel(self) -> None:
        if self.shown is not None:
            self.context.jobs.stop(self.shown)

    def _on_save(self) -> None:
        files, target = self.detail.files.checked_files(), self.form.target()
        if target is None:
            self.detail.failure.show_problem(messages.no_folder())
            return
        if self.shown is None:
            return
        folder, archive = self.shown.record.folder, self.form.archive.currentData()
        work = partial(save_measured, folder, files, target, archive=archive)
        self.context.background.run(self, work, self._on_saved, self._on_not_saved)

    def _on_saved(self, paths: list[Path]) -> None:
        self.detail.failure.show_problem()
        text = messages.saved([str(path) for path in paths])
        self.context.navigator.notify(Notice("success", text))

    def _on_not_saved(self, error: BaseException) -> None:
        self.context.navigator.show_failure(error, self.detail.failure.show_problem)

    def _path(self) -> Path | None:
        """Return the folder, or archive, of the file that is shown."""
        file = self.detail.files.current
        return Path(file.path) if file is not None and file.path else None

    def _on_open(self) -> None:
        path = self._path()
        if path is not None:
            path = path.parent if is_archive(path.name) else path
            done = partial(self._on_folder_checked, path)
            self.context.background.run(self, path.is_dir, done)

    def _on_folder_checked(self, path: Path, is_there: bool) -> None:
        if is_there and self._open_folder(path):
            return
        text = (
            self.tr("No program opened the folder {path}.")
            if is_there
            else self.tr("The folder {path} no longer exists. Export again to restore it.")
        )
        self.detail.failure.show_problem(text.format(path=path))

    def _open_folder(self, path: Path) -> bool:
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def _on_copy(self) -> None:
        path = self._path()
        if path is not None:
            QGuiApplication.clipboard().setText(command_line(path))
            self.context.navigator.notify(
                Notice("success", self.tr("Copied. Paste it into a terminal to run the script."))
            )

    def _connect(self) -> None:
        self.form.changed.connect(self.refresh)
        self.form.submitted.connect(self._requesting.ask)
        self._requesting.accepted.connect(self.show_record)
        self.detail.job_row.cancel_requested.connect(self._on_cancel)
        self.detail.open_button.clicked.connect(self._on_open)
        self.detail.copy_button.clicked.connect(self._on_copy)
        self.detail.save_button.clicked.connect(self._on_save)
        self.exports_table.row_chosen.connect(self.show_record)
