"""Tells which files a process keeps open or mapped into memory; Windows could not delete them."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import psutil


def open_files(folder: Path, pid: int | None = None) -> set[Path]:
    """Return the files of a folder that a process keeps open or mapped into memory.

    Args:
        folder: Files of its folders count, too.
        pid: The process; None for this one.
    """
    gc.collect()
    process = psutil.Process(os.getpid() if pid is None else pid)
    paths = {each.path for each in process.open_files()}
    if hasattr(process, "memory_maps"):  # macOS does not tell
        paths |= {each.path for each in process.memory_maps(grouped=True)}
    root = folder.resolve()
    return {Path(path) for path in paths if Path(path).is_relative_to(root)}


def is_open(file: Path) -> bool:
    """Return True if this process keeps a file open or mapped into memory."""
    return file.resolve() in open_files(file.parent)
