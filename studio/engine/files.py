"""Files that are either the old one or the whole new one, never half of it."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import re
import secrets
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from filelock import FileLock, Timeout

from studio.engine.errors import BusyError, DiskFullError, StudioError
from studio.engine.messages import as_message, message

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

PARTIAL = ".partial"
DAMAGED = ".damaged"
"""Appended to the name of a file that could not be read; it is kept beside the new one."""
LONGEST_NAME = 120
IN_USE_SECONDS = 5.0
"""Seconds for which Windows is asked again to move or remove a file that a process has open."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.25


def write_atomically(path: Path, data: bytes | str, patience: float = IN_USE_SECONDS) -> None:
    """Replace `path` by `data`: readers see the old content or the whole new one.

    Args:
        path: The file.
        data: Its new content.
        patience: Seconds to wait for other processes that read the file; short in the window's
            thread.

    Raises:
        DiskFullError: No space was left; the old file is untouched.
    """
    with replacing(path, patience) as draft:
        draft.write_bytes(data.encode() if isinstance(data, str) else data)


def write_array(path: Path, values: NDArray[Any]) -> None:
    """Replace `path` by a `.npy` file of an array; see `write_atomically`.

    Args:
        path: The `.npy` file.
        values: The array.

    Raises:
        DiskFullError: No space was left; the old file is untouched.
    """
    from numpy.lib import format as npy  # noqa: PLC0415 - every verb and the window start here

    data = io.BytesIO()
    npy.write_array(data, values, allow_pickle=False)
    write_atomically(path, data.getvalue())


@contextlib.contextmanager
def replacing(path: Path, patience: float = IN_USE_SECONDS) -> Iterator[Path]:
    """Give a temporary path beside `path` that takes its place when the block ends well.

    On an error the temporary file is removed and `path` stays as it was.

    Args:
        path: The file.
        patience: Seconds to wait for other processes that read the file.

    Raises:
        DiskFullError: No space was left; the old file is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.stem}-{secrets.token_hex(6)}{PARTIAL}{path.suffix}")
    try:
        with disk_full_is_clear(path):
            yield draft
            flush_to_disk(draft)
            move(draft, path, patience)
    finally:
        remove(draft)


def move(source: Path, target: Path, patience: float = IN_USE_SECONDS) -> Path:
    """Rename a file or folder, replacing a file; waits for processes that read it on Windows.

    Args:
        source: The file or folder.
        target: Its new path, on the same disk.
        patience: Seconds to wait.

    Raises:
        PermissionError: One of the two is still open.
    """
    return when_closed(source, partial(source.replace, target), patience, target)


def remove(path: Path, patience: float = IN_USE_SECONDS) -> None:
    """Remove a file if it is there; waits for processes that read it on Windows.

    Args:
        path: The file.
        patience: Seconds to wait.

    Raises:
        PermissionError: It is still open.
    """
    when_closed(path, partial(path.unlink, missing_ok=True), patience)


def remove_folder(
    path: Path, patience: float = IN_USE_SECONDS, *, ignore_errors: bool = False
) -> None:
    """Remove a folder with everything in it, if it is there; waits as `remove` does.

    Args:
        path: The folder.
        patience: Seconds to wait.
        ignore_errors: Leave behind what cannot be removed.

    Raises:
        PermissionError: Something in it is still open.
    """
    try:
        when_closed(path, partial(_remove_folder, path), patience)
    except OSError:
        if not ignore_errors:
            raise
        shutil.rmtree(path, ignore_errors=True)


def _remove_folder(path: Path) -> None:
    while path.exists():
        # Another process may remove a file first; the others must still be removed.
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(path)


class InUseError(PermissionError):
    """A file cannot be replaced, moved or removed because a process has it open (Windows)."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            errno.EACCES, message("{path} is open in another program", path=path), str(path)
        )


def when_closed(
    path: Path,
    operation: Callable[[], T],
    patience: float = IN_USE_SECONDS,
    target: Path | None = None,
) -> T:
    """Move or remove a file or folder, and wait for those who read it just now.

    Windows refuses while any process has it open, or something in it: a thumbnail that is being
    read, a worker that is about to end, a virus scanner.

    Args:
        path: The file or folder.
        operation: Moves or removes it.
        patience: Seconds to wait.
        target: The file that it replaces, if any.

    Returns:
        What the operation returns.

    Raises:
        InUseError: It is still open, or something in it.
        PermissionError: It may not be moved at all.
    """
    pause, end = _FIRST_PAUSE, time.monotonic() + patience
    while True:
        try:
            return operation()
        except PermissionError as error:
            if not os.access(path.parent, os.W_OK):
                raise
            if time.monotonic() + pause > end:
                opened = _open_file(path, target)
                if opened is None:
                    raise
                raise InUseError(opened) from error
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _open_file(path: Path, target: Path | None) -> Path | None:
    """Return the file or folder that a process has open, or None.

    Args:
        path: File or folder to move or remove; a folder is searched.
        target: File that it should replace.
    """
    inside = [
        Path(folder, name)
        for folder, folders, files in os.walk(path, topdown=False)
        for name in (*files, *folders)
    ]
    others = [path] if target is None else [path, target]
    return next(filter(_is_open, (*inside, *others)), None)


