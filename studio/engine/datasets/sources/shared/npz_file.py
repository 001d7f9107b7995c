"""Arrays inside an `.npz`, without holding one in memory and without ever unpickling."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from studio.engine.datasets.sources.shared.arrays import ArrayInfo
from studio.engine.datasets.sources.shared.labels import LARGEST_HEADER
from studio.engine.datasets.sources.shared.members import LARGEST_GROWTH
from studio.engine.documents import DAMAGED
from studio.engine.errors import BadDataError

_HEADER_START = 12
_CHUNK_BYTES = 8 * 2**20
_LARGEST_FORTRAN = 2**30


@contextlib.contextmanager
def opened(path: Path) -> Iterator[NpzFile]:
    """Open a file for the block.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
        OSError: It cannot be read.
    """
    with _clear(), zipfile.ZipFile(path) as archive:
        yield NpzFile(archive)


@contextlib.contextmanager
def _clear() -> Iterator[None]:
    """Damage as one short reason."""
    try:
        yield
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno:
            raise  # of the disk, not of what lies on it
        raise BadDataError("the array is damaged or truncated") from error


class NpzFile:
    """See `arrays.ArrayFile`.

    Attributes:
        arrays: Shape and type of what can be read. Arrays of Python objects are left out: reading
            one means running what it says.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.arrays: Mapping[str, ArrayInfo] = {
            entry.filename.removesuffix(".npy"): info
            for entry in archive.infolist()
            if (info := self._info(entry)) is not None
        }

    def check(self, name: str) -> None:
        """Do nothing: the sizes were compared when the archive was opened."""

    def whole(self, name: str) -> NDArray[Any]:
        """Return a small array."""
        with _clear(), self._archive.open(f"{name}.npy") as file:
            array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
            return array

    def chunks(self, name: str) -> Iterator[NDArray[Any]]:
        """Return a large array from its beginning, some rows at a time."""
        with _clear(), self._archive.open(f"{name}.npy") as file:
            shape, is_fortran, dtype = _header(file)
            row_bytes = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
            if is_fortran and len(shape) > 1:
                yield self._fortran(name, row_bytes * shape[0])
                return
            step = max(1, _CHUNK_BYTES // max(1, row_bytes))
            for start in range(0, shape[0], step):
                rows = min(step, shape[0] - start)
                data = file.read(rows * row_bytes)
                if len(data) < rows * row_bytes:
                    raise EOFError
                yield np.frombuffer(data, dtype).reshape(rows, *shape[1:])

    def _fortran(self, name: str, size: int) -> NDArray[Any]:
        if size > _LARGEST_FORTRAN:
            raise BadDataError("it is stored column by column and too large to transpose")
        return self.whole(name)

    def _info(self, entry: zipfile.ZipInfo) -> ArrayInfo | None:
        if not entry.filename.endswith(".npy") or entry.flag_bits & 1:
            return None
        # Plain pictures pack well; a thousandth of the size is what only zeros give.
        if entry.file_size > 2**30 and entry.file_size > 5 * LARGEST_GROWTH * entry.compress_size:
            raise BadDataError("{file} unpacks to far more than its size", file=entry.filename)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadDataError(
                "{file} has a compression that NumPy does not use", file=entry.filename
            )
        with self._archive.open(entry) as file:
            shape, _, dtype = _header(file)
        size = dtype.itemsize * int(np.prod([int(side) for side in shape], dtype=object))
        if dtype.hasobject or size > entry.file_size or not shape:
            return None
        return ArrayInfo(shape, dtype)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    start = file.read(_HEADER_START)
    length = int.from_bytes(start[8:10] if start[6:7] == b"\1" else start[8:12], "little")
    if length > LARGEST_HEADER:
        raise BadDataError("the header of an array is too large")
    file.seek(0)
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, dtype = read(file)
    return tuple(shape), bool(is_fortran), dtype
