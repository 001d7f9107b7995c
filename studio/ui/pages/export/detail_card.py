"""The card at the right: how an export goes, and what was measured on its file."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QWidget

from studio.engine.exporting.certificate import Certificate
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.export import messages
from studio.ui.pages.export.state import Exported
from studio.ui.theme.icons import pixmap
from studio.ui.theme.tokens import ICON_SMALL, SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.progress_row import JobRow
from studio.ui.widgets.state_badge import StateBadge


class DetailCard(Card):
    """One export: its progress, its failure, or its certificate and its folder.

    Signals:
        cancel_requested: Stop the job that is shown.
        open_requested: Show the folder that was written.
        copy_requested: Copy the command that runs the exported script.
    """

    cancel_requested = Signal()
    open_requested = Signal()
    copy_requested = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._theme = context.theme
        self._rows: list[tuple[str, str]] = []
        self.name = ElidedLabel("", self)
        self.name.setProperty("role", "section")
        self.badge = StateBadge(context.theme, parent=self)
        self.job_row = JobRow(context.theme, "", self)
        self.job_row.open_button.hide()
        self.verdict = QLabel(self)
        self.verdict.setWordWrap(True)
        self._tick = QLabel(self)
        self.failure = HintLabel(parent=self)
        self.path = ElidedLabel("", self)
        self.path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.open_button = push_button(
            self.tr("Open folder"), context.theme, icon="folder-open", parent=self
        )
        self.copy_button = push_button(
            self.tr("Copy command"), context.theme, icon="copy", parent=self
        )
        self.copy_button.setToolTip(self.tr("Copies what runs the script on the example picture."))
        self._head = QWidget(self)
        self._table = QWidget(self)
        self._grid = QGridLayout(self._table)
        self._files = QWidget(self)
        self._lay_out()
        self.job_row.cancel_requested.connect(self.cancel_requested)
        self.open_button.clicked.connect(self._on_open)
        self.copy_button.clicked.connect(self._on_copy)
        context.theme.changed.connect(self._draw)
        self._draw()

    def show_export(self, export: Exported, entry: JobEntry) -> None:
        """Show an export as it is now."""
        self.setAccessibleName(self.tr("Export {name}").format(name=export.name))
        self._head.setVisible(not export.is_active)
        self.job_row.setVisible(export.is_active)
        if export.is_active:
            self._show_job(entry)
        self.name.setText(messages.title(export))
        self.badge.set_state(export.state.value)
        ended = not export.is_active and export.path is None
        words = " ".join(filter(None, (export.reason, export.hint)))
        self.failure.show_text(words if ended else "", "problem")
        self._show_certificate(export.certificate)
        self._files.setVisible(export.path is not None)
        self.path.setText("" if export.path is None else str(export.path))

    def show_failure(self, text: str) -> None:
        """Say beside the folder why it cannot be shown."""
        self.failure.show_text(text, "problem")

    def rows(self) -> list[tuple[str, str]]:
        """The certificate as it is shown."""
        return list(self._rows)

    def _show_job(self, entry: JobEntry) -> None:
        history = entry.history
        self.job_row.set_title(describe.title(entry))
        self.job_row.set_state(entry.state.value)
        what = history.progress.what if history.progress is not None else ""
        left = history.seconds_left(time.time())
        self.job_row.set_progress(history.fraction, what or describe.detail(history), left)

    def _show_certificate(self, certificate: Certificate | None) -> None:
        self._table.setVisible(certificate is not None)
        self.verdict.setVisible(certificate is not None)
        self._tick.setVisible(certificate is not None)
        rows = [] if certificate is None else messages.certificate_rows(certificate)
        if certificate is None or rows == self._rows:
            return
        self._rows = rows
        self.verdict.setText(messages.verdict(certificate))
        while (item := self._grid.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.deleteLater()
        for place, (name, value) in enumerate(rows):
            label = QLabel(name, self._table)
            label.setProperty("role", "muted")
            figure = QLabel(value, self._table)
            figure.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            figure.setAccessibleName(f"{name}: {value}")
            self._grid.addWidget(label, place, 0)
            self._grid.addWidget(figure, place, 1)

    def _on_open(self) -> None:
        self.open_requested.emit()

    def _on_copy(self) -> None:
        self.copy_requested.emit()

    def _draw(self) -> None:
        self._tick.setPixmap(pixmap("success", self._theme, "good", ICON_SMALL))

    def _lay_out(self) -> None:
        head = QHBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self.name, 1)
        head.addWidget(self.badge)
        verdict = QHBoxLayout()
        verdict.setSpacing(SPACE.s)
        verdict.addWidget(self._tick, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.verdict, 1)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE.xl)
        self._grid.setVerticalSpacing(SPACE.xs)
        self._grid.setColumnStretch(1, 1)
        files = QHBoxLayout(self._files)
        files.setContentsMargins(0, 0, 0, 0)
        files.setSpacing(SPACE.s)
        files.addWidget(self.path, 1)
        files.addWidget(self.open_button)
        files.addWidget(self.copy_button)
        self.body.addWidget(self._head)
        self.body.addWidget(self.job_row)
        self.body.addLayout(verdict)
        self.body.addWidget(self._table)
        self.body.addWidget(self._files)
        self.body.addWidget(self.failure)
