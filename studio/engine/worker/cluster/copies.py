"""What was carried to a node: where it is, and when it goes."""

from __future__ import annotations

import getpass
import shutil
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

USERS = ".users"
"""Holds a lock of each actor that uses what was carried: the system frees it when one dies."""


def copies_folder() -> Path:
    """Where a node keeps what was carried to it, a folder for everything that belongs together."""
    return Path(tempfile.gettempdir(), f"studio-cluster-{getpass.getuser()}")


def remove_all_copies() -> int:
    """Remove what was carried to this node and nobody uses; gives how many folders that were."""
    base = copies_folder()
    roots = [each for each in base.iterdir() if each.is_dir()] if base.is_dir() else []
    return sum(map(remove_copies, roots))


def remove_copies(root: Path) -> bool:
    """Remove what was carried to a folder, unless somebody uses it."""
    with FileLock(guard_of(root)):
        if any(_is_held(lock) for lock in (root / USERS).glob("*.lock")):
            return False
        shutil.rmtree(root, ignore_errors=True)
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
