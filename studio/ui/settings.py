"""What the window remembers between two starts: where it was, how it looked, what it spoke."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import cast, get_args

import platformdirs
from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from studio.ui.language import Language
from studio.ui.theme.theme import Mode

RECENT = 8


class Settings(QObject):
    """A small file of the user's, read at the start and written when something changes.

    `STUDIO_SETTINGS` names another file, for tests and for people with several set-ups.

    Signals:
        expert_changed: Whether forms show all settings from now on.
    """

    expert_changed = Signal(bool)

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        named = os.environ.get("STUDIO_SETTINGS")
        self.path = path or (
            Path(named) if named else platformdirs.user_config_path("Studio") / "window.ini"
        )
        self._file = QSettings(str(self.path), QSettings.Format.IniFormat)

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
