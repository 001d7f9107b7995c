"""What can be done in the window, as data: for the palette, for keys, and for the list of both."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from studio.ui.navigation import Intent

Keys = QKeySequence.StandardKey | str | None


class Reach(enum.Enum):
    """Where the keys of a command count."""

    WINDOW = "window"
    """Everywhere; the command is in the palette."""
    PART = "part"
    """In one part of a page, which has the focus; it means nothing elsewhere."""
    FIXED = "fixed"
    """As `PART`, and nobody can change them: arrows, Enter and the like."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that can be done.

    Attributes:
        name: Stable name, such as `train.new`; the chosen keys are kept under it.
        text: Shown words.
        icon: Name of its icon; empty for none.
        keys: The usual keys; several are divided by `"; "`.
        words: Other words by which the palette finds it.
        page: The page that it belongs to; empty for the window's own.
        intent: What it opens; None where something else is to be done.
        reach: Where the keys count.
        context: The context in which `text` is translated.
    """

    name: str
    text: str
    icon: str = ""
    keys: Keys = None
    words: str = ""
    page: str = ""
    intent: Intent | None = None
    reach: Reach = Reach.WINDOW
    context: str = "commands"

    @property
    def is_offered(self) -> bool:
        """True if the palette can run it; others mean nothing without the focus."""
        return self.reach is Reach.WINDOW or self.intent is not None

    def label(self) -> str:
        """The shown words in the language in use."""
        return QCoreApplication.translate(self.context, self.text)

    def more_words(self) -> str:
        """The other words in the language in use."""
        return QCoreApplication.translate("commands", self.words) if self.words else ""

    def usual_keys(self) -> list[QKeySequence]:
        """The keys unless the user chose others; needs an application."""
        if self.keys is None:
            return []
        if isinstance(self.keys, str):
            return QKeySequence.listFromString(self.keys)
        return QKeySequence.keyBindings(self.keys)

    def clashes(self, other: Command) -> bool:
        """Whether the two must not have the same keys: of two such actions, neither is done."""
        anywhere = Reach.WINDOW in (self.reach, other.reach)
        return self.name != other.name and (anywhere or self.page == other.page)
