"""Arrays inside an HDF5 file."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
from numpy.typing import NDArray

from studio.engine.datasets.sources.shared.arrays import ArrayInfo
from studio.engine.datasets.sources.shared.hdf5_heap import texts_of
from studio.engine.errors import BadDataError
from studio.engine.hdf5 import LARGEST_CHUNK, children, find_dataset, require_honest_size

_CHUNK_BYTES = 8 * 2**20
_DEEPEST = 4


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Hdf5File]:
    """An open file.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
        OSError: It cannot be read.
    """
    with _clear(), h5py.File(path, "r", locking=False) as file:
        yield Hdf5File(file, path)


@contextlib.contextmanager
def _clear() -> Iterator[None]:
    """Damage as one short reason."""
    try:
        yield
    except (ValueError, KeyError, TypeError, RuntimeError) as error:
        raise BadDataError("the file is damaged") from error
    except OSError as error:
        if error.errno:
            raise
        raise BadDataError("the file is damaged, or no HDF5") from error


class Hdf5File:
    """See `arrays.ArrayFile`.

    Attributes:
        arrays: Shape and type of what can be read. No link is followed.
    """

    def __init__(self, file: h5py.File, path: Path) -> None:
        self._file = file
        self._path = path
        self._checked: set[str] = set()
        self.arrays: Mapping[str, ArrayInfo] = dict(_arrays_in(file, "", 0))

    def check(self, name: str) -> None:
        """See `arrays.ArrayFile.check`."""
        self._dataset(name)

    def whole(self, name: str) -> NDArray[Any]:
        """A small array."""
        with _clear():
            dataset = self._dataset(name)
            if dataset.dtype.hasobject:
                return texts_of(self._path, dataset)
            array: NDArray[Any] = dataset[:]
            return array

    def chunks(self, name: str) -> Iterator[NDArray[Any]]:
        """A large array from its beginning, some rows at a time."""
        dataset = self._dataset(name)
        row_bytes = dataset.dtype.itemsize * math.prod(dataset.shape[1:])
        step = max(1, _CHUNK_BYTES // max(1, row_bytes))
        if dataset.chunks:  # whole chunks, or each would be unpacked several times
            step = max(dataset.chunks[0], step // dataset.chunks[0] * dataset.chunks[0])
        step = max(1, min(step, LARGEST_CHUNK // max(1, row_bytes)))
        for start in range(0, dataset.shape[0], step):
            with _clear():
                rows = dataset[start : start + step]
            yield rows

    def _dataset(self, name: str) -> h5py.Dataset:
        found = find_dataset(self._file, name)
        if found is None:
            raise BadDataError("the file is damaged")
        if name not in self._checked:
            with _clear():
                require_honest_size(found)
            self._checked.add(name)
        return found


def _arrays_in(group: h5py.Group, prefix: str, depth: int) -> Iterator[tuple[str, ArrayInfo]]:
    for name, entry in children(group):
        if isinstance(entry, h5py.Dataset):
            if entry.shape:
                yield f"{prefix}{name}", ArrayInfo(tuple(entry.shape), entry.dtype)
        elif depth < _DEEPEST:
            yield from _arrays_in(entry, f"{prefix}{name}/", depth + 1)
