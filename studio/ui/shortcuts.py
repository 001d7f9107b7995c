"""The keyboard shortcuts of all commands: the defaults and the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton

from studio.ui.commands import Command, CommandScope
from studio.ui.settings_file import SettingsFile

Target = QAction | QShortcut | QAbstractButton
_GROUP: Final = "shortcuts"
_FORMAT: Final = QKeySequence.SequenceFormat


class Shortcuts(QObject):
    """The keys of each command; bound actions, shortcuts and buttons follow changes.

    Args:
        file: The file that stores the user's choices.

    Signals:
        changed: Name of a command whose keys changed.
    """

    changed = Signal(str)

    def __init__(self, file: SettingsFile) -> None:
        super().__init__()
        self._file = file
        self._known: dict[str, Command] = {}

    @property
    def commands(self) -> list[Command]:
        """All commands of the window, in listed order."""
        return list(self._known.values())

    def know(self, commands: Sequence[Command]) -> None:
        """Set the list of commands."""
        self._known = {command.name: command for command in commands}

    def keys(self, command: Command) -> list[QKeySequence]:
        """Return the keys of a command; empty if the user removed them."""
        chosen = self._file.value(_scope(command))
        if isinstance(chosen, str) and command.reach is not CommandScope.FIXED:
            return [keys for keys in QKeySequence.listFromString(chosen) if not keys.isEmpty()]
        return command.usual_keys()

    def text(self, command: Command) -> str:
        """Return the keys as text for this platform; empty if there are none."""
        return QKeySequence.listToString(self.keys(command), _FORMAT.NativeText)

    def short_text(self, command: Command) -> str:
        """Return the first keys as text."""
        return next((keys.toString(_FORMAT.NativeText) for keys in self.keys(command)), "")

    def tip(self, text: str, command: Command) -> str:
        """Return a tooltip with the shortcut of a command, if it has one.

        Args:
            text: The tooltip.
            command: The command.
        """
        keys = self.short_text(command)
        return f"{text} ({keys})" if keys else text

    def is_usual(self, command: Command) -> bool:
        """Return True if the command has its default keys."""
        return self._file.value(_scope(command)) is None

    def clash(self, command: Command, keys: QKeySequence) -> Command | None:
        """Return another command whose shortcut equals or extends these keys, or None.

        Args:
            command: The command.
            keys: Its new shortcut.
        """
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
        """Assign a shortcut to a command.

        Args:
            command: The command.
            keys: The keys; empty to remove the shortcut.
        """
        if [keys] == command.usual_keys():
            self.reset(command)
            return
        self._file.put(_scope(command), QKeySequence.listToString([keys]))
        self.changed.emit(command.name)

    def reset(self, command: Command) -> None:
        """Restore the default keys of a command."""
        self._file.remove(_scope(command))
        self.changed.emit(command.name)

    def reset_all(self) -> None:
        """Restore the default keys of all commands."""
        chosen = [command for command in self.commands if not self.is_usual(command)]
        for name in self._file.names():
            if name.startswith(f"{_GROUP}/"):
                self._file.remove(name)
        for command in chosen:
            self.changed.emit(command.name)

    def bind(self, target: Target, command: Command) -> None:
        """Bind an action, shortcut or button to the keys of a command.

        Args:
            target: The object.
            command: The command.
        """
        _Binding(self, target, command)


class _Binding(QObject):
    """Updates the keys of its target, which owns it."""

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


def _scope(command: Command) -> str:
    return f"{_GROUP}/{command.name}"


def _meet(one: QKeySequence, other: QKeySequence) -> bool:
    """Return True if one of two key sequences is a prefix of the other."""
    none = QKeySequence.SequenceMatch.NoMatch
    if one.isEmpty() or other.isEmpty():
        return False
    return one.matches(other) != none or other.matches(one) != none
