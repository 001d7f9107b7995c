"""What the window remembers between two starts: where it was, how it looked, what it spoke."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast, get_args

import platformdirs
from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from studio.ui.language import Language
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Mode

RECENT = 8
MOST_CHOICES: Final = 8
"""Choices in the palette that are remembered."""


class Settings(QObject):
    """A small file of the user's, read at the start and written when something changes.

    `STUDIO_SETTINGS` names another file, for tests and for people with several set-ups.

    Signals:
        expert_changed: Whether forms show all settings from now on.
        run_defaults_changed: New runs begin with other values (carries nothing).
    """

    expert_changed = Signal(bool)
    run_defaults_changed = Signal()

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        named = os.environ.get("STUDIO_SETTINGS")
        self.path = path or (
            Path(named) if named else platformdirs.user_config_path("Studio") / "window.ini"
        )
        self._file = QSettings(str(self.path), QSettings.Format.IniFormat)
        self.shortcuts = Shortcuts(self._file)

    @property
    def workspace(self) -> Path | None:
        """The workspace that was open last."""
        text = self._text("workspace")
        return Path(text) if text else None

    @workspace.setter
    def workspace(self, path: Path) -> None:
        self._file.setValue("workspace", str(path))
        latest = [path, *(each for each in self.recent_workspaces if each != path)]
        words = json.dumps([str(each) for each in latest[:RECENT]])
        self._file.setValue("recent_workspaces", words)

    @property
    def recent_workspaces(self) -> list[Path]:
        """The workspaces that were open, the last one first; some may be gone by now."""
        text = self._text("recent_workspaces")
        try:
            words = json.loads(text) if text else []
        except ValueError:  # somebody edited the file: as if nothing was remembered
            return []
        return [Path(word) for word in words if isinstance(word, str)]

    @property
    def recent_choices(self) -> list[str]:
        """Keys of what was chosen in the palette, the last one first."""
        return self._list("palette")

    def remember_choice(self, key: str) -> None:
        """Remember what was chosen in the palette."""
        rest = [each for each in self.recent_choices if each != key]
        self._set_list("palette", [key, *rest][:MOST_CHOICES])

    @property
    def tells_ends(self) -> bool:
        """Whether the system tells of long work that ended while the window was not in front."""
        return self._text("notifications") != "off"

    @tells_ends.setter
    def tells_ends(self, on: bool) -> None:
        self._file.setValue("notifications", "on" if on else "off")

    @property
    def long_work(self) -> int:
        """Seconds from which on work is long, for telling of its end."""
        return self._number("long_work", 30)

    @long_work.setter
    def long_work(self, seconds: int) -> None:
        self._file.setValue("long_work", seconds)

    @property
    def thumbnail_megabytes(self) -> int:
        """How much of decoded thumbnails each view of pictures keeps in memory."""
        return self._number("thumbnails", 128)

    @thumbnail_megabytes.setter
    def thumbnail_megabytes(self, size: int) -> None:
        self._file.setValue("thumbnails", size)

    @property
    def run_defaults(self) -> dict[str, Any]:
        """Fields of a training plan that new runs begin with, where they are not the usual."""
        try:
            found = json.loads(self._text("run_defaults") or "{}")
        except ValueError:
            return {}  # edited by hand; the usual values are as good a start
        return found if isinstance(found, dict) else {}

    @run_defaults.setter
    def run_defaults(self, values: Mapping[str, Any]) -> None:
        self._file.setValue("run_defaults", json.dumps(dict(values)))
        self.run_defaults_changed.emit()

    @property
    def theme(self) -> Mode:
        """Light, dark, or as the system is."""
        text = self._text("theme")
        return cast("Mode", text) if text in get_args(Mode) else "system"

    @theme.setter
    def theme(self, mode: Mode) -> None:
        self._file.setValue("theme", mode)

    @property
    def language(self) -> Language:
        """The language of the window, or that of the system."""
        text = self._text("language")
        return cast("Language", text) if text in get_args(Language) else "system"

    @language.setter
    def language(self, language: Language) -> None:
        self._file.setValue("language", language)

    @property
    def is_expert(self) -> bool:
        """Whether forms show all settings at once, instead of a few and the rest behind "More"."""
        return self._text("expert") == "yes"

    @is_expert.setter
    def is_expert(self, wanted: bool) -> None:
        if wanted != self.is_expert:
            self._file.setValue("expert", "yes" if wanted else "no")
            self.expert_changed.emit(wanted)

    @property
    def geometry(self) -> QByteArray | None:
        """Place and size of the window, in Qt's own form."""
        return self.bytes("geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._file.setValue("geometry", value)

    def bytes(self, key: str) -> QByteArray | None:
        """A remembered state of a splitter, table or window, or None."""
        value = self._file.value(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def set_bytes(self, key: str, value: QByteArray) -> None:
        """Remember the state of a splitter, table or window."""
        self._file.setValue(key, value)

    def folder(self, key: str) -> Path:
        """The folder that was used last for that purpose, or the user's home."""
        text = self._text(f"folders/{key}")
        return Path(text) if text and Path(text).is_dir() else Path.home()

    def set_folder(self, key: str, path: Path) -> None:
        """Remember the folder that was used for that purpose."""
        self._file.setValue(f"folders/{key}", str(path))

    def _text(self, key: str) -> str:
        value = self._file.value(key)
        return value if isinstance(value, str) else ""

    def _number(self, key: str, usual: int) -> int:
        text = str(self._file.value(key))
        return int(text) if text.isdecimal() else usual

    def _list(self, key: str) -> list[str]:
        value = self._file.value(key)
        if isinstance(value, str):  # a file of settings has no list of one
            return [value] if value else []
        return [str(each) for each in value] if isinstance(value, list) else []

    def _set_list(self, key: str, values: list[str]) -> None:
        self._file.setValue(key, values)
