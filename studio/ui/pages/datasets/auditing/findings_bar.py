"""One line about the audit of a dataset: its result or progress, and buttons."""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.datasets.audit.findings import Severity
from studio.engine.jobs.states import State
from studio.ui.language import translated
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

Mark = Severity | Literal["done", "none"]

_ICONS: Final[dict[Mark, tuple[str, Role]]] = {
    "serious": ("error", "bad"),
    "warning": ("warning", "warn"),
    "info": ("info", "muted"),
    "done": ("success", "good"),
    "none": ("search", "muted"),
}


class SeverityIcon(QLabel):
    """An icon with its own shape and color for each severity, and for done."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.mark: Mark = "none"
        self.setFixedSize(QSize(ICON, ICON))
        theme.changed.connect(self._draw)
        self._draw()

    def set_mark(self, mark: Mark, name: str) -> None:
        """Show a mark; `name` is its tooltip and accessible name."""
        self.mark = mark
        self.setToolTip(name)
        self.setAccessibleName(name)
        self._draw()

    def _draw(self) -> None:
        icon, role = _ICONS[self.mark]
        self.setPixmap(pixmap(icon, self._theme, role, ICON))


class FindingsBar(QWidget):
    """Follows a `DatasetAudit`.

    Signals:
        toggled: True to show the findings, False to hide them.
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
        tip = self.tr("Cancels the audit. Your images never change.")
        self.cancel_button = push_button(
            self.tr("Cancel"), theme, icon="stop", parent=self, tip=tip, on_click=audit.cancel
        )
        tip = self.tr("Checks for duplicates, leakage, wrong labels and poor images.")
        self.audit_button = push_button(
            "", theme, icon="search", parent=self, tip=tip, on_click=audit.request
        )
        tip = self.tr("Lists possible problems with suggested fixes.")
        self.show_button = push_button("", theme, parent=self, tip=tip, on_click=self._on_show)
        buttons = (self.cancel_button, self.audit_button, self.show_button)
        hbox(self.icon, (self.line, 1), (self.bar, 1), *buttons, owner=self, spacing=SPACE.s)
        # As high as with its buttons: what is below does not jump when they come.
        self.setMinimumHeight(CONTROL_HEIGHT)
        audit.changed.connect(self.refresh)
        audit.advanced.connect(self._show_progress)
        self.set_open(is_open=False)
        self.refresh()

    def set_open(self, *, is_open: bool) -> None:
        """Offer to hide the findings, or to show them."""
        self._is_open = is_open
        text = self.tr("Hide findings") if is_open else self.tr("Show findings")
        self.show_button.setText(text)
        set_icon(self.show_button, "datasets" if is_open else "list", self._theme, "text")

    def refresh(self) -> None:
        """Show the state of the audit."""
        audit, facts = self._audit, self._audit.facts
        phase = audit_phase(facts, going=audit.is_asking or audit.job is not None)
        going = phase == "going"
        known = facts is not None and facts.report is not None
        self.bar.setVisible(going)
        self.cancel_button.setVisible(going)
        self.audit_button.setVisible(phase in ("never", "known"))
        self.audit_button.setText(self.tr("Audit again") if known else self.tr("Audit now"))
        self.show_button.setVisible(known or self._is_open)
        if going:
            self._show_progress()
            return
        self.icon.set_mark("none", "")
        if audit.problem is not None:
            self.icon.set_mark("warning", self.tr("The audit failed"))
            self.line.setText(translated(audit.problem.text))
        elif facts is None:
            self.line.setText(self.tr("Reading the findings…"))
        elif facts.report is None:
            self.line.setText(self.tr("Not audited yet for duplicates, leakage and poor images"))
        else:
            severities = open_severities(facts)
            text = audit_messages.summary(severities)
            self.icon.set_mark(severities[0] if severities else "done", text)
            if facts.is_old:
                text = self.tr("{what} · edited since the audit").format(what=text)
            self.line.setText(text)

    def _show_progress(self) -> None:
        job = self._audit.job
        if job is None and not self._audit.is_asking:
            return
        self.icon.set_mark("none", "")
        show_stop(self.cancel_button, job, self.tr("Cancel"))
        tip = self.tr("The audit is starting or ending; please wait")
        if self.cancel_button.isEnabled():
            tip = self.tr("Cancel the audit and keep the previous findings")
        self.cancel_button.setToolTip(tip)
        if job is None or job.state == State.QUEUED:
            self.line.setText(self.tr("Audit: queued"))
            self.bar.set_fraction(None if job is None else 0.0)
            return
        progress = job.history.progress
        self.bar.set_fraction(job.history.fraction)
        text = self.tr("Audit: preparing…")
        if progress is not None and progress.total:
            text = self.tr("Audit: {done} of {total} images")
            text = text.format(done=count(progress.done), total=count(progress.total))
        self.line.setText(text)

    def _on_show(self) -> None:
        self.toggled.emit(not self._is_open)
