"""A reader of foreign data must start nothing, connect nowhere, and write nowhere else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_FORBIDDEN = frozenset(
    {
        "os.system",
        "os.exec",
        "os.fork",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "subprocess.Popen",
        "socket.connect",
        "socket.bind",
        "webbrowser.open",
        "shutil.rmtree",
        "os.chmod",
        "os.symlink",
    }
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Watch:
    """An audit hook: it cannot be taken away again, so this is for a process of its own.

    Attributes:
        seen: What happened since the last call.
    """

    def __init__(self, folder: Path) -> None:
        self.seen: list[str] = []
        self.is_on = False
        self._folder = str(folder)
        # A module of ours that an input makes Python import first is compiled and, in a clean
        # checkout, stored: not a file of the reader.
        sys.dont_write_bytecode = True
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[object, ...]) -> None:
        if not self.is_on:
            return
        if event in _FORBIDDEN:
            self.seen.append(f"{event}{args!r}"[:200])
        elif (event == "open" and isinstance(args[2], int) and args[2] & _WRITING) or event in {
            "os.rename",
            "os.remove",
            "os.mkdir",
            "os.rmdir",
            "os.truncate",
        }:
            self._look_at_path(event, args[0])

    def _look_at_path(self, event: str, path: object) -> None:
        if not isinstance(path, str | bytes):
            return  # an open file
        text = os.fsdecode(path)
        absolute = os.path.normpath(os.path.join(os.getcwd(), text))  # noqa: PTH109, PTH118
        if not absolute.startswith((self._folder, "/dev/null")):
            self.seen.append(f"{event} of {absolute}")