def _is_open(path: Path) -> bool:
    """Return True if it cannot be renamed, even to its own name, which changes nothing."""
    try:
        path.rename(path)
    except PermissionError:
        return True
    except OSError:
        pass
    return False


def user_path(text: str | Path) -> Path:
    """Return the path that a person typed, with `~` expanded.

    Raises:
        StudioError: It is empty, names an unknown home folder, or contains a zero byte.
    """
    typed = str(text)
    if not typed.strip():
        raise StudioError("The path is empty.")
    if "\0" in typed:
        raise StudioError(
            "{text} is not a path: it contains a zero byte.", "Check the path.", text=typed
        )
    try:
        return Path(typed).expanduser()
    except RuntimeError as error:
        name = Path(typed).parts[0]
        raise StudioError(
            "{path} cannot be found: there is no home folder {folder}.",
            "Check the path.",
            typed,
            path=typed,
            folder=name,
        ) from error


def read_failure(error: Exception) -> str:
    """Explain in plain words why a file could not be read, as the end of a sentence.

    Args:
        error: Raised by the operating system, a decoder, or a library that reads files.
    """
    if isinstance(error, StudioError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    if isinstance(error, json.JSONDecodeError):
        return message(
            "it is not valid JSON (line {line}, column {column})",
            line=error.lineno,
            column=error.colno,
        )
    found = (
        words
        for kind, part, words in _READ_FAILURES
        if isinstance(error, kind) and part in str(error)
    )
    return as_message(next(found, "it is damaged, or of another format"))


# The kind of an error, a part of its text, and what it means.
_READ_FAILURES: tuple[tuple[type[Exception], str, str], ...] = (
    (UnicodeError, "", "it is not UTF-8 text"),
    (RecursionError, "", "its data is nested too deeply"),
    (OSError, "truncated", "its end is missing, as after an interrupted copy or download"),
    (OSError, "signature not found", "it is not an HDF5 file"),
)


def appended_lines(path: Path, offset: int, most: int = -1) -> tuple[list[bytes], int]:
    """Return the complete lines that were appended to a file; none if it is missing.

    Args:
        path: The file.
        offset: Bytes at its beginning that were read before.
        most: Number of bytes to read; the line they end in is read completely. -1 for all.

    Returns:
        The lines, and the bytes that are read now.
    """
    try:
        if path.stat().st_size <= offset:
            return [], offset
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read(most)
            if not data.endswith(b"\n"):
                data += file.readline()
    except FileNotFoundError:
        return [], offset
    end = data.rfind(b"\n") + 1
    return data[:end].split(b"\n")[:-1], offset + end


def quarantine(path: Path) -> Path:
    """Rename a file that cannot be read, in the same folder, and return its new path."""
    return move(path, path.with_name(path.name + DAMAGED))


def remove_partials(path: Path) -> None:
    """Remove what `replacing` left of a file when its process was killed.

    Only for the single writer of that file: the partial file of a live process is in use.
    """
    for draft in path.parent.glob(f".{path.stem}-*{PARTIAL}{path.suffix}"):
        remove(draft)


@contextlib.contextmanager
def disk_full_is_clear(path: Path) -> Iterator[None]:
    """Turn the operating system's "no space left" into an error that says what to do.

    Raises:
        DiskFullError: No space was left on the device of `path`.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise _disk_full(str(path), str(path)) from error


# What the machine does to us, and not we to ourselves.
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM})
_NOT_THERE = frozenset(
    getattr(errno, name)
    for name in ("EIO", "ENXIO", "ENODEV", "ESTALE", "ENOTCONN", "EHOSTDOWN", "ETIMEDOUT")
    if hasattr(errno, name)
)
_TOO_MANY = frozenset({errno.EMFILE, errno.ENFILE})


def clear_system_error(error: BaseException) -> BaseException:
    """Convert an error of the operating system to one that says what to do.

    The last resort before an internal error is reported: a disk that is full, may only be
    read, or no longer answers can be met at every write.
    """
    if not isinstance(error, OSError) or error.errno is None:
        return error
    path = str(error.filename or "")
    what = path or message("a file")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _disk_full(what, path)
    reason, hint = "", ""
    if isinstance(error, InUseError):
        reason = message("{file} is open in another program.", file=what)
        hint = "Close that program, or wait for the job that uses the file, then try again."
    elif error.errno == errno.EROFS:
        reason = message("The disk of {file} is read-only.", file=what)
        hint = "Make it writable, or choose a workspace on another disk."
    elif error.errno in _NOT_ALLOWED:
        reason = message(
            "Studio cannot access {file}: {reason}.",
            file=what,
            reason=error.strerror,
        )
        hint = "Change its permissions, or choose a folder that you can write to."
    elif error.errno in _NOT_THERE:
        reason = message(
            "The disk of {file} does not answer: {reason}.",
            file=what,
            reason=error.strerror,
        )
        hint = "Check that it is connected, then try again."
    elif error.errno == errno.ENOENT and path and not Path(path).absolute().parent.exists():
        # Of a file alone that is missing, we may be to blame; not of its whole folder.
        reason = message("The folder {folder} no longer exists.", folder=Path(path).parent)
        hint = "Connect its disk or bring the folder back, then try again."
    elif error.errno in _TOO_MANY:
        reason = "This system allows no more open files."
        hint = "Close other programs, or raise the limit (ulimit -n), then try again."
    return StudioError(reason, hint, path) if reason else error


def _disk_full(what: str, where: str) -> DiskFullError:
    return DiskFullError(
        "There is no space left to write {file}.",
        "Free some space, or choose a workspace on another disk, then try again.",
        where,
        file=what,
    )


def flush_to_disk(path: Path) -> None:
    """Ask the operating system to put a file's bytes on the disk before continuing."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_RESERVE_SHARE = 0.02
_RESERVE_BYTES = 16 * 2**20
"""Space that stays free on a disk, so that journals and other programs can still write."""


def require_space(folder: Path, needed: int, what: str) -> None:
    """Raise if a number of bytes will not fit on the disk of a folder.

    Args:
        folder: An existing folder on the disk.
        needed: Bytes that will be written.
        what: Subject of the error, for example `The import`.

    Raises:
        DiskFullError: Less than `needed` bytes, and a small reserve, are free.
    """
    free = shutil.disk_usage(folder).free
    reserve = needed * _RESERVE_SHARE + _RESERVE_BYTES
    if free < needed + reserve:
        raise DiskFullError(
            "{what} needs {needed:,.0f} MB and a reserve of {reserve:,.0f} MB; "
            "{free:,.0f} MB are free.",
            "Free some space, choose smaller images, or use a workspace on another disk.",
            str(folder),
            what=as_message(what),
            needed=math.ceil(needed / 2**20),
            reserve=math.ceil(reserve / 2**20),
            free=math.floor(free / 2**20),
        )


@contextlib.contextmanager
def locked(lock: FileLock, message: str) -> Iterator[None]:
    """Hold a lock that other processes hold for a moment only.

    Args:
        lock: The lock, with its timeout.
        message: What another process is doing, if the lock is taken.

    Raises:
        BusyError: Another one held it all the time.
    """
    try:
        held = lock.acquire(poll_interval=0.01)
    except Timeout as error:
        raise BusyError(message, "Wait for it to finish, then try again.") from error
    with held:
        yield


@contextlib.contextmanager
def writing(path: Path, where: str) -> Iterator[None]:
    """Convert the system's error about a file that cannot be written to a clear one.

    Args:
        path: The file that the block writes.
        where: Field of the plan or the option that named it.

    Raises:
        StudioError: The block could not write.
    """
    try:
        yield
    except OSError as error:
        raise StudioError(
            "{file} cannot be written: {reason}.",
            "Choose a folder that you can write to.",
            where,
            file=path,
            reason=error.strerror or error,
        ) from error


_ARRAYS_GROWTH = 100
_SMALL_SIZE = 64 * 2**20


def is_packed_too_tightly(
    unpacked: int, path: Path, growth: int, small: int = _SMALL_SIZE
) -> bool:
    """Return True if the content of a file would be much larger than the file.

    Args:
        unpacked: Bytes that the content claims.
        path: The file.
        growth: How many times larger than the file it may be.
        small: Bytes that it may have in addition, because small files are packed the tightest.

    Raises:
        OSError: The file is not there.
    """
    return unpacked > growth * path.stat().st_size + small


@contextlib.contextmanager
def open_arrays(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Open an `.npz` file of arrays, and close it also if it is damaged.

    NumPy leaves a damaged file open that it opened itself; on Windows it could not be replaced.

    Raises:
        OSError: It cannot be read.
        ValueError: It is damaged, not a file of arrays, or would fill the memory.
        BadZipFile: It is damaged.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        size = sum(entry.file_size for entry in arrays.zip.infolist())
        if is_packed_too_tightly(size, path, _ARRAYS_GROWTH):
            raise ValueError("its compression ratio is implausibly high")
        yield arrays


@contextlib.contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """Make a hidden folder inside `parent` for the block, and `parent` when it is missing.

    Raises:
        StudioError: Nothing can be written there.
        DiskFullError: No space was left.
    """
    with writing(parent, "to"):
        parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=".export-"))
    try:
        with disk_full_is_clear(parent):
            yield folder
    finally:
        remove_folder(folder, ignore_errors=True)


