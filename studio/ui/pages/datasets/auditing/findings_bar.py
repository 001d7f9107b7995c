"""One line about the audit of a dataset: what it found, how far it is, and the way to it."""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.datasets.audit.findings import Severity
from studio.engine.jobs.states import State
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.audit import DatasetAudit, audit_phase, open_severities
from studio.ui.shared.jobs import show_stop
from studio.ui.theme.icons import pixmap, set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, ICON, SPACE, Role
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox
from studio.ui.widgets.tips import explain

Mark = Severity | Literal["done", "none"]

_ICONS: Final[dict[Mark, tuple[str, Role]]] = {
    "serious": ("error", "bad"),
    "warning": ("warning", "warn"),
    "info": ("info", "muted"),
    "done": ("success", "good"),
    "none": ("search", "muted"),
}


class SeverityIcon(QLabel):
    """An icon of its own shape and color for each severity, and for what is done."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        # What is shown.
        self.mark: Mark = "none"
        self.setFixedSize(QSize(ICON, ICON))
        theme.changed.connect(self._draw)
        self._draw()

    def set_mark(self, mark: Mark, name: str) -> None:
        """Show another one; `name` is its word, for those who do not see it."""
        self.mark = mark
        self.setToolTip(name)
        self.setAccessibleName(name)
        self._draw()

    def _draw(self) -> None:
        icon, role = _ICONS[self.mark]
        self.setPixmap(pixmap(icon, self._theme, role, ICON))


class FindingsBar(QWidget):
    """Follows an `DatasetAudit`.

    Signals:
        toggled: The findings are to be shown, or not any more.
    """

    toggled = Signal(bool)

    def __init__(self, theme: Theme, audit: DatasetAudit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._audit = audit
        self._is_open = False
        self.icon = SeverityIcon(theme, self)
        self.line = ElidedLabel("", self)
        self.bar = ThinBar(theme, self)
        self.bar.setMaximumWidth(240)
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.audit_button = push_button("", theme, icon="search", parent=self)
        self.show_button = push_button("", theme, parent=self)
        self.cancel_button.clicked.connect(audit.cancel)
        self.audit_button.clicked.connect(audit.request)
        self.show_button.clicked.connect(self._on_show)
        hbox(
            self.icon,
            (self.line, 1),
            (self.bar, 1),
            self.cancel_button,
            self.audit_button,
            self.show_button,
            owner=self,
            spacing=SPACE.s,
        )
        # As high as with its buttons: what is below does not jump when they come.
        self.setMinimumHeight(CONTROL_HEIGHT)
        audit.changed.connect(self.refresh)
        audit.advanced.connect(self._show_progress)
        self.set_open(is_open=False)
        self.refresh()
        explain(self.cancel_button, self.tr("Ends the audit; the images stay as they are."))
        explain(
            self.show_button,
            self.tr("Lists what may be wrong with the images, and offers to put it right."),
        )

    def set_open(self, *, is_open: bool) -> None:
        """Say whether the findings are shown at the moment."""
        self._is_open = is_open
        text = self.tr("Hide findings") if is_open else self.tr("Show findings")
        self.show_button.setText(text)
        set_icon(self.show_button, "datasets" if is_open else "list", self._theme, "text")

    def refresh(self) -> None:
        """Show the audit as it is now."""
        audit, facts = self._audit, self._audit.facts
        phase = audit_phase(facts, going=audit.is_asking or audit.job is not None)
        going = phase == "going"
        known = facts is not None and facts.report is not None
        self.bar.setVisible(going)
        self.cancel_button.setVisible(going)
        self.audit_button.setVisible(phase in ("never", "known"))
        self.audit_button.setText(self.tr("Audit again") if known else self.tr("Audit now"))
        self.audit_button.setToolTip(
            self.tr("Look for duplicates, leakage, wrong and poor images; changes nothing")
        )
        self.show_button.setVisible(known or self._is_open)
        if going:
            self._show_progress()
            return
        if audit.problem is not None:
            self.icon.set_mark("warning", self.tr("The audit failed"))
            self.line.setText(str(audit.problem))
        elif facts is None:
            self.icon.set_mark("none", "")
            self.line.setText(self.tr("Reading the findings…"))
        elif facts.report is None:
            self.icon.set_mark("none", "")
            text = self.tr("Not audited yet: no one looked for duplicates, leakage or poor images")
            self.line.setText(text)
        else:
            severities = open_severities(facts)
            text = audit_messages.summary(severities)
            mark = severities[0] if severities else "done"
            self.icon.set_mark(mark, text)
            if facts.is_old:
                text = self.tr("{what} · edited since").format(what=text)
            self.line.setText(text)

    def _show_progress(self) -> None:
        job = self._audit.job
        if job is None:
            if self._audit.is_asking:
                self.icon.set_mark("none", "")
                self.line.setText(self.tr("Audit: waits for its turn"))
                self.bar.set_fraction(None)
                self._allow_cancel(None)
            return
        self.icon.set_mark("none", "")
        self._allow_cancel(job)
        if job.state == State.QUEUED:
            self.line.setText(self.tr("Audit: waits for its turn"))
            self.bar.set_fraction(0.0)
            return
        progress = job.history.progress
        self.bar.set_fraction(job.history.fraction)
        if progress is None or not progress.total:
            self.line.setText(self.tr("Audit: getting ready…"))
            return
        self.line.setText(
            self.tr("Audit: {done} of {total} images").format(
                done=count(progress.done), total=count(progress.total)
            )
        )

    def _allow_cancel(self, job: RecordDocument | None) -> None:
        show_stop(self.cancel_button, job, self.tr("Cancel"))
        self.cancel_button.setToolTip(
            self.tr("End the audit; what an older one found stays")
            if self.cancel_button.isEnabled()
            else self.tr("Wait a moment: the audit is just starting or ending")
        )

    def _on_show(self) -> None:
        self.toggled.emit(not self._is_open)
