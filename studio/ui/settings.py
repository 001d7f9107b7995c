"""What the window remembers between two starts: where it was, how it looked, what it spoke."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast, get_args

import platformdirs
from PySide6.QtCore import QByteArray, QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.languages import window_languages
from studio.ui.language import SYSTEM
from studio.ui.settings_file import SettingsFile
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Mode
from studio.ui.widgets.layout import Debounce

RECENT = 8
MOST_CHOICES: Final = 8
"""Choices in the palette that are remembered."""
MOST_SECONDS: Final = 86_400
"""Of long work, whose end is told."""
MOST_MINUTES: Final = 1440
"""Without a question until the prediction engine ends."""
MEGABYTES: Final = (16, 8192)
"""Least and most memory for thumbnails."""
_LONGEST_PATH: Final = 4096
_SETTLE_MS: Final = 300
"""Quiet after a change before the file is written: a splitter is dragged in many steps."""


class Settings(QObject):
    """A small file of the user's, read at the start and written when something changes.

    `STUDIO_SETTINGS` names another file, for tests and for people with several set-ups.

    Attributes:
        path: The file.
        problem: Why what was in it is not known; None where it is.

    Signals:
        failed: The `StudioError` of a file that cannot be written, once until it can be again;
            what was set counts until the window closes.
        expert_changed: Whether forms show all settings from now on.
        run_defaults_changed: New runs begin with other values (carries nothing).
    """

    failed = Signal(object)
    expert_changed = Signal(bool)
    run_defaults_changed = Signal()

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        named = os.environ.get("STUDIO_SETTINGS")
        self.path = path or (
            Path(named) if named else platformdirs.user_config_path("Studio") / "window.json"
        )
        self._settling = Debounce(_SETTLE_MS, self.save, self)
        self._file = SettingsFile(self.path, self._settling.start)
        self._has_failed = False
        self.problem = self._file.problem
        self.shortcuts = Shortcuts(self._file)

    def save(self) -> None:
        """Write what changed, now; `failed` tells where that is not possible."""
        self._settling.stop()
        try:
            self._file.save()
        except StudioError as error:
            if not self._has_failed:
                self._has_failed = True
                self.failed.emit(error)
        else:
            self._has_failed = False

    @property
    def workspace(self) -> Path | None:
        """The workspace that was open last."""
        return _path(self._text("workspace"))

    @workspace.setter
    def workspace(self, path: Path) -> None:
        self._file.put("workspace", str(path))
        latest = [path, *(each for each in self.recent_workspaces if each != path)]
        self._file.put("recent_workspaces", [str(each) for each in latest[:RECENT]])

    @property
    def recent_workspaces(self) -> list[Path]:
        """The workspaces that were open, the last one first; some may be gone by now."""
        found = map(_path, self._list("recent_workspaces"))
        return [path for path in found if path is not None]

    @property
    def recent_choices(self) -> list[str]:
        """Keys of what was chosen in the palette, the last one first."""
        return self._list("palette")

    def remember_choice(self, key: str) -> None:
        """Remember what was chosen in the palette."""
        rest = [each for each in self.recent_choices if each != key]
        self._file.put("palette", [key, *rest][:MOST_CHOICES])

    @property
    def tells_ends(self) -> bool:
        """Whether the system tells of long work that ended while the window was not in front."""
        return self._text("notifications") != "off"

    @tells_ends.setter
    def tells_ends(self, on: bool) -> None:
        self._file.put("notifications", "on" if on else "off")

    @property
    def long_work(self) -> int:
        """Seconds from which on work is long, for telling of its end."""
        return self._number("long_work", 30, 0, MOST_SECONDS)

    @long_work.setter
    def long_work(self, seconds: int) -> None:
        self._file.put("long_work", seconds)

    @property
    def thumbnail_megabytes(self) -> int:
        """How much of decoded thumbnails each view of pictures keeps in memory."""
        return self._number("thumbnails", 128, *MEGABYTES)

    @thumbnail_megabytes.setter
    def thumbnail_megabytes(self, size: int) -> None:
        self._file.put("thumbnails", size)

    @property
    def engine_minutes(self) -> int:
        """Minutes without a question after which the prediction engine ends; 0 for never."""
        return self._number("engine_minutes", 5, 0, MOST_MINUTES)

    @engine_minutes.setter
    def engine_minutes(self, minutes: int) -> None:
        self._file.put("engine_minutes", minutes)

    @property
    def engine_seconds(self) -> float:
        """Seconds without a question after which the prediction engine ends."""
        return 60.0 * self.engine_minutes or math.inf

    @property
    def run_defaults(self) -> dict[str, Any]:
        """Fields of a training plan that new runs begin with, where they are not the usual."""
        try:
            found = json.loads(self._text("run_defaults") or "{}")
        except (ValueError, RecursionError):
            return {}  # edited by hand; the usual values are as good a start
        return found if isinstance(found, dict) else {}

    @run_defaults.setter
    def run_defaults(self, values: Mapping[str, Any]) -> None:
        self._file.put("run_defaults", json.dumps(dict(values)))
        self.run_defaults_changed.emit()

    @property
    def theme(self) -> Mode:
        """Light, dark, or as the system is."""
        text = self._text("theme")
        return cast("Mode", text) if text in get_args(Mode) else "system"

    @theme.setter
    def theme(self, mode: Mode) -> None:
        self._file.put("theme", mode)

    @property
    def language(self) -> str:
        """The code of the language of the window, or `SYSTEM`."""
        text = self._text("language")
        return text if text in window_languages() else SYSTEM

    @language.setter
    def language(self, language: str) -> None:
        self._file.put("language", language)

    @property
    def is_expert(self) -> bool:
        """Whether forms show all settings at once, instead of a few and the rest behind "More"."""
        return self._text("expert") == "yes"

    @is_expert.setter
    def is_expert(self, wanted: bool) -> None:
        if wanted != self.is_expert:
            self._file.put("expert", "yes" if wanted else "no")
            self.expert_changed.emit(wanted)

    @property
    def geometry(self) -> QByteArray | None:
        """Place and size of the window, in Qt's own form."""
        return self.bytes("geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self.set_bytes("geometry", value)

    def bytes(self, key: str) -> QByteArray | None:
        """A remembered state of a splitter, table or window, or None."""
        value = self._file.value(key)
        return QByteArray(value) if isinstance(value, bytes) and value else None

    def set_bytes(self, key: str, value: QByteArray) -> None:
        """Remember the state of a splitter, table or window."""
        self._file.put(key, bytes(value.data()))

    def text(self, key: str) -> str | None:
        """A text that a part of a page remembers, or None."""
        value = self._file.value(key)
        return value if isinstance(value, str) else None

    def set_text(self, key: str, text: str) -> None:
        """Remember a text for a part of a page."""
        self._file.put(key, text)

    def folder(self, key: str) -> Path:
        """The folder that was used last for that purpose, or the user's home."""
        path = _path(self._text(f"folders/{key}"))
        return path if path is not None and path.is_dir() else Path.home()

    def set_folder(self, key: str, path: Path) -> None:
        """Remember the folder that was used for that purpose."""
        self._file.put(f"folders/{key}", str(path))

    def _text(self, key: str) -> str:
        return self.text(key) or ""

    def _number(self, key: str, usual: int, least: int, most: int) -> int:
        value = self._file.value(key)
        return value if isinstance(value, int) and least <= value <= most else usual

    def _list(self, key: str) -> list[str]:
        value = self._file.value(key)
        return value if isinstance(value, list) else []


def _path(text: str) -> Path | None:
    """A path, or None for none, and for one that no disk has: asking for that is an error."""
    path = Path(text)
    fits = len(text) < _LONGEST_PATH and all(len(part.encode()) < 256 for part in path.parts)
    return path if text and fits else None
