"""One finding of the audit: how bad, what, what to do, its images, and its fixes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import Action, Finding
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets import findings_words
from studio.ui.pages.datasets.audit_state import asks_for_class, fixes_left, too_many_classes
from studio.ui.pages.datasets.audit_work import AuditFacts, Fix
from studio.ui.pages.datasets.severity_icon import SeverityIcon
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.flow_layout import FlowLayout
from studio.ui.widgets.hint_label import HintLabel


class FindingRow(Card):
    """A card for one finding.

    Signals:
        images_wanted: The `Finding` whose images are to be shown.
        fix_wanted: A `Fix`.
    """

    images_wanted = Signal(object)
    fix_wanted = Signal(object)

    def __init__(
        self, theme: Theme, facts: AuditFacts, finding: Finding, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self.finding = finding
        self.fix_buttons: dict[Action, QPushButton] = {}
        self._reasons: dict[Action, str] = {}
        self.picker: OutputPicker | None = None
        name, left = findings_words.title(finding.kind), facts.left(finding)
        self.setAccessibleName(name)
        self.icon = SeverityIcon(theme, self)
        word = findings_words.severity(finding.severity) if left else self.tr("Done")
        self.icon.set_mark(finding.severity if left else "done", word)
        self.title = _label(name, "section", self)
        self.severity = _label(word, "caption", self)
        self.message = _label(engine_text(finding.message), "", self)
        self.suggestion = _label(engine_text(finding.suggestion), "muted", self)
        self.left = HintLabel(findings_words.left(finding, left), parent=self)
        self.show_button = push_button(self.tr("Show images"), theme, icon="image", parent=self)
        self.show_button.setVisible(bool(finding.rows))
        self.show_button.setAccessibleName(self.tr("Show images: {what}").format(what=name))
        explain(self.show_button, self.tr("Shows the images that this is about."))
        self.show_button.clicked.connect(self._on_show)
        for action, number in fixes_left(facts, finding):
            self._add_fix(facts, action, number)
        self.suggestion.setVisible(left > 0)
        self._lay_out()

    def allow(self, *, busy: bool) -> None:
        """Enable the fixes, or say why they cannot be done now."""
        for action, button in self.fix_buttons.items():
            reason = self._reasons.get(action, "")
            if busy:
                reason = self.tr("Wait until the change before is done")
            button.setEnabled(not reason)
            asks = asks_for_class(self.finding, action)
            button.setToolTip(reason or findings_words.fix_help(action, asks=asks))

    def take_focus(self) -> None:
        """Put the keyboard on the first button that can be pressed."""
        for button in (self.show_button, *self.fix_buttons.values()):
            if not button.isHidden() and button.isEnabled():
                button.setFocus()
                return

    def _add_fix(self, facts: AuditFacts, action: Action, number: int) -> None:
        asks = asks_for_class(self.finding, action)
        text = findings_words.fix_button(action, number, asks=asks)
        button = push_button(text, self._theme, parent=self)
        name = findings_words.title(self.finding.kind)
        button.setAccessibleName(self.tr("{what}: {fix}").format(what=name, fix=text))
        button.clicked.connect(partial(self._on_fix, action))
        self.fix_buttons[action] = button
        if too_many_classes(facts, self.finding, action):
            self._reasons[action] = self.tr(
                "These images are of more than two classes: show them, and relabel them there"
            )
        elif asks:
            self.picker = OutputPicker(self)
            self.picker.set_names(facts.classes)
            self.picker.chosen.connect(self._on_class)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(SPACE.s)
        top.addWidget(self.title)
        top.addWidget(self.severity, 0, Qt.AlignmentFlag.AlignVCenter)
        top.addStretch(1)
        buttons = FlowLayout(spacing=SPACE.s)
        for button in (self.show_button, *self.fix_buttons.values()):
            if not button.isHidden():
                buttons.addWidget(button)
        words = QVBoxLayout()
        words.setSpacing(SPACE.xs)
        words.addLayout(top)
        for label in (self.message, self.suggestion, self.left):
            words.addWidget(label)
        if buttons.count():
            words.addSpacing(SPACE.xs)
            words.addLayout(buttons)
        row = QHBoxLayout()
        row.setSpacing(SPACE.m)
        row.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.body.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        self.body.addLayout(row)

    def _on_show(self) -> None:
        self.images_wanted.emit(self.finding)

    def _on_fix(self, action: Action) -> None:
        if asks_for_class(self.finding, action) and self.picker is not None:
            button = self.fix_buttons[action]
            self.picker.open_at(button.mapToGlobal(QPoint(0, button.height() + SPACE.xs)))
        else:
            self.fix_wanted.emit(Fix(self.finding.kind, action))

    def _on_class(self, label: int) -> None:
        self.fix_wanted.emit(Fix(self.finding.kind, "relabel", label))


def _label(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(role not in ("section", "caption"))
    if role:
        label.setProperty("role", role)
    return label
