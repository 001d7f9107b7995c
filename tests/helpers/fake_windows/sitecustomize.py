"""Gives Linux some rules of Windows, in every process that has this folder on its `PYTHONPATH`.

Below the folder `FAKE_WINDOWS_ROOT`:

* A file that any process has open, mapped into memory or as its working folder, and a folder with
  such a file, cannot be renamed, replaced or removed.
* Names that Windows reserves or refuses (`con`, `aux.txt`, `a:b`, `name.`) cannot be created.

Refusals are appended to the file `FAKE_WINDOWS_LOG` with their stack. Everywhere, `pynvml` cannot
be imported. Stricter than Windows: a file that was opened to be shared may be renamed there.
"""

from __future__ import annotations

import builtins
import errno
import functools
import io
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

_ROOT = os.path.abspath(os.environ.get("FAKE_WINDOWS_ROOT", "/nonexistent"))
_LOG = os.environ.get("FAKE_WINDOWS_LOG", "")
_RESERVED = re.compile(
    r"(?i)(con|prn|aux|nul|com\d|lpt\d)\s*(\..*)?|.*[\x00-\x1f<>:\"|?*\\].*|.*[ .]"
)


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root + "/")


def _used_paths(pid: str) -> Iterator[str]:
    """Yield what a process has open or mapped, and its working folder."""
    base = f"/proc/{pid}"
    yield os.readlink(f"{base}/cwd")
    for number in os.listdir(f"{base}/fd"):
        try:
            yield os.readlink(f"{base}/fd/{number}")
        except OSError:
            continue  # closed meanwhile
    with _open(f"{base}/maps") as maps:
        for line in maps:
            yield "/" + line.rstrip("\n").partition("/")[2]


@functools.cache
def _is_studio(pid: str) -> bool:
    """Return True for a process that was started with these rules."""
    with _open(f"/proc/{pid}/environ") as variables:
        return f"FAKE_WINDOWS_ROOT={_ROOT}" in variables.read().split("\0")


def _user(path: str) -> str:
    """Return a process that uses a path and how, or an empty text."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            uses = _used_paths(pid) if _is_studio(pid) else ()
            found = next((each for each in uses if _is_below(each, path)), "")
        except OSError:
            continue  # it has ended, or belongs to another user
        if found:
            return f"process {pid} uses {found}"
    return ""


def _refuse(error: OSError, what: str) -> None:
    if _LOG:
        stack = "".join(traceback.format_stack(limit=8)[:-2])
        with _open(_LOG, "a") as log:
            log.write(f"--- {os.getpid()} {what}\n{stack}\n")
    raise error


def _below_root(path: Any) -> str:
    """Return the absolute path if it lies below the root, otherwise an empty text."""
    if not isinstance(path, str | os.PathLike):
        return ""
    absolute = os.path.abspath(path)
    return absolute if _is_below(absolute, _ROOT) else ""


def _check_unused(name: str, path: Any) -> None:
    absolute = _below_root(path)
    user = _user(absolute) if absolute and os.path.lexists(absolute) else ""
    if user:
        error = PermissionError(errno.EACCES, "[fake WinError 32] used by a process", absolute)
        _refuse(error, f"{name} {absolute}: {user}")


def _check_name(name: str, path: Any) -> None:
    absolute = _below_root(path)
    last = os.path.basename(absolute)
    if absolute and absolute != _ROOT and _RESERVED.fullmatch(last):
        error = OSError(errno.EINVAL, "[fake WinError 123] reserved name", absolute)
        _refuse(error, f"{name} {absolute}")


def _removing(name: str) -> Callable[..., Any]:
    real = getattr(os, name)

    def remove(path: Any, *rest: Any, dir_fd: int | None = None) -> Any:
        if dir_fd is None:
            _check_unused(name, path)
            return real(path, *rest)
        folder = os.readlink(f"/proc/self/fd/{dir_fd}")
        _check_unused(name, os.path.join(folder, path))
        return real(path, *rest, dir_fd=dir_fd)

    return remove


def _moving(name: str) -> Callable[..., Any]:
    real = getattr(os, name)

    def move(source: Any, target: Any, **named: Any) -> Any:
        _check_unused(name, source)
        _check_unused(name, target)
        _check_name(name, target)
        return real(source, target, **named)

    return move


_open = io.open
_os_open, _mkdir = os.open, os.mkdir


def _named_open(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
    if any(letter in mode for letter in "wxa"):
        _check_name("open", file)
    return _open(file, mode, *rest, **named)


def _named_os_open(path: Any, flags: int, *rest: Any, **named: Any) -> int:
    if flags & os.O_CREAT and named.get("dir_fd") is None:
        _check_name("open", path)
    return _os_open(path, flags, *rest, **named)


def _named_mkdir(path: Any, *rest: Any, **named: Any) -> None:
    if named.get("dir_fd") is None:
        _check_name("mkdir", path)
    _mkdir(path, *rest, **named)


class _WithoutDriver:
    """Finds no module `pynvml`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == "pynvml":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


for _name in ("unlink", "remove", "rmdir"):
    setattr(os, _name, _removing(_name))
for _name in ("replace", "rename"):
    setattr(os, _name, _moving(_name))
os.open, os.mkdir = _named_os_open, _named_mkdir
io.open = builtins.open = _named_open
sys.meta_path.insert(0, _WithoutDriver())
