"""Arrays inside an HDF5 file."""

from __future__ import annotations

import contextlib
import math
import mmap
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.sources.shared.arrays import ArrayInfo
from studio.engine.errors import BadDataError
from studio.engine.hdf5 import LARGEST_CHUNK, children, find_dataset, require_honest_size

_TEXT = struct.Struct("<IQI")
"""Reference of an array to a text: its length, the address of its heap, its number in there."""
_HEAP = struct.Struct("<4sB3xQ")
_OBJECT = struct.Struct("<HHIQ")
_LARGEST_HEAP = 2**26
_BEGIN = b"GCOL\1\0\0\0"
_ALIGNED = 8
_MOST_VALUES = 2**20
_MOST_BYTES = 2**27


def texts_of(path: Path, dataset: h5py.Dataset) -> NDArray[Any]:
    """Read an array of texts after validating their heaps.

    Args:
        path: The file.
        dataset: The array.

    Raises:
        BadDataError: The texts are damaged, or far longer than labels; the message is a short
            reason.
        OSError: The file cannot be read.
    """
    if dataset.chunks is not None and dataset.id.get_create_plist().get_nfilters():
        return _one_by_one(dataset)
    _require_sound_texts(path, dataset)
    texts: NDArray[Any] = dataset[:]
    return texts


def _one_by_one(dataset: h5py.Dataset) -> NDArray[Any]:
    """Read packed texts, whose heaps cannot be inspected: a short file may name one text often."""
    texts = np.empty(len(dataset), object)
    length = 0
    for row in range(len(dataset)):
        value = dataset[row]
        length += len(value) if isinstance(value, bytes | str) else 0
        if length > _MOST_BYTES:
            raise BadDataError("its texts are too long")
        texts[row] = value
    return texts


def _require_sound_texts(path: Path, dataset: h5py.Dataset) -> None:
    with path.open("rb") as file:
        size, total = path.stat().st_size, 0
        heaps = {0}
        for offset, stored in _offsets(dataset):
            for length, address in _references(file, offset, stored):
                heaps.add(address)
                total += length
                if total > _MOST_BYTES:
                    raise BadDataError("its texts are too long", where=str(path))
        for address in heaps - {0}:
            if not _is_sound(file, address, size):
                raise BadDataError("its texts are damaged", where=str(path))


def has_sound_heaps(path: Path) -> bool:
    """Return True if all heaps of a file are whole, also those with the texts of attributes.

    h5py does not report their positions, so all bytes are searched; that other bytes pass for
    a heap is less likely than once in a billion files of a gigabyte.

    Raises:
        OSError: The file cannot be read.
    """
    size = path.stat().st_size
    if not size:
        return True
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        address = data.find(_BEGIN)
        while address >= 0:
            if address % _ALIGNED == 0 and not _is_sound(file, address, size):
                return False
            address = data.find(_BEGIN, address + 1)
    return True


def attribute(holder: h5py.Group, name: str) -> Any:  # noqa: ANN401 - whatever type the file has
    """Return the value of an attribute.

    Args:
        holder: Group with the attribute.
        name: Name of the attribute.

    Raises:
        KeyError: There is no such attribute.
        ValueError: It claims an implausible number of values, which the library would try to read.
        OSError: It cannot be read.
    """
    if math.prod(holder.attrs.get_id(name).shape or ()) > _MOST_VALUES:
        raise ValueError(f"the attribute {name} is damaged")
    return holder.attrs[name]


def _offsets(dataset: h5py.Dataset) -> Iterator[tuple[int, int]]:
    """Yield the positions of the names of the texts in the file, and their lengths in bytes."""
    low = dataset.id
    if dataset.chunks is None:
        offset = low.get_offset()
        if offset is not None:
            yield offset, math.prod(dataset.shape) * _TEXT.size
        return
    for number in range(low.get_num_chunks()):
        chunk = low.get_chunk_info(number)
        yield chunk.byte_offset, chunk.size


def _references(file: BinaryIO, offset: int, length: int) -> Iterator[tuple[int, int]]:
    """Length of each text, and the address of its heap."""
    file.seek(offset)
    data = file.read(length)
    for size, address, _ in _TEXT.iter_unpack(data[: len(data) // _TEXT.size * _TEXT.size]):
        yield size, address


def _is_sound(file: BinaryIO, address: int, size: int) -> bool:
    """Return True if every object of a heap leads to the next, and the last to its end."""
    if address + _HEAP.size > size:
        return False
    file.seek(address)
    signature, version, length = _HEAP.unpack(file.read(_HEAP.size))
    fits = _HEAP.size <= length <= min(size - address, _LARGEST_HEAP)
    if signature != b"GCOL" or version != 1 or not fits:
        return False
    file.seek(address)
    heap, offset = file.read(length), _HEAP.size
    while offset + _OBJECT.size <= len(heap):
        number, _, _, of = _OBJECT.unpack_from(heap, offset)
        # Number 0 is what is left over, its header included; the others begin at eight bytes.
        step = of if number == 0 else _OBJECT.size + (of + 7) // 8 * 8
        if step < _OBJECT.size or offset + step > len(heap):
            return False
        offset += step
    return True


_CHUNK_BYTES = 8 * 2**20
_DEEPEST = 4


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Hdf5File]:
    """Open a file for the block.

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
        raise BadDataError("the file is damaged, or not HDF5") from error


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
        """Return a small array."""
        with _clear():
            dataset = self._dataset(name)
            if dataset.dtype.hasobject:
                return texts_of(self._path, dataset)
            array: NDArray[Any] = dataset[:]
            return array

    def chunks(self, name: str) -> Iterator[NDArray[Any]]:
        """Return a large array from its beginning, some rows at a time."""
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
