"""The keys of all commands: the usual ones, and those that the user chose instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton

from studio.ui.commands import Command, Reach
from studio.ui.settings_file import SettingsFile

Target = QAction | QShortcut | QAbstractButton
_GROUP: Final = "shortcuts"
_FORMAT: Final = QKeySequence.SequenceFormat


class Shortcuts(QObject):
    """Which keys each command has; what is bound to a command follows at once.

    Args:
        file: Where the user's choices are kept.

    Signals:
        changed: The name of a command that has other keys now.
    """

    changed = Signal(str)

    def __init__(self, file: SettingsFile) -> None:
        super().__init__()
        self._file = file
        self._known: dict[str, Command] = {}

    @property
    def commands(self) -> list[Command]:
        """All commands of the window, in the order in which they are listed."""
        return list(self._known.values())

    def know(self, commands: Sequence[Command]) -> None:
        """Say which commands there are."""
        self._known = {command.name: command for command in commands}

    def keys(self, command: Command) -> list[QKeySequence]:
        """The keys of a command; none where the user took them away."""
        chosen = self._file.value(_place(command))
        if isinstance(chosen, str) and command.reach is not Reach.FIXED:
            return [keys for keys in QKeySequence.listFromString(chosen) if not keys.isEmpty()]
        return command.usual_keys()

    def text(self, command: Command) -> str:
        """The keys as the keyboard of this machine shows them, empty where there are none."""
        return QKeySequence.listToString(self.keys(command), _FORMAT.NativeText)

    def short_text(self, command: Command) -> str:
        """The first keys alone, where there is little room."""
        return next((keys.toString(_FORMAT.NativeText) for keys in self.keys(command)), "")

    def tip(self, text: str, command: Command) -> str:
        """A tip with the first keys behind it, where there are any."""
        keys = self.short_text(command)
        return f"{text} ({keys})" if keys else text

    def is_usual(self, command: Command) -> bool:
        """Whether the user left the keys as they were."""
        return self._file.value(_place(command)) is None

    def clash(self, command: Command, keys: QKeySequence) -> Command | None:
        """Another command that has these keys, or keys that begin with them, or None."""
        return next(
            (
                other
                for other in self._known.values()
                if command.clashes(other)
                and any(_meet(keys, theirs) for theirs in self.keys(other))
            ),
            None,
        )

    def choose(self, command: Command, keys: QKeySequence) -> None:
        """Give a command other keys; empty ones take them away."""
        if [keys] == command.usual_keys():
            self.reset(command)
            return
        self._file.put(_place(command), QKeySequence.listToString([keys]))
        self.changed.emit(command.name)

    def reset(self, command: Command) -> None:
        """Give a command its usual keys."""
        self._file.remove(_place(command))
        self.changed.emit(command.name)

    def reset_all(self) -> None:
        """Give all commands their usual keys."""
        chosen = [command for command in self.commands if not self.is_usual(command)]
        for name in self._file.names():
            if name.startswith(f"{_GROUP}/"):
                self._file.remove(name)
        for command in chosen:
            self.changed.emit(command.name)

    def bind(self, target: Target, command: Command) -> None:
        """Give an action, a shortcut or a button the keys of a command, now and later."""
        _Binding(self, target, command)


class _Binding(QObject):
    """Lives as long as its target, and keeps its keys those of a command."""

    def __init__(self, shortcuts: Shortcuts, target: Target, command: Command) -> None:
        super().__init__(target)
        self._shortcuts = shortcuts
        self._target = target
        self._command = command
        shortcuts.changed.connect(self._on_changed)
        self._give()

    def _on_changed(self, name: str) -> None:
        if name == self._command.name:
            self._give()

    def _give(self) -> None:
        keys = self._shortcuts.keys(self._command)
        if isinstance(self._target, QAction):
            self._target.setShortcuts(keys)
        elif isinstance(self._target, QShortcut):
            self._target.setKeys(keys)
        else:
            self._target.setShortcut(keys[0] if keys else QKeySequence())


def _place(command: Command) -> str:
    return f"{_GROUP}/{command.name}"


def _meet(one: QKeySequence, other: QKeySequence) -> bool:
    """Whether one of two key sequences is the beginning of the other."""
    none = QKeySequence.SequenceMatch.NoMatch
    if one.isEmpty() or other.isEmpty():
        return False
    return one.matches(other) != none or other.matches(one) != none