def placed(finished: Path, parent: Path, name: str, suffix: str = "") -> Path:
    """Move a finished file or folder to its name, or the next free one; replace nothing.

    Args:
        finished: A file on the same disk if there is a suffix, otherwise a folder.
        parent: Folder to put it into.
        name: Name without the suffix.
        suffix: Suffix of the file, with its dot.
    """
    number = 1
    while True:
        target = parent / (f"{name}{suffix}" if number == 1 else f"{name}-{number}{suffix}")
        number += 1
        try:
            # The process that creates the empty one owns the name; only that one is replaced.
            target.touch(exist_ok=False) if suffix else target.mkdir()
        except FileExistsError:
            continue
        try:
            return finished.replace(target)
        except OSError:
            # An empty folder cannot be replaced on Windows.
            target.unlink() if suffix else target.rmdir()
            return move(finished, target)


def portable_name(text: str, longest: int = 80) -> str:
    """Return a name for a file or folder that every operating system accepts; not unique.

    Windows refuses some characters, spaces and full stops at the end, and the names of its old
    devices, also with an ending: `aux`, `CON.png`.

    Args:
        text: Any text.
        longest: Largest number of characters.
    """
    cleaned = _NOT_IN_NAMES.sub("_", text).strip(" .")
    printable = cleaned.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:longest]
    name = printable.rstrip(" .") or "_"
    return f"_{name}" if _DEVICES.fullmatch(name.partition(".")[0].rstrip()) else name


