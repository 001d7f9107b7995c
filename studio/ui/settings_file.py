"""The settings file: names and plain values as JSON. Free of Qt.

QSettings is not used: its files may hold pickled Python objects, which PySide unpickles, and so
executes, as soon as any value is read.
"""

from __future__ import annotations

import base64
import contextlib
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from studio.engine.errors import BadDataError, DiskFullError, StudioError
from studio.engine.files import DAMAGED, quarantine, write_atomically
from studio.engine.messages import message

Value = str | int | bytes | list[str]
_PATIENCE = 0.05
"""Seconds to wait for another process that reads the file: it may be the window's thread."""
_LARGEST: Final = 8 * 2**20


class SettingsFile:
    """Values by name; names may contain slashes, such as `shortcuts/train`.

    Changes of several windows are merged on writing; the last change of a value wins. All but
    `save` is called in one thread; `save` in any.

    Args:
        path: The file; it may be missing.
        changed: Called after each change, to schedule `save`.

    Attributes:
        problem: Reason why the file could not be read; None if it was.
    """

    def __init__(self, path: Path, changed: Callable[[], None]) -> None:
        self.path = path
        self.problem: BadDataError | None = None
        self._changed = changed
        self._changes: dict[str, Value | None] = {}
        self._values: dict[str, Value] = {}
        self._lock, self._writing = threading.Lock(), threading.Lock()
        try:
            self._values = _read(path)
        except BadDataError as error:
            self.problem = error

    def value(self, name: str) -> Value | None:
        """Return a value, or None."""
        return self._values.get(name)

    def names(self) -> list[str]:
        """Return the names of all values."""
        return list(self._values)

    def put(self, name: str, value: Value) -> None:
        """Set a value; setting an equal value changes nothing.

        Args:
            name: Name of the setting.
            value: The value.
        """
        if self._values.get(name) != value:
            with self._lock:
                self._values[name] = value
                self._changes[name] = value
            self._changed()

    def remove(self, name: str) -> None:
        """Remove a value."""
        if name in self._values:
            with self._lock:
                del self._values[name]
                self._changes[name] = None
            self._changed()

    def save(self) -> None:
        """Write the changes since the last call; after a failure they are tried again.

        Raises:
            StudioError: The file cannot be written; it is unchanged.
        """
        with self._writing:
            with self._lock:
                changes, self._changes = self._changes, {}
            if not changes:
                return
            try:
                values = self._merged(changes)
            except (DiskFullError, OSError) as error:
                with self._lock:
                    self._changes = {**changes, **self._changes}
                raise _not_written(self.path, _reason(error)) from error
            with self._lock:
                _apply(self._changes, values)  # those made meanwhile
                self._values = values

    def _merged(self, changes: Mapping[str, Value | None]) -> dict[str, Value]:
        try:
            values = _read(self.path)
        except BadDataError:
            values = dict(self._values)
            # Someone who edited it by hand may want to repair it.
            quarantine(self.path)
        _apply(changes, values)
        plain = {name: _plain(value) for name, value in sorted(values.items())}
        write_atomically(self.path, json.dumps(plain, indent=1) + "\n", _PATIENCE)
        return values


def _apply(changes: Mapping[str, Value | None], values: dict[str, Value]) -> None:
    for name, value in changes.items():
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value


def _read(path: Path) -> dict[str, Value]:
    """Return the values in a file, without invalid ones.

    Raises:
        BadDataError: The file is damaged or not readable.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        found = json.loads(data) if len(data) <= _LARGEST else None
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise _unread(path) from error
    if not isinstance(found, dict):
        raise _unread(path)
    values = {name: _value(plain) for name, plain in found.items()}
    return {name: value for name, value in values.items() if value is not None}


def _unread(path: Path) -> BadDataError:
    return BadDataError(
        "The settings in {path} cannot be read, so the defaults are used.",
        message(
            "The next change replaces the file and keeps this one as {file}.",
            file=f"{path.name}{DAMAGED}",
        ),
        str(path),
        path=path,
    )


def _not_written(path: Path, reason: str) -> StudioError:
    return StudioError(
        "The settings cannot be written to {path}: {reason}.",
        "They apply until the window closes. Studio tries again after the next change.",
        str(path),
        path=path,
        reason=reason,
    )


def _reason(error: Exception) -> str:
    if isinstance(error, DiskFullError):
        return "the disk is full"
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _plain(value: Value) -> object:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return value


def _value(plain: object) -> Value | None:
    match plain:
        case str() if _is_text(plain):
            return plain
        case int() if not isinstance(plain, bool):
            return plain
        case list():
            return [each for each in plain if isinstance(each, str) and _is_text(each)]
        case {"base64": str(text)}:
            with contextlib.suppress(ValueError):
                return base64.b64decode(text, validate=True)
    return None


def _is_text(text: str) -> bool:
    """Return True if a text can be encoded and be a path: no lone surrogates, no zero byte."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
