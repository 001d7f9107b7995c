"""All findings of an audit, one card each, what could not be checked, and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFormLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import Action, AuditReport, Finding, Statistics
from studio.ui.engine_text import engine_text
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.audit import (
    AuditFacts,
    DatasetAudit,
    Fix,
    asks_for_class,
    fixes_left,
    ordered,
    too_many_classes,
)
from studio.ui.pages.datasets.auditing.findings_bar import SeverityIcon
from studio.ui.pages.datasets.messages import images
from studio.ui.pages.datasets.versions.editor import DatasetEditor, UndoButtons
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import (
    STRETCH,
    FlowLayout,
    fill,
    hbox,
    remove_widget,
    replace_widget,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.tips import explain

_SIDE = 96


class MeanImages(QWidget):
    """A picture for each split that has images, with a word below it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._inside = QWidget(self)
        self.pictures: dict[str, PictureView] = {}
        self._column = vbox(self._inside, owner=self)

    def set_means(self, means: Mapping[str, QImage]) -> None:
        """Show other images."""
        old, self._inside = self._inside, QWidget(self)
        replace_widget(self._column, old, self._inside)
        self.pictures = {}
        row = hbox(owner=self._inside, spacing=SPACE.xl)
        for split, image in means.items():
            row.addLayout(self._mean(split, image))
        row.addStretch(1)

    def _mean(self, split: str, image: QImage) -> QVBoxLayout:
        picture = PictureView(self._theme, self._inside)
        picture.setFixedSize(QSize(_SIDE, _SIDE))
        name = self.tr("Mean image of {split}").format(split=split_word(split))
        picture.set_image(image, name)
        picture.setToolTip(name)
        self.pictures[split] = picture
        caption = text_label(
            self.tr("Mean, {split}").format(split=split_word(split)), "caption", self._inside
        )
        return vbox(picture, (caption, Qt.AlignmentFlag.AlignHCenter), STRETCH, spacing=SPACE.xs)


class AuditFigures(Card):
    """A card with a line for each figure, and the mean image of each split."""

    def __init__(
        self,
        theme: Theme,
        figures: Statistics,
        means: Mapping[str, QImage],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent=parent)
        self.set_title(self.tr("Figures of all images"))
        self._texts: dict[str, str] = {}
        self.means = MeanImages(theme, self)
        self.means.set_means(means)
        words = QWidget(self)
        self._form = QFormLayout(words)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(SPACE.l)
        self._form.setVerticalSpacing(SPACE.xs)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        channels = audit_messages.channels
        self._add(self.tr("Mean color"), channels(figures.color_mean))
        self._add(self.tr("Deviation"), channels(figures.color_deviation))
        self._add(self.tr("Brightness"), audit_messages.spread(figures.brightness))
        self._add(self.tr("Contrast"), audit_messages.spread(figures.contrast))
        if figures.width is not None and figures.height is not None:
            unit = " px"
            self._add(self.tr("File width"), audit_messages.spread(figures.width, unit))
            self._add(self.tr("File height"), audit_messages.spread(figures.height, unit))
        # Beside each other where there is room, else the pictures below: no figure is broken.
        row = FlowLayout(spacing=SPACE.xl)
        row.addWidget(words)
        row.addWidget(self.means)
        self.body.addLayout(row)

    def texts(self) -> dict[str, str]:
        """The lines, by their names."""
        return dict(self._texts)

    def _add(self, name: str, text: str) -> None:
        self._texts[name] = text
        label = text_label(name, "muted", self)
        value = QLabel(text, self)
        self._form.addRow(label, value)


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
        name, left = audit_messages.title(finding.kind), facts.left(finding)
        self.setAccessibleName(name)
        self.icon = SeverityIcon(theme, self)
        word = audit_messages.severity(finding.severity) if left else self.tr("Done")
        self.icon.set_mark(finding.severity if left else "done", word)
        self.title = _label(name, "section", self)
        self.severity = _label(word, "caption", self)
        self.message = _label(engine_text(finding.message), "", self)
        self.suggestion = _label(engine_text(finding.suggestion), "muted", self)
        self.left = HintLabel(audit_messages.left(finding, left), parent=self)
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
            button.setToolTip(reason or audit_messages.fix_help(action, asks=asks))

    def take_focus(self) -> None:
        """Put the keyboard on the first button that can be pressed."""
        for button in (self.show_button, *self.fix_buttons.values()):
            if not button.isHidden() and button.isEnabled():
                button.setFocus()
                return

    def _add_fix(self, facts: AuditFacts, action: Action, number: int) -> None:
        asks = asks_for_class(self.finding, action)
        text = audit_messages.fix_button(action, number, asks=asks)
        button = push_button(text, self._theme, parent=self)
        name = audit_messages.title(self.finding.kind)
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
        top = hbox(
            self.title, (self.severity, Qt.AlignmentFlag.AlignVCenter), STRETCH, spacing=SPACE.s
        )
        buttons = FlowLayout(spacing=SPACE.s)
        for button in (self.show_button, *self.fix_buttons.values()):
            if not button.isHidden():
                buttons.addWidget(button)
        words = vbox(top, self.message, self.suggestion, self.left, spacing=SPACE.xs)
        if buttons.count():
            words.addSpacing(SPACE.xs)
            words.addLayout(buttons)
        row = hbox((self.icon, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=SPACE.m)
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


class FindingsSection(QScrollArea):
    """The findings of the dataset that an `DatasetAudit` follows.

    Signals:
        images_wanted: The `Finding` whose images are to be shown.
    """

    images_wanted = Signal(object)

    def __init__(
        self,
        theme: Theme,
        audit: DatasetAudit,
        editor: DatasetEditor,
        shortcuts: Shortcuts,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._audit = audit
        self._editor = editor
        self._facts: AuditFacts | None = None
        self._rows: list[FindingRow] = []
        self.age = HintLabel(tone="advice", parent=self)
        self.steps = UndoButtons(theme, shortcuts, editor, self)
        self.nothing = QLabel(self)
        self.nothing.setWordWrap(True)
        self.not_checked = HintLabel(parent=self)
        self.figures: AuditFigures | None = None
        self._unknown = Card(self.tr("Not looked at"), self)
        self._unknown.body.addWidget(self.not_checked)
        self._inside = QWidget(self)
        self._column = vbox(owner=self._inside, spacing=SPACE.s, margins=(0, 0, 0, SPACE.m))
        head = hbox((self.age, 1), (self.steps, Qt.AlignmentFlag.AlignRight), spacing=SPACE.s)
        fill(self._column, head, self.nothing, self._unknown, STRETCH)
        self.setAccessibleName(self.tr("Findings"))
        scrolled(self, self._inside)
        audit.changed.connect(self.refresh)
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
        facts = self._audit.facts
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
            remove_widget(self._column, widget)
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
            old = audit_messages.old_audit(report.dataset_version, facts.version)
        self.age.show_text(old, "advice")
        self.nothing.setVisible(not self._rows)
        text = self.tr("Not audited yet.")
        if report is not None:
            text = self.tr("Nothing was found in {images}.").format(images=images(report.images))
        self.nothing.setText(text)
        unknown = [] if report is None else report.not_checked
        lines = [
            f"{audit_messages.title(entry.kind)}: {engine_text(entry.reason)}" for entry in unknown
        ]
        self.not_checked.show_text("\n".join(lines))
        self._unknown.setVisible(bool(lines))

    def _allow(self) -> None:
        state = self._editor.state
        busy = self._editor.is_busy or state is None
        self.steps.setVisible(state is not None and (state.undo or state.redo) is not None)
        for row in self._rows:
            row.allow(busy=busy)
