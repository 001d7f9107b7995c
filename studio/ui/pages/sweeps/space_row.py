"""One row of the space of a sweep: a field, and its values or the ends of its range."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio.engine.errors import Problem
from studio.engine.sweeps.fields import NETWORK
from studio.ui.engine_text import plan_text
from studio.ui.pages.sweeps.choice_menu import ChoiceMenu
from studio.ui.pages.sweeps.draft import (
    Row,
    can_be_range,
    choices_of,
    example,
    ticked,
    usual_scale,
    words_of,
)
from studio.ui.pages.sweeps.field_box import FieldBox
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button
from studio.ui.widgets.elided_label import ElidedLabel
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.spin_box import ComboBox

_END_WIDTH, _SCALE_WIDTH, _FORM_WIDTH = 56, 96, 124


class SpaceRow(QWidget):
    """Edits one dimension; a problem stands below it.

    Signals:
        changed: Something was typed or chosen.
        removed: It is not wanted any more.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_kept = False
        self._networks: list[str] = []
        self.field_box = FieldBox(self)
        self.form_box = ComboBox(self)
        self.form_box.setAccessibleName(self.tr("Values or a range"))
        self.form_box.addItem(self.tr("Values"), False)
        self.form_box.addItem(self.tr("Range"), True)
        self.form_box.setFixedWidth(_FORM_WIDTH)
        self.remove_button = icon_button("close", self.tr("Remove the field"), theme, parent=self)
        self.values = self._line(self.tr("Values"), "")
        self.choices = ChoiceMenu(theme, self)
        self.low = self._line(self.tr("From"), self.tr("From"))
        self.high = self._line(self.tr("To"), self.tr("To"))
        self.scale = ComboBox(self)
        self.scale.setAccessibleName(self.tr("Scale"))
        self.scale.addItem(self.tr("Linear"), "linear")
        self.scale.addItem(self.tr("Log"), "log")
        self.scale.setFixedWidth(_SCALE_WIDTH)
        self.step = self._line(self.tr("Step"), self.tr("Step"))
        self.count = self._line(self.tr("Number of values"), self.tr("Count"))
        self.there = ElidedLabel("", self)
        self.there.setProperty("role", "caption")
        self.there.hide()
        self.hint = HintLabel(parent=self)
        self._range = QWidget(self)
        self._lay_out()
        self._connect()
        self._show_form()
        explain(
            self.scale,
            self.tr("On a log scale, 0.001 to 0.01 gets as many values as 0.01 to 0.1."),
        )

    def row(self) -> Row:
        """What was typed."""
        return Row(
            self.field_box.field,
            self.values.text(),
            bool(self.form_box.currentData()),
            self.low.text(),
            self.high.text(),
            str(self.scale.currentData()),
            self.step.text() if self.step.isEnabled() else "",
            self.count.text(),
        )

    def show_row(self, row: Row) -> None:
        """Show a row."""
        self.field_box.choose(row.field)
        self.form_box.setCurrentIndex(self.form_box.findData(row.is_range))
        self.scale.setCurrentIndex(self.scale.findData(row.scale))
        for edit, text in (
            (self.values, row.values),
            (self.low, row.low),
            (self.high, row.high),
            (self.step, row.step),
            (self.count, row.count),
        ):
            edit.setText(text)
        self._show_form()

    def offer(self, fields: Sequence[str], networks: Sequence[str]) -> None:
        """List these fields, and these networks besides those of the gallery."""
        self._networks = list(networks)
        self.field_box.offer(fields)
        self._show_choices()

    def keep_field(self, there: str) -> None:
        """Only its values can be changed; the field stays, and `there` are its values so far."""
        self._is_kept = True
        self.there.setText(self.tr("So far: {values}").format(values=there))
        self.there.show()
        self.field_box.setEnabled(False)
        self.field_box.setToolTip(self.tr("This sweep varies it."))
        self.remove_button.hide()
        for part in (self.scale, self.step, self.count):
            part.hide()
        self._show_form()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Say what is wrong; nothing takes it back."""
        lines = [f"{each.message[:1].upper()}{each.message[1:]} {each.hint}" for each in problems]
        serious = any(each.serious for each in problems)
        text = "\n".join(line.strip() for line in lines)
        self.hint.show_text(text, "problem" if serious else "advice")

    def _line(self, name: str, shown: str) -> QLineEdit:
        edit = QLineEdit(self)
        edit.setAccessibleName(name)
        edit.setToolTip(name)
        edit.setPlaceholderText(shown)
        return edit

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(SPACE.s)
        first.addWidget(self.field_box, 1)
        first.addWidget(self.form_box)
        first.addWidget(self.remove_button)
        ends = QHBoxLayout(self._range)
        ends.setContentsMargins(0, 0, 0, 0)
        ends.setSpacing(SPACE.s)
        for edit in (self.low, self.high, self.step, self.count):
            edit.setMinimumWidth(_END_WIDTH)
            ends.addWidget(edit, 1)
        ends.insertWidget(2, self.scale)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addLayout(first)
        column.addWidget(self.there)
        listed = QHBoxLayout()
        listed.setSpacing(SPACE.s)
        listed.addWidget(self.values, 1)
        listed.addWidget(self.choices)
        column.addLayout(listed)
        column.addWidget(self._range)
        column.addWidget(self.hint)

    def _connect(self) -> None:
        self.field_box.chosen.connect(self._on_field)
        self.form_box.activated.connect(self._on_form)
        self.scale.activated.connect(self._on_form)
        self.remove_button.clicked.connect(self.removed)
        for edit in (self.values, self.low, self.high, self.step, self.count):
            edit.textEdited.connect(self._on_edited)
        self.values.textChanged.connect(self._on_values)
        self.choices.ticked.connect(self._on_ticked)

    def _on_field(self) -> None:
        self.values.clear()
        self.scale.setCurrentIndex(self.scale.findData(usual_scale(self.field_box.field)))
        self._on_form()

    def _on_form(self, _index: int = 0) -> None:
        self._show_form()
        self.changed.emit()

    def _on_edited(self, _text: str) -> None:
        self.changed.emit()

    def _on_values(self, text: str) -> None:
        self.choices.tick(words_of(text))

    def _on_ticked(self, chosen: list[str]) -> None:
        known = [value for value, _ in self._choices()]
        self.values.setText(ticked(self.values.text(), known, chosen))
        self.changed.emit()

    def _choices(self) -> list[tuple[str, str]]:
        field = self.field_box.field
        own = self._networks if field == NETWORK else []
        known = [(value, plan_text(label)) for value, label in choices_of(field)]
        return [*((name, name) for name in own), *known]

    def _show_choices(self) -> None:
        self.choices.set_choices(self._choices())
        self.choices.tick(words_of(self.values.text()))

    def _show_form(self) -> None:
        may = can_be_range(self.field_box.field)
        if not may:
            self.form_box.setCurrentIndex(0)
        why_not = self.tr("It stays what it is.") if may else self.tr("Only numbers have ranges.")
        self.form_box.setEnabled(may and not self._is_kept)
        self.form_box.setToolTip("" if self.form_box.isEnabled() else why_not)
        is_range = bool(self.form_box.currentData())
        self.values.setVisible(not is_range)
        self._range.setVisible(is_range)
        self._show_choices()
        self.values.setPlaceholderText(
            self.tr("For example {values}").format(values=example(self.field_box.field))
        )
        is_log = self.scale.currentData() == "log"
        self.step.setEnabled(not is_log)
        self.step.setToolTip(
            self.tr("A logarithmic range has no step.") if is_log else self.tr("Step")
        )
