"""Decisions about the doubtful labels of an audit, one image at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget

from studio.engine.datasets.audit.findings import AuditFacts, Finding
from studio.engine.datasets.edits import AddClass, Confirm, Edit, Exclude, Relabel
from studio.ui.bridge.background import Background
from studio.ui.bridge.request import Request
from studio.ui.language import translated
from studio.ui.pages.datasets.auditing.findings import DatasetAudit
from studio.ui.pages.datasets.browsing.images import DatasetImages
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.tasks.output_picker import OutputPicker
from studio.ui.tasks.targets import ImageChange
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import click_once, push_button
from studio.ui.widgets.figures import count, counted, percent
from studio.ui.widgets.keys import history_step
from studio.ui.widgets.labels import ElidedLabel, FactList, HintLabel, apart
from studio.ui.widgets.layout import STRETCH, hbox, scrolled, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.pictures import PictureView
from studio.ui.widgets.speech import announce
from studio.ui.widgets.tips import allow, explain

SIDE: Final = 280
"""Width of the decisions beside the picture, in pixels."""


@dataclass(frozen=True, slots=True)
class DoubtfulLabel:
    """A label to decide about.

    Attributes:
        row: Row of the image.
        name: Its path.
        given: Name of its class.
        proposed: Name of the proposed class.
        probability: Probability that the given class is wrong, 0 to 1.
    """

    row: int
    name: str
    given: str
    proposed: str
    probability: float


def doubtful_labels(finding: Finding) -> list[DoubtfulLabel]:
    """Return the labels of a finding, the most doubtful first; empty if it is about others."""
    if len(finding.labels) != len(finding.rows):
        return []
    parts = (
        finding.rows,
        finding.paths,
        finding.labels,
        finding.classes,
        finding.probabilities,
    )
    return [DoubtfulLabel(*values) for values in zip(*parts, strict=True)]


class LabelReview(QWidget):
    """One doubtful label at a time: the picture, its class, the proposed one, and five decisions.

    Keys: Enter accepts the proposal, K keeps the label, C chooses another class, Del excludes the
    image, S or the right arrow skips it, Ctrl+Z or Backspace takes the last decision back. A held
    key decides once, and only about a picture that is shown.

    Attributes:
        kind: Kind of the finding; empty while none is shown.
        current: The label to decide about; None after the last one.

    Signals:
        closed: Show the findings again.
    """

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        background: Background,
        audit: DatasetAudit,
        editor: DatasetEditor,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._audit = audit
        self._editor = editor
        self._reading = Request(background, self)
        self._pictures: DatasetImages | None = None
        self.kind = ""
        self._skipped: list[int] = []
        self._steps: list[Literal["skip", "edit"]] = []
        # Decided images with their version, until the findings of that version are read.
        self._pending: dict[int, int] = {}
        self._shown_row = -1
        self.current: DoubtfulLabel | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Doubtful labels, one by one"))
        self.progress = text_label("", "section", self)
        self.precision = HintLabel(parent=self)
        self.picture = PictureView(theme, self)
        self.problem = HintLabel(tone="problem", parent=self)
        self.name = ElidedLabel("", self, role="muted")
        self.facts = FactList(parent=self, takes_focus=False)
        self.last = ElidedLabel("", self, role="caption")
        self.picker = OutputPicker(self)
        self.accept_button, self.keep_button, self.class_button = self._choices(theme)
        self._make_buttons(theme)
        self.done = EmptyState(theme, "success", "", "", self)
        self.again_button = self.done.add_action(self.tr("Show the skipped ones"))
        explain(self.again_button, self.tr("Shows the images again that you skipped."))
        self.again_button.clicked.connect(self._on_again)
        self.leave_button = self.done.add_action(self.tr("Back to the findings"), kind="primary")
        explain(self.leave_button, self.tr("Returns to the findings of the audit."))
        self.leave_button.clicked.connect(self.closed)
        self._lay_out()
        self.picker.chosen.connect(self._on_class)
        self.picker.created.connect(self._on_new_class)
        audit.changed.connect(self.refresh)
        editor.changed.connect(self._on_editor)

    def start(self, pictures: DatasetImages, finding: Finding) -> None:
        """Begin with the most doubtful label that is left of a finding.

        Args:
            pictures: Images of the dataset.
            finding: A finding with labels.
        """
        self._pictures = pictures
        self.kind = finding.kind
        self._skipped, self._steps, self._pending = [], [], {}
        self._shown_row = -1
        self.last.setText("")
        self.refresh()
        self.setFocus()

    def stop(self) -> None:
        """Show nothing."""
        self._reading.drop()
        self._pictures, self.kind, self.current, self._shown_row = None, "", None, -1
        self.picture.set_image(None)

    # Keys

    def event(self, event: QEvent) -> bool:
        """Take the keys of undo and redo before those of the page, which know no skipping."""
        is_key = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_key and isinstance(event, QKeyEvent) and history_step(event) is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Decide by keys; see the class."""
        step, key = history_step(event), Qt.Key(event.key())
        if event.isAutoRepeat():
            return
        focus = self.focusWidget()
        if step == "undo":
            self.undo()
        elif step == "redo":
            self._editor.redo()
        elif key in _ENTER and isinstance(focus, QPushButton) and focus.hasFocus():
            focus.click()
        elif key in self._keys and event.modifiers() in _NO_MODIFIERS:
            self._keys[key]()
        else:
            super().keyPressEvent(event)

    # Decisions

    def accept(self) -> None:
        """Give the image the proposed class."""
        if self.current is not None and self.accept_button.isEnabled():
            self._relabel(self.current, self.current.proposed)

    def keep(self) -> None:
        """Confirm the given class: audits no longer doubt it."""
        label = self.current
        if label is not None and self.keep_button.isEnabled():
            words = self.tr("{image}: “{name}” confirmed")
            text = words.format(image=apart(_file(label)), name=apart(label.given))
            self._decide(label, lambda rows: [Confirm(rows=rows)], text)

    def exclude(self) -> None:
        """Leave the image out of every split."""
        label = self.current
        if label is not None and self.exclude_button.isEnabled():
            text = self.tr("{image}: excluded").format(image=apart(_file(label)))
            self._decide(label, lambda rows: [Exclude(rows=rows)], text)

    def choose(self) -> None:
        """Ask for another class."""
        if self.class_button.isEnabled():
            corner = QPoint(0, self.class_button.height() + SPACE.xs)
            self.picker.open_at(self.class_button.mapToGlobal(corner))

    def skip(self) -> None:
        """Leave the image for later."""
        label = self.current
        if label is not None and self.skip_button.isEnabled():
            self._skipped.append(label.row)
            self._steps.append("skip")
            self.last.setText(self.tr("{image}: skipped").format(image=apart(_file(label))))
            self.refresh()
            self.setFocus()

    def undo(self) -> None:
        """Take the last decision back and show its image."""
        if not self._editor.is_ready or not self._steps:
            return
        if self._steps.pop() == "skip":
            self._skipped.pop()
            self.refresh()
        else:
            self._editor.undo(notifies=False)
        self.last.setText(self.tr("The last decision was taken back."))
        self.setFocus()

    def _relabel(self, label: DoubtfulLabel, name: str) -> None:
        facts = self._audit.facts
        if name == label.given:
            self.keep()
            return
        if facts is None or name not in facts.classes:
            return
        number = facts.classes.index(name)
        text = f"{apart(_file(label))}: {apart(label.given)} → {apart(name)}"
        self._decide(label, lambda rows: [Relabel(rows=rows, label=number)], text)

    def _decide(
        self, label: DoubtfulLabel, edits: Callable[[str], list[Edit]], words: str
    ) -> None:
        state = self._editor.state
        if state is None or not self._editor.is_ready:
            return
        self._pending[label.row] = state.version + 1
        self._steps.append("edit")
        change = ImageChange(edits, lambda _images: words)
        self._editor.change(change, np.array([label.row]), notifies=False)
        self.last.setText(words)
        announce(self, words)
        self.refresh()
        self.setFocus()

    def _on_class(self, index: int) -> None:
        facts = self._audit.facts
        if self.current is not None and facts is not None and index < len(facts.classes):
            self._relabel(self.current, facts.classes[index])

    def _on_new_class(self, name: str) -> None:
        facts, label = self._audit.facts, self.current
        if facts is not None and label is not None:
            number = len(facts.classes)
            text = f"{apart(_file(label))}: {apart(label.given)} → {apart(name)}"
            edits = partial(_new_class, name, number)
            self._decide(label, edits, text)

    def _on_again(self) -> None:
        self._skipped, self._steps = [], []
        self.refresh()
        self.setFocus()

    def _on_editor(self) -> None:
        state = self._editor.state
        if self._editor.is_ready and state is not None:
            failed = [row for row, version in self._pending.items() if version > state.version]
            for row in failed:
                del self._pending[row]
                self._steps.pop()
            if failed:
                self.last.setText("")
                self.refresh()
        self._allow()

    # What is shown

    def refresh(self) -> None:
        """Show the first label that is left."""
        facts = self._audit.facts
        finding = _finding(facts, self.kind)
        if not self.kind or facts is None or self._pictures is None:
            return
        if finding is None:  # the dataset was audited again
            self._show_nothing_left()
            return
        labels = doubtful_labels(finding)
        left = self._left(facts, finding)
        waiting = [each for each in labels if each.row in left and each.row not in self._skipped]
        decided = len(labels) - len(left)
        self.current = waiting[0] if waiting else None
        self.precision.show_text(translated(finding.message))
        self.picker.set_names(facts.classes)
        self._stack.setCurrentWidget(self._work if waiting else self._finished)
        if self.current is None:
            self.progress.setText("")
            self._show_done(len(labels), len(left))
        else:
            number = min(decided + len(self._skipped) + 1, len(labels))
            text = self.tr("{n} of {total}")
            self.progress.setText(text.format(n=count(number), total=count(len(labels))))
            self._show(self.current, facts)
        self._allow()

    def _left(self, facts: AuditFacts, finding: Finding) -> set[int]:
        known = facts.remaining.get(finding.kind)
        left = set() if known is None else set(known.rows.tolist())
        self._pending = {row: at for row, at in self._pending.items() if at > facts.version}
        return left - set(self._pending)

    def _show(self, label: DoubtfulLabel, facts: AuditFacts) -> None:
        self.name.setText(label.name)
        self.facts.show_facts(
            {
                self.tr("Labeled as"): label.given,
                self.tr("Proposed class"): label.proposed,
                self.tr("Label is wrong"): percent(label.probability, 0),
            }
        )
        self.accept_button.setText(self.tr("Change to “{name}”").format(name=label.proposed))
        self.keep_button.setText(self.tr("Keep “{name}”").format(name=label.given))
        self._renamed = label.proposed not in facts.classes
        if self._pictures is not None and self._shown_row != label.row:
            self._shown_row = -1
            work = partial(self._pictures.picture, label.row)
            self._reading.run(work, partial(self._on_picture, label))

    def _on_picture(self, label: DoubtfulLabel, image: QImage) -> None:
        self._shown_row = label.row
        self.picture.set_image(image, f"{label.name}, {label.given}")
        problem = self.tr("This image cannot be read.") if image.isNull() else ""
        self.problem.show_problem(problem)
        self._allow()

    def _show_nothing_left(self) -> None:
        self.current = None
        self.progress.setText("")
        self.precision.show_text("")
        text = self.tr("The dataset was audited again.")
        self.done.set_texts(self.tr("No doubtful labels are left"), text)
        self.again_button.hide()
        self._stack.setCurrentWidget(self._finished)
        self._allow()

    def _show_done(self, total: int, left: int) -> None:
        skipped = self.tr("Skipped: {n}").format(n=count(left))
        one, many = self.tr("The label is decided"), self.tr("All {n} labels are decided")
        title = counted(total, one, many)
        text = self.tr("Every decision is a step that can be undone, and listed under Versions.")
        self.done.set_texts(skipped if left else title, text)
        self.again_button.setVisible(bool(left))

    def _allow(self) -> None:
        """Enable the decisions about the picture that is shown."""
        is_shown = self.current is not None and self.current.row == self._shown_row
        reason = "" if is_shown else self.tr("Wait until the image is shown")
        if not self._editor.is_ready:
            reason = self.tr("Wait until the previous edit is done")
        for button in (self.keep_button, self.class_button, self.exclude_button, self.skip_button):
            allow(button, reason)
        if not reason and self._renamed:
            reason = self.tr("The class was renamed since the audit: audit again")
        allow(self.accept_button, reason)
        nothing = "" if self._steps else self.tr("Nothing to undo")
        if not self._editor.is_ready:
            nothing = self.tr("Wait until the previous edit is done")
        for button in (self.undo_button, self.done_undo_button):
            allow(button, nothing)

    def _choices(self, theme: Theme) -> tuple[QPushButton, QPushButton, QPushButton]:
        """Make the buttons that choose a class."""
        make = partial(push_button, theme=theme, parent=self)
        tip = self.tr("Gives the image the proposed class (Enter).")
        accept = make("", tip=tip, on_click=self.accept)
        tip = self.tr("Confirms the label; later audits do not doubt it (K).")
        keep = make("", tip=tip, on_click=self.keep)
        tip = self.tr("Gives the image a third class (C).")
        other = make(self.tr("Another class…"), tip=tip, on_click=self.choose)
        return accept, keep, other

    def _make_buttons(self, theme: Theme) -> None:
        make = partial(push_button, theme=theme, parent=self)
        self._renamed = False
        self.back_button = make(
            self.tr("Findings"),
            kind="quiet",
            icon="back",
            tip=self.tr("Shows the findings again. Decisions are kept."),
        )
        self.back_button.clicked.connect(self.closed)
        tip = self.tr("Leaves the image out of every split (Del). Your files never change.")
        self.exclude_button = make(
            self.tr("Exclude"), icon="hidden", tip=tip, on_click=self.exclude
        )
        tip = self.tr("Leaves the image for later (S).")
        self.skip_button = make(self.tr("Skip"), kind="quiet", tip=tip, on_click=self.skip)
        tip = self.tr("Takes the last decision back (Ctrl+Z).")
        undo = partial(make, self.tr("Undo"), kind="quiet", icon="undo", tip=tip)
        self.undo_button = undo(on_click=self.undo)
        self.done_undo_button = undo(on_click=self.undo)
        decisions = (self.accept_button, self.keep_button, self.class_button)
        for button in (*decisions, self.exclude_button, self.skip_button, self.undo_button):
            click_once(button)
        self._keys: dict[Qt.Key, Callable[[], None]] = {
            Qt.Key.Key_Return: self.accept,
            Qt.Key.Key_Enter: self.accept,
            Qt.Key.Key_K: self.keep,
            Qt.Key.Key_C: self.choose,
            Qt.Key.Key_Delete: self.exclude,
            Qt.Key.Key_S: self.skip,
            Qt.Key.Key_Right: self.skip,
            Qt.Key.Key_Backspace: self.undo,
            Qt.Key.Key_Left: self.undo,
            Qt.Key.Key_Escape: self.closed.emit,
        }

    def _lay_out(self) -> None:
        self._work = QWidget(self)
        keys = HintLabel(
            self.tr("Enter: change · K: keep · C: other class · Del: exclude · S: skip"),
            parent=self,
        )
        side = QWidget(self._work)
        around = QScrollArea(self._work)
        around.setFixedWidth(SIDE)
        rare = hbox(self.skip_button, STRETCH, self.undo_button, spacing=SPACE.s)
        decisions = (self.accept_button, self.keep_button, self.class_button, self.exclude_button)
        parts = (self.name, self.facts, SPACE.s, *decisions, rare, keys, STRETCH, self.last)
        vbox(*parts, owner=side, spacing=SPACE.s)
        scrolled(around, side)
        picture = vbox(self.problem, (self.picture, 1), spacing=SPACE.s)
        hbox((picture, 1), around, owner=self._work, spacing=SPACE.l)
        finished = QWidget(self)
        vbox((self.done, 1), hbox(STRETCH, self.done_undo_button, STRETCH), owner=finished)
        self._finished = finished
        self._stack = PageStack(self)
        for page in (self._work, finished):
            self._stack.addWidget(page)
        head = hbox(self.back_button, STRETCH, self.progress, spacing=SPACE.s)
        vbox(head, self.precision, (self._stack, 1), owner=self, spacing=SPACE.s)


_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_NO_MODIFIERS: Final = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.KeypadModifier,
)


def _new_class(name: str, number: int, rows: str) -> list[Edit]:
    return [AddClass(name=name), Relabel(rows=rows, label=number)]


def _file(label: DoubtfulLabel) -> str:
    return label.name.rpartition("/")[2]


def _finding(facts: AuditFacts | None, kind: str) -> Finding | None:
    return None if facts is None or facts.report is None else facts.report.finding(kind)
