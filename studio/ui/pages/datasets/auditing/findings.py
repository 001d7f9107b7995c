"""The audit of a dataset: its job, the line about its findings, their cards, and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, Literal

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio.engine.datasets.audit.findings import (
    Action,
    AuditFacts,
    AuditPlan,
    AuditReport,
    Finding,
    Severity,
    Statistics,
    asks_for_class,
    fixes_left,
    open_severities,
    ordered,
    too_many_classes,
)
from studio.engine.datasets.audit.remaining import read_audit
from studio.engine.datasets.requests import request_audit
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.language import translated
from studio.ui.pages.datasets.auditing import messages as audit_messages
from studio.ui.pages.datasets.messages import images
from studio.ui.pages.datasets.versions.editor import DatasetEditor, Fix, UndoButtons
from studio.ui.shared.jobs import show_stop
from studio.ui.shortcuts import Shortcuts
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CONTROL_HEIGHT, ICON, SPACE, Role
from studio.ui.widgets.bars import ThinBar, split_word
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel, IconLabel
from studio.ui.widgets.layout import (
    STRETCH,
    FlowLayout,
    fill,
    form_layout,
    hbox,
    remove_widget,
    replace_widget,
    scrolled,
    text_label,
    vbox,
)
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.tips import allow


def _read(folder: Path) -> tuple[AuditFacts, dict[str, QImage]]:
    """Read the last audit and the mean image of each split."""
    facts = read_audit(folder)
    files = {} if facts.report is None else facts.report.statistics.mean_images
    means = {split: QImage(str(folder / name)) for split, name in files.items()}
    return facts, {split: image for split, image in means.items() if not image.isNull()}


class DatasetAudit(QObject):
    """The audit of one dataset.

    Signals:
        changed: `facts`, `problem`, `is_asking` or `job` changed.
        advanced: `job` made progress.
    """

    changed = Signal()
    advanced = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._record_id = ""
        self._folder: Path | None = None
        # None until it is read.
        self.facts: AuditFacts | None = None
        self.means: dict[str, QImage] = {}
        # The reason why the last audit failed, or its report is unreadable.
        self.problem: StudioError | None = None
        # True from the request until its job is known.
        self.is_asking: bool = False
        self._reading = Request(context.background, self)
        context.jobs.changed.connect(self._on_changed)

    @property
    def job(self) -> RecordDocument | None:
        """The audit that is queued or running; None for none."""
        for entry in self._context.jobs.entries(RecordKind.AUDIT):
            is_going = entry.state == State.QUEUED or entry.state.has_worker
            if is_going and self._is_ours(entry):
                return entry
        return None

    def open(self, record_id: str, folder: Path | None) -> None:
        """Follow another dataset; None for none."""
        self._record_id = record_id
        self._folder = folder
        self.facts = None
        self.problem = None
        self.is_asking = False
        self.reload()

    def reload(self) -> None:
        """Read the last audit again."""
        self._reading.drop()
        self.changed.emit()
        if self._folder is not None:
            self._reading.run(partial(_read, self._folder), self._on_facts, self._on_unreadable)

    def request(self) -> None:
        """Request an audit of the newest version."""
        if self._folder is None or self.is_asking or self.job is not None:
            return
        self.is_asking = True
        self.problem = None
        self.changed.emit()
        plan = AuditPlan(dataset=self._record_id)
        work = partial(request_audit, self._context.jobs.queue, plan)
        done, failed = (
            partial(each, self._record_id) for each in (self._on_asked, self._on_refused)
        )
        self._context.background.run(self, work, done, failed)

    def cancel(self) -> None:
        """Cancel the audit; the report of an older one stays."""
        job = self.job
        if job is not None:
            self._context.jobs.stop(job)

    def _is_ours(self, entry: RecordDocument) -> bool:
        return isinstance(entry.plan, AuditPlan) and entry.plan.dataset == self._record_id

    def _on_facts(self, found: tuple[AuditFacts, dict[str, QImage]]) -> None:
        self.facts, self.means = found
        self.changed.emit()

    def _on_unreadable(self, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._context.background.failed.emit(error)
            return
        self.facts, self.means = AuditFacts(None, 0), {}
        self.problem = error
        self.changed.emit()

    def _on_asked(self, record_id: str, _job: object) -> None:
        self._context.jobs.wake()
        # `is_asking` stays until the job is known: in between there would be nothing to see.
        if record_id == self._record_id and self.job is not None:
            self.is_asking = False
            self.changed.emit()

    def _on_refused(self, record_id: str, error: BaseException) -> None:
        if record_id == self._record_id:
            self.is_asking = False
            self.changed.emit()
        self._context.background.failed.emit(error)

    def _on_changed(self, entry: RecordDocument, change: RecordChange) -> None:
        if not self._is_ours(entry):
            return
        if change.is_new:
            self.is_asking = False
        if change.events:
            self.advanced.emit()
        if change.is_new or change.is_state:
            self._on_state(entry)

    def _on_state(self, entry: RecordDocument) -> None:
        self.changed.emit()
        if entry.state == State.COMPLETED:
            self.problem = None
            self.reload()
        elif entry.state in (State.FAILED, State.LOST):
            self.problem = StudioError(entry.history.reason, entry.history.hint)
            self.changed.emit()


Mark = Severity | Literal["done", "none"]

_ICONS: Final[dict[Mark, tuple[str, Role]]] = {
    "serious": ("error", "bad"),
    "warning": ("warning", "warn"),
    "info": ("info", "muted"),
    "done": ("success", "good"),
    "none": ("search", "muted"),
}


class SeverityIcon(IconLabel):
    """An icon with its own shape and color for each severity, and for done."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, *_ICONS["none"], parent=parent)
        self.mark: Mark = "none"
        self.setFixedSize(QSize(ICON, ICON))

    def set_mark(self, mark: Mark, name: str) -> None:
        """Show a mark; `name` is its tooltip and accessible name."""
        self.mark = mark
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.set_icon(*_ICONS[mark])


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
        # Wraps: without its middle the sentence would be none.
        self.line = text_label("", "body", self, wraps=True)
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
        going = audit.is_asking or audit.job is not None
        known = facts is not None and facts.report is not None
        self.bar.setVisible(going)
        self.cancel_button.setVisible(going)
        self.audit_button.setVisible(facts is not None and not going)
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
            unknown = [audit_messages.title(each.kind) for each in facts.report.not_checked]
            if unknown and not severities:
                text = self.tr("{what} · not checked: {checks}")
                text = text.format(what=audit_messages.summary(()), checks=", ".join(unknown))
            clean: Mark = "info" if unknown else "done"
            self.icon.set_mark(severities[0] if severities else clean, text)
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
        self.texts = {
            self.tr("Mean color"): channels(figures.color_mean),
            self.tr("Deviation"): channels(figures.color_deviation),
            self.tr("Brightness"): spread(figures.brightness),
            self.tr("Contrast"): spread(figures.contrast),
        }
        if figures.width is not None and figures.height is not None:
            self.texts[self.tr("File width")] = spread(figures.width, " px")
            self.texts[self.tr("File height")] = spread(figures.height, " px")
        words = QWidget(self)
        form = form_layout(words)
        for name, text in self.texts.items():
            form.addRow(text_label(name, "muted", self), QLabel(text, self))
        # Next to each other if there is room, else the pictures below: no figure is broken.
        row = FlowLayout(spacing=SPACE.xl)
        row.addWidget(words)
        row.addWidget(self.means)
        self.body.addLayout(row)


