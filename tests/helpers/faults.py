"""A disk on which one write fails, once: full, read-only, or forbidden."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class FaultyDisk:
    """Counts what Python writes below a folder, and makes one call of it fail.

    Libraries in C that write by themselves, such as HDF5's, are not heard.

    Args:
        monkeypatch: Takes everything back at the end of the test.
        root: Only what lies below it counts.

    Attributes:
        calls: What was written since `listening` began, in order.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
        self.calls: list[str] = []
        self._root = str(root)
        self._handles: set[int] = set()
        self._fails_at = -1
        self._code = 0
        self._listens = False
        for name in ("mkdir", "replace", "rename"):
            monkeypatch.setattr(os, name, self._by_path(name, getattr(os, name)))
        for name in ("write", "fsync", "ftruncate"):
            monkeypatch.setattr(os, name, self._by_handle(name, getattr(os, name)))
        monkeypatch.setattr(os, "open", self._os_open(os.open))
        opened = self._open(io.open)
        monkeypatch.setattr(io, "open", opened)
        monkeypatch.setattr(builtins, "open", opened)

    @contextlib.contextmanager
    def listening(self, fails_at: int = -1, code: int = 0) -> Iterator[None]:
        """Count, and let the call of that number, from 0, fail with that `errno`."""
        self.calls.clear()
        self._fails_at, self._code, self._listens = fails_at, code, True
        try:
            yield
        finally:
            self._listens = False

    def _count(self, what: str, path: object) -> None:
        if not self._listens:
            return
        self.calls.append(f"{what} {Path(str(path)).name}")
        if len(self.calls) == self._fails_at + 1:
            raise OSError(self._code, os.strerror(self._code), str(path))

    def _is_ours(self, path: object) -> bool:
        return isinstance(path, str | os.PathLike) and os.fspath(path).startswith(self._root)

    def _by_path(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(path: Any, *args: Any, **more: Any) -> Any:
            if self._is_ours(path):
                self._count(name, path)
            return call(path, *args, **more)

        return wrapper

    def _by_handle(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(handle: Any, *args: Any) -> Any:
            if handle in self._handles:
                self._count(name, handle)
            return call(handle, *args)

        return wrapper

    def _os_open(self, call: Callable[..., int]) -> Callable[..., int]:
        def wrapper(path: Any, flags: int, *args: Any, **more: Any) -> int:
            is_ours = flags & _WRITING and self._is_ours(path)
            if is_ours:
                self._count("open", path)
            handle = call(path, flags, *args, **more)
            self._handles.discard(handle)
            if is_ours:
                self._handles.add(handle)
            return handle

        return wrapper

    def _open(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
            writes = any(letter in mode for letter in "wxa+")
            if not (self._listens and writes and self._is_ours(file)):
                return call(file, mode, *args, **more)
            self._count("open", file)
            return _File(call(file, mode, *args, **more), lambda what: self._count(what, file))

        return wrapper


class _File:
    """An open file whose writes are counted."""

    def __init__(self, file: Any, count: Callable[[str], None]) -> None:
        self._file = file
        self._count = count

    def write(self, data: Any) -> Any:
        self._count("write")
        return self._file.write(data)

    def writelines(self, lines: Any) -> None:
        self._count("write")
        self._file.writelines(lines)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Self:
        self._file.__enter__()
        return self

    def __exit__(self, *error: object) -> Any:
        return self._file.__exit__(*error)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)
