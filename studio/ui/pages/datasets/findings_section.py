"""Everything the audit found, one card each, with what could not be looked at and the figures."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import AuditReport
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets import findings_words
from studio.ui.pages.datasets.audit_figures import AuditFigures
from studio.ui.pages.datasets.audit_state import ordered
from studio.ui.pages.datasets.audit_watch import AuditWatch
from studio.ui.pages.datasets.audit_work import AuditFacts
from studio.ui.pages.datasets.dataset_editor import DatasetEditor
from studio.ui.pages.datasets.finding_row import FindingRow
from studio.ui.pages.datasets.messages import images
from studio.ui.pages.datasets.undo_buttons import UndoButtons
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.hint_label import HintLabel


class FindingsSection(QScrollArea):
    """The findings of the dataset that an `AuditWatch` follows.

    Signals:
        images_wanted: The `Finding` whose images are to be shown.
    """

    images_wanted = Signal(object)

    def __init__(
        self,
        theme: Theme,
        watch: AuditWatch,
        editor: DatasetEditor,
        shortcuts: Shortcuts,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._watch = watch
        self._editor = editor
        self._facts: AuditFacts | None = None
        self._rows: list[FindingRow] = []
        self.age = HintLabel(tone="advice", parent=self)
        self.steps = UndoButtons(theme, shortcuts, self)
        self.steps.undo_wanted.connect(editor.undo)
        self.steps.redo_wanted.connect(editor.redo)
        self.nothing = QLabel(self)
        self.nothing.setWordWrap(True)
        self.not_checked = HintLabel(parent=self)
        self.figures: AuditFigures | None = None
        self._unknown = Card(self.tr("Not looked at"), self)
        self._unknown.body.addWidget(self.not_checked)
        self._inside = QWidget(self)
        self._inside.setProperty("plain", True)
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, SPACE.m)
        self._column.setSpacing(SPACE.s)
        head = QHBoxLayout()
        head.setSpacing(SPACE.s)
        head.addWidget(self.age, 1)
        head.addWidget(self.steps, 0, Qt.AlignmentFlag.AlignRight)
        self._column.addLayout(head)
        for part in (self.nothing, self._unknown):
            self._column.addWidget(part)
        self._column.addStretch(1)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Findings"))
        self.setWidget(self._inside)
        watch.changed.connect(self.refresh)
        editor.changed.connect(self._allow)
        self.refresh()

    def rows(self) -> list[FindingRow]:
        """The cards that are shown, in order."""
        return list(self._rows)

    def row(self, kind: str) -> FindingRow:
        """The card of a kind of finding.

        Raises:
            KeyError: There is none.
        """
        for row in self._rows:
            if row.finding.kind == kind:
                return row
        raise KeyError(kind)

    def refresh(self) -> None:
        """Show what is known now."""
        facts = self._watch.facts
        if facts is self._facts:
            return
        place, held = self.verticalScrollBar().value(), self._held()
        self._facts = facts
        self._empty()
        report = None if facts is None else facts.report
        if facts is not None and report is not None:
            self._fill(facts, report)
        self._show_rest(facts, report)
        self._allow()
        self._inside.adjustSize()
        self.verticalScrollBar().setValue(place)
        # What had the focus is gone with its card; the same finding's new card takes it.
        for row in self._rows:
            if row.finding.kind == held:
                row.take_focus()

    def _held(self) -> str:
        held = (row.finding.kind for row in self._rows if row.isAncestorOf(self.focusWidget()))
        return next(held, "") if self._inside.isAncestorOf(self.focusWidget()) else ""

    def _empty(self) -> None:
        old: list[QWidget] = [*self._rows]
        if self.figures is not None:
            old.append(self.figures)
        for widget in old:
            self._column.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._rows = []
        self.figures = None

    def _fill(self, facts: AuditFacts, report: AuditReport) -> None:
        first = self._column.indexOf(self._unknown)
        for place, finding in enumerate(ordered(facts)):
            row = FindingRow(self._theme, facts, finding, self._inside)
            row.images_wanted.connect(self.images_wanted)
            row.fix_wanted.connect(self._editor.fix)
            self._column.insertWidget(first + place, row)
            row.show()
            self._rows.append(row)
        self.figures = AuditFigures(self._theme, report.statistics, facts.means, self._inside)
        self._column.insertWidget(self._column.indexOf(self._unknown) + 1, self.figures)
        self.figures.show()

    def _show_rest(self, facts: AuditFacts | None, report: AuditReport | None) -> None:
        old = ""
        if facts is not None and report is not None and facts.is_old:
            old = findings_words.old_audit(report.dataset_version, facts.version)
        self.age.show_text(old, "advice")
        self.nothing.setVisible(not self._rows)
        text = self.tr("Not audited yet.")
        if report is not None:
            text = self.tr("Nothing was found in {images}.").format(images=images(report.images))
        self.nothing.setText(text)
        unknown = [] if report is None else report.not_checked
        lines = [
            f"{findings_words.title(entry.kind)}: {engine_text(entry.reason)}" for entry in unknown
        ]
        self.not_checked.show_text("\n".join(lines))
        self._unknown.setVisible(bool(lines))

    def _allow(self) -> None:
        state = self._editor.state
        busy = self._editor.is_busy or state is None
        self.steps.allow(state, busy=busy)
        self.steps.setVisible(state is not None and (state.undo or state.redo) is not None)
        for row in self._rows:
            row.allow(busy=busy)
