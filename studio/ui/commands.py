"""Commands of the window as data, for the palette and for shortcuts."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from studio.ui.navigation import Intent

Keys = QKeySequence.StandardKey | str | None


class CommandScope(enum.Enum):
    """The part of the window in which the keys of a command work."""

    WINDOW = "window"
    """Everywhere; the palette offers the command."""
    PART = "part"
    """In the part of a page that has the focus."""
    FIXED = "fixed"
    """As `PART`, but the keys cannot be changed: arrows, Enter and the like."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        name: Stable name, such as `train.new`; settings store the chosen keys under it.
        text: English label.
        icon: Name of its icon; empty for none.
        keys: Default keys; several are separated by `"; "`.
        words: Further words by which the palette finds it.
        page: Its page; empty for commands of the window.
        intent: Intent to open a page; None for other actions.
        reach: Scope of the shortcut.
    """

    name: str
    text: str
    icon: str = ""
    keys: Keys = None
    words: str = ""
    page: str = ""
    intent: Intent | None = None
    reach: CommandScope = CommandScope.WINDOW

    @property
    def is_offered(self) -> bool:
        """True if the palette can run it; others mean nothing without the focus."""
        return self.reach is CommandScope.WINDOW or self.intent is not None

    def label(self) -> str:
        """Return the label in the language of the window."""
        return QCoreApplication.translate("commands", self.text)

    def more_words(self) -> str:
        """Return the further words in the language of the window."""
        return QCoreApplication.translate("commands", self.words) if self.words else ""

    def usual_keys(self) -> list[QKeySequence]:
        """Return the default keys; needs an application."""
        if self.keys is None:
            return []
        if isinstance(self.keys, str):
            return QKeySequence.listFromString(self.keys)
        return QKeySequence.keyBindings(self.keys)

    def clashes(self, other: Command) -> bool:
        """Return True if the two must not share keys: Qt would run neither of them."""
        anywhere = CommandScope.WINDOW in (self.reach, other.reach)
        return self.name != other.name and (anywhere or self.page == other.page)