_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
_DEVICES = re.compile(r"(?i)con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]")


def slug(name: str, fallback: str) -> str:
    """Convert a name to a short ASCII name for a file or folder; not unique.

    Args:
        name: Any text.
        fallback: Used if nothing of the name is left, and as a prefix of names reserved by
            Windows.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    cleaned = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:40].strip("-")
    if _DEVICES.fullmatch(cleaned):  # Windows has no file `con.csv`
        return f"{fallback}-{cleaned}"
    return cleaned or fallback


def composed(name: str) -> str:
    """Return a name with its accents in the one form in which names are stored (NFC).

    macOS writes accents apart from their letters, so that files that come from there have other
    names than those that people type.
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def one_form(name: str) -> str:
    """Return a name trimmed, and with its accents in the one form in which names are stored."""
    return composed(name).strip()


def checked_name(name: str) -> str:
    """Return a record's name as a person typed it, trimmed and fit to be shown.

    Raises:
        StudioError: The name is empty, too long, or holds control characters or slashes.
    """
    trimmed = one_form(name)
    if not trimmed:
        raise StudioError("The name is empty.", where="name")
    if len(trimmed) > LONGEST_NAME:
        raise StudioError(
            "The name has {number} characters.",
            message("Use at most {limit}.", limit=LONGEST_NAME),
            where="name",
            number=len(trimmed),
        )
    if any(unicodedata.category(char) in {"Cc", "Cs"} or char in "/\\" for char in trimmed):
        raise StudioError(
            "The name {name} contains a slash or an unprintable character.",
            "Use letters, digits, spaces and characters such as - _ ( ).",
            where="name",
            name=repr(trimmed),
        )
    return trimmed


def free_name(preferred: str, taken: Iterable[str]) -> str:
    """Return a name with the first free number appended: `net`, `net-2` and so on.

    The result is never longer than a name may be.

    Args:
        preferred: Returned unchanged if it is free.
        taken: Existing names, compared without case.
    """
    known = {name.casefold() for name in taken}
    name, number = preferred[:LONGEST_NAME], 1
    while name.casefold() in known:
        number += 1
        ending = f"-{number}"
        name = preferred[: LONGEST_NAME - len(ending)] + ending
    return name


_NUMBERS = re.compile(r"([0-9]+)")


def natural_key(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return a key that sorts `img2` before `img10`, ignoring case; the name breaks ties.

    Digits are compared by their number and then as text: a name may have more of them than
    Python converts to a number.
    """
    parts = [part for part in _NUMBERS.split(name.casefold()) if part]
    return tuple(
        _digits_key(p) if p.isascii() and p.isdecimal() else (1, 0, p) for p in parts
    ), name


def _digits_key(digits: str) -> tuple[int, int, str]:
    plain = digits.lstrip("0")
    return 0, len(plain), plain
