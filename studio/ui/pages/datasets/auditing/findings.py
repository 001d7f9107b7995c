"""The findings of an audit as cards, checks that were not possible, and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFormLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import Action, AuditReport, Finding, Statistics
from studio.ui.language import translated
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.auditing.audit import (
    AuditFacts,
    DatasetAudit,
    asks_for_class,
    fixes_left,
    ordered,
    too_many_classes,
)
from studio.ui.pages.datasets.auditing.findings_bar import SeverityIcon
from studio.ui.pages.datasets.messages import images
from studio.ui.pages.datasets.versions.editor import DatasetEditor, Fix, UndoButtons
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
        pictures = [self._mean(split, image) for split, image in means.items()]
        hbox(*pictures, STRETCH, owner=self._inside, spacing=SPACE.xl)

    def _mean(self, split: str, image: QImage) -> QVBoxLayout:
        picture = PictureView(self._theme, self._inside)
        picture.setFixedSize(QSize(_SIDE, _SIDE))
        name = self.tr("Mean image of {split}").format(split=split_word(split))
        picture.set_image(image, name)
        picture.setToolTip(name)
        self.pictures[split] = picture
        text = self.tr("Mean, {split}").format(split=split_word(split))
        caption = text_label(text, "caption", self._inside)
        return vbox(picture, (caption, Qt.AlignmentFlag.AlignHCenter), STRETCH, spacing=SPACE.xs)


class AuditFigures(Card):
    """A card with a line for each statistic, and the mean image of each split."""

    def __init__(
        self,
        theme: Theme,
        figures: Statistics,
        means: Mapping[str, QImage],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent=parent)
        self.set_title(self.tr("Statistics of all images"))
        self.means = MeanImages(theme, self)
        self.means.set_means(means)
        channels, spread = audit_messages.channels, audit_messages.spread
        self._texts = {
            self.tr("Mean color"): channels(figures.color_mean),
            self.tr("Deviation"): channels(figures.color_deviation),
            self.tr("Brightness"): spread(figures.brightness),
            self.tr("Contrast"): spread(figures.contrast),
        }
        if figures.width is not None and figures.height is not None:
            self._texts[self.tr("File width")] = spread(figures.width, " px")
            self._texts[self.tr("File height")] = spread(figures.height, " px")
        words = QWidget(self)
        form = QFormLayout(words)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(SPACE.l)
        form.setVerticalSpacing(SPACE.xs)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for name, text in self._texts.items():
            form.addRow(text_label(name, "muted", self), QLabel(text, self))
        # Next to each other if there is room, else the pictures below: no figure is broken.
        row = FlowLayout(spacing=SPACE.xl)
        row.addWidget(words)
        row.addWidget(self.means)
        self.body.addLayout(row)

    def texts(self) -> dict[str, str]:
        """Return the lines by their names."""
        return dict(self._texts)


class FindingRow(Card):
    """A card for one finding.

    Signals:
        images_requested: A `Finding` whose images to show.
        fix_requested: A `Fix`.
    """

    images_requested = Signal(object)
    fix_requested = Signal(object)

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
        self.message = _label(translated(finding.message), "", self)
        self.suggestion = _label(translated(finding.suggestion), "muted", self)
        self.suggestion.setVisible(left > 0)
        self.left = HintLabel(audit_messages.left(finding, left), parent=self)
        tip = self.tr("Shows the images of this finding.")
        self.show_button = push_button(
            self.tr("Show images"), theme, icon="image", parent=self, tip=tip
        )
        self.show_button.clicked.connect(partial(self.images_requested.emit, finding))
        self.show_button.setVisible(bool(finding.rows))
        self.show_button.setAccessibleName(self.tr("Show images: {what}").format(what=name))
        for action, number in fixes_left(facts, finding):
            self._add_fix(facts, action, number)
        top = hbox(
            self.title, (self.severity, Qt.AlignmentFlag.AlignVCenter), STRETCH, spacing=SPACE.s
        )
        buttons = FlowLayout(spacing=SPACE.s)
        for button in (self.show_button, *self.fix_buttons.values()):
            if not button.isHidden():
                buttons.addWidget(button)
        words = vbox(top, self.message, self.suggestion, self.left, spacing=SPACE.xs)
        if buttons.count():
            fill(words, SPACE.xs, buttons)
        row = hbox((self.icon, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=SPACE.m)
        self.body.setContentsMargins(SPACE.m, SPACE.m, SPACE.m, SPACE.m)
        self.body.addLayout(row)

    def allow(self, *, busy: bool) -> None:
        """Enable the fixes; tooltips give the reason if they are disabled."""
        for action, button in self.fix_buttons.items():
            reason = self._reasons.get(action, "")
            if busy:
                reason = self.tr("Wait until the previous edit is done")
            button.setEnabled(not reason)
            asks = asks_for_class(self.finding, action)
            button.setToolTip(reason or audit_messages.fix_help(action, asks=asks))

    def take_focus(self) -> None:
        """Focus the first enabled button."""
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
                "The images have more than two classes: show them, and relabel them there"
            )
        elif asks:
            self.picker = OutputPicker(self)
            self.picker.set_names(facts.classes)
            self.picker.chosen.connect(self._on_class)

    def _on_fix(self, action: Action) -> None:
        if asks_for_class(self.finding, action) and self.picker is not None:
            button = self.fix_buttons[action]
            self.picker.open_at(button.mapToGlobal(QPoint(0, button.height() + SPACE.xs)))
        else:
            self.fix_requested.emit(Fix(self.finding.kind, action))

    def _on_class(self, label: int) -> None:
        self.fix_requested.emit(Fix(self.finding.kind, "relabel", label))


def _label(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(role not in ("section", "caption"))
    if role:
        label.setProperty("role", role)
    return label


class FindingsSection(QScrollArea):
    """The findings of the dataset that a `DatasetAudit` follows.

    Signals:
        images_requested: A `Finding` whose images to show.
    """

    images_requested = Signal(object)

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
        self._unknown = Card(self.tr("Not checked"), self)
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
        """Return the cards, in order."""
        return list(self._rows)

    def row(self, kind: str) -> FindingRow:
        """Return the card of a kind of finding.

        Raises:
            KeyError: It does not exist.
        """
        for row in self._rows:
            if row.finding.kind == kind:
                return row
        raise KeyError(kind)

    def refresh(self) -> None:
        """Show the audit again."""
        facts = self._audit.facts
        if facts is self._facts:
            return
        scrolled = self.verticalScrollBar().value()
        held = [row.finding.kind for row in self._rows if row.isAncestorOf(self.focusWidget())]
        self._facts = facts
        for widget in (*self._rows, self.figures):
            if widget is not None:
                remove_widget(self._column, widget)
        self._rows, self.figures = [], None
        report = None if facts is None else facts.report
        if facts is not None and report is not None:
            self._fill(facts, report)
        self._show_rest(facts, report)
        self._allow()
        self._inside.adjustSize()
        self.verticalScrollBar().setValue(scrolled)
        # The card with the focus is replaced; the new card of the same finding takes the focus.
        for row in self._rows:
            if row.finding.kind in held:
                row.take_focus()

    def _fill(self, facts: AuditFacts, report: AuditReport) -> None:
        first = self._column.indexOf(self._unknown)
        for index, finding in enumerate(ordered(facts)):
            row = FindingRow(self._theme, facts, finding, self._inside)
            row.images_requested.connect(self.images_requested)
            row.fix_requested.connect(self._editor.fix)
            self._column.insertWidget(first + index, row)
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
            text = self.tr("No problems found in {images}.").format(images=images(report.images))
        self.nothing.setText(text)
        unknown = [] if report is None else report.not_checked
        lines = [
            f"{audit_messages.title(entry.kind)}: {translated(entry.reason)}" for entry in unknown
        ]
        self.not_checked.show_text("\n".join(lines))
        self._unknown.setVisible(bool(lines))

    def _allow(self) -> None:
        state = self._editor.state
        self.steps.setVisible(state is not None and (state.undo or state.redo) is not None)
        for row in self._rows:
            row.allow(busy=not self._editor.is_ready)
