"""Settings of the window, stored between two starts."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, cast, get_args

import platformdirs
from PySide6.QtCore import QByteArray, QObject, Signal

from studio.engine.assets import window_languages
from studio.engine.errors import StudioError
from studio.ui.language import SYSTEM
from studio.ui.settings_file import SettingsFile
from studio.ui.shortcuts import Shortcuts
from studio.ui.theme.theme import Mode
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.overlay import OverlayMode, OverlayStyle

RECENT = 8
MAX_CHOICES: Final = 8
"""Number of remembered choices in the palette."""
MAX_SECONDS: Final = 86_400
"""Most seconds from which a job counts as long."""
MAX_MINUTES: Final = 1440
"""Most idle minutes before the engine host ends."""
PERCENTS: Final = (50, 300)
"""Range of the size of text and controls."""
MEGABYTES: Final = (16, 8192)
"""Range of the memory for thumbnails."""
_LONGEST_PATH: Final = 4096
_SETTLE_MS: Final = 300
"""Pause after a change before the file is written: dragging a splitter makes many changes."""


class Settings(QObject):
    """The user's settings file, read at the start and written after changes.

    The environment variable `STUDIO_SETTINGS` names another file.

    Attributes:
        path: The file.
        problem: Reason why the file could not be read; None if it was.
        applied_percent: Size of text and controls when the window was started.

    Signals:
        failed: The `StudioError` of a file that cannot be written, once until writing works again.
        expert_changed: True if forms show all settings now.
        run_defaults_changed: The default values of new runs changed (no arguments).
        overlay_changed: Regions over pictures are painted in another way now (no arguments).
        idle_changed: Processes end after this many idle seconds now.
    """

    failed = Signal(object)
    expert_changed = Signal(bool)
    idle_changed = Signal(float)
    run_defaults_changed = Signal()
    overlay_changed = Signal()
    _written = Signal(object)

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        named = os.environ.get("STUDIO_SETTINGS")
        self.path = path or (
            Path(named) if named else platformdirs.user_config_path("Studio") / "window.json"
        )
        self._settling = Debounce(_SETTLE_MS, self._save_in_background, self)
        self._writer = ThreadPoolExecutor(1, "settings")
        self._file = SettingsFile(self.path, self._settling.start)
        self._has_failed = False
        self._written.connect(self._on_written)
        self.problem = self._file.problem
        self.applied_percent = self.interface_percent
        self.shortcuts = Shortcuts(self._file)

    def save(self) -> None:
        """Write the changes now; emits `failed` if that is not possible."""
        self._settling.stop()
        self._on_written(self._error_of_writing())

    def _save_in_background(self) -> None:
        """Write the changes in another thread: a busy disk takes seconds."""
        self._writer.submit(self._write)

    def _write(self) -> None:
        error = self._error_of_writing()
        with contextlib.suppress(RuntimeError):  # the window was closed meanwhile
            self._written.emit(error)

    def _error_of_writing(self) -> StudioError | None:
        try:
            self._file.save()
        except StudioError as error:
            return error
        return None

    def _on_written(self, error: StudioError | None) -> None:
        if error is not None and not self._has_failed:
            self.failed.emit(error)
        self._has_failed = error is not None

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
        """Workspaces that were open, newest first; some may no longer exist."""
        found = map(_path, self._list("recent_workspaces"))
        return [path for path in found if path is not None]

    @property
    def recent_choices(self) -> list[str]:
        """Keys of the items chosen in the palette, newest first."""
        return self._list("palette")

    def remember_choice(self, key: str) -> None:
        """Remember an item chosen in the palette."""
        rest = [each for each in self.recent_choices if each != key]
        self._file.put("palette", [key, *rest][:MAX_CHOICES])

    @property
    def notifies(self) -> bool:
        """True if a system notification reports the end of long jobs."""
        return self._text("notifications") != "off"

    @notifies.setter
    def notifies(self, on: bool) -> None:
        self._file.put("notifications", "on" if on else "off")

    @property
    def long_job_seconds(self) -> int:
        """Duration in seconds from which a job counts as long."""
        return self._number("long_work", 30, 0, MAX_SECONDS)

    @long_job_seconds.setter
    def long_job_seconds(self, seconds: int) -> None:
        self._file.put("long_work", seconds)

    @property
    def thumbnail_megabytes(self) -> int:
        """Memory for thumbnails in each view of pictures, in MB."""
        return self._number("thumbnails", 128, *MEGABYTES)

    @thumbnail_megabytes.setter
    def thumbnail_megabytes(self, size: int) -> None:
        self._file.put("thumbnails", size)

    @property
    def engine_minutes(self) -> int:
        """Idle minutes after which the engine host ends; 0 for never."""
        return self._number("engine_minutes", 5, 0, MAX_MINUTES)

    @engine_minutes.setter
    def engine_minutes(self, minutes: int) -> None:
        self._file.put("engine_minutes", minutes)
        self.idle_changed.emit(self.engine_seconds)

    @property
    def engine_seconds(self) -> float:
        """Idle seconds after which the engine host ends."""
        return 60.0 * self.engine_minutes or math.inf

    @property
    def run_defaults(self) -> dict[str, Any]:
        """Values of new runs that differ from the defaults, by field of the training plan."""
        try:
            found = json.loads(self._text("run_defaults") or "{}")
        except (ValueError, RecursionError):
            return {}  # edited by hand
        return found if isinstance(found, dict) else {}

    @run_defaults.setter
    def run_defaults(self, values: Mapping[str, Any]) -> None:
        self._file.put("run_defaults", json.dumps(dict(values)))
        self.run_defaults_changed.emit()

    @property
    def overlay(self) -> OverlayStyle:
        """Appearance of regions over pictures on all pages; hidden classes are not stored."""
        mode = self._text("overlay/mode")
        opacity = self._number("overlay/opacity", 60, 0, 100) / 100
        if mode not in get_args(OverlayMode):
            return OverlayStyle(opacity=opacity)
        return OverlayStyle(cast("OverlayMode", mode), opacity)

    @overlay.setter
    def overlay(self, style: OverlayStyle) -> None:
        self._file.put("overlay/mode", style.mode)
        self._file.put("overlay/opacity", round(style.opacity * 100))
        self.overlay_changed.emit()

    @property
    def theme(self) -> Mode:
        """The mode of the colors."""
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
        """True if forms show all settings, not some behind "More"."""
        return self._text("expert") == "yes"

    @is_expert.setter
    def is_expert(self, requested: bool) -> None:
        if requested != self.is_expert:
            self._file.put("expert", "yes" if requested else "no")
            self.expert_changed.emit(requested)

    @property
    def interface_percent(self) -> int:
        """Size of text and controls in percent; 0 for the system's text size."""
        return self._number("interface_percent", 0, *PERCENTS)

    @interface_percent.setter
    def interface_percent(self, percent: int) -> None:
        self._file.put("interface_percent", percent)

    @property
    def page(self) -> str:
        """Name of the page that was shown last; empty before the first start."""
        return self._text("page")

    @page.setter
    def page(self, name: str) -> None:
        self._file.put("page", name)

    @property
    def geometry(self) -> QByteArray | None:
        """Position and size of the window, in Qt's own format."""
        return self.bytes("geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self.set_bytes("geometry", value)

    def bytes(self, key: str) -> QByteArray | None:
        """Return the stored state of a splitter, table or window, or None."""
        value = self._file.value(key)
        return QByteArray(value) if isinstance(value, bytes) and value else None

    def set_bytes(self, key: str, value: QByteArray) -> None:
        """Store the state of a splitter, table or window.

        Args:
            key: Name of the setting.
            value: State of the widget.
        """
        self._file.put(key, bytes(value.data()))

    def text(self, key: str) -> str | None:
        """Return a stored text, or None."""
        value = self._file.value(key)
        return value if isinstance(value, str) else None

    def set_text(self, key: str, text: str) -> None:
        """Store a text.

        Args:
            key: Name of the setting.
            text: The text.
        """
        self._file.put(key, text)

    def folder(self, key: str) -> Path:
        """Return the folder that was used last for a purpose, or the user's home."""
        path = _path(self._text(f"folders/{key}"))
        return path if path is not None and path.is_dir() else Path.home()

    def set_folder(self, key: str, path: Path) -> None:
        """Store the folder last used for a purpose.

        Args:
            key: The purpose.
            path: The folder.
        """
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
    """Return a path; None if it is empty or too long for any disk."""
    path = Path(text)
    fits = len(text) < _LONGEST_PATH and all(len(part.encode()) < 256 for part in path.parts)
    return path if text and fits else None
