"""What was carried to a node: where it is, and when it goes."""

from __future__ import annotations

import contextlib
import getpass
import os
import stat
import sys
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from studio.engine.errors import StudioError
from studio.engine.files import remove_folder

USERS = ".users"
"""Holds a lock of each actor that uses what was carried: the system frees it when one dies."""


def copies_folder() -> Path:
    """Where a node keeps what was carried to it, a folder for everything that belongs together."""
    return Path(tempfile.gettempdir(), f"studio-cluster-{getpass.getuser()}")


def own_copies_folder() -> Path:
    """Make the folder for copies, or check that it is ours alone.

    Everybody may write into the temporary folder of a machine, and could have put a folder or a
    link there, to read and change what is copied.

    Raises:
        StudioError: It is a link, belongs to somebody else, or others may use it.
    """
    base = copies_folder()
    with contextlib.suppress(FileExistsError):
        base.mkdir(mode=0o700)
    facts = base.lstat()
    is_folder = stat.S_ISDIR(facts.st_mode) and not base.is_symlink()
    is_ours = sys.platform == "win32" or (
        facts.st_uid == os.getuid() and not stat.S_IMODE(facts.st_mode) & 0o077
    )
    if not is_folder or not is_ours:
        raise StudioError(
            f"The temporary folder {base} of a node is not a folder of this user alone.",
            "Remove it on that node, or set TMPDIR there to another folder.",
            str(base),
        )
    return base


def remove_all_copies() -> int:
    """Remove what was carried to this node and nobody uses; gives how many folders that were."""
    if not copies_folder().is_dir():
        return 0
    try:
        base = own_copies_folder()
    except StudioError:
        return 0  # nothing of ours was ever put there
    roots = [each for each in base.iterdir() if each.is_dir() and not each.is_symlink()]
    return sum(map(remove_copies, roots))


def remove_copies(root: Path) -> bool:
    """Remove what was carried to a folder, unless somebody uses it."""
    with FileLock(guard_of(root)):
        if any(_is_held(lock) for lock in (root / USERS).glob("*.lock")):
            return False
        remove_folder(root, ignore_errors=True)
        return True


def guard_of(root: Path) -> Path:
    """The lock of who begins to use what was carried to a machine, or removes it."""
    return root.with_name(".lock")


def _is_held(path: Path) -> bool:
    """Whether the actor lives whose lock that is."""
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True