class FindingRow(Card):
    """A card for one finding.

    Signals:
        images_requested: A `Finding` whose images to show.
        review_requested: A `Finding` to decide about one image at a time.
        fix_requested: A `Fix`.
    """

    images_requested = Signal(object)
    review_requested = Signal(object)
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
        self.title = text_label(name, "section", self)
        self.severity = text_label(word, "caption", self)
        self.message = QLabel(translated(finding.message), self, wordWrap=True)
        self.suggestion = text_label(translated(finding.suggestion), "muted", self, wraps=True)
        self.suggestion.setVisible(left > 0)
        self.left = HintLabel(audit_messages.left(finding, left), parent=self)
        tip = self.tr("Shows the images of this finding.")
        text = self.tr("Show images")
        self.show_button = push_button(text, theme, icon="image", parent=self, tip=tip)
        self.show_button.clicked.connect(partial(self.images_requested.emit, finding))
        self.show_button.setVisible(bool(finding.rows))
        tip = self.tr("Shows each image with its class and the proposed one.")
        text = self.tr("Decide one by one")
        self.review_button = push_button(text, theme, icon="check", parent=self, tip=tip)
        self.review_button.clicked.connect(partial(self.review_requested.emit, finding))
        self.review_button.setVisible(bool(finding.labels and left))
        self.show_button.setAccessibleName(self.tr("Show images: {what}").format(what=name))
        for action, number in fixes_left(facts, finding):
            self._add_fix(facts, action, number)
        middle = (self.severity, Qt.AlignmentFlag.AlignVCenter)
        top = hbox(self.title, middle, STRETCH, spacing=SPACE.s)
        buttons = FlowLayout(spacing=SPACE.s)
        for button in self._buttons:
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
            asks = asks_for_class(self.finding, action)
            allow(button, reason, audit_messages.fix_help(action, asks=asks))

    @property
    def _buttons(self) -> tuple[QPushButton, ...]:
        return (self.review_button, self.show_button, *self.fix_buttons.values())

    def take_focus(self) -> None:
        """Focus the first enabled button."""
        for button in self._buttons:
            if not button.isHidden() and button.isEnabled():
                button.setFocus()
                return

    def _add_fix(self, facts: AuditFacts, action: Action, number: int) -> None:
        asks = asks_for_class(self.finding, action)
        text = audit_messages.fix_button(action, number) + "…"
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


