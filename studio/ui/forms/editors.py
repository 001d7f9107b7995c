"""Editors for single values with a common interface: `value`, `set_value`, `changed`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.engine.plans import FieldKind, PlanField
from studio.ui.forms.numbers import format_number, parse_number, stepped
from studio.ui.forms.switch import Switch
from studio.ui.language import translated
from studio.ui.theme.stylesheet import restyle
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.inputs import ComboBox, DoubleSpinBox, SpinBox
from studio.ui.widgets.layout import hbox, text_label

_LARGEST = 2**31 - 1
_NUMBER_WIDTH = 140
_CHOICE_WIDTH, _WIDEST_TEXT = 220, 420


class FieldEditor(QWidget):
    """Edits one value. `control` is the widget that takes the focus.

    Signals:
        changed: The user has changed the value; not emitted by `set_value`.
    """

    changed = Signal()

    def __init__(self, control: QWidget, unit: str = "") -> None:
        super().__init__()
        self.control = control
        self.setFocusProxy(control)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        row = hbox(control, owner=self, spacing=SPACE.s)
        if unit:
            label = text_label(unit, "muted", self)
            row.addWidget(label)
        row.addStretch(1)

    def value(self) -> object:
        """Return the value of the field; the raw text if it is invalid."""
        raise NotImplementedError

    def set_value(self, value: object) -> None:
        """Show a value without emitting `changed`."""
        raise NotImplementedError

    def set_wrong(self, *, wrong: bool) -> None:
        """Mark the value of the field as invalid."""
        if bool(self.control.property("wrong")) == wrong:
            return
        restyle(self.control, "wrong", wrong)

    def _emit(self) -> None:
        self.changed.emit()


class IntegerEditor(FieldEditor):
    """A whole number with a spin box that cannot leave the field's range."""

    def __init__(self, field: PlanField) -> None:
        low = -_LARGEST if field.minimum is None else int(field.minimum)
        high = _LARGEST if field.maximum is None else int(field.maximum)
        # Qt's box for whole numbers ends at 31 bits, and seeds have 32.
        self._spin = SpinBox() if high <= _LARGEST else DoubleSpinBox()
        super().__init__(self._spin)
        if isinstance(self._spin, DoubleSpinBox):
            self._spin.setDecimals(0)
        self._spin.setRange(low + field.minimum_excluded, high - field.maximum_excluded)
        self._spin.setSuffix(f" {unit_text(field.unit)}" if field.unit else "")
        self._spin.setFixedWidth(_NUMBER_WIDTH)
        self._spin.valueChanged.connect(self._emit)

    def value(self) -> int:
        """Return the number."""
        return int(self._spin.value())

    def set_value(self, value: object) -> None:
        """Show a number; anything else is ignored."""
        if isinstance(value, int):
            self._spin.blockSignals(True)
            self._spin.setValue(value)
            self._spin.blockSignals(False)


