"""Rows of settings, and the search in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QDoubleSpinBox, QLabel, QSpinBox, QWidget

from studio.engine.workspace import Limits, read_limits, write_limits
from studio.ui.context import AppContext
from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.cards import Card
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import Debounce, hbox, vbox
from studio.ui.widgets.tips import allow, explain

SETTLE_MS: Final = 300
"""Pause after the last change before it is written."""


def fits(typed: str, texts: Iterable[str]) -> bool:
    """Return True if the texts contain all typed words."""
    whole = " ".join(texts).casefold()
    return all(word in whole for word in typed.casefold().split())


def changed_fields(values: dict[str, object], usual: dict[str, object]) -> dict[str, object]:
    """Return the fields that differ from the defaults."""
    return {name: value for name, value in values.items() if usual.get(name) != value}


class SettingRow(QWidget):
    """A row of a group.

    Args:
        title: Name of the setting.
        help_text: Its effect, in one line.
        controls: Its controls; the first is labeled with the title.
        words: Further words by which it is found.
    """

    def __init__(
        self,
        title: str,
        help_text: str,
        *controls: QWidget,
        words: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.title, self.help_text, self._words = title, help_text, words
        name = QLabel(title, self)
        name.setBuddy(controls[0])
        self.help = HintLabel(help_text, "help", self)
        self.note = HintLabel("", "advice", self)
        if not controls[0].accessibleName():
            controls[0].setAccessibleName(title)
        controls[0].setAccessibleDescription(help_text)
        for control in controls:
            if not control.whatsThis():
                explain(control, help_text)
        texts = vbox(name, self.help, self.note, spacing=2)
        hbox((texts, 1), *((control, 0) for control in controls), owner=self, spacing=SPACE.l)
        self.setMinimumHeight(CONTROL_HEIGHT + SPACE.s)

    def texts(self) -> tuple[str, ...]:
        """Return the texts that are searched."""
        return self.title, self.help_text, self._words


class SettingGroup(Card):
    """A group of settings under a heading.

    Args:
        name: Stable name, for `OpenSettings`.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.name, self.title = name, ""
        self.body.setSpacing(SPACE.l)
        self._rows: list[SettingRow] = []

    def set_title(self, title: str) -> None:
        """Show a heading, which is also searched."""
        self.title = title
        super().set_title(title)

    def add(self, title: str, help_text: str, *controls: QWidget, words: str = "") -> SettingRow:
        """Add a setting at the end and return it; see `SettingRow`."""
        row = SettingRow(title, help_text, *controls, words=words)
        self._rows.append(row)
        self.body.addWidget(row)
        return row

    def rows(self) -> list[SettingRow]:
        """Return the settings."""
        return list(self._rows)

    def first_control(self) -> QWidget | None:
        """Return the first control that Tab reaches; None if all are disabled."""
        for widget in self.findChildren(QWidget):
            is_reached = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            if is_reached and widget.isEnabled() and widget.isVisibleTo(self):
                return widget
        return None

    def search(self, typed: str) -> bool:
        """Show matching settings only; return True if there are any."""
        shown = []
        for row in self._rows:
            row.setVisible(fits(typed, (self.title, *row.texts())))
            shown.append(not row.isHidden())
        self.setVisible(any(shown) or self.finds_more(typed))
        return not self.isHidden()

    def finds_more(self, typed: str) -> bool:
        """Return True if the group has other content that matches."""
        del typed
        return False


class WorkspaceLimits(QObject):
    """Shows limits of the workspace in controls, and stores what the user changes.

    Args:
        context: The workspace.
        controls: Spin boxes, switches and choices by the names of their limits.
        parent: Owner.
    """

    def __init__(
        self, context: AppContext, controls: Mapping[str, QWidget], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._controls = controls
        self._settle = Debounce(SETTLE_MS, self._write, self)
        for control in controls.values():
            allow(control, self.tr("Reading the limits of the workspace…"))
        work = partial(read_limits, context.workspace.root)
        context.background.run(self, work, self._on_read)

    def _on_read(self, limits: Limits) -> None:
        for name, control in self._controls.items():
            _show(control, getattr(limits, name))
            allow(control)
            if isinstance(control, QAbstractButton):
                control.toggled.connect(self._on_changed)
            elif isinstance(control, ComboBox):
                control.activated.connect(self._on_changed)
            elif isinstance(control, QSpinBox | QDoubleSpinBox):
                control.valueChanged.connect(self._on_changed)

    def _on_changed(self) -> None:
        self._settle.start()

    def _write(self) -> None:
        changes = {name: _value_of(control) for name, control in self._controls.items()}
        work = partial(_store, self._context.workspace.root, changes)
        self._context.background.run(self, work, self._context.jobs.wake)


def _show(control: QWidget, value: object) -> None:
    if isinstance(control, ComboBox):
        control.choose(value)
    else:
        control.metaObject().userProperty().write(control, value)


def _value_of(control: QWidget) -> object:
    if isinstance(control, ComboBox):
        return control.currentData()
    return control.metaObject().userProperty().read(control)


def _store(root: Path, changes: Mapping[str, object]) -> None:
    """Store limits, in another thread."""
    write_limits(root, read_limits(root).changed(**changes))
