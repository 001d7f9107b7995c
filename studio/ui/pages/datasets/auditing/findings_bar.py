"""One line about the audit of a dataset: what it found, how far it is, and the way to it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.audit import AuditWatch, audit_phase, open_severities
from studio.ui.pages.datasets.auditing.severity_icon import SeverityIcon
from studio.ui.shared.job_buttons import show_stop
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.boxes import hbox
from studio.ui.widgets.button import push_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.explain import explain
from studio.ui.widgets.figures import count
from studio.ui.widgets.thin_bar import ThinBar


class FindingsBar(QWidget):
    """Follows an `AuditWatch`.

    Signals:
        toggled: The findings are to be shown, or not any more.
    """

    toggled = Signal(bool)

    def __init__(self, theme: Theme, watch: AuditWatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._watch = watch
        self._is_open = False
        self.icon = SeverityIcon(theme, self)
        self.line = ElidedLabel("", self)
        self.bar = ThinBar(theme, self)
        self.bar.setMaximumWidth(240)
        self.cancel_button = push_button(self.tr("Cancel"), theme, icon="stop", parent=self)
        self.audit_button = push_button("", theme, icon="search", parent=self)
        self.show_button = push_button("", theme, parent=self)
        self.cancel_button.clicked.connect(watch.cancel)
        self.audit_button.clicked.connect(watch.request)
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
        watch.changed.connect(self.refresh)
        watch.advanced.connect(self._show_progress)
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
        watch, facts = self._watch, self._watch.facts
        phase = audit_phase(facts, going=watch.is_asking or watch.job is not None)
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
        if watch.problem is not None:
            self.icon.set_mark("warning", self.tr("The audit failed"))
            self.line.setText(str(watch.problem))
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
        job = self._watch.job
        if job is None:
            if self._watch.is_asking:
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

    def _allow_cancel(self, job: JobEntry | None) -> None:
        show_stop(self.cancel_button, job, self.tr("Cancel"))
        self.cancel_button.setToolTip(
            self.tr("End the audit; what an older one found stays")
            if self.cancel_button.isEnabled()
            else self.tr("Wait a moment: the audit is just starting or ending")
        )

    def _on_show(self) -> None:
        self.toggled.emit(not self._is_open)