class NumberEdit(QLineEdit):
    """A line for a number; arrow keys, and the wheel where it has the focus, step it."""

    def __init__(self, field: PlanField) -> None:
        super().__init__()
        self._field = field

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down step the number."""
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        if event.key() in steps:
            self._step(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling past a form changes nothing."""
        if self.hasFocus() and event.angleDelta().y():
            self._step(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            event.ignore()

    def _step(self, up: int) -> None:
        field = self._field
        now = parse_number(self.text(), QLocale())
        if now is None or self.isReadOnly():
            return
        low, high = field.minimum, field.maximum
        span = None if low is None or high is None else high - low
        new = stepped(now, up, field.scale, span)
        if field.kind == FieldKind.INTEGER:
            new = float(round(new)) if round(new) != now else now + up
        too_low = low is not None and (new < low or (field.minimum_excluded and new == low))
        too_high = high is not None and (new > high or (field.maximum_excluded and new == high))
        if not (too_low or too_high):
            self.setText(format_number(new, QLocale()))
            self.textEdited.emit(self.text())


class NumberEditor(FieldEditor):
    """A number, typed as `0.001`, `1e-3` or in the notation of the locale.

    Empty means "none" where the field allows that. What cannot be read is handed on as text, so
    that the plan's own check says what is wrong with it.
    """

    def __init__(self, field: PlanField) -> None:
        self._field = field
        self._edit = NumberEdit(field)
        super().__init__(self._edit, unit_text(field.unit))
        self._edit.setFixedWidth(_NUMBER_WIDTH)
        if field.optional:
            self._edit.setPlaceholderText(self.tr("automatic"))
        self._edit.textEdited.connect(self._emit)

    def value(self) -> object:
        """Return the number, None where empty and allowed, or the text."""
        text = self._edit.text().strip()
        if not text and self._field.optional:
            return None
        number = parse_number(text, QLocale())
        if number is None:
            return text
        whole = self._field.kind == FieldKind.INTEGER and number.is_integer()
        return int(number) if whole else number

    def set_value(self, value: object) -> None:
        """Show a number, or nothing for None."""
        if isinstance(value, int | float):
            self._edit.setText(format_number(float(value), QLocale()))
        else:
            self._edit.setText("" if value is None else str(value))


class SwitchEditor(FieldEditor):
    """On or off."""

    def __init__(self, theme: Theme) -> None:
        self._switch = Switch(theme)
        super().__init__(self._switch)
        self._switch.clicked.connect(self._emit)

    def value(self) -> bool:
        """Return True if it is on."""
        return self._switch.isChecked()

    def set_value(self, value: object) -> None:
        """Switch on or off."""
        self._switch.setChecked(bool(value))


class ChoiceEditor(FieldEditor):
    """A choice among a few values, by their labels.

    Attributes:
        choices: All values, including disabled ones.
    """

    def __init__(self, field: PlanField, labels: tuple[str, ...]) -> None:
        self._combo = ComboBox()
        super().__init__(self._combo)
        self._combo.setMinimumWidth(_CHOICE_WIDTH)
        self.choices, self._labels = field.choices, labels
        self._is_optional = field.optional
        self._offered: Collection[str] = field.choices
        self._refused: Mapping[str, str] = {}
        self._fill()
        self._combo.activated.connect(self._emit)

    def value(self) -> object:
        """Return the value of the choice, not its label."""
        return self._combo.currentData()

    def set_value(self, value: object) -> None:
        """Choose; an unknown value chooses nothing."""
        self._combo.setCurrentIndex(self._combo.findData(None if value is None else str(value)))

    def restrict(self, offered: Collection[str], refused: Mapping[str, str]) -> None:
        """Offer only some choices.

        Args:
            offered: The choices that are listed.
            refused: Why some of these cannot be chosen.
        """
        if (set(offered), dict(refused)) != (set(self._offered), dict(self._refused)):
            self._offered, self._refused = offered, refused
            self._fill()

    def _fill(self) -> None:
        is_empty = self._combo.count() > 0 and self._combo.currentIndex() < 0
        chosen = self.value()
        self._combo.clear()
        if self._is_optional:
            self._combo.addItem(self.tr("Automatic"), None)
        for choice, label in zip(self.choices, self._labels, strict=True):
            if choice in self._offered:
                self._combo.addItem(label, choice)
        model = self._combo.model()
        for choice, reason in self._refused.items():
            index = self._combo.findData(choice)
            if index >= 0 and isinstance(model, QStandardItemModel):
                model.item(index).setEnabled(False)
                model.item(index).setToolTip(reason)
        index = self._combo.findData(chosen)
        self._combo.setCurrentIndex(-1 if is_empty else max(0, index))


class _TextEdit(QLineEdit):
    """A line that grows with its text up to a limit."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumWidth(_CHOICE_WIDTH)
        self.textChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        """Return the size that shows the text."""
        text = self.fontMetrics().horizontalAdvance(self.text()) + 2 * SPACE.m
        return QSize(min(max(_CHOICE_WIDTH, text), _WIDEST_TEXT), super().sizeHint().height())


class TextEditor(FieldEditor):
    """A line of text; empty means "none" where the field allows that.

    A list is shown with commas between its parts; its plan takes it back as text.
    """

    def __init__(self, field: PlanField) -> None:
        self._optional = field.optional
        self._edit = _TextEdit()
        super().__init__(self._edit, unit_text(field.unit))
        self._edit.textEdited.connect(self._emit)

    def value(self) -> str | None:
        """Return the text."""
        text = self._edit.text()
        return None if self._optional and not text else text

    def set_value(self, value: object) -> None:
        """Show a text, or a list."""
        parts = value if isinstance(value, list | tuple) else [value]
        words = [f"{part:g}" if isinstance(part, float) else str(part) for part in parts]
        self._edit.setText("" if value is None else ", ".join(words))
        self._edit.setCursorPosition(0)  # a long list shows how it begins


def make_editor(field: PlanField, labels: tuple[str, ...], theme: Theme) -> FieldEditor:
    """Return the editor for a field.

    Args:
        field: The field to edit; not a group.
        labels: Translated labels of the choices.
        theme: The theme.
    """
    if field.kind == FieldKind.CHOICE:
        return ChoiceEditor(field, labels)
    if field.kind == FieldKind.SWITCH:
        return SwitchEditor(theme)
    if field.kind == FieldKind.INTEGER and not field.optional:
        return IntegerEditor(field)
    if field.kind in (FieldKind.INTEGER, FieldKind.NUMBER):
        return NumberEditor(field)
    return TextEditor(field)


def unit_text(unit: str) -> str:
    """Return a unit of a plan in the user's language: epochs, images, px."""
    return translated(unit)