class FindingsSection(QScrollArea):
    """The findings of the dataset that a `DatasetAudit` follows.

    Signals:
        images_requested: A `Finding` whose images to show.
        review_requested: A `Finding` to decide about one image at a time.
        fix_requested: A `Fix` whose effect to show before it is applied.

    Attributes:
        rows: The cards by the kinds of their findings, in order.
    """

    images_requested = Signal(object)
    review_requested = Signal(object)
    fix_requested = Signal(object)

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
        self.rows: dict[str, FindingRow] = {}
        self.age = HintLabel(tone="advice", parent=self)
        self.steps = UndoButtons(theme, shortcuts, editor, self)
        self.nothing = QLabel(self, wordWrap=True)
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

    def refresh(self) -> None:
        """Show the audit again."""
        facts = self._audit.facts
        if facts is self._facts:
            return
        scrolled = self.verticalScrollBar().value()
        focus = self.focusWidget()
        held = [kind for kind, row in self.rows.items() if row.isAncestorOf(focus)]
        self._facts = facts
        for widget in (*self.rows.values(), self.figures):
            if widget is not None:
                remove_widget(self._column, widget)
        self.rows, self.figures = {}, None
        report = None if facts is None else facts.report
        if facts is not None and report is not None:
            self._fill(facts, report)
        self._show_rest(facts, report)
        self._allow()
        self._inside.adjustSize()
        self.verticalScrollBar().setValue(scrolled)
        # The card with the focus is replaced; the new card of the same finding takes the focus.
        for kind in held:
            if kind in self.rows:
                self.rows[kind].take_focus()

    def _fill(self, facts: AuditFacts, report: AuditReport) -> None:
        first = self._column.indexOf(self._unknown)
        for index, finding in enumerate(ordered(facts)):
            row = FindingRow(self._theme, facts, finding, self._inside)
            row.images_requested.connect(self.images_requested)
            row.review_requested.connect(self.review_requested)
            row.fix_requested.connect(self.fix_requested)
            self._column.insertWidget(first + index, row)
            row.show()
            self.rows[finding.kind] = row
        self.figures = AuditFigures(
            self._theme, report.statistics, self._audit.means, self._inside
        )
        self._column.insertWidget(self._column.indexOf(self._unknown) + 1, self.figures)
        self.figures.show()

    def _show_rest(self, facts: AuditFacts | None, report: AuditReport | None) -> None:
        old = ""
        if facts is not None and report is not None and facts.is_old:
            old = audit_messages.old_audit(report.dataset_version, facts.version)
        self.age.show_text(old, "advice")
        self.nothing.setVisible(not self.rows)
        text = self.tr("Not audited yet.")
        if report is not None:
            text = self.tr("No problems found in {images}.").format(images=images(report.images))
        self.nothing.setText(text)
        unknown = [] if report is None else report.not_checked
        title = audit_messages.title
        lines = [f"{title(each.kind)}: {translated(each.reason)}" for each in unknown]
        self.not_checked.show_text("\n".join(lines))
        self._unknown.setVisible(bool(lines))

    def _allow(self) -> None:
        state = self._editor.state
        self.steps.setVisible(state is not None and (state.undo or state.redo) is not None)
        for row in self.rows.values():
            row.allow(busy=not self._editor.is_ready)
