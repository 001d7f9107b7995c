"""Patients of medical images, as their files name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import BinaryIO, Final

from studio.engine.errors import BadDataError
from studio.engine.pictures import read_group
from studio.engine.progress import Progress

_SUFFIXES: Final = frozenset({".dcm", ".dicom"})
_FILES_AT_ONCE: Final = 256


def patients_of(
    keys: Sequence[str], open_file: Callable[[int], BinaryIO], progress: Progress
) -> list[str]:
    """Return the patient of each image, or its study; empty where its file names none.

    Args:
        keys: Path of each image in its source.
        open_file: Opens the file of an image by its index; called from several threads.
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: Through `progress`.
    """

    def patient(index: int) -> str:
        try:
            with open_file(index) as file:
                return read_group(file)
        except (BadDataError, OSError):
            return ""  # the import will say why the file cannot be read

    found = [""] * len(keys)
    medical = [i for i, key in enumerate(keys) if _is_medical(key)]
    with ThreadPoolExecutor(thread_name_prefix="patients") as pool:
        for start in range(0, len(medical), _FILES_AT_ONCE):
            progress.check()
            progress.advance(start, len(medical), "Reading the patients of the images")
            some = medical[start : start + _FILES_AT_ONCE]
            for index, name in zip(some, pool.map(patient, some), strict=True):
                found[index] = name
    return found


def _is_medical(key: str) -> bool:
    return PurePosixPath(key).suffix.casefold() in _SUFFIXES
