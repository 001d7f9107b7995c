"""Sizes of the original files, from their headers."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.decode import describe
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.progress import Progress

_AT_ONCE = 512
# Where none of the first files is there (an archive, a disk that is not connected), none is.
_FIRST = 32


def sides_of_files(
    store: Store, rows: NDArray[np.int64], progress: Progress
) -> NDArray[np.int32] | None:
    """Width and height of the files that rows came from, as they were before the import.

    Returns:
        Pixels, M x 2, 0 for a file that cannot be read; None where there are no files to look at.

    Raises:
        Cancelled: Through `progress`.
    """
    files = [Path(store.origin(row)) for row in rows.tolist()]
    if not any(file.is_file() for file in files[:_FIRST]):
        return None
    sides = np.zeros((len(rows), 2), np.int32)
    with ThreadPoolExecutor(os.cpu_count() or 1, "headers") as pool:
        for start in range(0, len(files), _AT_ONCE):
            progress.check()
            part = files[start : start + _AT_ONCE]
            sides[start : start + len(part)] = list(pool.map(_sides, part))
            progress.advance(start + len(part), len(files), "Checking the original files")
    return sides


def _sides(file: Path) -> tuple[int, int]:
    try:
        width, height, _ = describe(file)
    except (BadDataError, OSError):
        return 0, 0
    return width, height
