"""Tools for numbers: a field for each quantity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import NumbersValue, Value
from studio.engine.tasks.metric import with_unit
from studio.ui.forms.numbers import format_number, parse_number
from studio.ui.pages.label.tools.tools import EditTools
from studio.ui.widgets.tips import explain


class NumberFields(QWidget):
    """A field for each quantity; Enter goes to the next one and, in the last, confirms.

    Signals:
        confirmed: Enter was pressed in the last field.
    """

    confirmed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.fields: list[QLineEdit] = []
        self._names: list[str] = []

    def show_fields(self, classes: Sequence[LabelClass], value: Value | None) -> None:
        """Show the quantities of a picture.

        Args:
            classes: The quantities.
            value: Its value; None if it is undecided.
        """
        names = [with_unit(each.name, each.unit) for each in classes]
        if names != self._names:
            while self.form.rowCount():
                self.form.removeRow(0)
            self.fields, self._names = [], names
            for name in names:
                field = QLineEdit(self)
                field.setAccessibleName(name)
                explain(field, self.tr("A number; Enter goes to the next field."))
                field.returnPressed.connect(partial(self._on_return, len(self.fields)))
                self.form.addRow(name, field)
                self.fields.append(field)
        is_known = value is not None and not value.is_excluded
        numbers = value.targets(len(names)) if value and is_known else [math.nan] * len(names)
        for field, number in zip(self.fields, numbers, strict=True):
            field.setText("" if math.isnan(number) else format_number(number, self.locale()))

    def focus(self, index: int) -> None:
        """Go to a field."""
        if index < len(self.fields):
            self.fields[index].setFocus()
            self.fields[index].selectAll()

    @property
    def is_filled(self) -> bool:
        """True if something was typed."""
        return any(field.text().strip() for field in self.fields)

    def value(self) -> NumbersValue | None:
        """Return the typed numbers; None where one cannot be read."""
        numbers: list[float] = []
        for field in self.fields:
            number = parse_number(field.text(), self.locale())
            if number is None or not math.isfinite(number):
                self.focus(self.fields.index(field))
                return None
            numbers.append(number)
        return NumbersValue(numbers=tuple(numbers))

    def _on_return(self, at: int) -> None:
        if at + 1 < len(self.fields):
            self.focus(at + 1)
        else:
            self.confirmed.emit()


class NumberTools(EditTools):
    """Numbers are typed into fields; a key goes to the field of a quantity."""

    def _make(self, parent: QWidget) -> None:
        super()._make(parent)
        self.fields = self.numbers = NumberFields(parent)
        self.numbers.confirmed.connect(self._decide)

    @property
    def title(self) -> str:
        """Title above the quantities."""
        return self.tr("Quantities")

    def begin(self) -> None:
        """Show the numbers of another picture."""
        self.show_classes()
        if self.session.current >= 0:
            self.numbers.focus(0)

    def show_classes(self) -> None:
        """Show a field for each quantity."""
        self.numbers.show_fields(self.session.labeling.classes, self.session.value)

    def choose(self, index: int) -> None:
        """Go to the field of a quantity; see `EditTools.choose`."""
        self.numbers.focus(index)

    def clicked(self, index: int) -> None:
        """Go to the field of a quantity, and stay there."""
        self.choose(index)

    def confirm(self) -> bool:
        """Give the picture the typed numbers; see `EditTools.confirm`."""
        is_filled = self.numbers.is_filled
        if is_filled:
            self._decide()
        return is_filled

    def _decide(self) -> None:
        value = self.numbers.value()
        if value is None:
            self.problem.emit(self.tr("Type a number in each field."))
        else:
            self.session.decide(value, "typed")

    def proposed_text(self, proposal: Proposal) -> str:
        """Return the proposed numbers; see `EditTools.proposed_text`."""
        numbers = self.session.labeling.caption(proposal.value)
        return self.tr("Proposed: {numbers}").format(numbers=numbers)
