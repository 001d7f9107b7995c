"""Rows of settings, and the search in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.ui.theme.tokens import CONTROL_HEIGHT, SPACE
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.tips import explain


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
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(name)
        texts.addWidget(self.help)
        texts.addWidget(self.note)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addLayout(texts, 1)
        for control in controls:
            row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setMinimumHeight(CONTROL_HEIGHT + SPACE.s)

    def texts(self) -> tuple[str, ...]:
        """Return the texts that are searched."""
        return self.title, self.help_text, self._words


class SettingGroup(Card):
    """A group of settings under a heading.

    Args:
        name: Stable name, for `OpenSettings`.
        title: The heading.
    """

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.name, self.title = name, title
        self.body.setSpacing(SPACE.l)
        self._rows: list[SettingRow] = []

    def add_rows(self, rows: Sequence[SettingRow]) -> None:
        """Add settings at the end."""
        for row in rows:
            self._rows.append(row)
            self.body.addWidget(row)

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
