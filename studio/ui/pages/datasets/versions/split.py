"""The split of a dataset: its bar with numbers, and the form that splits again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSize, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QWidget

from studio.engine.datasets.split_plan import SplitPlan
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.datasets import messages
from studio.ui.pages.datasets.versions.editor import DatasetEditor
from studio.ui.tasks.data_view import Table
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.bars import SplitBar, split_word
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, fill, hbox, scrolled, text_label, vbox
from studio.ui.widgets.tables import TextTable
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.datasets.versions import SplitPreview

_tr = partial(QCoreApplication.translate, "datasets")

_DOT = 8


class _Dot(QWidget):
    """A dot in the color of a split."""

    def __init__(self, color: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._color = QColor(color)
        self.setFixedSize(QSize(_DOT, _DOT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(self._color))
        painter.setBrush(self._color)
        painter.drawEllipse(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


class SplitLegend(QWidget):
    """How many images train, validate and test: a bar, and a word and a number for each."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = SplitBar(theme, self)
        self._words: dict[str, QLabel] = {}
        line = QHBoxLayout()
        line.setSpacing(SPACE.xs)
        for split, color in SPLIT_COLORS.items():
            label = text_label("", "caption", self)
            self._words[split] = label
            fill(line, _Dot(color, self), label, SPACE.m)
        line.addStretch(1)
        self.split_button = push_button(self.tr("Split again…"), theme, kind="quiet", parent=self)
        self.split_button.setToolTip(
            self.tr("Deal the images to training, validation and test in another way")
        )
        line.addWidget(self.split_button)
        vbox(self.bar, line, owner=self, spacing=SPACE.xs)

    def set_counts(self, counts: dict[str, int]) -> None:
        """Show the number of images by split."""
        self.bar.set_counts(counts)
        total = sum(counts.values())
        for split, label in self._words.items():
            number = counts.get(split, 0)
            share = percent(number / total, 0) if total else ""
            label.setText(f"{split_word(split)} {count(number)} ({share})")


_WIDEST = 640
_MOST_ROWS = 6
_SHARES = ("val_percent", "test_percent")


class SplitSection(QScrollArea):
    """The form of a `SplitPlan`, and the button that does it, as a step that can be undone.

    Signals:
        closed: It was done, or is not wanted.
    """

    closed = Signal()

    def __init__(self, theme: Theme, editor: DatasetEditor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._asked = False
        self.form = PlanForm(SplitPlan, theme=theme, parent=self)
        self.hint = HintLabel(parent=self)
        self.hint.show_text(
            self.tr(
                "Images you moved by hand are reassigned too. Runs keep the split that they were "
                "trained on, and Undo restores this one."
            )
        )
        self.preview = HintLabel(parent=self)
        self._previewed = 0
        self.balance = TextTable(
            self.tr("Balance of the splits"), ["", ""], most_rows=_MOST_ROWS, numbers_last=True
        )
        self.balance.hide()
        explain(
            self.balance, self.tr("How classes or targets are distributed over the new splits.")
        )
        self.close_button = push_button(self.tr("Not now"), theme, kind="quiet", parent=self)
        self.split_button = push_button(
            self.tr("Split again"), theme, kind="primary", icon="refresh", parent=self
        )
        self._lay_out()
        self.form.changed.connect(self._on_changed)
        self.close_button.clicked.connect(self.closed)
        self.split_button.clicked.connect(self._on_split)
        editor.changed.connect(self._on_editor)
        editor.edited.connect(self._on_edited)
        self.start()
        explain(self.close_button, self.tr("Leaves the split as it is."))
        explain(self.split_button, self.tr("Reassigns images to training, validation and test."))

    def start(self) -> None:
        """Begin with the usual settings."""
        self._asked = False
        self.form.set_values(SplitPlan())
        self._on_changed()

    def _lay_out(self) -> None:
        buttons = hbox(STRETCH, self.close_button, self.split_button, spacing=SPACE.s)
        card = Card(self.tr("Split again"), self)
        card.setMaximumWidth(_WIDEST)
        fill(card.body, self.form, self.preview, self.balance, self.hint, buttons)
        inside = QWidget(self)
        vbox(card, STRETCH, owner=inside, margins=(0, 0, 0, SPACE.m))
        self.setAccessibleName(self.tr("Split again"))
        scrolled(self, inside)

    def _on_changed(self) -> None:
        for name in _SHARES:
            self.form.set_field_enabled(name, enabled=True)
        self._allow()
        self._start_preview()

    def _start_preview(self) -> None:
        plan = self.form.plan()
        self._previewed += 1
        if plan is None:
            self.preview.show_text("")
            return
        split = SplitPlan.model_validate(plan.model_dump())
        self._editor.preview_split(split, partial(self._on_preview, self._previewed))

    def _on_preview(self, number: int, found: tuple[SplitPreview, Table] | None) -> None:
        if number != self._previewed:
            return  # the settings were changed since
        self.balance.setVisible(found is not None)
        if found is None:
            self.preview.show_text("")
            return
        preview, (headings, rows) = found
        self.balance.set_rows(rows, headings)
        if self.form.values()["method"] != "kfold":
            for name in _SHARES:
                is_kept = name.removesuffix("_percent") in preview.kept
                reason = _tr("The source defined these images") if is_kept else ""
                self.form.set_field_enabled(name, enabled=not is_kept, reason=reason)
        is_risky = preview.test_to_train > 0
        text = messages.split_preview(preview)
        self.preview.show_text(text, "advice" if is_risky else "help")

    def _allow(self) -> None:
        state = self._editor.state
        ready = self.form.plan() is not None and state is not None and not self._editor.is_busy
        self.split_button.setEnabled(ready)
        why = "" if ready else self.tr("Mend the settings first, or wait for the last change.")
        self.split_button.setToolTip(why)

    def _on_editor(self) -> None:
        self._allow()
        if self.isVisible() and not self._editor.is_busy:
            self._start_preview()  # of another version

    def _on_split(self) -> None:
        plan = self.form.plan()
        if plan is None:
            return
        self._asked = True
        self._editor.split(SplitPlan.model_validate(plan.model_dump()))

    def _on_edited(self) -> None:
        if self._asked:
            self._asked = False
            self.closed.emit()
