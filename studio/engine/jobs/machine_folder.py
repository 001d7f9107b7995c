"""A folder that all users of a machine share, and files in it that live as long as a process.

Every user may write there, so nothing in it is trusted: files are opened without following links,
only regular ones, and read up to a limit. The owner of a file is who the system says. A file
counts while its process holds the system's lock on it, which ends with the process.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from studio.engine.errors import StudioError

VARIABLE: Final = "STUDIO_MACHINE_FOLDER"
"""Environment variable with another folder, for example one that containers share."""
NAME: Final = "studio-devices"
MAX_BYTES: Final = 4096
MAX_FILES: Final = 4096
_SHARED_BY_ALL: Final = 0o1777
_READABLE: Final = 0o644
_SUFFIX: Final = ".claim"
_NAME: Final = re.compile(r"[0-9a-f]{16}\.claim")
# Flags that not every system has.
_NO_LINKS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_WAITING: Final = getattr(os, "O_NONBLOCK", 0)  # a pipe would wait for who writes into it


def user_name() -> str:
    """Return the name of the user; the number where it has none, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # differs between versions and systems
        return "user" if sys.platform == "win32" else str(os.geteuid())


def machine_folder() -> Path:
    """Return the folder of this machine, made when it is first needed.

    Raises:
        StudioError: It cannot be made, or is not a folder that all users share.
    """
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else _usual_parent() / NAME
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            if sys.platform != "win32" and not named:
                folder.chmod(_SHARED_BY_ALL)
        facts = folder.lstat()
    except OSError as error:
        raise StudioError(
            "The folder {folder} cannot be used: {reason}.",
            "Jobs of other users and workspaces on the same device are not seen.",
            folder=folder,
            reason=error.strerror or error,
        ) from error
    is_shared = sys.platform == "win32" or stat.S_IMODE(facts.st_mode) == _SHARED_BY_ALL
    if not stat.S_ISDIR(facts.st_mode) or not (is_shared or named):
        raise StudioError(
            "The folder {folder} is not one that all users of this machine share.",
            "Jobs of other users and workspaces on the same device are not seen. Ask the "
            "administrator to remove it.",
            folder=folder,
        )
    return folder


def _usual_parent() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("PROGRAMDATA", r"C:\ProgramData"))
    # The same for all users of a machine, unlike the temporary folder of a user.
    candidates = [Path("/run/lock"), Path("/tmp")]  # noqa: S108 - it is checked, see above
    return next((each for each in candidates if _is_shared(each)), candidates[-1])


def _is_shared(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        facts = folder.stat()
        return facts.st_uid == 0 and stat.S_IMODE(facts.st_mode) == _SHARED_BY_ALL
    return False


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A file whose process is alive.

    Attributes:
        name: Its name.
        owner: User who made it, as the system says: a number; empty on Windows.
        content: Its content.
    """

    name: str
    owner: str
    content: bytes


class OwnFile:
    """A file of this process; it counts until `close`, or until the process ends.

    Args:
        folder: The folder.
        content: Its content, at most `MAX_BYTES` long.

    Raises:
        OSError: It could not be made or locked.
    """

    def __init__(self, folder: Path, content: bytes) -> None:
        self.path = folder / f"{secrets.token_hex(8)}{_SUFFIX}"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS | getattr(os, "O_BINARY", 0)
        self._handle = os.open(self.path, flags, _READABLE)
        try:
            _let_others_read(self._handle)
            self.write(content)
            self._lock()
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        if not _lock(self._handle, exclusive=True):
            raise BlockingIOError(str(self.path))

    def write(self, content: bytes) -> None:
        """Replace the content."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, content)
        os.ftruncate(self._handle, len(content))

    def close(self) -> None:
        """Remove the file."""
        if self._handle < 0:
            return
        os.close(self._handle)  # first: Windows does not remove an open file
        self._handle = -1
        with contextlib.suppress(OSError):  # read by another process on Windows: it tidies up
            self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def live_files(folder: Path, *, tidy: bool = False) -> list[LiveFile]:
    """Return the files whose processes are alive.

    Args:
        folder: The folder.
        tidy: True to remove files of this user whose processes are gone. Only while `deciding`:
            at other times a file may have been made just now, and not be locked yet.
    """
    found: list[LiveFile] = []
    dead: list[Path] = []
    names = sorted(filter(_NAME.fullmatch, os.listdir(folder)))  # noqa: PTH208 - called often
    for name in names[:MAX_FILES]:
        with contextlib.suppress(OSError), _opened(folder / name) as handle:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode):
                continue
            if _lock(handle, exclusive=False):
                if sys.platform == "win32" or facts.st_uid == os.geteuid():
                    dead.append(folder / name)
                continue
            owner = "" if sys.platform == "win32" else str(facts.st_uid)
            found.append(LiveFile(name, owner, os.read(handle, MAX_BYTES + 1)))
    for path in dead if tidy else ():
        with contextlib.suppress(OSError):  # another process has it open, on Windows
            path.unlink(missing_ok=True)
    return [each for each in found if len(each.content) <= MAX_BYTES]


@contextlib.contextmanager
def deciding(folder: Path) -> Iterator[bool]:
    """Keep other processes from deciding at the same time.

    Yields:
        False if another process decides just now.
    """
    path = folder / "deciding.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS, _READABLE)
        _let_others_read(handle)
    except FileExistsError:
        # Only for reading, which is enough for a lock: it may be a file of another user.
        handle = os.open(path, os.O_RDONLY | _NO_LINKS | _NO_WAITING)
    try:
        yield _lock(handle, exclusive=True)
    finally:
        os.close(handle)


def _let_others_read(handle: int) -> None:
    """Undo the umask of this user: a file that others cannot read says nothing to them."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # a disk without permissions
            os.fchmod(handle, _READABLE)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    flags = os.O_RDONLY | _NO_LINKS | _NO_WAITING | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    try:
        yield handle
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE: Final = 2**30  # behind the content: a locked part cannot be read

    def _lock(handle: int, *, exclusive: bool) -> bool:  # noqa: ARG001 - Windows has one kind
        """Lock a file until its handle is closed; return False if another process has it."""
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _lock(handle: int, *, exclusive: bool) -> bool:
        """Lock a file until its handle is closed; return False if another process has it."""
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
